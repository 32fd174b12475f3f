// The panel of compiled code: a small graph is compiled when it is looked at, steps, loops, IR and assembly of what is
// selected; a big one asks first; an edit makes it anew; what does not compile is explained.
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "editor/panels/banner.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::compiled_test {

class CompiledTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  CompiledPanel* panel() { return hand().window().panels().compiled; }
  void rest() {
    hand().settle();
    QTRY_VERIFY_WITH_TIMEOUT(!panel()->isBusy(), 60000);
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void whatIsSelectedIsShownFromStepsToAssembly() {
    hand().add("f32[64]");
    const InstructionId power = hand().add("exp");
    hand().click(power);
    QVERIFY(!panel()->isVisible());
    hand().window().panels().raise("compiled");
    rest();
    QVERIFY2(panel()->textOf(0).contains("computes exponential"), qPrintable(panel()->textOf(0)));
    QVERIFY2(panel()->textOf(0).contains("flops") && panel()->textOf(0).contains("argument 0"),
             qPrintable(panel()->textOf(0)));
    QVERIFY2(panel()->textOf(1).contains("for"), qPrintable(panel()->textOf(1)));
    QVERIFY(panel()->textOf(2).contains("define"));
    QVERIFY(panel()->textOf(3).contains("define"));
    QVERIFY(panel()->textOf(4).contains("ret"));
    QVERIFY(!panel()->compileButton()->isVisible());
  }

  void aRunAddsMeasuredTimeAndTheMachineItsBound() {
    hand().add("f32[64]");
    hand().click(hand().add("exp"));
    hand().window().panels().raise("compiled");
    rest();
    QVERIFY(!panel()->textOf(0).contains("measured"));
    hand().key(Qt::Key_Return, Qt::ControlModifier);
    hand().window().panels().raise("compiled");
    rest();
    QVERIFY2(panel()->textOf(0).contains("measured"), qPrintable(panel()->textOf(0)));
    QTest::mouseClick(panel()->measureButton(), Qt::LeftButton);
    rest();
    rest();
    QVERIFY2(panel()->textOf(0).contains("attainable"), qPrintable(panel()->textOf(0)));
  }

  void anEditIsCompiledAnew() {
    hand().add("f32[64]");
    hand().window().panels().raise("compiled");
    rest();
    const InstructionId power = hand().add("exp");
    rest();
    hand().click(power);
    rest();
    QVERIFY(panel()->textOf(0).contains("computes exponential"));
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier);
    rest();
    QVERIFY(!panel()->textOf(0).contains("exponential"));
  }

  void whatDoesNotCompileIsExplained() {
    hand().add("f32[64]");
    hand().add("add");  // its second input is open
    hand().window().panels().raise("compiled");
    rest();
    QVERIFY2(panel()->words().contains("does not compile"), qPrintable(panel()->words()));
    QVERIFY(panel()->compileButton()->isVisible());
  }

  void theCompletePartOfAnUnfinishedGraphRuns() {
    hand().add("f32[64]");
    hand().add("add");
    hand().key(Qt::Key_Return, Qt::ControlModifier);
    rest();
    QVERIFY(hand().document().run().outcome());
    QVERIFY(hand().document().run().outcome()->outputs.size() == 1);
  }

  void aBigGraphAsksFirst() {
    std::string text = "HloModule big\nENTRY main {\n  x = f32[4] parameter(0)\n  v0 = f32[4] negate(x)\n";
    for (int i = 1; i < 3100; ++i)
      text += "  v" + std::to_string(i) + " = f32[4] negate(v" + std::to_string(i - 1) + ")\n";
    text += "  ROOT r = f32[4] exponential(v3099)\n}\n";
    QTemporaryDir folder;
    const QString path = folder.filePath("big.hlo");
    QVERIFY(writeFileAtomically(path.toStdString(), text).has_value());
    hand().window().openFile(path);
    hand().settle();
    hand().document().select({hand().named("r")});
    hand().window().panels().raise("compiled");
    rest();
    QVERIFY(panel()->compileButton()->isVisible());
    QVERIFY(panel()->textOf(0).isEmpty());
    QTest::mouseClick(panel()->compileButton(), Qt::LeftButton);
    rest();
    QVERIFY2(panel()->textOf(0).contains("computes"), qPrintable(panel()->words()));
  }
};

TESSERA_QT_TEST(compiled_test, CompiledTest)
}  // namespace tessera::compiled_test
#include "compiled_test.moc"
