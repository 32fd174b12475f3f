// Overviews in the window: a large file begins with one, a small one has a line; grouping and breadcrumbs.
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QTreeWidget>

#include "app/studio/window/panels.h"
#include "editor/panels/overview/overview_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/overview_net.h"
#include "tests/editor/qt_tests.h"

namespace tessera::overview_window_test {

class OverviewWindowTest : public QObject {
  Q_OBJECT

 private:
  static void clickRow(QTreeWidget* tree, QTreeWidgetItem* row, int column = 1) {
    const QRect place = tree->visualItemRect(row);
    const int x = tree->columnViewportPosition(column) + 4;
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, QPoint(x, place.center().y()));
  }

 private slots:
  void theWindowBeginsALargeFileWithItsOverview() {
    Hand hand;
    std::string large = "HloModule large\n\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
    for (int k = 1; k <= 600; ++k)
      large +=
          (k == 600 ? "  ROOT v" : "  v") + std::to_string(k) + " = f32[4] negate(v" + std::to_string(k - 1) + ")\n";
    hand.openText((large + "}\n").c_str(), false);
    const QDockWidget* dock = hand.window().panels().find(QStringLiteral("overview"));
    QVERIFY(hand.window().panels().home.isInFront(*dock));
    QTreeWidget& top = *hand.window().panels().overview->top();
    QTRY_VERIFY(top.topLevelItemCount() > 0);
    QTreeWidgetItem* row = top.topLevelItem(0);
    QCOMPARE(row->text(2), QStringLiteral("f32[4] ×600"));
    clickRow(&top, row);
    hand.settle();
    QCOMPARE(QString::fromStdString(std::string(hand.at(hand.selected()).name)), row->text(1));
    QVERIFY(hand.canvas().viewport().visible().intersects(hand.canvas().boxOf(hand.selected())));
  }

  void theWindowTellsOfASmallFileInALine() {
    Hand hand;
    hand.openText(kLayeredNet, false);
    auto* strip = hand.window().findChild<OverviewStrip*>();
    QTRY_VERIFY(strip->isVisible() && !strip->text().isEmpty());
    const QDockWidget* dock = hand.window().panels().find(QStringLiteral("overview"));
    QVERIFY(!dock->isVisible());
    QTest::mouseClick(strip->findChild<QToolButton*>(), Qt::LeftButton);
    QTRY_VERIFY(dock->isVisible());
  }

  void theMenuGroupsByOtherThings() {
    Hand hand;
    hand.openText(kLayeredNet, false);
    const auto groups = [&] {
      int out = 0;
      for (const ViewNode& node : hand.canvas().view()->nodes) out += !node.group.empty();
      return out;
    };
    QVERIFY(groups() > 0);
    const auto choose = [&](const char* text) {
      for (QAction* action : hand.window().findChildren<QAction*>())
        if (action->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text))) action->trigger();
      hand.settle();
    };
    choose("Nothing");
    QCOMPARE(groups(), 0);
    QCOMPARE(hand.canvas().view()->nodes.size(), hand.module().instructionCount());
    choose("Fusion: what");
    QVERIFY(groups() > 0);  // what becomes a kernel
    choose("Scope");
    QVERIFY(groups() > 0);
    QVERIFY(hand.canvas().view()->findGroup("jit(f)/net/layer_0") >= 0 ||
            hand.canvas().view()->findGroup("jit(f)/net") >= 0);
  }

  void theWayLeadsThroughGroups() {
    Hand hand;
    hand.openText(kLayeredNet, false);
    hand.document().view().openAllGroups();
    hand.settle();
    hand.document().select({hand.named("t0")});
    auto* way = hand.window().findChild<QLabel*>(QStringLiteral("breadcrumbs"));
    QTRY_VERIFY2(way->text().contains(QStringLiteral("layer_0</a>")), qPrintable(way->text()));
    for (const int width : {260, 160, 90, 50}) {  // nothing is cut at the edge
      way->setFixedWidth(width);
      hand.settle();
      const QString seen = QTextDocumentFragment::fromHtml(way->text()).toPlainText();
      QVERIFY2(way->fontMetrics().horizontalAdvance(seen) <= way->contentsRect().width(), qPrintable(seen));
      QVERIFY(way->toolTip().contains(QStringLiteral("layer_0")));
    }
    way->setFixedWidth(5);  // less than its margins
    hand.document().select({});
    hand.settle();
    QVERIFY(way->text().isEmpty());
    way->setMinimumWidth(0);
    way->setMaximumWidth(QWIDGETSIZE_MAX);
    hand.settle();
    emit way->linkActivated(QStringLiteral("group:jit(f)/net"));
    hand.settle();
    QCOMPARE(hand.document().view().selectedGroup(), QStringLiteral("jit(f)/net"));
    QVERIFY(!way->text().contains(QStringLiteral("layer_0")));
  }
};

TESSERA_QT_TEST(overview_window_test, OverviewWindowTest)
}  // namespace tessera::overview_window_test
#include "overview_window_test.moc"
