// Files of documents as a user meets them: changed by another program, saved under a new name, pasted.
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/studio/files/disk_bar.h"
#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "editor/panels/banner.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::files_test {
namespace {

constexpr const char* kTwo = R"(HloModule two

ENTRY main {
  x = f32[4,8] parameter(0)
  ROOT y = f32[4,8] negate(x)
}
)";
constexpr const char* kOther = R"(HloModule two

ENTRY main {
  x = f32[4,8] parameter(0)
  other = f32[4,8] exponential(x)
  ROOT y = f32[4,8] negate(other)
}
)";
constexpr const char* kStableHlo = R"(module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";

}  // namespace

class FilesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  DiskBar& bar() { return *hand().window().pane().diskBar(); }
  QString path() { return hand().document().file().path(); }
  void writeBehindItsBack(const char* text) {
    if (!writeFileAtomically(path().toStdString(), text)) qFatal("cannot write a test's file");
  }

  // What a person does in the dialog that Save as opens.
  void answer(const std::function<void(QFileDialog&)>& act) {
    QTimer::singleShot(0, this, [act] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (!dialog) qFatal("Save as opens no dialog");
      act(*dialog);
      if (dialog->isVisible()) dialog->reject();
    });
  }
  void saveAs(const std::function<void(QFileDialog&)>& act) {
    QApplication::setActiveWindow(&hand().window());
    answer(act);
    QTest::keyClick(&hand().window(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    hand().settle();
  }
  static QLineEdit& nameField(const QFileDialog& dialog) {
    return *dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
  }
  // Nothing that is typed here should bring up a question.
  static void type(QFileDialog& dialog, const QString& name) {
    QTimer::singleShot(2000, &dialog, [] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
        QTest::qFail(qPrintable(box->text()), __FILE__, __LINE__);
        box->reject();
      }
    });
    QApplication::setActiveWindow(&dialog);  // nobody manages windows here
    nameField(dialog).setFocus();
    nameField(dialog).selectAll();
    QTest::keyClicks(&nameField(dialog), name);
    QTest::keyClick(&nameField(dialog), Qt::Key_Return);
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // --- changed by another program

  void aChangeIsSaidWithoutMovingTheCanvas() {
    hand().openText(kTwo, false);
    const QRect before(hand().canvas().mapTo(&hand().window(), QPoint()), hand().canvas().size());
    writeBehindItsBack(kOther);
    QTRY_VERIFY(bar().isVisible());
    QVERIFY(bar().message().contains(QStringLiteral("graph.hlo")));
    hand().settle();
    QCOMPARE(QRect(hand().canvas().mapTo(&hand().window(), QPoint()), hand().canvas().size()), before);
    QVERIFY(hand().text().find("exponential") == std::string::npos);  // not before it is asked for
  }

  // Between its reading and the moment from which the bar watches it, of which the system tells nothing.
  void aChangeWhileItIsOpenedIsSaid() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("early.hlo"));
    QVERIFY(writeFileAtomically(file.toStdString(), kTwo));
    Document document;
    connect(&document, &Document::opened, this, [&] { QVERIFY(writeFileAtomically(file.toStdString(), kOther)); });
    QWidget window;
    const DiskBar own(document, &window);
    document.file().open(file);
    QTRY_VERIFY(document.isOpen());
    QTRY_VERIFY(own.message().contains(QStringLiteral("early.hlo was changed")));
  }

  void reloadTakesWhatTheDiskHasAtTheSamePlace() {
    hand().openText(kTwo, false);
    hand().canvas().viewport().zoomBy(1.5, {});
    const double zoom = hand().canvas().viewport().zoom();
    writeBehindItsBack(kOther);
    QTRY_VERIFY(bar().isVisible());
    QTest::mouseClick(bar().reloadButton(), Qt::LeftButton);
    hand().settle();
    QTRY_VERIFY(hand().text().find("exponential") != std::string::npos);
    QVERIFY(bar().message().isEmpty());
    QVERIFY(!hand().document().file().isModified());
    QCOMPARE(hand().window().tabs().count(), 1);
    QTRY_COMPARE(hand().canvas().viewport().zoom(), zoom);
  }

  void keepMakesItUnsaved() {
    hand().openText(kTwo, false);
    writeBehindItsBack(kOther);
    QTRY_VERIFY(bar().isVisible());
    QTest::mouseClick(bar().keepButton(), Qt::LeftButton);
    QVERIFY(bar().message().isEmpty() && hand().document().file().isModified());
    QTest::keyClick(&hand().window(), Qt::Key_S, Qt::ControlModifier);
    hand().settle();
    const auto saved = readFile(path().toStdString());
    QVERIFY(saved && saved->find("exponential") == std::string::npos);
    QVERIFY(!hand().document().file().isModified());
    QTest::qWait(400);
    QVERIFY(bar().message().isEmpty());  // its own saves are no news
  }

  void changesThatWouldGoAreNamed() {
    hand().openText(kTwo, false);
    hand().add("f32[3]");
    writeBehindItsBack(kOther);
    QTRY_VERIFY(bar().isVisible());
    QVERIFY2(bar().message().contains(QStringLiteral("drops the changes")), qPrintable(bar().message()));
  }

  void aFileThatGoesIsSaidAndCanBeWrittenAgain() {
    hand().openText(kTwo, false);
    QVERIFY(QFile::remove(path()));
    QTRY_VERIFY(bar().isVisible());
    QVERIFY2(bar().message().contains(QStringLiteral("not on the disk")), qPrintable(bar().message()));
    QVERIFY(bar().reloadButton()->isHidden());
    QTest::mouseClick(bar().keepButton(), Qt::LeftButton);
    QTest::keyClick(&hand().window(), Qt::Key_S, Qt::ControlModifier);
    hand().settle();
    QVERIFY(QFileInfo::exists(path()));
  }

  void anotherStateIsSaidAgain() {
    hand().openText(kTwo, false);
    writeBehindItsBack(kOther);
    QTRY_VERIFY(bar().isVisible());
    QTest::mouseClick(bar().keepButton(), Qt::LeftButton);
    writeBehindItsBack("HloModule two\n\nENTRY main {\n  ROOT x = f32[4,8] parameter(0)\n}\n");
    QTRY_VERIFY(bar().isVisible());
  }

  void whatDoesNotReadLeavesTheGraphThere() {
    hand().openText(kTwo, false);
    writeBehindItsBack("HloModule two\n\nENTRY main {\n");
    QTRY_VERIFY(bar().isVisible());
    QTest::mouseClick(bar().reloadButton(), Qt::LeftButton);
    hand().settle();
    QTRY_VERIFY(hand().window().banner().isVisible());
    QVERIFY(hand().text().find("negate") != std::string::npos);
  }

  // --- saved as

  void aNameWithoutAnEndingGetsThatOfItsKind() {
    hand().openText(kTwo, false);
    const QString folder = QFileInfo(path()).absolutePath();
    saveAs([](QFileDialog& dialog) { type(dialog, QStringLiteral("copy")); });
    QCOMPARE(path(), folder + QStringLiteral("/copy.hlo"));
    saveAs([](QFileDialog& dialog) {
      dialog.selectNameFilter(dialog.nameFilters().at(1));
      emit dialog.filterSelected(dialog.nameFilters().at(1));
      QCOMPARE(nameField(dialog).text(), QStringLiteral("copy.tessera"));  // the kind's ending instead of the other
      type(dialog, QStringLiteral("arranged"));
    });
    QCOMPARE(path(), folder + QStringLiteral("/arranged.tessera"));
    QVERIFY(QFileInfo::exists(path()));
  }

  void anEndingThatIsTypedStays() {
    hand().openText(kTwo, false);
    saveAs([](QFileDialog& dialog) { type(dialog, QStringLiteral("plain.txt")); });
    QCOMPARE(QFileInfo(path()).fileName(), QStringLiteral("plain.txt"));
  }

  // --- pasted

  void pastedStableHloIsADocument() {
    hand().openText(kTwo, false);
    QGuiApplication::clipboard()->setText(QString::fromLatin1(kStableHlo));
    hand().key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(hand().window().tabs().count(), 2);
    QVERIFY(hand().text().find("tanh") != std::string::npos);
    QVERIFY(path().isEmpty() && hand().document().file().isModified());
    QTRY_VERIFY(hand().document().live().trace());  // as of a file that is opened
  }

  void pastedHloIsADocumentAndCopiedNodesAreNot() {
    hand().openText(kTwo, false);
    hand().document().select({hand().named("y")});
    hand().key(Qt::Key_C, Qt::ControlModifier);
    hand().key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(hand().window().tabs().count(), 1);
    QGuiApplication::clipboard()->setText(QString::fromLatin1(kOther));
    hand().key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(hand().window().tabs().count(), 2);
    QVERIFY(hand().text().find("exponential") != std::string::npos);
  }

  void textThatIsNoGraphIsExplained() {
    hand().openText(kTwo, false);
    QGuiApplication::clipboard()->setText(QStringLiteral("HloModule m\n\nENTRY e {\n"));
    QTest::keyClick(&hand().window(), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    hand().settle();
    QCOMPARE(hand().window().tabs().count(), 1);
    QVERIFY(hand().window().banner().message().contains(QStringLiteral("clipboard")));
  }
};

TESSERA_QT_TEST(files_test, FilesTest)
}  // namespace tessera::files_test
#include "files_test.moc"
