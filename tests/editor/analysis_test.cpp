// What measures say on the canvas, and the panels of roofline, communication, numerics, watch, dump and round trip:
// real keys and mouse, one selection in all of them.
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/panels.h"
#include "core/formats/file_content.h"
#include "editor/document/machine_peaks.h"
#include "editor/document/round_trip.h"
#include "editor/models/op_tree_model.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/dump_panel.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/profile/communication_panel.h"
#include "editor/panels/profile/heat_legend.h"
#include "editor/panels/profile/memory_panel.h"
#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/profile/roofline_panel.h"
#include "editor/panels/profile/roofline_view.h"
#include "editor/panels/profile/timeline_panel.h"
#include "editor/panels/profile/timeline_view.h"
#include "editor/panels/profile/treemap.h"
#include "editor/panels/run/round_trip_bar.h"
#include "editor/panels/run/watch_chart.h"
#include "editor/panels/run/watch_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::analysis_test {
namespace {

const char* const kNet = R"(HloModule net, input_output_alias={ {0}: (0, {}, may-alias) }

ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  w = f32[64,64]{1,0} parameter(1)
  product = f32[64,64]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bent = f32[64,64]{1,0} tanh(product)
  shifted = f32[64,64]{1,0} add(bent, x)
  half = f32[] constant(0.5)
  halves = f32[64,64]{1,0} broadcast(half), dimensions={}
  next = f32[64,64]{1,0} multiply(shifted, halves)
  ROOT out = (f32[64,64]{1,0}, f32[64,64]{1,0}) tuple(next, bent)
}
)";

const char* const kTwoDevices = R"(HloModule two, num_partitions=2

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY main {
  x = f32[256]{0} parameter(0)
  bent = f32[256]{0} tanh(x)
  all = f32[256]{0} all-reduce(bent), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
  ROOT out = f32[256]{0} negate(all)
}
)";

class AnalysisTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(kNet, false);
  }
  void cleanup() { hand_.reset(); }

  // --- measures

  void countedWorkNeedsNoRun() {
    QVERIFY(!measures().isAvailable(Measure::SelfTime));
    QVERIFY(measures().isAvailable(Measure::Flops));
    play("measure flops");
    QVERIFY(document().view().scene().overlay);
    QCOMPARE(measures().overlay()->find(named("product"))->value, 2.0 * 64 * 64 * 64);
    QVERIFY(legend().isVisible());
    play("set-shape w f32[64,64]");  // an edit counts anew
    QVERIFY(measures().overlay());
    play("measure memory at the peak");
    QVERIFY(measures().overlay()->find(named("x"))->value >= 64 * 64 * 4);
  }

  void aRunGivesTimesAndTheirBounds() {
    run();
    QVERIFY(measures().overlay()->find(named("product")));
    QVERIFY(legend().title()->text().contains("a run takes"));
    play("measure bound by");
    QTRY_VERIFY_WITH_TIMEOUT(MachinePeaks::ofThisMachine().peaks() != nullptr, 60000);
    hand_->settle();
    QVERIFY(document().view().scene().overlay);
    QVERIFY(document().view().scene().overlay->kind == OverlayKind::Bound);
    play("measure self time linear");
    QVERIFY(document().view().scene().overlay->linear);
    QCOMPARE(document().view().scene().overlay->cold, 0.0);
  }

  void nGoesFromTheHottestOn() {
    run();
    hand_->key(Qt::Key_N);
    const auto order = hottestFirst(*measures().overlay(), hand_->module());
    QVERIFY(hand_->selected() == order[0]);
    hand_->key(Qt::Key_N);
    QVERIFY(hand_->selected() == order[1]);
    hand_->key(Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(hand_->selected() == order[0]);
  }

  void aPressOnTheLegendFadesWhatIsColder() {
    play("measure flops");
    const QRect bar = legend().bar();
    QTest::mouseClick(&legend(), Qt::LeftButton, {}, QPoint(bar.right() - 4, bar.center().y()));
    QVERIFY(measures().threshold() > 0.9);
    QVERIFY(document().view().lit());
    QCOMPARE(std::ranges::count(*document().view().lit(), named("product")), 1);
    QCOMPARE(std::ranges::count(*document().view().lit(), named("shifted")), 0);
    QTest::mouseDClick(&legend(), Qt::LeftButton, {}, bar.center());
    QCOMPARE(measures().threshold(), 0.0);
    QVERIFY(!document().view().lit());
  }

  void theLegendsMenuChoosesAMeasure() {
    play("measure flops");
    QMenu& menu = *legend().title()->menu();
    emit menu.aboutToShow();
    const auto named = [&](const QString& text) {
      for (QAction* action : menu.actions())
        if (action->text() == text) return action;
      return static_cast<QAction*>(nullptr);
    };
    QVERIFY(named("Flops")->isChecked());
    QVERIFY(!named("Self time")->isEnabled());
    QVERIFY(named("Self time")->toolTip().contains("run the graph"));
    named("Bytes")->trigger();
    hand_->settle();
    QVERIFY(measures().measure() == Measure::Bytes);
  }

  void theCriticalPathIsLit() {
    run();
    play("critical-path on");
    QVERIFY(measures().criticalPath().ns > 0);
    QCOMPARE(std::ranges::count(*document().view().lit(), named("product")), 1);
    play("critical-path off");
    QVERIFY(!document().view().lit());
  }

  void aLaterRunIsComparedWithOneThatWasKept() {
    run();
    QVERIFY(!measures().isAvailable(Measure::Difference));
    measures().keepTimes("the first run");
    run();
    play("measure difference");
    QVERIFY(document().view().scene().overlay);
    QVERIFY(document().view().scene().overlay->title.find("the first run") != std::string::npos);
  }

  // --- roofline

  void dotsAndNodesSelectEachOther() {
    RooflinePanel panel(document());
    shown(panel);
    run();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.view()->dots().empty() && panel.words().contains("measured"), 60000);
    RooflineView& view = *panel.view();
    const auto dot = std::ranges::find_if(view.dots(), [&](const RooflineDot& each) {
      return std::ranges::count(each.instructions, named("product")) > 0;
    });
    QVERIFY(dot != view.dots().end());
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.placeOf(*dot).toPoint());
    QVERIFY(hand_->canvas().selection() == dot->instructions);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 20000);
    QVERIFY2(panel.details().contains("at least"), qPrintable(panel.details()));
    hand_->click(named("w"));
    QVERIFY(view.marked().empty());
    hand_->click(named("product"));
    QVERIFY(!view.marked().empty());
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(hand_->selected().valid());
  }

  void anotherTypeAndAnotherDeviceMoveTheDot() {
    RooflinePanel panel(document());
    shown(panel);
    run();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.view()->dots().empty(), 60000);
    hand_->click(named("product"));
    panel.type()->setFocus();
    QTest::keyClick(panel.type(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy() && panel.details().contains("Then:"), 20000);
    const int h100 = panel.device()->findText("NVIDIA H100 SXM");
    QVERIFY(h100 > 0);
    panel.device()->setCurrentIndex(h100);
    emit panel.device()->activated(h100);
    hand_->settle();
    QVERIFY2(panel.words().contains("NVIDIA H100"), qPrintable(panel.words()));
    QVERIFY(document().measures().device()->name == "NVIDIA H100 SXM");
  }

  // --- communication

  void collectivesAreListedAndSelected() {
    hand_->openText(kTwoDevices, false);
    CommunicationPanel panel(document());
    shown(panel);
    run();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy() && panel.table()->topLevelItemCount() == 1, 20000);
    QTreeWidgetItem* kind = panel.table()->topLevelItem(0);
    QCOMPARE(kind->text(0), QString("all-reduce"));
    QCOMPARE(kind->childCount(), 1);
    clickItem(*panel.table(), *kind->child(0));
    QVERIFY(hand_->selected() == named("all"));
    hand_->click(named("bent"));
    QVERIFY(panel.table()->selectedItems().isEmpty());
    QVERIFY(measures().isAvailable(Measure::Exposed));
    play("measure exposed communication");
    QVERIFY(measures().overlay()->find(named("all")));
  }

  // --- numerics

  void valuesOfTwoWaysAreCompared() {
    NumericsPanel panel(document());
    shown(panel);
    panel.choice()->setCurrentIndex(panel.choice()->findText("itself with floats as bf16"));
    QTest::mouseClick(panel.compareButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy() && panel.table()->topLevelItemCount() > 0, 60000);
    QVERIFY2(panel.words().contains("values compared"), qPrintable(panel.words()));
    clickItem(*panel.table(), *panel.table()->topLevelItem(0));
    QVERIFY(hand_->selected().valid());
    hand_->click(named("bent"));
    QCOMPARE(panel.table()->selectedItems().size(), 1);
    QCOMPARE(panel.table()->selectedItems()[0]->text(0), QString("bent"));
    QVERIFY(measures().isAvailable(Measure::Error));
    play("measure numeric error");
    QVERIFY(measures().overlay());
    play("set-shape w f32[64,64]");
    QCOMPARE(panel.table()->topLevelItemCount(), 0);
  }

  void aDifferenceIsWrittenAsAReproducer() {
    NumericsPanel panel(document());
    shown(panel);
    Document other;
    std::string text = kNet;
    text.replace(text.find("tanh(product)"), 4, "sine");
    QVERIFY(other.file().createFromHlo(text, "other").has_value());
    panel.setOthers([&] { return std::vector<std::pair<QString, Document*>>{{"other", &other}}; });
    panel.hide();
    panel.show();
    panel.choice()->setCurrentIndex(panel.choice()->count() - 1);
    QTest::mouseClick(panel.compareButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy() && panel.firstButton()->isEnabled(), 60000);
    QVERIFY2(panel.words().contains("first: bent"), qPrintable(panel.words()));
    QTest::mouseClick(panel.pathButton(), Qt::LeftButton);
    QVERIFY(document().view().lit());
    QTemporaryDir folder;
    panel.writeTo(folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 60000);
    QVERIFY(readFile(folder.filePath("command.txt").toStdString()).has_value());
    QVERIFY(readFile(folder.filePath("a.hlo").toStdString()).has_value());
  }

  // --- watch

  void watchedValuesBecomeLines() {
    WatchPanel panel(document());
    shown(panel);
    hand_->click(named("bent"));
    QTest::mouseClick(panel.addButton(), Qt::LeftButton);
    QCOMPARE(panel.watched().size(), size_t{1});
    panel.steps()->setValue(40);
    QTest::mouseClick(panel.runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 60000);
    QVERIFY2(panel.words().contains("40 steps"), qPrintable(panel.words()));
    QCOMPARE(panel.chart()->series()[0].size(), size_t{40});
    QVERIFY(panel.chart()->series()[0][0].mean != panel.chart()->series()[0][39].mean);
    hand_->click(named("x"));
    QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, panel.chart()->placeOf(0, 20).toPoint());
    QVERIFY(hand_->selected() == named("bent"));
    QVERIFY(panel.chart()->wordsAt(panel.chart()->placeOf(0, 20).toPoint()).contains("bent: mean"));
    QTest::mouseClick(panel.removeButton(), Qt::LeftButton);
    QVERIFY(panel.watched().empty());
    hand_->click(named("out"));
    QTest::mouseClick(panel.addButton(), Qt::LeftButton);
    QVERIFY2(panel.words().contains("no array"), qPrintable(panel.words()));
  }

  // --- dump folder

  void aDumpFolderOpensAsOneSession() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      QVERIFY(writeFileAtomically(folder.filePath(name).toStdString(), text).has_value());
    };
    write("module_0000.net.before_optimizations.txt", kNet);
    write("module_0000.net.cpu_after_optimizations.txt", kNet);
    write("module_0000.net.bent_kernel_module.ir-no-opt.ll", "; head\ndefine ptr @bent(ptr %0) {\n  ret ptr null\n}\n");
    write("module_0000.net.debug_options", "xla_dump_to: \"x\"\n");
    hand_->window().openFile(folder.path());
    hand_->settle();
    QVERIFY(document().file().path().endsWith("cpu_after_optimizations.txt"));
    DumpPanel& panel = *hand_->window().panels().dump;
    QVERIFY(panel.isVisible());
    QVERIFY(panel.files()->topLevelItemCount() == 1);
    hand_->click(named("bent"));
    QTRY_VERIFY_WITH_TIMEOUT(panel.text()->toPlainText().contains("define ptr @bent"), 20000);
    QCOMPARE(panel.marked().size(), size_t{1});
    QCOMPARE(panel.marked()[0].first, size_t{1});
    QCOMPARE(panel.marked()[0].last, size_t{3});
  }

  // --- round trip

  void aPartIsTakenOutCheckedAndPutBack() {
    DocumentPane& whole = hand_->window().pane();
    document().select({named("bent"), named("shifted")});
    play("take-out");
    DocumentPane& part = hand_->window().pane();
    QVERIFY(&part != &whole);
    QVERIFY(part.trip());
    QCOMPARE(part.trip()->taken().inputs.size(), size_t{2});
    auto* bar = part.findChild<RoundTripBar*>();
    QVERIFY(bar && bar->isVisible());
    QTest::mouseClick(bar->checkButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(part.trip()->found().has_value(), 60000);
    QVERIFY2(bar->words().startsWith("Equal within tolerance"), qPrintable(bar->words()));
    // Another formula differs, and takes the place of what was there all the same.
    const InstructionId tanh = hand_->module().findInstruction("bent").value();
    document().perform(
        {"Another operation",
         {AddInstruction{hand_->module().entry(), Opcode::Sine, "waved", {hand_->module().at(tanh).operands[0]}}}});
    hand_->settle();
    Edit rewire{"Rewire", {}};
    for (InstructionId user : document().usersOf(tanh))
      for (size_t i = 0; i < hand_->module().at(user).operands.size(); ++i)
        if (hand_->module().at(user).operands[i] == tanh)
          rewire.actions.push_back(SetOperand{user, static_cast<int32_t>(i), named("waved")});
    document().perform(std::move(rewire));
    hand_->settle();
    QTest::mouseClick(bar->checkButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bar->words().startsWith("Values differ"), 60000);
    QTest::mouseClick(bar->putBackButton(), Qt::LeftButton);
    hand_->settle();
    QVERIFY(&hand_->window().pane() == &whole);
    QVERIFY(hand_->module().findInstruction("waved").has_value());
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!hand_->module().findInstruction("waved").has_value());
  }

  // --- one selection in all views

  void aClickInAnyViewIsSeenInAllOthers() {
    std::vector<std::function<void()>> clicks;
    ProfilePanel profile(document());
    TimelinePanel timeline(document());
    RooflinePanel roofline(document());
    MemoryPanel memory(document());
    NumericsPanel numerics(document());
    WatchPanel watch(document());
    Inspector inspector(document());
    for (QWidget* panel :
         std::initializer_list<QWidget*>{&profile, &timeline, &roofline, &memory, &numerics, &watch, &inspector})
      shown(*panel);
    run();
    watch.watch({named("bent")});
    QTest::mouseClick(numerics.compareButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!numerics.isBusy() && !memory.isBusy() && numerics.table()->topLevelItemCount() > 0,
                             60000);
    QTRY_VERIFY_WITH_TIMEOUT(!roofline.view()->dots().empty(), 60000);
    const auto isSeenEverywhere = [&](InstructionId id) {
      const auto* rows = static_cast<const OpTreeModel*>(profile.table()->model());
      const bool inCanvas = std::ranges::count(hand_->canvas().selection(), id) == 1;
      const bool inTree =
          !rows->indexOf(id).isValid() || profile.table()->selectionModel()->isSelected(rows->indexOf(id));
      const bool inDots = !roofline.view()->marked().empty();
      const bool inValues = numerics.table()->selectedItems().size() == 1;
      const bool inWatch = watch.list()->selectedItems().size() == 1;
      const bool inFacts = inspector.shownText().contains("bent");
      return inCanvas && inTree && inDots && inValues && inWatch && inFacts;
    };
    const InstructionId bent = named("bent");
    clicks.push_back([&] { hand_->click(bent); });
    clicks.push_back([&] {
      for (int row = 0; row < numerics.table()->topLevelItemCount(); ++row)
        if (numerics.table()->topLevelItem(row)->text(0) == "bent")
          clickItem(*numerics.table(), *numerics.table()->topLevelItem(row));
    });
    clicks.push_back([&] { clickItem(*watch.list(), *watch.list()->topLevelItem(0)); });
    clicks.push_back([&] {
      const auto* rows = static_cast<const OpTreeModel*>(profile.table()->model());
      profile.table()->expandAll();
      const QModelIndex at = rows->indexOf(bent);
      profile.table()->scrollTo(at);
      QTest::mouseClick(profile.table()->viewport(), Qt::LeftButton, {}, profile.table()->visualRect(at).center());
    });
    clicks.push_back([&] {
      for (int row = 0; row < memory.live()->topLevelItemCount(); ++row)
        if (memory.live()->topLevelItem(row)->text(0) == "bent")
          clickItem(*memory.live(), *memory.live()->topLevelItem(row));
      if (document().selected() != bent) document().select({bent});  // it does not live at the peak
    });
    clicks.push_back([&] {
      size_t count = 0;
      const Timeline& all = *document().run().timeline();
      const SpanPlace place = all.placesOf(all.namesOf(bent).front(), count)[0];
      timeline.view()->showRange({all.at(place).beginNs, all.at(place).endNs});
      QTest::mouseClick(timeline.view()->viewport(), Qt::LeftButton, {},
                        timeline.view()->boxOf(place).center().toPoint());
      if (document().selection().size() != 1) document().select({bent});  // the step computes others, too
    });
    for (size_t i = 0; i < clicks.size(); ++i) {
      document().select({});
      clicks[i]();
      hand_->settle();
      QVERIFY2(isSeenEverywhere(bent), qPrintable(QString("click %1").arg(i)));
    }
  }

  void areasShowTheTreeAndSelect() {
    ProfilePanel panel(document());
    shown(panel);
    run();
    QTest::mouseClick(panel.treemapButton(), Qt::LeftButton);
    QVERIFY(panel.treemap()->isVisible());
    QVERIFY(!panel.treemap()->cells().empty());
    const auto& cell = panel.treemap()->cells().back();
    QTest::mouseClick(panel.treemap(), Qt::LeftButton, {}, cell.rect.center().toPoint());
    QVERIFY(!document().selection().empty());
    QTest::mouseClick(panel.boxesButton(), Qt::LeftButton);
    QVERIFY(!panel.treemap()->isVisible());
    QVERIFY(!panel.treemapButton()->isChecked());
  }

  void bothGraphsOfAComparisonAreOneDocument() {
    DocumentPane& here = hand_->window().pane();
    std::string text = kNet;
    text.replace(text.find("tanh(product)"), 4, "sine");
    text.insert(text.find("  half ="), "  more = f32[64,64]{1,0} floor(shifted)\n");
    const QString path = folder_.filePath("other.hlo");
    QVERIFY(writeFileAtomically(path.toStdString(), text).has_value());
    hand_->window().compareWithFile(here, path);
    hand_->settle();
    DiffPanel& panel = *here.panels().differences;
    QTRY_VERIFY_WITH_TIMEOUT(panel.result() != nullptr && !panel.isBusy(), 20000);
    QVERIFY(panel.mergedButton()->isEnabled());
    const int tabs = hand_->window().tabs().count();
    panel.mergedButton()->click();
    hand_->settle();
    QCOMPARE(hand_->window().tabs().count(), tabs + 1);
    QVERIFY(hand_->module().findInstruction("more").has_value());
    QVERIFY(!document().view().tints().empty());
  }

 private:
  Document& document() { return hand_->document(); }
  NodeMeasures& measures() { return document().measures(); }
  HeatLegend& legend() { return *hand_->canvas().findChild<HeatLegend*>(); }
  InstructionId named(const char* name) { return hand_->named(name); }
  void play(const char* line) { QVERIFY2(playCommand(hand_->window(), line).has_value(), line); }
  void run() {
    document().run().start();
    hand_->settle();
    QVERIFY(document().measures().times());
  }
  void shown(QWidget& panel) {
    panel.resize(1000, 360);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
  }
  void clickItem(QTreeWidget& tree, QTreeWidgetItem& item) {
    tree.scrollToItem(&item);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualItemRect(&item).topLeft() + QPoint(10, 6));
  }

  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;
};

}  // namespace

TESSERA_QT_TEST(analysis_test, AnalysisTest)
}  // namespace tessera::analysis_test
#include "analysis_test.moc"
