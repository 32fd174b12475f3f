// The manual in the studio: chapters open in the help panel with their pictures, links lead on, operations come back;
// and the start page gives the command that makes a dump.
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>

#include "app/shared/manual.h"
#include "app/studio/window/panels.h"
#include "editor/panels/help_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::manual_test {

class ManualTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  void write(const QString& name, const QByteArray& text) {
    QFile file(folder_.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private slots:
  void initTestCase() {
    write(QStringLiteral("index.md"), "# Contents\n\n[Next](next.md), [dot](op:dot)\n\n![a picture](picture.png)\n");
    write(QStringLiteral("next.md"), "# The next chapter\n\nText\n");
    QImage wide(3000, 60, QImage::Format_RGB32);
    wide.fill(Qt::red);
    QVERIFY(wide.save(folder_.filePath(QStringLiteral("picture.png"))));
  }

  void chaptersOpenAndLinksLeadOn() {
    Hand hand;
    HelpPanel* help = hand.window().panels().help;
    help->setManual(folder_.path());
    QVERIFY(help->showChapter(QStringLiteral("index")));
    QVERIFY(help->toPlainText().startsWith(QLatin1String("Contents")));
    const QUrl name(QStringLiteral("picture.png"));
    const auto picture = help->document()->resource(QTextDocument::ImageResource, name).value<QImage>();
    QVERIFY(!picture.isNull());
    QVERIFY2(picture.width() < 3000, "wider than the panel");
    help->setSource(QUrl(QStringLiteral("next.md")));
    QVERIFY(help->toPlainText().startsWith(QLatin1String("The next chapter")));
    help->setSource(QUrl(QStringLiteral("op:dot")));
    QCOMPARE(help->shown(), QStringLiteral("dot"));
    help->setSource(QUrl(QStringLiteral("op:")));
    QVERIFY(help->toHtml().contains(QLatin1String("index.md")));
    QVERIFY(!help->showChapter(QStringLiteral("nothing")));
    QVERIFY(!help->showChapter(QStringLiteral("../index")));
  }

  void aChapterStaysWhileOneFollowsIt() {
    Hand hand;
    hand.openText("HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] negate(a)\n}\n");
    hand.window().panels().raise(QStringLiteral("help"));
    HelpPanel* help = hand.window().panels().help;
    help->setManual(folder_.path());
    QVERIFY(help->showChapter(QStringLiteral("next")));
    hand.document().select({*hand.document().module().findInstruction("b")});
    QVERIFY(help->toPlainText().startsWith(QLatin1String("The next chapter")));
    help->showSelection();  // F1
    QCOMPARE(help->shown(), QStringLiteral("negate"));
  }

  void theStartPageGivesTheCommandThatMakesADump() {
    QVERIFY2(manualFolder(), "the build makes the manual beside the programs");
    Hand hand;
    auto* copy = hand.window().findChild<QPushButton*>(QStringLiteral("copy dump command"));
    QVERIFY(copy);
    copy->click();
    QVERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("XLA_FLAGS=\"--xla_dump_to=")));
    hand.window().findChild<QPushButton*>(QStringLiteral("import help"))->click();
    QVERIFY(hand.window().panels().help->toPlainText().startsWith(QLatin1String("Get HLO out of JAX")));
  }
};

TESSERA_QT_TEST(manual_test, ManualTest)
}  // namespace tessera::manual_test
#include "manual_test.moc"
