// Runs in the studio: colours and tables of a profile, cancelling, what is too large to run.
#include <QAbstractItemModel>
#include <QStatusBar>
#include <QTest>
#include <QTreeView>

#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/run/results_panel.h"
#include "editor/values/value_panel.h"
#include "editor/values/value_view.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/studio_hand.h"

namespace tessera::studio_run_test {

class StudioRunTest : public StudioHand {
  Q_OBJECT

 private:
  QTreeView* profileTable() { return window_->panels().profile->table(); }

 private slots:
  void initTestCase() { beginTests(); }
  void init() { openWindow(); }
  void cleanup() { window_.reset(); }

  void runningColoursNodesAndFillsTheTable() {
    key(Qt::Key_F5);
    QVERIFY(document().run().isRunning());
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(document().run().outcome(), qPrintable(window_->banner().message()));
    QVERIFY(document().measures().overlay()->find(id("product")));
    QCOMPARE(document().run().outcome()->outputs.size(), size_t{1});
    const QAbstractItemModel* outputs = window_->panels().results->table()->model();
    QCOMPARE(outputs->index(0, 1).data().toString(), QString("f32[4,3]"));
    QVERIFY(outputs->index(0, 2).data().toString().startsWith("{ { 0."));
    QVERIFY(window_->panels().results->summary().contains("default values"));
    QVERIFY(profileTable()->model()->rowCount() >= 2);
    bool hot = false;
    for (const PictureItem& item : window_->canvas().picture()->items)
      hot = hot || (item.fill >= ColorRole::Heat0 && item.fill <= ColorRole::Heat9);
    QVERIFY(hot);
  }

  // A chosen source counts as one.
  void whereArgumentsComeFromIsTold() {
    QVERIFY(playCommand(*window_, "source 0 constant 2").has_value());
    key(Qt::Key_F5);
    QVERIFY(waitUntilIdle(*window_));
    const QString told = window_->panels().results->summary();
    QVERIFY2(told.contains("arguments: 1 chosen, 1 with default values"), qPrintable(told));
  }

  // What is too large to be live says so, and one of its values is computed when it is asked for.
  void aLargeGraphGivesValuesOnRequest() {
    open(write("large.hlo", R"(HloModule large

ENTRY main {
  x = f32[1024,1024] parameter(0)
  y = f32[1024,1024] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[1024,1024] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"));
    QTest::keyClick(&window_->canvas(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY2(window_->statusBar()->currentMessage().contains("too large"),
             qPrintable(window_->statusBar()->currentMessage()));
    window_->panels().raise(QStringLiteral("value"));
    ValuePanel& panel = *window_->panels().value;
    panel.want(id("y"));
    QVERIFY2(panel.current()->summary().contains("Computing y"), qPrintable(panel.current()->summary()));
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(!panel.current()->isEmpty());
  }

  void theProfileTableSortsAndSelects() {
    QVERIFY(playCommand(*window_, "run").has_value());
    const QAbstractItemModel* rows = profileTable()->model();
    const auto rowOf = [&](const char* name) {
      for (int row = 0; row < rows->rowCount(); ++row)
        if (rows->index(row, 0).data().toString() == QLatin1String(name)) return row;
      return -1;
    };
    profileTable()->sortByColumn(0, Qt::AscendingOrder);
    QVERIFY(rowOf("activated") >= 0 && rowOf("activated") < rowOf("product"));
    profileTable()->sortByColumn(0, Qt::DescendingOrder);
    QVERIFY(rowOf("activated") > rowOf("product"));
    window_->panels().raise(QStringLiteral("profile"));
    const QRect cell = profileTable()->visualRect(rows->index(rowOf("product"), 0));
    QTest::mouseClick(profileTable()->viewport(), Qt::LeftButton, {}, cell.center());
    QVERIFY(window_->canvas().selection() == only("product"));
    document().select(only("activated"));
    QCOMPARE(profileTable()->selectionModel()->selectedRows().value(0).row(), rowOf("activated"));
  }

  void anEditTakesTheOldProfileAway() {
    QVERIFY(playCommand(*window_, "run").has_value());
    QVERIFY(playCommand(*window_, "set-shape x f32[2,8]").has_value());
    QVERIFY(!document().run().outcome());
    QCOMPARE(profileTable()->model()->rowCount(), 0);
  }

  void escapeCancelsARun() {
    open(write("endless.hlo", kEndless));
    key(Qt::Key_F5);
    QVERIFY(document().run().isRunning());
    QTest::qWait(600);
    QVERIFY(document().run().isRunning());
    key(Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!document().run().isRunning(), 10000);
    QVERIFY(!document().run().outcome());
    QVERIFY(document().isOpen());
  }

  void hugeShapesAreShownAndRefusedWhenRun() {
    open(write("huge.hlo",
               "HloModule huge\n\nENTRY main {\n  x = f32[4611686018427387904]{0} parameter(0)\n"
               "  ROOT y = f32[4611686018427387904]{0} negate(x)\n}\n"));
    QVERIFY(document().file().path().endsWith("huge.hlo"));
    QVERIFY(window_->canvas().boxOf(id("y")).isValid());
    document().select(only("y"));
    QVERIFY(playCommand(*window_, "run").has_value());
    QVERIFY2(window_->banner().message().contains("4611686018427387904"), qPrintable(window_->banner().message()));
    QVERIFY(!document().run().isRunning());
  }
};

TESSERA_QT_TEST(studio_run_test, StudioRunTest)
}  // namespace tessera::studio_run_test
#include "studio_run_test.moc"
