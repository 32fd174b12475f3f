// Values while a graph is built, with real events: the value viewer and numbers that are dragged.
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <numeric>

#include "app/studio/window/panels.h"
#include "core/evaluate/trace.h"
#include "core/formats/module_file.h"
#include "editor/look/round_step.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_view.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/values_hand.h"

namespace tessera::values_test {

using namespace values;

class ValuesTest : public ValuesHand {
  Q_OBJECT

 private slots:
  void cleanup() { hand_.reset(); }

  QPoint numberOf(InstructionId id) {
    const QRectF box = hand().canvas().boxOf(id);
    return hand().canvas().viewport().toWidget(QPointF(box.left() + 18, box.bottom() - 8)).toPoint();
  }

  void aDragAlongAScalarInputChangesWhatRuns() {
    const InstructionId x = hand().add("f32[]"), twice = hand().add("multiply 2");
    const double before = valueOf("multiply"), from = before / 2;
    const double to = from + 0.5 * std::max(std::abs(from), 1.0);  // a hundredth a pixel, of the number or of one
    const std::string text = hand().text();
    hand().drag(numberOf(x), numberOf(x) + QPoint(50, 0));
    QVERIFY(std::abs(numberIn(*hand().document().live().valueOf(x)) - to) < 1e-4);
    QVERIFY(std::abs(numberIn(*hand().document().live().valueOf(twice)) - 2 * to) < 2e-4);
    QCOMPARE(hand().text(), text);  // the graph stays
    hand().undo();                  // one step, whatever it took on the way
    QCOMPARE(valueOf("multiply"), before);
    hand().redo();
    QVERIFY(std::abs(valueOf("multiply") - 2 * to) < 2e-4);
  }

  void aDragAlongAConstantChangesTheGraph() {
    const InstructionId c = hand().add("s32[] 5");
    QVERIFY(hand().at(c).opcode == Opcode::Constant);
    hand().drag(numberOf(c), numberOf(c) + QPoint(24, 0));
    QVERIFY(hand().text().find("constant(8)") != std::string::npos);
  }

  void ctrlShiftClickShowsTheWholeValue() {
    hand().openText(R"(HloModule v
ENTRY main {
  x = f32[2,2,3] constant({{{1,2,3},{4,5,6}},{{7,8,nan},{10,11,-12}}})
  ROOT y = f32[2,2,3] abs(x)
})");
    hand().click(hand().named("y"), Qt::ControlModifier | Qt::ShiftModifier);
    ValuePanel* panel = hand().window().panels().value;
    QVERIFY(panel->isVisible());
    ValueView* view = panel->current();
    QVERIFY(view->title().startsWith("y  f32[2,2,3]"));
    QVERIFY2(view->summary().contains("1 NaN") && view->summary().contains("max 12"), qPrintable(view->summary()));
    QCOMPARE(view->table()->model()->rowCount(), 2);
    QCOMPARE(view->table()->model()->columnCount(), 3);
    QCOMPARE(view->table()->model()->index(1, 2).data().toString(), QString("6"));
    QCOMPARE(view->selectors().size(), size_t{1});
    view->selectors()[0]->setFocus();
    QTest::keyClick(view->selectors()[0], Qt::Key_Up);
    QCOMPARE(view->table()->model()->index(0, 2).data().toString(), QString("NaN"));
    panel->copyCsv();
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("7,8,NaN\n10,11,12\n"));
    panel->copyText();
    QVERIFY(QGuiApplication::clipboard()->text().contains("nan"));
    const QString file = folder_.filePath("y.npy");
    panel->saveNpy(file);
    QTRY_VERIFY(QFile::exists(file));
    QVERIFY(
        readNpyBytes(*readFile(file.toStdString()))->identical(*hand().document().live().valueOf(hand().named("y"))));
  }

  void pinningComparesTwoValues() {
    hand().openText("HloModule v\nENTRY main {\n  x = f32[3] constant({1,2,3})\n  ROOT y = f32[3] multiply(x, x)\n}");
    hand().click(hand().named("x"), Qt::ControlModifier | Qt::ShiftModifier);
    ValuePanel* panel = hand().window().panels().value;
    QTest::mouseClick(panel->pinButton(), Qt::LeftButton);
    hand().click(hand().named("y"));
    QVERIFY(panel->pinned()->isVisible());
    QVERIFY2(panel->difference().contains("2 of 3") && panel->difference().contains("6 at [2]"),
             qPrintable(panel->difference()));
    QTest::mouseClick(panel->pinButton(), Qt::LeftButton);
    QVERIFY(!panel->pinned()->isVisible());
  }

  void whereNothingIsLiveTheValueIsComputed() {
    hand().openText(
        "HloModule v\nENTRY main {\n  x = f32[3] constant({1,2,3})\n  y = f32[3] multiply(x, x)\n  ROOT z = f32[3] "
        "negate(y)\n}",
        false);
    QVERIFY(!hand().document().live().isOn());
    hand().click(hand().named("y"), Qt::ControlModifier | Qt::ShiftModifier);
    const ValueView* view = hand().window().panels().value->current();
    QCOMPARE(view->slice().text(2, 0), QString("9"));
    hand().document().perform({"Value", {SetLiteral{hand().named("x"), "{4,5,6}"}}}, hand().named("y"));
    hand().settle();
    QCOMPARE(view->slice().text(2, 0), QString("36"));  // of the graph as it is
  }

