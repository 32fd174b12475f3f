// Documents in tabs by mouse and keys: opening, switching, closing, reordering, what menus and panels show of the
// current one, what the others do meanwhile.
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QStandardPaths>
#include <QTabBar>

#include "app/studio/start/start_page.h"
#include "app/studio/window/panels.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/text/hlo_text_view.h"
#include "tests/editor/endless.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/tabs_hand.h"

namespace tessera::tabs_test {

class TabsTest : public TabsHand {
  Q_OBJECT

 private slots:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init() { show(); }
  void cleanup() { window_.reset(); }

  void eachFileGetsATab() {
    openThree();
    QCOMPARE(names(), (QStringList{"a.hlo", "b.hlo", "c.hlo"}));
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    click(0);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QVERIFY(window().windowTitle().startsWith("a.hlo"));
    QVERIFY(window().canvas().isVisible() && window().canvas().hasFocus());
    QVERIFY(window().panels().text->isVisible());
    QVERIFY(window().panels().text->view()->text()->text.find("HloModule a") != std::string::npos);
    QCOMPARE(panes(), 3);
    QCOMPARE(shownPanes(), 1);
    QVERIFY(tabs().tabToolTip(1).contains(folder_.filePath("b.hlo")));
  }

  void aFileThatIsOpenIsShownAgain() {
    openThree();
    open(folder_.filePath("a.hlo"));
    QCOMPARE(tabs().count(), 3);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    edit();
    click(1);
    open(folder_.filePath("a.hlo"));
    QVERIFY(document().file().isModified());  // what was done to it stays
    // What another program wrote meanwhile is what is opened.
    click(2);
    write("b.hlo", graphNamed("other"));
    open(folder_.filePath("b.hlo"));
    QCOMPARE(tabs().count(), 3);
    QVERIFY(document().module().findInstruction("other"));
  }

  void anUntouchedTabIsTakenByAFile() {
    key(Qt::Key_N);
    QCOMPARE(names(), QStringList{"untitled"});
    open(graph("a"));
    QCOMPARE(names(), QStringList{"a.hlo"});
    key(Qt::Key_N);
    QCOMPARE(names(), (QStringList{"a.hlo", "untitled"}));
    key(Qt::Key_N);
    QCOMPARE(tabs().count(), 3);
    QVERIFY(playCommand(window(), "add f32[3] constant").has_value() ||
            playCommand(window(), "add constant").has_value());
    open(graph("b"));
    QCOMPARE(tabs().count(), 4);
  }

