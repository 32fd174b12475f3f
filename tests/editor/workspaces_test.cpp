// Workspaces by keys: what each shows, what it keeps, and that everything comes back.
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QLayout>
#include <QMenu>
#include <QSettings>
#include <QTabBar>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <functional>

#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panel_focus.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/panels/compare/diff_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::workspaces_test {

// Lays out a window in the moment that a tab bar of it is shown, as Qt does when something in it changed.
class TabWatch : public QObject {
 public:
  explicit TabWatch(QLayout& layout) : layout_(layout) {}
  int shown = 0, laidOut = 0;

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Show || watched->parent() != layout_.parent() || !qobject_cast<QTabBar*>(watched))
      return false;
    ++shown;
    layout_.invalidate();
    laidOut += layout_.activate();
    return false;
  }

 private:
  QLayout& layout_;
};

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

  QTabBar* tabsOf(const QString& title) {
    for (QTabBar* each : hand().window().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      for (int i = 0; i < each->count(); ++i)
        if (each->isVisible() && each->tabText(i) == title) return each;
    return nullptr;
  }
  // Whether the bar that has a tab is as wanted. Qt makes bars in later events, and gives tabs to other ones.
  bool hasTabs(const char* title, const std::function<bool(const QTabBar&)>& wanted) {
    const QTabBar* bar = tabsOf(QLatin1String(title));
    return bar && wanted(*bar);
  }
  // A tab's menu is modal: what is to be done in it is done by a timer.
  void openMenuOf(const QString& tab, const std::function<void(QMenu&)>& act) {
    QTabBar* tabs = nullptr;
    QTRY_VERIFY((tabs = tabsOf(tab)));
    for (int i = 0; i < tabs->count(); ++i) {
      if (tabs->tabText(i) != tab) continue;
      const QPoint at = tabs->tabRect(i).center();
      bool seen = false;
      QTimer::singleShot(0, &hand().window(), [&] {
        auto* menu = hand().window().findChild<QMenu*>(QStringLiteral("panel-menu"));
        if (!menu || !menu->isVisible()) return;
        seen = true;
        act(*menu);
        menu->close();
      });
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, tabs->mapToGlobal(at));
      QApplication::sendEvent(tabs, &event);
      QVERIFY2(seen, "no menu opened");
    }
    hand().settle();
  }
  static QAction* itemOf(const QMenu& menu, const char* words) {
    for (QAction* each : menu.actions())
      if (each->text().remove(QLatin1Char('&')).startsWith(QLatin1String(words))) return each;
    return nullptr;
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

  // A panel that was asked for goes with its workspace, and is beside none of the next one's meanwhile.
  void theWindowKeepsItsWidth() {
    hand().window().resize(1366, 768);
    hand().window().panels().raise(QStringLiteral("watch"));
    QTest::qWait(200);
    choose(3);
    QCOMPARE(hand().window().width(), 1366);
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
    for (const QVariantMap kept = workspaces().kept(); const QString& name : kept.keys())
      settings.setValue(name, kept[name]);
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
    QTRY_VERIFY(hand().window().panels().home.isInFront(*dock("profile")));
  }

  // Its tab has the name of a panel behind others: no title below says it again.
  void aNameStandsOnce() {
    choose(0);
    QTRY_COMPARE(dock("text")->titleBarWidget()->height(), 0);
    QCOMPARE(dock("results")->titleBarWidget()->height(), 0);
    QTRY_VERIFY(dock("inspector")->titleBarWidget()->height() > 10);
    QTRY_VERIFY(hasTabs("HLO text", [](const QTabBar& bar) {
      bool asWanted = true;
      for (int i = 0; i < bar.count(); ++i)
        asWanted = asWanted && !bar.tabIcon(i).isNull() &&
                   (bar.tabButton(i, QTabBar::RightSide) != nullptr) == (i == bar.currentIndex());
      return asWanted;
    }));
    dock("results")->hide();
    QTRY_VERIFY(dock("text")->titleBarWidget()->height() > 10);
  }

  // Also where the tabs have no room for their icons.
  void namesOfTabsAreWhole() {
    hand().window().resize(1366, 768);
    choose(Workspaces::kLearn);
    QTRY_VERIFY(hasTabs("Inspector",
                        [](const QTabBar& bar) { return bar.count() >= 3 && bar.sizeHint().width() <= bar.width(); }));
    choose(Workspaces::kInspect);
    QTRY_VERIFY(hasTabs("HLO text", [](const QTabBar& bar) { return !bar.tabIcon(0).isNull(); }));
  }

  void aPanelIsClosedByItsTab() {
    choose(0);
    QTabBar* tabs = nullptr;
    const auto cross = [&] { return tabs->tabButton(tabs->currentIndex(), QTabBar::RightSide); };
    QTRY_VERIFY((tabs = tabsOf(QStringLiteral("HLO text"))) && cross());
    const QString front = tabs->tabText(tabs->currentIndex());
    QTest::mouseClick(cross(), Qt::LeftButton);
    for (QDockWidget* each : hand().window().panels().docks)
      if (each->windowTitle() == front) QVERIFY(each->isHidden());
  }

  void aTabHasAMenuWithKeys() {
    choose(0);
    openMenuOf(QStringLiteral("HLO text"), [&](QMenu& menu) {
      for (const char* words : {"Close the panel", "Close the others", "Move to the left", "Move to the right",
                                "Move below", "In a window of its own", "Everything at its first place"}) {
        QAction* item = itemOf(menu, words);
        QVERIFY2(item, words);
        QVERIFY2(!item->shortcut().isEmpty() && item->isShortcutVisibleInContextMenu(), words);
      }
      QVERIFY(itemOf(menu, "Panels")->menu());
      QVERIFY(!itemOf(menu, "Move below")->isEnabled());
      itemOf(menu, "Close the others")->trigger();
    });
    QVERIFY(dock("results")->isHidden() && !dock("text")->isHidden());
    workspaces().reset();
    openMenuOf(QStringLiteral("HLO text"), [&](QMenu& menu) { itemOf(menu, "Move to the right")->trigger(); });
    QTRY_COMPARE(hand().window().dockWidgetArea(dock("text")), kRight);
    openMenuOf(QStringLiteral("HLO text"), [&](QMenu& menu) { itemOf(menu, "In a window")->trigger(); });
    QVERIFY(dock("text")->isFloating());
    workspaces().reset();
    QVERIFY(!dock("text")->isFloating());
    openMenuOf(QStringLiteral("HLO text"), [&](QMenu& menu) { itemOf(menu, "Close the panel")->trigger(); });
    QVERIFY(dock("text")->isHidden());
  }

  void keysActOnThePanelWithTheFocus() {
    choose(0);
    hand().window().panels().raise(QStringLiteral("text"));
    hand().settle();
    const QStringList before = shown();
    hand().canvas().setFocus();
    QTest::keyClick(&hand().window(), Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(shown(), before);
    QWidget* inside = firstFocusable(*dock("text")->widget());
    inside->setFocus();
    QTest::keyClick(inside, Qt::Key_Left, Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier);
    QTRY_COMPARE(hand().window().dockWidgetArea(dock("text")), kLeft);
    inside->setFocus();
    QTest::keyClick(inside, Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(dock("text")->isHidden());
    QVERIFY(hand().canvas().hasFocus());
  }

  void aPanelMovesToFullHeightAtTheRight() {
    choose(0);
    hand().window().panels().home.moveTo(*dock("text"), kRight);
    QTRY_VERIFY(hand().window().panels().home.isInFront(*dock("text")));
    QCOMPARE(hand().window().dockWidgetArea(dock("text")), kRight);
    QTRY_VERIFY(dock("text")->height() > hand().window().centralWidget()->height());
    choose(1);
    choose(0);
    QCOMPARE(hand().window().dockWidgetArea(dock("text")), kRight);
  }

  void keysGoFromPartToPart() {
    choose(0);
    QStringList seen;
    hand().canvas().setFocus();
    for (int i = 0; i < 6; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
      for (QDockWidget* each : hand().window().panels().docks)
        if (each->isAncestorOf(QApplication::focusWidget())) seen << each->objectName();
      if (hand().canvas().hasFocus()) break;
    }
    QVERIFY2(hand().canvas().hasFocus(), qPrintable(seen.join(' ')));
    QVERIFY2(seen.contains(QLatin1String("palette")) && seen.contains(QLatin1String("text")),
             qPrintable(seen.join(' ')));
    QTest::keyClick(&hand().canvas(), Qt::Key_F6, Qt::ShiftModifier);
    QVERIFY(!hand().canvas().hasFocus());
  }

  // What stands beside it is what it is compared with.
  void compareTakesTheDocumentBesideIt() {
    const Document& first = hand().document();
    QTest::keyClick(&hand().window(), Qt::Key_N, Qt::ControlModifier);
    hand().settle();
    hand().add("f32[8]");
    hand().add("exp");
    choose(Workspaces::kCompare);
    const DiffPanel& differences = *hand().window().panels().differences;
    QVERIFY(&hand().document() != &first && differences.other() == &first);
    QTRY_VERIFY(differences.result());
    QVERIFY(differences.table()->topLevelItemCount() > 0);
  }

  void compareSplitsTheWindowAndTakesItBack() {
    QVERIFY(!hand().window().area().beside());
    choose(Workspaces::kCompare);
    QVERIFY(hand().window().area().beside());
    choose(0);
    QVERIFY(!hand().window().area().beside());
  }

  // QMainWindow goes through its tab bars to show them, and forgets them when it is laid out meanwhile.
  void nothingLaysTheWindowOutWhileItsPanelsComeBack() {
    TabWatch watch(*hand().window().layout());
    for (int i = Workspaces::kCount - 1; i >= 0; --i) workspaces().choose(i);
    workspaces().hidePanels();
    QCoreApplication::processEvents();
    qApp->installEventFilter(&watch);
    workspaces().showPanels();
    qApp->removeEventFilter(&watch);
    QVERIFY(watch.shown > 0);
    QCOMPARE(watch.laidOut, 0);
  }
};

TESSERA_QT_TEST(workspaces_test, WorkspacesTest)
}  // namespace tessera::workspaces_test
#include "workspaces_test.moc"
