// What goes on in the background, in the status bar: each task with its phase and a button that cancels it soon.
#include <QElapsedTimer>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include "app/studio/task_list.h"
#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/window_status.h"
#include "editor/document/node_values.h"
#include "editor/panels/banner.h"
#include "tests/editor/endless.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::progress_test {
namespace {

constexpr int kSoonMs = 500;

}  // namespace

class ProgressTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  Document& document() { return hand().document(); }
  TaskList& tasks() { return hand().window().status().tasks(); }

  // Without waiting until the run has ended, which it never does, nor for values that take as long.
  void openEndless() {
    const QString path = folder_.filePath(QStringLiteral("graph.hlo"));
    QVERIFY(writeFileAtomically(path.toStdString(), kForever));
    hand().window().openFile(path);
    QTRY_VERIFY(document().module().findInstruction("loop"));
    document().live().setOn(false);
    hand().settle();
    QTest::keyClick(&hand().window(), Qt::Key_F5);
    QVERIFY(document().run().isRunning());
    QTRY_COMPARE(tasks().phases().size(), 1);
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() {
    for (DocumentPane* pane : hand().window().tabs().panes()) pane->document().cancel();
    hand().settle();
    hand_.reset();
  }

  void aRunIsCancelledSoonAndCalmly() {
    openEndless();
    QTest::qWait(300);
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(tasks().first().cancelButton(), Qt::LeftButton);
    QTRY_VERIFY(!document().run().isRunning());
    QVERIFY2(clock.elapsed() <= kSoonMs, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(tasks().phases().isEmpty());
    QVERIFY(!hand().window().banner().isVisible());
    QVERIFY(hand().window().statusBar()->currentMessage().contains(QStringLiteral("cancelled")));
  }

  // What comes before compiling and running has its words, too, and ends as soon.
  void argumentsAreMadeInSightAndCancelled() {
    constexpr int kParameters = 48;
    std::string text = "HloModule m\n\nENTRY e {\n";
    for (int i = 0; i < kParameters; ++i) {
      const std::string k = std::to_string(i);
      text += "  x" + k + " = f32[1500,1000] parameter(" + k + ")\n";
    }
    text += "  ROOT y = f32[1500,1000] negate(x0)\n}\n";
    hand().openText(text.c_str(), false);
    QTest::keyClick(&hand().window(), Qt::Key_F5);
    QCOMPARE(tasks().phases().size(), 1);
    QTRY_VERIFY2(tasks().phases().value(0).contains(QStringLiteral("arguments")),
                 qPrintable(tasks().phases().join(' ')));
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(tasks().first().cancelButton(), Qt::LeftButton);
    QTRY_VERIFY(!document().run().isRunning());
    QVERIFY2(clock.elapsed() <= kSoonMs, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(!document().run().outcome() && !hand().window().banner().isVisible());
  }

  // Those of values that nobody waits for any more are not made to their end.
  void liveArgumentsEndWithTheirEvaluation() {
    std::atomic<bool> cancel = false;
    hand().openText("HloModule m\n\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n", false);
    const auto make = [&] {
      return argumentsOf(hand().module(), document().files(), document().runSettings(), cancel);
    };
    QVERIFY(make());
    cancel = true;
    const auto made = make();
    QVERIFY(!made);
    QCOMPARE(made.error().message, failCancelled().error().message);
  }

  void furtherTasksStandInAList() {
    openEndless();
    document().fetch().start(hand().named("last"));
    QTRY_COMPARE(tasks().phases().size(), 2);
    QVERIFY(!tasks().isListOpen());
    QTest::mouseClick(tasks().moreButton(), Qt::LeftButton);
    QVERIFY(tasks().isListOpen());
    QVERIFY(tasks().row(0)->phase().contains(QStringLiteral("last")));
    QTest::mouseClick(tasks().row(0)->cancelButton(), Qt::LeftButton);
    QTRY_VERIFY(!document().fetch().isRunning());
    QVERIFY(document().run().isRunning() && !tasks().isListOpen());
  }

  void whatRunsElsewhereHasItsName() {
    openEndless();
    QTest::keyClick(&hand().window(), Qt::Key_N, Qt::ControlModifier);
    QTRY_COMPARE(hand().window().tabs().count(), 2);
    QTRY_VERIFY2(tasks().phases().value(0).startsWith(QStringLiteral("graph.hlo")),
                 qPrintable(tasks().phases().join(' ')));
    QTest::mouseClick(tasks().first().cancelButton(), Qt::LeftButton);
    QTRY_VERIFY(tasks().phases().isEmpty());
  }

  void escapeCancelsWhatGoesOn() {
    openEndless();
    QTest::keyClick(&hand().window(), Qt::Key_Escape);
    QTRY_VERIFY(!document().run().isRunning());
  }
};

TESSERA_QT_TEST(progress_test, ProgressTest)
}  // namespace tessera::progress_test
#include "progress_test.moc"