  void keysGoRound() {
    openThree();
    key(Qt::Key_Tab);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    key(Qt::Key_Tab);
    QCOMPARE(current(), QStringLiteral("b.hlo"));
    QTest::keyClick(&window().canvas(), Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    key(Qt::Key_PageUp);
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    // From a panel too.
    QTest::keyClick(window().panels().text->view(), Qt::Key_Tab, Qt::ControlModifier);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
  }

  void tabsAreClosed() {
    openThree();
    click(1);
    key(Qt::Key_W);
    QCOMPARE(names(), (QStringList{"a.hlo", "c.hlo"}));
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    click(0, Qt::MiddleButton);
    QCOMPARE(names(), QStringList{"c.hlo"});
    QTest::mouseClick(tabs().tabButton(0, QTabBar::RightSide), Qt::LeftButton);
    settle();
    // The last one: as before anything was open.
    QVERIFY(window().pane().isFirstGraph());
    QVERIFY(window().findChild<StartPage*>()->isVisible());
    QVERIFY(!tabs().isVisible());
    for (QDockWidget* dock : window().panels().docks) QVERIFY(!dock->isVisible());
    open(folder_.filePath("b.hlo"));
    QCOMPARE(names(), QStringList{"b.hlo"});
    QVERIFY(tabs().isVisible() && window().panels().find("inspector")->isVisible());
    QVERIFY(!window().findChild<StartPage*>()->isVisible());
    QCOMPARE(panes(), 1);  // nothing is left of the others
  }

  void tabsAreReordered() {
    openThree();
    const QPoint from = middleOf(2), to = middleOf(0) - QPoint(15, 0);
    QTest::mousePress(&tabs(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 8; ++i) QTest::mouseMove(&tabs(), from + (to - from) * i / 8);
    QTest::mouseRelease(&tabs(), Qt::LeftButton, {}, to);
    settle();
    QCOMPARE(names(), (QStringList{"c.hlo", "a.hlo", "b.hlo"}));
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    key(Qt::Key_Tab);
    QCOMPARE(current(), QStringLiteral("a.hlo"));
  }

  void theContextMenuOfATab() {
    openThree();
    choose(1, "Copy path");
    QCOMPARE(QApplication::clipboard()->text(), folder_.filePath("b.hlo"));
    choose(1, "Close others");
    QCOMPARE(names(), QStringList{"b.hlo"});
    QCOMPARE(current(), QStringLiteral("b.hlo"));
    key(Qt::Key_N);
    choose(0, "Close");
    QCOMPARE(names(), QStringList{"untitled"});
  }

  void whatIsNotSavedIsMarkedAndAskedAbout() {
    window_.reset();
    show(true);
    openThree();
    click(0);
    edit();
    QCOMPARE(names(), (QStringList{"● a.hlo", "b.hlo", "c.hlo"}));
    QVERIFY(window().isWindowModified());
    click(1);
    QVERIFY(!window().isWindowModified());
    answer(QMessageBox::Cancel);
    click(0, Qt::MiddleButton);
    QCOMPARE(tabs().count(), 3);
    QCOMPARE(current(), QStringLiteral("a.hlo"));  // what it asks about is seen
    answer(QMessageBox::Cancel);
    window().close();
    QVERIFY(window().isVisible());
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
    answer(QMessageBox::Discard);
    key(Qt::Key_W);
    QCOMPARE(names(), (QStringList{"b.hlo", "c.hlo"}));
    QCOMPARE(readFile(folder_.filePath("a.hlo").toStdString()).value_or(""), graphNamed("a"));
  }

  void sameNamesShowTheirFolders() {
    QVERIFY(QDir(folder_.path()).mkpath("x/run") && QDir(folder_.path()).mkpath("y/run") &&
            QDir(folder_.path()).mkpath("z"));
    open(write("x/run/m.hlo", graphNamed("a")));
    QCOMPARE(names(), QStringList{"m.hlo"});
    open(write("z/m.hlo", graphNamed("b")));
    QCOMPARE(names(), (QStringList{"m.hlo — run", "m.hlo — z"}));
    open(write("y/run/m.hlo", graphNamed("c")));
    QCOMPARE(names(), (QStringList{"m.hlo — x/run", "m.hlo — z", "m.hlo — y/run"}));
    QVERIFY2(window().windowTitle().startsWith("m.hlo — y/run"), qPrintable(window().windowTitle()));
    key(Qt::Key_W);
    key(Qt::Key_W);
    QCOMPARE(names(), QStringList{"m.hlo"});
  }

  void historiesAndSelectionsAreApart() {
    openThree();
    edit();
    document().select({document().module().findInstruction("out").value()});
    const std::string edited = printHloText(document().module());
    click(0);
    QVERIFY(document().selection().empty());
    edit();
    key(Qt::Key_Z);
    QVERIFY(!document().canUndo());
    click(2);
    QCOMPARE(printHloText(document().module()), edited);
    QCOMPARE(document().selection().size(), size_t{1});
    QVERIFY(document().canUndo());
  }

  // All documents see the same arrangement of panels.
  void panelsStayWhereTheyAre() {
    openThree();
    window().panels().raise("layout");
    window().panels().find("inspector")->hide();
    settle();
    const QRect there = window().panels().find("layout")->geometry();
    click(0);
    QVERIFY(!window().panels().find("inspector")->isVisible());
    QVERIFY(window().panels().home.isInFront(*window().panels().find("layout")));
    QCOMPARE(window().panels().find("layout")->geometry(), there);
    for (QDockWidget* dock : window().panels().docks) QVERIFY(dock->widget());
    // Those of documents that are not shown do nothing.
    const QWidget* hidden = tabs().pane(1)->panels().text;
    QVERIFY(!hidden->isVisible());
  }

  void aFileThatDoesNotOpenGetsNoTab() {
    open(graph("a"));
    open(write("bad.hlo", "HloModule bad\n\nENTRY main {\n  x = f32[4] tanh(nowhere)\n}\n"));
    QCOMPARE(names(), QStringList{"a.hlo"});
    QVERIFY2(window().banner().message().contains("nowhere"), qPrintable(window().banner().message()));
    QVERIFY(window().panels().diagnostics->errorCount() > 0);
    QCOMPARE(panes(), 1);
  }

  void aRunGoesOnInTheBackground() {
    open(graph("a"));
    open(write("endless.hlo", kEndless));
    window().document().run().start();
    QTRY_VERIFY(document().run().isRunning());
    Document& running = document();
    QTest::mouseClick(&tabs(), Qt::LeftButton, {}, middleOf(0));
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QTRY_VERIFY(std::ranges::any_of(window().findChildren<QLabel*>(), [](const QLabel* each) {
      return each->isVisible() && each->text().startsWith("endless.hlo: ");
    }));
    QTest::qWait(300);
    QVERIFY(running.run().isRunning());
    // The current one runs and ends meanwhile.
    QTest::keyClick(&window().canvas(), Qt::Key_F5);
    QTRY_VERIFY(document().run().outcome());
    QVERIFY(running.run().isRunning());
    QTest::keyClick(&window().canvas(), Qt::Key_Tab, Qt::ControlModifier);
    QTest::keyClick(&window().canvas(), Qt::Key_Escape);
    settle();
    QVERIFY(!running.run().isRunning());
  }

  void aTabThatRunsIsClosed() {
    open(graph("a"));
    open(write("endless.hlo", kEndless));
    document().run().start();
    QTRY_VERIFY(document().run().isRunning());
    key(Qt::Key_W);
    QCOMPARE(names(), QStringList{"a.hlo"});
    for (const QLabel* each : window().findChildren<QLabel*>()) QVERIFY(!each->text().contains("endless"));
  }

  void severalFilesAreDropped() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(graph("a")), QUrl::fromLocalFile(graph("b")), QUrl::fromLocalFile(graph("c"))});
    QDragEnterEvent enter({600, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({600, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&window(), &drop);
    settle();
    QCOMPARE(names(), (QStringList{"a.hlo", "b.hlo", "c.hlo"}));
  }

  void scriptsChooseTabs() {
    openThree();
    QVERIFY(playCommand(window(), "tab 2").has_value());
    QCOMPARE(current(), QStringLiteral("b.hlo"));
    QVERIFY(!playCommand(window(), "tab 4") && !playCommand(window(), "tab x"));
    QVERIFY(playCommand(window(), "close-tab").has_value());
    QCOMPARE(names(), (QStringList{"a.hlo", "c.hlo"}));
  }

  void theThemeReachesEveryTab() {
    openThree();
    window().setTheme(Theme::Dark);
    key(Qt::Key_N);
    for (const DocumentPane* pane : tabs().panes()) QVERIFY(pane->canvas().theme() == Theme::Dark);
  }
};

TESSERA_QT_TEST(tabs_test, TabsTest)
}  // namespace tessera::tabs_test
#include "tabs_test.moc"
