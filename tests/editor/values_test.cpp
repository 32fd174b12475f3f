// Values while a graph is built: traces of calls, sources of arguments, run settings; and with real events the value
// viewer, numbers that are dragged, play, and the bar of a called computation.
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "core/evaluate/argument_source.h"
#include "core/evaluate/trace.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/hlo/numbers.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/player.h"
#include "editor/panels/banner.h"
#include "editor/panels/run/run_panel.h"
#include "editor/values/call_bar.h"
#include "editor/values/play_bar.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_plot.h"
#include "editor/values/value_view.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::values_test {
namespace {

constexpr const char* kLoop = R"(HloModule counting
body {
  state = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[2] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[2] add(x, x)
  ROOT out = (s32[], f32[2]) tuple(next, twice)
}
condition {
  state.1 = (s32[], f32[2]) parameter(0)
  i.1 = s32[] get-tuple-element(state.1), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i.1, ten), direction=LT
}
ENTRY main {
  start = f32[2] parameter(0)
  zero = s32[] constant(0)
  begin = (s32[], f32[2]) tuple(zero, start)
  loop = (s32[], f32[2]) while(begin), condition=condition, body=body
  ROOT result = f32[2] get-tuple-element(loop), index=1
})";

constexpr const char* kBranches = R"(HloModule branches
left { p = f32[] parameter(0) ROOT minus = f32[] negate(p) }
right { q = f32[] parameter(0) ROOT root = f32[] sqrt(q) }
ENTRY main {
  choice = pred[] constant(false)
  value = f32[] constant(9)
  ROOT out = f32[] conditional(choice, value, value), true_computation=left, false_computation=right
})";

Module moduleOf(const char* text) { return *readHloText(text, "test").module; }
InstructionId named(const Module& m, const char* name) { return m.findInstruction(name).value(); }
double numberIn(const Literal& value, int64_t i = 0) {
  return loadDouble(value.shape().type, value.bytes().data() + i * byteWidth(value.shape().type));
}
Literal floats(std::vector<float> values) {
  return *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())}),
                             std::as_bytes(std::span(values)));
}

}  // namespace

class ValuesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  void openLoop() { hand().openText(kLoop); }
  double valueOf(const char* name, int64_t i = 0) {
    const Literal* value = hand().document().live().valueOf(hand().named(name));
    return value ? numberIn(*value, i) : -12345;
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // --- traces
  void aTraceLooksIntoAnIteration() {
    const Module module = moduleOf(kLoop);
    const ComputationId body = module.findComputation("body").value();
    CallPath path = pathTo(module, body);
    QCOMPARE(path.size(), size_t{1});
    path[0].application = 7;
    const std::vector<Literal> arguments{floats({1, 3})};
    const auto trace = traceModule(module, arguments, path);
    QVERIFY(trace.has_value());
    QCOMPARE(trace->calls.at(0).applications, int64_t{10});
    QCOMPARE(trace->calls.at(0).carried.size(), size_t{10});
    QCOMPARE(numberIn(*trace->find(named(module, "i"))), 7.0);
    QCOMPARE(numberIn(*trace->find(named(module, "twice")), 1), 3.0 * 256);
    QCOMPARE(numberIn(*trace->find(named(module, "result"))), 1024.0);  // the entry is there as well
    path[0].application = 1000;
    QCOMPARE(traceModule(module, arguments, path)->calls.at(0).application, int64_t{9});  // the last one
  }

  void aBranchThatWasNotTakenHasNoValues() {
    const Module module = moduleOf(kBranches);
    const auto left = traceModule(module, {}, pathTo(module, module.findComputation("left").value()));
    QVERIFY(left.has_value());
    QCOMPARE(left->calls.at(0).applications, int64_t{0});
    QVERIFY(!left->find(named(module, "minus")));
    const auto right = traceModule(module, {}, pathTo(module, module.findComputation("right").value()));
    QCOMPARE(numberIn(*right->find(named(module, "root"))), 3.0);
  }

  void aReducersApplicationHasItsTwoArguments() {
    const Module module = moduleOf(R"(HloModule r
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[2,3] constant({{1,2,3},{10,20,30}})
  zero = f32[] constant(0)
  ROOT sums = f32[2] reduce(x, zero), dimensions={1}, to_apply=add
})");
    CallPath path = pathTo(module, module.findComputation("add").value());
    path.at(0).application = 5;  // the second row's last: 10 + 20, then 30
    const auto trace = traceModule(module, {}, path);
    QCOMPARE(trace->calls.at(0).applications, int64_t{6});
    QCOMPARE(numberIn(*trace->find(named(module, "a"))), 30.0);
    QCOMPARE(numberIn(*trace->find(named(module, "b"))), 30.0);
    QCOMPARE(numberIn(*trace->find(named(module, "c"))), 60.0);
  }

  void whatIsIncompleteIsLeftOut() {
    const Module module = moduleOf(R"(HloModule open
ENTRY main {
  x = f32[2] constant({1,2})
  y = f32[2] negate(x)
  z = f32[2] add(y, ?)
  ROOT w = f32[2] exponential(z)
})");
    const auto trace = traceModule(module, {});
    QVERIFY(trace.has_value());
    QCOMPARE(numberIn(*trace->find(named(module, "y")), 1), -2.0);
    QVERIFY(!trace->find(named(module, "z")));
    QVERIFY(!trace->find(named(module, "w")));
  }

  // --- sources and settings
  void sourcesMakeArrays() {
    const Shape five = Shape::arrayRowMajor(ElementType::F32, {5}), whole = Shape::arrayRowMajor(ElementType::S32, {4});
    QCOMPARE(numberIn(*argumentFrom("ramp 1 3", five, {}), 2), 2.0);
    QCOMPARE(numberIn(*argumentFrom("ramp 0 3", whole, {}), 3), 3.0);
    QCOMPARE(numberIn(*argumentFrom("constant -2.5", five, {}), 4), -2.5);
    const auto random = argumentFrom("random 4 5", five, {});
    for (int i = 0; i < 5; ++i) QVERIFY(numberIn(*random, i) >= 4 && numberIn(*random, i) < 5);
    QVERIFY(numberIn(*random, 0) != numberIn(*random, 1));
    QVERIFY(argumentFrom("rule", five, {})->identical(*fillParameter(five, 0, {})));
    for (const char* bad : {"constant", "constant x", "ramp 1", "nothing 3", "npy", "rule 4"})
      QVERIFY2(!checkArgumentSource(bad), bad);
    QVERIFY(!argumentFrom("npy /nowhere.npy", five, {}));
    const std::string file = folder_.filePath("two.npy").toStdString();
    QVERIFY(writeFileAtomically(file, *npyBytes(floats({4, 9}))).has_value());
    QCOMPARE(numberIn(*argumentFrom("npy " + file, Shape::arrayRowMajor(ElementType::F64, {2}), {}), 1), 9.0);
    QVERIFY(argumentFrom("npy " + file, five, {}).error().message.find("f32[2]") != std::string::npos);
  }

  void anImageFillsAnArray() {
    const std::string file = folder_.filePath("two.pgm").toStdString();
    QVERIFY(writeFileAtomically(file, std::string("P5\n2 2\n255\n") + '\0' + '\xff' + '\xff' + '\0').has_value());
    const auto gray = argumentFrom("image " + file, Shape::arrayRowMajor(ElementType::F32, {4, 4}), {});
    QCOMPARE(numberIn(*gray, 0), 0.0);
    QCOMPARE(numberIn(*gray, 3), 1.0);
    QCOMPARE(numberIn(*gray, 15), 0.0);
    const auto colors = argumentFrom("image " + file, Shape::arrayRowMajor(ElementType::U8, {1, 2, 2, 3}), {});
    QCOMPARE(numberIn(*colors, 5), 255.0);
    QVERIFY(!argumentFrom("image " + file, Shape::arrayRowMajor(ElementType::F32, {4}), {}));
    QVERIFY(writeFileAtomically(file, "P5\n2 2\n255\nx").has_value());  // cut short
    QVERIFY(!decodeNetpbm(*readFile(file), file));
  }

  void settingsSurviveTheirText() {
    RunSettings settings;
    settings.backend = "evaluator";
    settings.seed = 7;
    settings.replicas = 2;
    settings.sources = {{0, "ramp 0 1"}, {3, "npy a b.npy"}};
    settings.feedback = {{1, 0}};
    settings.library = "libmine.so";
    settings.usual = false;
    RunSettings read;
    for (const QString& line : QString::fromStdString(printRunSettings(settings)).split('\n', Qt::SkipEmptyParts)) {
      QVERIFY(line.startsWith("run "));
      QVERIFY(readRunSetting(read, line.mid(4).toStdString()).has_value());
    }
    QVERIFY(read == settings);
    for (const char* bad :
         {"backend gpu", "threads -1", "replicas 5000", "argument x rule", "argument 0", "tie 1", "colour red", ""})
      QVERIFY2(!readRunSetting(read, bad), bad);
    QCOMPARE(commandOf(settings, "my file.hlo", ""),
             std::string("tessera run 'my file.hlo' --backend=evaluator --replicas=2 --seed=7 --argument='0=ramp 0 1' "
                         "--argument='3=npy a b.npy' --custom-call-library=libmine.so"));
    settings.usual = true;
    QVERIFY(commandOf(settings, "g.hlo", "").find(" --fill=usual") != std::string::npos);
  }

  void theProjectKeepsTheSettingsAndUndoTakesThemBack() {
    openLoop();
    RunPanel* panel = hand().window().panels().run;
    hand().window().panels().raise("run");
    QVERIFY(panel->source(0));
    panel->source(0)->setFocus();
    QTest::keyClicks(panel->source(0), "constant 2");
    hand().settle();
    QCOMPARE(valueOf("result"), 2048.0);
    QVERIFY(panel->command().contains("--argument='0=constant 2'"));
    panel->copyCommand();
    QCOMPARE(QGuiApplication::clipboard()->text(), panel->command());
    const QString project = folder_.filePath("kept.tessera");
    QVERIFY(hand().document().file().save(project).has_value());
    hand().undo();
    QVERIFY(hand().document().runSettings().sources.empty());
    QVERIFY(valueOf("result") != 2048.0);
    QVERIFY(hand().window().closeTab(hand().window().pane()));
    hand().window().openFile(project);
    hand().settle();
    panel = hand().window().panels().run;
    QCOMPARE(hand().document().runSettings().sources.at(0), std::string("constant 2"));
    panel->source(0)->setFocus();
    panel->source(0)->selectAll();
    QTest::keyClicks(panel->source(0), "comstant");
    QVERIFY(panel->sourceError(0).contains("no source of values"));
    QCOMPARE(hand().document().runSettings().sources.at(0), std::string("constant 2"));
  }

  // --- numbers that are dragged
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

  // --- the viewer
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
    QVERIFY(panel->saveNpy(file).has_value());
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
    QVERIFY(view->isEmpty());  // it is of the graph before
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

  void aScalarInputHasASlider() {
    const InstructionId x = hand().add("f32[]");
    hand().window().panels().raise("value");
    hand().click(x);
    ValuePanel* panel = hand().window().panels().value;
    QVERIFY(panel->slider()->isVisible());
    // From -1 to 1, or as far as the first value needs.
    const double first = numberIn(*hand().document().live().valueOf(x));
    const double least = first < -1 ? 2 * first : -1, most = first > 1 ? 2 * first : 1;
    panel->slider()->setFocus();
    const auto slid = [&](Qt::Key key) {
      QTest::keyClick(panel->slider(), key);
      hand().settle();
      return numberIn(*hand().document().live().valueOf(x));
    };
    QVERIFY(std::abs(slid(Qt::Key_End) - most) < 0.02);
    QVERIFY(std::abs(slid(Qt::Key_Home) - least) < 0.02);
  }

  // --- play
  void theGameOfLifePlays() {
    hand().openText(R"(HloModule life
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT both = s32[] add(a, b) }
ENTRY life {
  board = s32[5,5] parameter(0)
  none = s32[] constant(0)
  around = s32[5,5] reduce-window(board, none), window={size=3x3 pad=1_1x1_1}, to_apply=sum
  three = s32[] constant(3)
  threes = s32[5,5] broadcast(three), dimensions={}
  born = pred[5,5] compare(around, threes), direction=EQ
  four = s32[] constant(4)
  fours = s32[5,5] broadcast(four), dimensions={}
  full = pred[5,5] compare(around, fours), direction=EQ
  alive = pred[5,5] convert(board)
  stays = pred[5,5] and(alive, full)
  next = pred[5,5] or(born, stays)
  ROOT after = s32[5,5] convert(next)
})");
    std::vector<int32_t> blinker(25, 0);
    for (size_t cell : {11, 12, 13}) blinker[cell] = 1;
    const Literal board =
        *Literal::fromBytes(Shape::arrayRowMajor(ElementType::S32, {5, 5}), std::as_bytes(std::span(blinker)));
    const std::string file = folder_.filePath("board.npy").toStdString();
    QVERIFY(writeFileAtomically(file, *npyBytes(board)).has_value());
    RunSettings settings;
    settings.sources[0] = "npy " + file;
    hand().document().setRunSettings(settings, "board");
    hand().settle();
    PlayBar& bar = hand().window().runController().playBar();
    QVERIFY(!bar.isVisible());  // nobody asked for it
    hand().window().findChild<QAction*>("feed back")->trigger();
    hand().settle();
    QVERIFY(bar.isVisible());
    QCOMPARE(valueOf("board", 11), 1.0);
    QTest::mouseClick(bar.stepButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(bar.words(), QString("step 1"));
    QCOMPARE(valueOf("board", 11), 0.0);  // it stands upright now
    QCOMPARE(valueOf("board", 7), 1.0);
    QTest::mouseClick(bar.stepButton(), Qt::LeftButton);
    hand().settle();
    QVERIFY(hand().document().live().valueOf(hand().named("board"))->identical(board));
    QTest::mouseClick(bar.playButton(), Qt::LeftButton);
    QTRY_VERIFY(hand().window().runController().player().steps() >= 4);
    QTest::mouseClick(bar.playButton(), Qt::LeftButton);
    hand().settle();
    QVERIFY(!hand().window().runController().player().isPlaying());
    QTest::mouseClick(bar.resetButton(), Qt::LeftButton);
    hand().settle();
    QCOMPARE(bar.words(), QString("step 0"));
    QCOMPARE(valueOf("board", 12), 1.0);
  }

  void feedbackIsTheModulesAliasesOrWhatTheUserSets() {
    hand().openText(
        "HloModule t\nENTRY main {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  c = f32[2] add(a, b)\n  "
        "ROOT r = (f32[2], f32[2]) tuple(b, c)\n}");
    Player& player = hand().window().runController().player();
    QVERIFY(player.feedback().empty());  // what could be fed back is no feedback
    QVERIFY(player.canFeedBack());
    player.setFeedsBack(true);
    hand().settle();
    QCOMPARE(player.feedback().at(0), int64_t{0});
    player.feedBack(0, 1);
    hand().settle();
    QCOMPARE(player.feedback().at(0), int64_t{1});
    player.feedBack(0, -1);
    hand().settle();
    QVERIFY(!player.feedback().contains(0));
    const Module aliased = moduleOf(
        "HloModule a, input_output_alias={ {1}: (1, {}, may-alias) }\nENTRY main {\n  a = f32[2] parameter(0)\n  b = "
        "f32[2] parameter(1)\n  ROOT r = (f32[2], f32[2]) tuple(a, b)\n}");
    QCOMPARE(declaredFeedback(aliased).size(), size_t{1});
    QCOMPARE(declaredFeedback(aliased).at(1), int64_t{1});
  }

  // A training step has thousands of arguments and results.
  void feedbackOfThousandsIsFoundAtOnce() {
    constexpr int kMany = 6000;
    std::string text = "HloModule many\n\nENTRY main {\n", shape, values;
    for (int k = 0; k < kMany; ++k) {
      text += "  p" + std::to_string(k) + " = f32[8,16] parameter(" + std::to_string(k) + ")\n";
      shape += std::string(k ? ", " : "") + "f32[8,16]";
      values += std::string(k ? ", " : "") + "p" + std::to_string(k);
    }
    text += "  ROOT r = (" + shape + ") tuple(" + values + ")\n}\n";
    const Module module = moduleOf(text.c_str());
    QElapsedTimer clock;
    clock.start();
    const auto feedback = possibleFeedback(module);
    QVERIFY2(clock.elapsed() < 500, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(feedback.size(), size_t{kMany});
    for (const auto& [argument, output] : feedback) QCOMPARE(argument, output);
  }

  // --- the bar of a call
  void theBarGoesThroughTheIterations() {
    openLoop();
    CallBar& bar = hand().window().runController().callBar();
    QVERIFY(!bar.isVisible());
    hand().document().select({hand().named("loop")});  // stays selected, out of sight
    hand().document().view().showComputation(hand().module().findComputation("body").value());
    hand().settle();
    QVERIFY(bar.isVisible());
    QVERIFY2(bar.words().contains("iteration 0 of 10"), qPrintable(bar.words()));
    QCOMPARE(bar.callers()->currentText(), QString("loop"));
    bar.slider()->setFocus();
    for (int i = 0; i < 7; ++i) {
      QTest::keyClick(bar.slider(), Qt::Key_Right);
      hand().settle();
    }
    QCOMPARE(valueOf("next"), 8.0);
    QTest::mouseClick(bar.tableButton(), Qt::LeftButton);
    QCOMPARE(bar.table()->rowCount(), 10);
    QCOMPARE(bar.table()->item(4, 1)->text(), QString("4"));
    QCOMPARE(bar.table()->currentRow(), 7);
    bar.table()->setCurrentCell(3, 1);
    hand().settle();
    QCOMPARE(valueOf("next"), 4.0);
    hand().document().view().showComputation(hand().module().entry());
    hand().settle();
    QVERIFY(!bar.isVisible());
  }

  void theBarSaysWhichBranchWasTaken() {
    hand().openText(kBranches);
    CallBar& bar = hand().window().runController().callBar();
    hand().document().view().showComputation(hand().module().findComputation("left").value());
    hand().settle();
    QVERIFY(bar.words().contains("not taken"));
    hand().document().view().showComputation(hand().module().findComputation("right").value());
    hand().settle();
    QVERIFY(bar.words().contains(": taken"));
    QCOMPARE(valueOf("root"), 3.0);
  }
};

TESSERA_QT_TEST(values_test, ValuesTest)
}  // namespace tessera::values_test
#include "values_test.moc"
