// The panels of numerics, devices, watch, dump and round trip, treemap and merged graph: real keys and mouse, one
// selection in all views.
#include <QComboBox>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "app/studio/window/panels.h"
#include "core/formats/file_content.h"
#include "editor/document/round_trip.h"
#include "editor/models/op_tree_model.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/dump_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/instruction_facts.h"
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
#include "tests/editor/analysis_hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::analysis_test {
namespace {

class AnalysisTest : public AnalysisHand {
  Q_OBJECT

 private:
  // In a part that was taken out.
  void waveInsteadOfBending() {
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
  }

  // Two scopes; the first one's group is selected, as a click on it does.
  void selectLayer() {
    hand_->openText(R"(HloModule net
ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  a = f32[64,64]{1,0} tanh(x), metadata={op_name="jit(f)/layer/tanh"}
  b = f32[64,64]{1,0} multiply(a, a), metadata={op_name="jit(f)/layer/mul"}
  c = f32[64,64]{1,0} add(b, x), metadata={op_name="jit(f)/layer/add"}
  d = f32[64,64]{1,0} cosine(c), metadata={op_name="jit(f)/head/cos"}
  ROOT y = f32[64,64]{1,0} negate(d), metadata={op_name="jit(f)/head/neg"}
}
)",
                    false);
    document().view().setGrouping(Grouping::Scopes);
    hand_->settle();
    const auto& nodes = document().view().scene().view->nodes;
    const auto group = std::ranges::find_if(nodes, [](const ViewNode& node) { return node.group.ends_with("layer"); });
    QVERIFY(group != nodes.end());
    document().select({named("c")});
    document().view().selectGroup(QString::fromStdString(group->group));
  }

 private slots:
  void init() { openNet(); }
  void cleanup() { hand_.reset(); }

  // --- numerics

  void valuesOfTwoWaysAreCompared() {
    NumericsPanel panel(document());
    shown(panel);
    panel.choice()->setCurrentIndex(panel.choice()->findText("itself with floats as bf16"));
    QTest::mouseClick(panel.compareButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy() && panel.table()->topLevelItemCount() > 0, 60000);
    QVERIFY2(panel.words().contains("values differ"), qPrintable(panel.words()));
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
    std::string text = kAnalysedNet;
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

  // --- devices

  void scriptsShowAWarpAndBothDevices() {
    document().select({named("bent")});
    hand_->window().panels().raise(QStringLiteral("warp"));
    play("warp 0 0");
    hand_->settle();
    WarpPanel& warp = *hand_->window().panels().warp;
    QVERIFY2(warp.list()->count() > 0, qPrintable(warp.words()));
    hand_->window().panels().raise(QStringLiteral("devices"));
    play("compare-devices");
    hand_->settle();
    DevicesPanel& devices = *hand_->window().panels().devices;
    QVERIFY2(devices.table()->topLevelItemCount() > 0, qPrintable(devices.words()));
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
    QTemporaryDir folder;
    const QString table = folder.filePath("watched.csv");
    panel.exportCsv(table);
    QTRY_VERIFY(QFile::exists(table));
    const std::string rows = *readFile(table.toStdString());
    QCOMPARE(std::ranges::count(rows, '\n'), 41);
    QVERIFY2(rows.find("\n40,bent,") != rows.npos, rows.c_str());
    hand_->click(named("x"));
    QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, panel.chart()->placeOf(0, 20).toPoint());
    QVERIFY(hand_->selected() == named("bent"));
    QVERIFY(panel.chart()->wordsAt(panel.chart()->placeOf(0, 20).toPoint()).contains("bent: mean"));
    QTest::mouseClick(panel.removeButton(), Qt::LeftButton);
    QVERIFY(panel.watched().empty());
    hand_->click(named("out"));
    QTest::mouseClick(panel.addButton(), Qt::LeftButton);
    QVERIFY2(panel.words().contains("cannot be watched"), qPrintable(panel.words()));
  }

  // --- dump folder

  void aDumpFolderOpensAsOneSession() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      QVERIFY(writeFileAtomically(folder.filePath(name).toStdString(), text).has_value());
    };
    write("module_0000.net.before_optimizations.txt", kAnalysedNet);
    write("module_0000.net.cpu_after_optimizations.txt", kAnalysedNet);
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

  // Of a dump that was cut short the best of what reads is opened, with a word on what does not.
  void ofADamagedDumpWhatReadsIsOpened() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      QVERIFY(writeFileAtomically(folder.filePath(name).toStdString(), text).has_value());
    };
    write("module_0000.net.0000.p.after_a.before_b.txt", kAnalysedNet);
    write("module_0000.net.0002.p.after_b.before_c.txt", "");
    write("module_0000.net.cpu_after_optimizations.txt", std::string(kAnalysedNet).substr(0, 200));
    hand_->window().openFile(folder.path());
    hand_->settle();
    QVERIFY2(document().file().path().endsWith("after_a.before_b.txt"), qPrintable(document().file().path()));
    const QString said = hand_->window().pane().banner().message();
    for (const char* words :
         {"before optimizations is missing", "pass 0001 is missing", "cpu_after_optimizations.txt:"})
      QVERIFY2(said.contains(QLatin1String(words)), qPrintable(said));
    QVERIFY(hand_->window().panels().dump->isVisible());
  }

  void aDumpWithoutAModuleShowsItsFiles() {
    QTemporaryDir folder;
    const std::string code = "define ptr @bent(ptr %0) {\n  ret ptr null\n}\n";
    const QString file = QStringLiteral("module_0000.net.bent_kernel_module.ir-no-opt.ll");
    QVERIFY(writeFileAtomically(folder.filePath(file).toStdString(), code).has_value());
    hand_->window().openFile(folder.path());
    hand_->settle();
    DumpPanel& panel = *hand_->window().panels().dump;
    QVERIFY(panel.isVisible());
    QCOMPARE(panel.files()->topLevelItemCount(), 1);
    QVERIFY(hand_->window().pane().banner().message().contains(QStringLiteral("no file of it holds a module")));
  }

  void aLineOfCodeSelectsItsInstruction() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      QVERIFY(writeFileAtomically(folder.filePath(name).toStdString(), text).has_value());
    };
    write("module_0000.net.before_optimizations.txt", kAnalysedNet);
    write("module_0000.net.sm_9.0_gpu_after_optimizations.txt", kAnalysedNet);
    write("module_0000.net.ptx",
          ".version 8.3\n.visible .entry bent(\n)\n{\n\tret;\n}\n\n.visible .entry shifted(\n)\n"
          "{\n\tret;\n}\n");
    hand_->window().openFile(folder.path());
    hand_->settle();
    DumpPanel& panel = *hand_->window().panels().dump;
    hand_->click(named("bent"));
    QTRY_COMPARE_WITH_TIMEOUT(panel.marked().size(), size_t{1}, 20000);
    QPlainTextEdit& text = *panel.text();
    const auto clickLine = [&](int line) {
      const QTextCursor at(text.document()->findBlockByNumber(line));
      QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.cursorRect(at).center() + QPoint(2, 0));
    };
    clickLine(9);
    QTRY_VERIFY(hand_->selected() == named("shifted"));
    QTRY_COMPARE(panel.marked()[0].first, size_t{7});
    QCOMPARE(text.textCursor().blockNumber(), 9);  // stays where it was put
    clickLine(0);
    QVERIFY(hand_->selected() == named("shifted"));
    QVERIFY2(panel.words().contains("line 1 is about no instruction"), qPrintable(panel.words()));
    text.moveCursor(QTextCursor::Down);
    QTest::keyClick(&text, Qt::Key_Return);
    QTRY_VERIFY(hand_->selected() == named("bent"));
  }

  // Names of jax are long: beside them the reasons were a column of single letters.
  void whyAFusionDidNotGrowIsReadInANarrowPanel() {
    const Module module = *readHloText(R"(HloModule m, is_scheduled=true

inside {
  p = f32[2,32,256]{2,1,0} parameter(0)
  ROOT e = f32[2,32,256]{2,1,0} exponential(p)
}

outside {
  p = f32[2,32,256]{2,1,0} parameter(0)
  ROOT n = f32[2,32,256]{2,1,0} negate(p)
}

ENTRY main {
  p__h___0___fc___1_.1 = f32[2,32,256]{2,1,0} parameter(0)
  multiply_tanh_fusion.1 = f32[2,32,256]{2,1,0} fusion(p__h___0___fc___1_.1), kind=kLoop, calls=inside
  multiply_add_fusion.84 = f32[2,32,256]{2,1,0} fusion(multiply_tanh_fusion.1), kind=kLoop, calls=outside
  ROOT out = (f32[2,32,256]{2,1,0}, f32[2,32,256]{2,1,0}) tuple(multiply_tanh_fusion.1, multiply_add_fusion.84)
}
)")
                               .module;
    QTextDocument page;
    page.setHtml(whyFactsOf(module, module.findInstruction("multiply_add_fusion.84").value()));
    QVERIFY2(page.toPlainText().contains("has 2 readers"), qPrintable(page.toPlainText()));
    page.setTextWidth(200);
    QVERIFY(page.idealWidth() <= 200);
    QVERIFY2(page.size().height() < 40 * QFontMetricsF(page.defaultFont()).height(),
             qPrintable(QString::number(page.size().height())));
  }

  void anEqualFusionHasTheCode() {
    const std::string twins = R"(HloModule net

f { p = f32[4] parameter(0) ROOT s = f32[4] sine(p) }
g { q = f32[4] parameter(0) ROOT inner = f32[4] sine(q) }

ENTRY main {
  x = f32[4] parameter(0)
  twin = f32[4] fusion(x), kind=kLoop, calls=f
  ROOT twin.1 = f32[4] fusion(twin), kind=kLoop, calls=g
}
)";
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      QVERIFY(writeFileAtomically(folder.filePath(name).toStdString(), text).has_value());
    };
    write("module_0000.net.before_optimizations.txt", twins);
    write("module_0000.net.cpu_after_optimizations.txt", twins);
    for (const char* form : {"no", "with"})
      write((std::string("module_0000.net.twin_kernel_module.ir-") + form + "-opt.ll").c_str(),
            "define ptr @twin(ptr %0) {\n  ret ptr null ; " + std::string(form) + "\n}\n");
    hand_->window().openFile(folder.path());
    hand_->settle();
    DumpPanel& panel = *hand_->window().panels().dump;
    document().select({named("twin.1")});
    QTRY_VERIFY_WITH_TIMEOUT(panel.text()->toPlainText().contains("; with"), 20000);  // the final form
    QCOMPARE(panel.marked().size(), size_t{1});
    QVERIFY2(panel.words().contains("twin, whose kernel computes twin.1"), qPrintable(panel.words()));
    document().select({named("inner")});
    QTRY_VERIFY2(panel.words().contains("twin, whose kernel computes inner"), qPrintable(panel.words()));
    document().select({named("x")});
    QTRY_VERIFY2(panel.words().contains("nothing about x in "), qPrintable(panel.words()));
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
    waveInsteadOfBending();  // differs, and takes the place of what was there all the same
    QVERIFY2(bar->words().startsWith("Before the last edit: Equal"), qPrintable(bar->words()));
    QTest::mouseClick(bar->checkButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(bar->words().startsWith("Values differ"), 60000);
    QTest::mouseClick(bar->putBackButton(), Qt::LeftButton);
    hand_->settle();
    QVERIFY(&hand_->window().pane() == &whole);
    QVERIFY(hand_->module().findInstruction("waved").has_value());
    QVERIFY(hand_->module().findInstruction("shifted").has_value());
    QVERIFY(document().selected().valid() && hand_->canvas().showsSelection());
    QVERIFY(hand_->window().statusBar()->currentMessage().startsWith(QStringLiteral("Put back")));
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!hand_->module().findInstruction("waved").has_value());
    QCOMPARE(hand_->window().statusBar()->currentMessage(), QString());
  }

  void whatIsNotReplacedKeepsItsTimes() {
    document().run().start();
    QTRY_VERIFY_WITH_TIMEOUT(document().run().outcome() && document().run().times(), 60000);
    const auto timeOf = [&](InstructionId id) {
      const auto overlay = document().measures().overlay();
      const auto found = overlay ? overlay->find(id) : std::nullopt;
      return found ? found->value : 0;
    };
    const InstructionId product = named("product"), bent = named("bent");
    QTRY_VERIFY_WITH_TIMEOUT(timeOf(product) > 0 && timeOf(bent) > 0, 60000);
    const double before = timeOf(product), ofBent = timeOf(bent);
    const QString words = document().run().origin().words;
    document().select({bent, named("shifted")});
    play("take-out");
    auto* bar = hand_->window().pane().findChild<RoundTripBar*>();
    QVERIFY(bar);
    waveInsteadOfBending();
    QTest::mouseClick(bar->putBackButton(), Qt::LeftButton);
    const ProgramRun& run = document().run();
    QTRY_VERIFY_WITH_TIMEOUT(run.profile() && run.isOwnRun() && !run.outcome(), 60000);
    QTRY_COMPARE_WITH_TIMEOUT(timeOf(product), before, 60000);
    QCOMPARE(timeOf(named("waved")), 0.0);
    QVERIFY2(run.origin().words.endsWith("before a part was replaced"), qPrintable(run.origin().words));

    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(timeOf(bent), ofBent, 60000);
    QVERIFY(run.isOwnRun() && !run.outcome());
    QCOMPARE(timeOf(product), before);
    QCOMPARE(run.origin().words, words);
    hand_->key(Qt::Key_Y, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(run.origin().words.endsWith("before a part was replaced"), 60000);
    QTRY_COMPARE_WITH_TIMEOUT(timeOf(product), before, 60000);
    QCOMPARE(timeOf(named("waved")), 0.0);
  }

  void undoOfAnyEditBringsTheTimesBack() {
    document().run().start();
    QTRY_VERIFY_WITH_TIMEOUT(document().run().outcome() && document().run().times(), 60000);
    document().select({named("bent")});
    hand_->key(Qt::Key_Delete);
    QTRY_VERIFY_WITH_TIMEOUT(!document().run().profile(), 60000);
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(document().measures().overlay(), 60000);
    QVERIFY(document().run().isOwnRun() && document().run().profile());
    QVERIFY(document().measures().overlay()->find(named("product")));
  }

  void whatLiesBetweenIsTakenOutToo() {
    document().select({named("product"), named("shifted")});
    play("take-out");
    auto* bar = hand_->window().pane().findChild<RoundTripBar*>();
    QVERIFY(bar);
    QVERIFY2(bar->words().startsWith("3 instructions taken out, 1 of them since"), qPrintable(bar->words()));
  }

  void aGroupIsTakenOutWhole() {
    selectLayer();
    play("take-out");
    auto* bar = hand_->window().pane().findChild<RoundTripBar*>();
    QVERIFY(bar);
    QVERIFY2(bar->words().startsWith("3 instructions taken out"), qPrintable(bar->words()));
  }

  void aGroupIsDeletedWhole() {
    selectLayer();
    hand_->key(Qt::Key_Delete);
    for (const char* gone : {"a", "b", "c"}) QVERIFY2(!hand_->module().findInstruction(gone), gone);
    QVERIFY(hand_->module().findInstruction("d"));
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(hand_->module().findInstruction("a") && hand_->module().findInstruction("c"));
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
    const auto blindViews = [&](InstructionId id) {
      const auto* rows = static_cast<const OpTreeModel*>(profile.table()->model());
      QStringList out;
      const auto expect = [&out](bool seen, const char* view) {
        if (!seen) out += QLatin1String(view);
      };
      expect(std::ranges::count(hand_->canvas().selection(), id) == 1, "canvas");
      expect(!rows->indexOf(id).isValid() || profile.table()->selectionModel()->isSelected(rows->indexOf(id)), "tree");
      expect(!roofline.view()->marked().empty(), "roofline");
      expect(numerics.table()->selectedItems().size() == 1, "numerics");
      expect(watch.list()->selectedItems().size() == 1, "watch");
      expect(inspector.shownText().contains("bent"), "inspector");
      return out;
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
      const QStringList blind = blindViews(bent);
      QVERIFY2(blind.isEmpty(), qPrintable(QString("click %1: not in %2").arg(i).arg(blind.join(", "))));
    }
  }

  void areasShowTheTreeAndSelect() {
    ProfilePanel panel(document());
    shown(panel);
    run();
    QTest::mouseClick(panel.treemapButton(), Qt::LeftButton);
    QVERIFY(panel.treemap()->isVisible());
    // Time that belongs to no instruction has an area, too.
    const auto& cells = panel.treemap()->cells();
    const auto cell =
        std::ranges::find_if(cells, [](const auto& each) { return each.leaf && each.scope->instruction.valid(); });
    QVERIFY(cell != cells.end());
    QTest::mouseClick(panel.treemap(), Qt::LeftButton, {}, cell->rect.center().toPoint());
    QCOMPARE(std::ranges::count(document().selection(), cell->scope->instruction), 1);
    QTest::mouseClick(panel.boxesButton(), Qt::LeftButton);
    QVERIFY(!panel.treemap()->isVisible());
    QVERIFY(!panel.treemapButton()->isChecked());
  }

  void bothGraphsOfAComparisonAreOneDocument() {
    DocumentPane& here = hand_->window().pane();
    std::string text = kAnalysedNet;
    text.replace(text.find("tanh(product)"), 4, "sine");
    text.insert(text.find("  half ="), "  more = f32[64,64]{1,0} floor(shifted)\n");
    const QString path = folder_.filePath("other.hlo");
    QVERIFY(writeFileAtomically(path.toStdString(), text).has_value());
    hand_->window().comparison().compareWithFile(here, path);
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
};

}  // namespace

TESSERA_QT_TEST(analysis_test, AnalysisTest)
}  // namespace tessera::analysis_test
#include "analysis_test.moc"
