// Memory beside the canvas: the peak, its buffers and their nodes, as compiled and after an edit, suggestions.
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <algorithm>

#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/panels.h"
#include "core/formats/file_content.h"
#include "editor/document/machine_peaks.h"
#include "editor/panels/banner.h"
#include "editor/panels/profile/memory_chart.h"
#include "editor/panels/profile/memory_panel.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/views_hand.h"

namespace tessera::memory_views_test {
namespace {

// Both wide values live at once, for no reason.
const char* const kWasteful = R"(HloModule wasteful

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY main {
  x = f32[64]{0} parameter(0)
  zero = f32[] constant(0)
  wide = f32[512,64]{1,0} broadcast(x), dimensions={1}
  curved = f32[512,64]{1,0} sine(wide)
  other = f32[512,64]{1,0} cosine(wide)
  first = f32[64]{0} reduce(curved, zero), dimensions={0}, to_apply=add
  second = f32[64]{0} reduce(other, zero), dimensions={0}, to_apply=add
  third = f32[512,64]{1,0} tan(wide)
  last = f32[64]{0} reduce(third, zero), dimensions={0}, to_apply=add
  both = f32[64]{0} add(first, second)
  ROOT all = f32[64]{0} add(both, last)
}
)";

}  // namespace

class MemoryViewsTest : public ViewsHand {
  Q_OBJECT

 private:
  void settle(MemoryPanel& panel) {
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 60000);
    hand_->settle();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 60000);
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(kViewedNet, false);
  }

  void cleanup() { hand_.reset(); }

  // --- memory
  void thePeakLightsItsBuffers() {
    MemoryPanel panel(document());
    shown(panel);
    settle(panel);
    QVERIFY2(panel.words().startsWith("peak"), qPrintable(panel.words()));
    const MemoryReport& report = *panel.report();
    MemoryChart& chart = *panel.chart();
    const double x = (chart.xOf(report.peakMoment) + chart.xOf(report.peakMoment + 1)) / 2;
    QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(int(x), int(chart.curve().center().y())));
    QCOMPARE(*chart.moment(), report.peakMoment);
    QVERIFY(document().view().lit());
    QVERIFY(std::ranges::count(*document().view().lit(), hand_->named("x")) == 1);
    QVERIFY(!hand_->canvas().highlights().foundNodes().empty());
    QCOMPARE(panel.live()->topLevelItemCount(), int(report.liveAt(report.peakMoment).size()));
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!document().view().lit());
    QVERIFY(hand_->canvas().highlights().foundNodes().empty());
    QTest::mouseClick(panel.peakButton(), Qt::LeftButton);
    QVERIFY(document().view().lit());
    panel.hide();
    QVERIFY(!document().view().lit());
  }

  void buffersAndNodesSelectEachOther() {
    MemoryPanel panel(document());
    shown(panel);
    settle(panel);
    QTreeWidgetItem* first = panel.live()->topLevelItem(0);
    QTest::mouseClick(panel.live()->viewport(), Qt::LeftButton, {},
                      panel.live()->visualItemRect(first).topLeft() + QPoint(8, 5));
    QVERIFY(!document().selection().empty());
    hand_->click(hand_->named("x"));
    QCOMPARE(panel.live()->selectedItems().size(), 1);
    QCOMPARE(panel.live()->selectedItems()[0]->text(0), QString("x"));
    const MemoryReport& report = *panel.report();
    for (size_t i = 0; i < report.buffers.size(); ++i) {
      if (report.module.at(report.buffers[i].instruction).name != "x") continue;
      const QPoint at = panel.chart()->barOf(i).center().toPoint();
      document().select({});
      QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, at);
      QVERIFY(document().selected() == hand_->named("x"));
    }
  }

  void asCompiledNeedsLessAndAnEditMeasuresAgain() {
    MemoryPanel panel(document());
    shown(panel);
    settle(panel);
    const int64_t written = panel.report()->peakBytes();
    panel.source()->setFocus();
    QTest::keyClick(panel.source(), Qt::Key_Down);
    settle(panel);
    QCOMPARE(panel.source()->currentIndex(), int(MemorySource::AsCompiled));
    QVERIFY(panel.report()->peakBytes() <= written);
    const auto before = panel.report();
    QVERIFY(playCommand(hand_->window(), "set-shape x f32[32,32]").has_value());
    settle(panel);
    QVERIFY(panel.report() != before);
    QVERIFY(panel.report()->peakBytes() < written);
  }

  void aSuggestionIsAppliedAndChecked() {
    hand_->openText(kWasteful, false);
    Document& wasteful = document();
    MemoryPanel& panel = *hand_->window().panels().memory;
    hand_->window().panels().raise(QStringLiteral("memory"));
    settle(panel);
    QVERIFY(panel.edits()->topLevelItemCount() > 0);
    panel.tabs()->setCurrentIndex(2);
    QTreeWidgetItem* first = panel.edits()->topLevelItem(0);
    const QString peak = first->text(1), reason = first->text(3);
    QVERIFY(!panel.why()->isVisible());
    first->setSelected(true);
    QVERIFY(panel.why()->isVisible() && panel.why()->text().endsWith(reason));
    QVERIFY(first->toolTip(3).contains(reason.toHtmlEscaped()));
    QTest::mouseClick(panel.applyButton(), Qt::LeftButton);
    settle(panel);
    QVERIFY2(panel.words().contains("results are equal"), qPrintable(panel.words()));
    QVERIFY(&document() != &wasteful);  // what was made is open, and says how it went
    const auto* banner = hand_->window().pane().findChild<Banner*>();
    QVERIFY(banner && banner->isVisible());
    QCOMPARE(banner->message(), panel.words());
    QVERIFY2(banner->message().startsWith(QStringLiteral("peak predicted %1, reached ").arg(peak)),
             qPrintable(banner->message()));
  }

  void anAssignmentOfAnotherModuleSaysSo() {
    MemoryPanel panel(document());
    shown(panel);
    QSignalSpy failed(&panel, &MemoryPanel::failed);
    panel.openAssignment("/no/such/file");
    QCOMPARE(failed.count(), 1);
    QTemporaryDir folder;
    QVERIFY(writeFileAtomically(folder.filePath("a.txt").toStdString(), "no assignment\n").has_value());
    panel.openAssignment(folder.filePath("a.txt"));
    settle(panel);
    QVERIFY2(panel.words().contains("a.txt"), qPrintable(panel.words()));
  }
};

TESSERA_QT_TEST(memory_views_test, MemoryViewsTest)
}  // namespace tessera::memory_views_test
#include "memory_views_test.moc"
