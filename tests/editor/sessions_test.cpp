// What a window remembers: the last session, and documents that a crash left behind.
#include <QLabel>
#include <QLineF>
#include <QPushButton>
#include <QStandardPaths>

#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/documents/session_keeper.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/tabs_hand.h"

namespace tessera::sessions_test {

class SessionsTest : public TabsHand {
  Q_OBJECT

 private slots:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init() { show(); }
  void cleanup() { window_.reset(); }

  // --- sessions
  void theLastSessionComesBack() {
    window_.reset();
    show(true);
    openThree();
    click(1);
    window().canvas().viewport().zoomBy(2, QPointF(30, 30));
    settle();
    const double zoom = window().canvas().viewport().zoom();
    key(Qt::Key_Backslash);  // c beside b
    const QPointF centre = window().canvas().viewport().visible().center();
    window().close();
    window_.reset();
    QVERIFY(QFile::remove(folder_.filePath("a.hlo")));
    show(true);
    QVERIFY(window().session().reopenDocuments());
    settle();
    QCOMPARE(names(), (QStringList{"b.hlo", "c.hlo"}));
    QCOMPARE(current(), QStringLiteral("b.hlo"));
    QVERIFY2(window().banner().message().contains("a.hlo"), qPrintable(window().banner().message()));
    QVERIFY(std::abs(window().canvas().viewport().zoom() / zoom - 1) < 0.01);
    const double moved = QLineF(window().canvas().viewport().visible().center(), centre).length() * zoom;
    QVERIFY2(moved < 2, qPrintable(QString::number(moved)));  // pixels
    QVERIFY(window().area().beside());
    QCOMPARE(window().area().beside()->name(), QStringLiteral("c.hlo"));
    while (tabs().count() > 1) key(Qt::Key_W);
    key(Qt::Key_W);
    window_.reset();
    show(true);
    QVERIFY(!window().session().reopenDocuments());
  }

  void eachCrashIsOfferedByItself() {
    const QString aside = Recovery::usualFolder();
    QVERIFY(QDir(aside).removeRecursively() && QDir().mkpath(aside));
    const QString file = graph("a");
    const auto leave = [&](const char* name, const char* value, const QString& path) {
      const std::string left = (aside + "/" + name + ".tessera").toStdString();
      QVERIFY(writeFileAtomically(left, "tessera project 1\nhlo\n" + graphNamed(value) + "end\n").has_value());
      QVERIFY(writeFileAtomically(left + ".path", path.toStdString()).has_value());
    };
    leave("1", "changed", file);  // the number of a process that lives, as it does in every container
    leave("1073741823-1-00000000", "fresh", {});
    leave("1073741823-1-00000000.2", "third", {});
    window_.reset();
    show(true);
    window().session().offerLeftBehind();
    auto* bar = window().findChild<QFrame*>("leftBehind");
    const auto buttons = [&](const QString& text) {
      QList<QPushButton*> out;
      for (QPushButton* each : bar->findChildren<QPushButton*>())
        if (each->text() == text && each->isVisible()) out << each;
      return out;
    };
    QVERIFY(bar->isVisible());
    QCOMPARE(buttons("Restore").size(), 3);
    open(file);
    const auto ofFile = [&] {
      for (const QLabel* each : bar->findChildren<QLabel*>())
        if (each->isVisible() && each->text().startsWith("a.hlo")) return each->parentWidget();
      return static_cast<QWidget*>(nullptr);
    };
    QVERIFY(ofFile());
    QTest::mouseClick(ofFile()->findChildren<QPushButton*>().first(), Qt::LeftButton);
    settle();
    QCOMPARE(names(), QStringList{"● a.hlo"});  // in the place of its file
    QVERIFY(document().module().findInstruction("changed"));
    QTest::mouseClick(buttons("Restore").first(), Qt::LeftButton);
    settle();
    QCOMPARE(names(), (QStringList{"● a.hlo", "● untitled"}));
    QTest::mouseClick(buttons("Discard").first(), Qt::LeftButton);
    settle();
    QVERIFY(!bar->isVisible());
    QTRY_VERIFY(QDir(aside).entryList({"1073741823*.tessera"}).isEmpty());
    QCOMPARE(readFile(file.toStdString()).value_or(""), graphNamed("a"));
  }
};

TESSERA_QT_TEST(sessions_test, SessionsTest)
}  // namespace tessera::sessions_test
#include "sessions_test.moc"