  void aDragThatBeganOnNoNumberChangesNothing() {
    hand().openText(
        "HloModule v\nENTRY main {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}");
    emit hand().canvas().valueScrubbed(hand().named("a"), 0, true);
    hand().settle();
    hand().document().live().setOn(false);
    const RunSettings before = hand().document().runSettings();
    emit hand().canvas().valueScrubbed(hand().named("b"), 0, true);
    emit hand().canvas().valueScrubbed(hand().named("b"), 50, false);
    hand().settle();
    QVERIFY(hand().document().runSettings() == before);
  }

  void aHistogramHasRoomForTheWholeRange() {
    std::vector<double> values(4000, 1.7e308);
    std::fill(values.begin(), values.begin() + 1000, -1.7e308);
    const NodeValue bars = nodeValue(
        *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F64, {4000}), std::as_bytes(std::span(values))));
    QCOMPARE(bars.form, NodeValue::Form::Bars);
    QVERIFY(bars.samples.front() > 0.3f && bars.samples.front() < 0.4f && bars.samples.back() == 1);
  }

  void aPreviewIsAPlaneOfItsLongestDimensions() {
    const auto counting = [](std::vector<int64_t> sizes) {
      const Shape shape = Shape::arrayRowMajor(ElementType::F32, sizes);
      std::vector<float> elements(static_cast<size_t>(*shape.elementCount()));
      std::iota(elements.begin(), elements.end(), 0.0F);
      return nodeValue(*Literal::fromBytes(shape, std::as_bytes(std::span(elements))));
    };
    const NodeValue plane = counting({4, 2, 3});
    QCOMPARE(plane.form, NodeValue::Form::Heat);
    QCOMPARE(plane.columns, 3);
    QCOMPARE(plane.aspect, 0.75);
    QCOMPARE(plane.samples.size(), size_t{12});
    QCOMPARE(plane.samples[3 * 3 + 1], 19.0F / 23);  // [3, 0, 1]
    QCOMPARE(counting({28, 28, 1}).columns, 28);
    QCOMPARE(counting({1, 5, 1}).form, NodeValue::Form::Line);
    QCOMPARE(counting({2, 9, 10, 4}).form, NodeValue::Form::Heat);
    QCOMPARE(counting({1, 9, 10, 4}).form, NodeValue::Form::Image);
    const NodeValue image = counting({2, 9, 10, 3});
    QCOMPARE(image.form, NodeValue::Form::Image);
    QCOMPARE(image.columns, 10);
    QCOMPARE(image.samples.size(), size_t{9 * 10 * 3});
  }

  void aNanIsTracedToWhereItBegan() {
    hand().openText(
        "HloModule v\nENTRY main {\n  x = f32[3] constant({1,-2,3})\n  l = f32[3] log(x)\n  e = f32[3] negate(l)\n  "
        "ROOT s = f32[3] add(e, x)\n}");
    const NodeValues& values = hand().document().live().values();
    QVERIFY(values.at(hand().named("l")).text.contains("first here"));
    QVERIFY(values.at(hand().named("s")).text.contains("from l"));
    QVERIFY(values.at(hand().named("s")).badFrom == hand().named("l"));
    QVERIFY(!values.at(hand().named("x")).bad);
  }

  void valuesComeBackWithTheUndoOfAMute() {
    hand().openText(
        "HloModule v\nENTRY main {\n  x = f32[3] constant({1,2,3})\n  y = f32[3] multiply(x, x)\n  ROOT z = f32[3] "
        "negate(y)\n}");
    const auto last = [this] { return hand().document().live().valueOf(hand().named("z"))->data<float>()[2]; };
    QCOMPARE(last(), -9.0F);
    hand().document().select({hand().named("y")});
    hand().key(Qt::Key_M);
    QCOMPARE(last(), -3.0F);
    hand().undo();
    QCOMPARE(last(), -9.0F);
    hand().redo();
    QCOMPARE(last(), -3.0F);
  }

  // As in the viewer: a constant is not drawn as if it were zero.
  void equalNumbersHaveTheColourOfTheirSign() {
    hand().openText(
        "HloModule v\nENTRY main {\n  z = f32[2,2] constant({{0,0},{0,0}})\n  p = f32[2,2] constant({{8,8},{8,8}})\n  "
        "n = f32[2,2] negate(p)\n  ROOT s = (f32[2,2], f32[2,2]) tuple(n, z)\n}");
    const auto part = [this](const char* name) {
      const NodeValue& value = hand().document().live().values().at(hand().named(name));
      return value.samples.at(0) - value.zero;
    };
    QCOMPARE(part("p"), 0.5F);
    QCOMPARE(part("n"), -0.5F);
    hand().document().live().valueOf(hand().named("z"));
    QCOMPARE(part("z"), 0.0F);
  }

  void aScalarInputHasASlider() {
    const InstructionId x = hand().add("f32[]");
    hand().window().panels().raise("value");
    hand().click(x);
    ValuePanel* panel = hand().window().panels().value;
    QVERIFY(panel->slider()->isVisible());
    // From -1 to 1, or as far as the first value needs, to a round number.
    const double first = numberIn(*hand().document().live().valueOf(x));
    const double least = first < -1 ? -roundStep(-first) : -1, most = first > 1 ? roundStep(first) : 1;
    QVERIFY2(panel->current()->summary().isEmpty(), qPrintable(panel->current()->summary()));
    panel->slider()->setFocus();
    const auto slid = [&](Qt::Key key) {
      QTest::keyClick(panel->slider(), key);
      hand().settle();
      return numberIn(*hand().document().live().valueOf(x));
    };
    QVERIFY(std::abs(slid(Qt::Key_End) - most) < 0.02);
    QVERIFY(std::abs(slid(Qt::Key_Home) - least) < 0.02);
  }
};

TESSERA_QT_TEST(values_test, ValuesTest)
}  // namespace tessera::values_test
#include "values_test.moc"
