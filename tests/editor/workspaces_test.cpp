// Workspaces by keys: what each shows, what it keeps, and that everything comes back.
#include <QDockWidget>
#include <QSettings>
#include <QTabBar>
#include <QTest>

#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::workspaces_test {

class WorkspacesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  Workspaces& workspaces() { return hand().window().workspaces(); }
  QDockWidget* dock(const char* name) { return hand().window().panels().find(QLatin1String(name)); }
  QStringList shown() {
    QStringList out;
    for (const QDockWidget* each : hand().window().panels().docks)
      if (!each->isHidden()) out << each->objectName();
    out.sort();
    return out;
  }
  void choose(int workspace) {
    QTest::keyClick(&hand().window(), static_cast<Qt::Key>(Qt::Key_1 + workspace),
                    Qt::ControlModifier | Qt::AltModifier);
    hand().settle();
    QTest::qWait(200);  // docks glide
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand().openText("HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n}\n", false);
  }
  void cleanup() { hand_.reset(); }

  void eachShowsAFewPanelsAndLeavesTheCanvasRoom() {
    hand().window().resize(1366, 768);
    QStringList before;
    for (int i = 0; i < Workspaces::kCount; ++i) {
      choose(i);
      QCOMPARE(workspaces().current(), i);
      QVERIFY2(shown().size() <= 4, qPrintable(Workspaces::title(i) + shown().join(' ')));
      QVERIFY(shown() != before);
      before = shown();
      const int width = hand().window().centralWidget()->width(), height = hand().window().centralWidget()->height();
      QVERIFY2(width >= 700 && height >= 380,
               qPrintable(QStringLiteral("%1: %2 x %3").arg(Workspaces::title(i)).arg(width).arg(height)));
    }
  }

  void theTabsFollowAndLead() {
    auto* tabs = hand().window().findChild<QTabBar*>(QStringLiteral("workspaces"));
    QCOMPARE(tabs->count(), Workspaces::kCount);
    choose(2);
    QCOMPARE(tabs->currentIndex(), 2);
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(3).center());
    QCOMPARE(workspaces().current(), 3);
    QVERIFY(!dock("profile")->isHidden());
  }

  void whatIsChangedIsKeptForEach() {
    dock("results")->hide();
    hand().window().panels().raise(QStringLiteral("help"));
    const QStringList mine = shown();
    hand().window().resizeDocks({dock("inspector")}, {300}, Qt::Horizontal);
    QTest::qWait(200);
    const int width = dock("inspector")->width();
    choose(2);
    QVERIFY(shown() != mine);
    choose(0);
    QCOMPARE(shown(), mine);
    QTRY_COMPARE(dock("inspector")->width(), width);
  }

  void everythingComesBack() {
    const QStringList before = shown();
    for (QDockWidget* each : hand().window().panels().docks) each->hide();
    dock("inspector")->setFloating(true);
    workspaces().reset();
    QCOMPARE(shown(), before);
    QVERIFY(!dock("inspector")->isFloating());
  }

  void sizesAreKeptBetweenSessions() {
    choose(2);
    dock("layout")->hide();
    const QStringList mine = shown();
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("kept.ini")), QSettings::IniFormat);
    workspaces().write(settings);
    Hand next;
    next.openText("HloModule m\n\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n", false);
    next.window().workspaces().read(settings);
    QCOMPARE(next.window().workspaces().current(), 2);
    hand_ = nullptr;
    QStringList theirs;
    for (const QDockWidget* each : next.window().panels().docks)
      if (!each->isHidden()) theirs << each->objectName();
    theirs.sort();
    QCOMPARE(theirs, mine);
  }

  void aRunShowsItsTimesWhereTheseAreLookedAt() {
    choose(Workspaces::kProfile);
    hand().window().panels().raise(QStringLiteral("results"));
    hand().document().run().start();
    hand().settle();
    QTRY_VERIFY(!dock("profile")->visibleRegion().isEmpty());
  }

  void compareSplitsTheWindowAndTakesItBack() {
    QVERIFY(!hand().window().beside());
    choose(Workspaces::kCompare);
    QVERIFY(hand().window().beside());
    choose(0);
    QVERIFY(!hand().window().beside());
  }
};

TESSERA_QT_TEST(workspaces_test, WorkspacesTest)
}  // namespace tessera::workspaces_test
#include "workspaces_test.moc"
