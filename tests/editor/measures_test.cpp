// What measures say on the canvas, and the panels of roofline and communication: real keys and mouse.
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

#include "editor/document/machine_peaks.h"
#include "editor/panels/profile/communication_panel.h"
#include "editor/panels/profile/heat_legend.h"
#include "editor/panels/profile/roofline_panel.h"
#include "editor/panels/profile/roofline_view.h"
#include "tests/editor/analysis_hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::measures_test {
namespace {

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

const char* const kLoop = R"(HloModule repeated

body {
  s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64,64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  product = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bent = f32[64,64] tanh(product)
  ROOT t = (s32[], f32[64,64]) tuple(next, bent)
}

cond {
  s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(200)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  zero = s32[] constant(0)
  p = f32[64,64] parameter(0)
  init = (s32[], f32[64,64]) tuple(zero, p)
  loop = (s32[], f32[64,64]) while(init), condition=cond, body=body
  ROOT out = f32[64,64] get-tuple-element(loop), index=1
}
)";

class MeasuresTest : public AnalysisHand {
  Q_OBJECT

 private slots:
  void init() { openNet(); }
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
    // One time of a run in all views: the medians of the steps may add up to a little more.
    const double whole = document().run().times()->totalNs, run = document().run().outcome()->runMs * 1e6;
    QVERIFY2(whole >= 0.999 * run && whole < 1.2 * run, qPrintable(QStringLiteral("%1 %2").arg(whole).arg(run)));
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

  // Its words have room in any size of letters.
  void theLegendGrowsWithTheLetters() {
    play("measure flops");
    const QSize small = legend().size();
    QCOMPARE(small, legend().sizeHint());
    const QFont before = QApplication::font();
    hand_->window().preferenceControl().setFontSize(18);
    hand_->settle();
    QVERIFY2(legend().height() > small.height(), qPrintable(QString::number(legend().height())));
    QCOMPARE(legend().size(), legend().sizeHint());
    QVERIFY(legend().title()->width() >= legend().title()->fontMetrics().horizontalAdvance(legend().title()->text()));
    QVERIFY(legend().bar().top() >= legend().title()->geometry().bottom());
    hand_->window().preferenceControl().setFontSize(before.pointSizeF());
    hand_->settle();
    QCOMPARE(legend().size(), small);
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

  // Self time alone would leave out what takes longest.
  void aLoopIsOnTheCriticalPathWithItsBody() {
    hand_->openText(kLoop, false);
    run();
    play("critical-path on");
    QTRY_VERIFY_WITH_TIMEOUT(measures().criticalPath().ns > 0, 60000);
    QVERIFY(measures().criticalPath().ns > measures().times()->totalNs / 2);
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
    QCOMPARE(amountWords(0, "flop"), QStringLiteral("0 flop"));
    QCOMPARE(amountWords(1500, "B/s"), QStringLiteral("1.50 KB/s"));
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
};

}  // namespace

TESSERA_QT_TEST(measures_test, MeasuresTest)
}  // namespace tessera::measures_test
#include "measures_test.moc"
