// Values inside called computations: what is opened in place shows the values of its first call, tuples say what they
// hold, a branch that is not taken says so, and comparators and windows are looked at application by application.
#include <QTest>

#include "app/studio/window/panels.h"
#include "core/hlo/numbers.h"
#include "editor/canvas/value_strips.h"
#include "editor/controllers/run_controller.h"
#include "editor/values/call_bar.h"
#include "editor/values/value_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::called_values_test {

class CalledValuesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  QString strip(const char* name) {
    const auto& values = hand().document().live().values();
    const auto found = values.find(hand().named(name));
    return found == values.end() ? QStringLiteral("(empty)") : found->second.text;
  }
  double valueOf(const char* name) {
    const Literal* value = hand().document().live().valueOf(hand().named(name));
    return value ? loadDouble(value->shape().type, value->bytes().data()) : -1;
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void allThatIsOpenedInPlaceHasValues() {
    hand().add("f32[]");
    hand().add("counting loop");
    hand().document().view().openAllGroups();
    hand().settle();
    for (ComputationId computation : hand().module().order())
      for (InstructionId id : hand().module().at(computation).instructions)
        QVERIFY2(hand().document().live().values().contains(id), std::string(hand().at(id).name).c_str());
    hand().document().view().closeAllGroups();
    hand().settle();
  }

  void aTupleSaysWhatItHolds() {
    hand().openText(
        "HloModule t\nENTRY main {\n  a = f32[] constant(3)\n  b = f32[2] constant({4, 4})\n  p = (f32[], f32[2]) "
        "tuple(a, b)\n  ROOT q = (f32[], f32[2], f32[]) tuple(a, b, a)\n}");
    QCOMPARE(strip("p"), QString("3  ·  all 4"));
    QCOMPARE(strip("q"), QString("3 values"));
  }

  // Its preview is a strip at its lower edge; a double click there opens the viewer, elsewhere the call.
  void aClosedCallShowsItsResult() {
    hand().openText(R"(HloModule closed
block { p = f32[8,8] parameter(0) q = f32[8,8] tanh(p) r = f32[8,8] negate(q) ROOT y = f32[8,8] multiply(r, q) }
ENTRY main {
  a = f32[8,8] parameter(0)
  called = f32[8,8] call(a), to_apply=block
  ROOT s = f32[8,8] abs(called)
})");
    hand().document().view().closeAllGroups();
    hand().settle();
    const GraphView& view = *hand().canvas().view();
    const ViewNode& box = view.nodes[static_cast<size_t>(view.boxOf(hand().named("called")))];
    QVERIFY(box.kind == ViewNode::Kind::CollapsedGroup);
    QVERIFY(box.shows() == hand().named("called") && view.stripOf(box) > 0);
    const QRectF frame = hand().canvas().viewport().toWidget(hand().canvas().boxOf(hand().named("called")));
    const QPoint preview(static_cast<int>(frame.left()) + 12, static_cast<int>(frame.bottom()) - 14);
    QVERIFY(hand().canvas().values().pictureAt(preview) == hand().named("called"));
    hand().doubleClick(preview);
    QVERIFY(hand().window().panels().value->isVisible());
    QVERIFY(hand().canvas().view()->findGroup("called") >= 0);
    const QRectF moved = hand().canvas().viewport().toWidget(hand().canvas().boxOf(hand().named("called")));
    hand().doubleClick(QPoint(static_cast<int>(moved.center().x()), static_cast<int>(moved.top()) + 8));
    QVERIFY(hand().canvas().view()->boxOf(hand().named("q")) != hand().canvas().view()->boxOf(hand().named("called")));
  }

  void aBranchThatIsNotTakenSaysSo() {
    hand().openText(R"(HloModule branches
left { p = f32[] parameter(0) minus = f32[] negate(p) ROOT less = f32[] add(minus, p) }
right { q = f32[] parameter(0) power = f32[] exponential(q) ROOT root = f32[] sqrt(power) }
ENTRY main {
  choice = pred[] constant(false)
  value = f32[] constant(0)
  ROOT out = f32[] conditional(choice, value, value), true_computation=left, false_computation=right
})");
    hand().document().view().openAllGroups();
    hand().settle();
    QCOMPARE(strip("minus"), QString("not run"));
    QCOMPARE(strip("root"), QString("1"));
  }

  // Undo takes away a computation between the entry and the one that is looked at.
  void theWayToWhatIsShownMayLoseAStep() {
    hand().openText(R"(HloModule way
block { p = f32[4] parameter(0) q = f32[4] tanh(p) ROOT y = f32[4] negate(q) }
ENTRY main {
  a = f32[4] parameter(0)
  called = f32[4] call(a), to_apply=block
  ROOT s = f32[4] abs(called)
})");
    const ComputationId block = hand().module().findComputation("block").value();
    hand().document().select({hand().named("called")});
    hand().key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    for (QListWidget* each : hand().canvas().findChildren<QListWidget*>())
      if (each->isVisible()) hand().enter(each);
    QCOMPARE(pathTo(hand().module(), block).size(), size_t{2});
    hand().document().view().showComputation(block);
    hand().settle();
    QCOMPARE(hand().document().live().callPath().size(), size_t{2});
    hand().undo();
    QCOMPARE(pathTo(hand().module(), block).size(), size_t{1});
    for (const CallFrame& frame : hand().document().live().callPath())
      QVERIFY(hand().module().contains(frame.caller) && hand().module().contains(frame.computation));
    QVERIFY(hand().document().live().valueOf(hand().named("called")));
  }

  void theBarGoesThroughComparisons() {
    hand().openText(R"(HloModule s
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT before = pred[] compare(a, b), direction=LT }
ENTRY main {
  x = f32[3] constant({3, 1, 2})
  ROOT s = f32[3] sort(x), dimensions={0}, to_apply=less
})");
    hand().document().view().showComputation(hand().module().findComputation("less").value());
    hand().settle();
    CallBar& bar = hand().window().pane().runController().callBar();
    QVERIFY(bar.isVisible());
    QVERIFY2(bar.words().contains("application 0 of 3"), qPrintable(bar.words()));
    QCOMPARE(valueOf("a"), 1.0);
    QCOMPARE(valueOf("b"), 3.0);
    bar.slider()->setFocus();
    QTest::keyClick(bar.slider(), Qt::Key_Right);
    hand().settle();
    QCOMPARE(valueOf("a"), 2.0);
    QCOMPARE(valueOf("b"), 1.0);
  }

  void theBarGoesThroughAWindow() {
    hand().openText(R"(HloModule w
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT sum = f32[] add(a, b) }
ENTRY main {
  x = f32[4] constant({1, 2, 4, 8})
  zero = f32[] constant(0)
  ROOT w = f32[4] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=add
})");
    hand().document().view().showComputation(hand().module().findComputation("add").value());
    hand().settle();
    CallBar& bar = hand().window().pane().runController().callBar();
    QVERIFY2(bar.words().contains("of 10"), qPrintable(bar.words()));
    bar.lookAt(4);
    hand().settle();
    QCOMPARE(valueOf("sum"), 7.0);
  }
};

TESSERA_QT_TEST(called_values_test, CalledValuesTest)
}  // namespace tessera::called_values_test
#include "called_values_test.moc"
