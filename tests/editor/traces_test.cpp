// Values without a screen: traces of calls, sources of arguments, settings of runs.
#include <QClipboard>
#include <QGuiApplication>
#include <QTest>

#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/panels.h"
#include "core/evaluate/argument_source.h"
#include "core/evaluate/trace.h"
#include "core/formats/module_file.h"
#include "editor/document/player.h"
#include "editor/panels/run/run_panel.h"
#include "editor/values/call_bar.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/values_hand.h"

namespace tessera::traces_test {

using namespace values;

class TracesTest : public ValuesHand {
  Q_OBJECT

 private slots:
  void cleanup() { hand_.reset(); }

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
    QVERIFY(hand().window().closer().close(hand().window().pane()));
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
};

TESSERA_QT_TEST(traces_test, TracesTest)
}  // namespace tessera::traces_test
#include "traces_test.moc"
