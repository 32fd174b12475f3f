// Documents in tabs by mouse and keys: opening, switching, closing, reordering, what menus and panels show of the
// current one, what the others do meanwhile.
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineF>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

#include "app/studio/start/start_page.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/panels.h"
#include "core/edit/parameter_edits.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/text/hlo_text_view.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::tabs_test {
namespace {

std::string graphNamed(const std::string& value) {
  return "HloModule " + value + "\n\nENTRY main {\n  " + value +
         " = f32[4,8]{1,0} parameter(0)\n  ROOT out = f32[4,8]{1,0} tanh(" + value + ")\n}\n";
}

// Far longer than anybody waits.
const char* const kEndless = R"(HloModule endless

body {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[4096]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  changed = f32[4096]{0} tanh(v)
  ROOT r = (s32[], f32[4096]{0}) tuple(next, changed)
}

condition {
  s = (s32[], f32[4096]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(2000000000)
  ROOT less = pred[] compare(i, limit), direction=LT
}

ENTRY main {
  v = f32[4096]{0} parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[4096]{0}) tuple(zero, v)
  ROOT w = (s32[], f32[4096]{0}) while(s), condition=condition, body=body
}
)";

}  // namespace

class TabsTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  MainWindow& window() { return *window_; }
  DocumentTabs& tabs() { return window_->tabs(); }
  Document& document() { return window_->document(); }
  void settle() { QVERIFY(waitUntilIdle(*window_)); }
  void show(bool remembers = false) {
    window_ = std::make_unique<MainWindow>(remembers);
    window_->resize(1300, 850);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();
    settle();
  }
  QString write(const QString& name, const std::string& content) {
    const QString path = folder_.filePath(name);
    if (!writeFileAtomically(path.toStdString(), content)) qFatal("cannot write a test's file");
    return path;
  }
  QString graph(const char* value) {
    return write(QStringLiteral("%1.hlo").arg(QLatin1String(value)), graphNamed(value));
  }
  void open(const QString& path) {
    window_->openFile(path);
    settle();
  }
  void openThree() {
    for (const char* value : {"a", "b", "c"}) open(graph(value));
    QCOMPARE(tabs().count(), 3);
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
    QTest::keyClick(&window_->canvas(), static_cast<Qt::Key>(key), modifiers);
    settle();
  }
  QString current() {
    return document().file().path().isEmpty() ? "untitled" : QFileInfo(document().file().path()).fileName();
  }
  QStringList names() {
    QStringList out;
    for (int i = 0; i < tabs().count(); ++i) out << tabs().tabText(i);
    return out;
  }
  QPoint middleOf(int tab) { return tabs().tabRect(tab).center() - QPoint(20, 0); }
  void click(int tab, Qt::MouseButton button = Qt::LeftButton) {
    QTest::mouseClick(&tabs(), button, {}, middleOf(tab));
    settle();
  }
  void edit() {
    const auto id = document().module().entryComputation().instructions.front();
    document().perform(settingShape(document().module(), id, Shape::arrayRowMajor(ElementType::F32, {2, 8})));
    settle();
  }
  void answer(QMessageBox::StandardButton button) {  // the next question
    QTimer::singleShot(100, this, [button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      QVERIFY(box);
      QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
  }
  void choose(int tab, const QString& item) {  // of its context menu, by the keyboard
    bool found = false;
    QTimer::singleShot(100, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY(menu);
      for (QAction* action : menu->actions()) {
        if (action->text().remove('&') != item || !action->isEnabled()) continue;
        found = true;
        menu->setActiveAction(action);
      }
      QTest::keyClick(menu, found ? Qt::Key_Return : Qt::Key_Escape);
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, middleOf(tab), tabs().mapToGlobal(middleOf(tab)));
    QApplication::sendEvent(&tabs(), &event);
    QVERIFY2(found, qPrintable(item));
    settle();
  }

  qsizetype panes() const { return window_->findChildren<DocumentPane*>().size(); }
  qsizetype shownPanes() const {
    return std::ranges::count_if(window_->findChildren<DocumentPane*>(),
                                 [](auto* pane) { return pane->canvas().isVisible(); });
  }

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

  // --- two panes
  DocumentPane& half(int at) {  // from the left
    std::vector<DocumentPane*> seen;
    for (DocumentPane* pane : {&window().pane(), window().beside()})
      if (pane) seen.push_back(pane);
    std::ranges::sort(seen, {}, [&](DocumentPane* pane) { return pane->mapTo(&window(), QPoint()).x(); });
    return *seen.at(static_cast<size_t>(at));
  }
  void clickIn(DocumentPane& pane) {
    QTest::mouseClick(&pane.canvas(), Qt::LeftButton, {}, QPoint(5, pane.canvas().height() - 5));
    settle();
  }

  void twoDocumentsSideBySide() {
    openThree();
    key(Qt::Key_Backslash);
    QVERIFY(window().beside());
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(half(0).name(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("a.hlo"));
    QVERIFY(half(0).canvas().isVisible() && half(1).canvas().isVisible());
    QVERIFY(std::abs(half(0).width() - half(1).width()) < 20);
    // The focus decides on which one menus act.
    clickIn(half(1));
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QVERIFY(window().windowTitle().startsWith("a.hlo"));
    QCOMPARE(tabs().currentIndex(), 0);
    QVERIFY(window().panels().text->view()->text()->text.find("HloModule a") != std::string::npos);
    edit();
    key(Qt::Key_Z);
    QVERIFY(!document().canUndo() && document().canRedo());
    // A tab takes the half that has the focus.
    click(1);
    QCOMPARE(half(0).name(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    click(2);  // which is seen already
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    key(Qt::Key_Backslash);
    QVERIFY(!window().beside());
    QCOMPARE(current(), QStringLiteral("c.hlo"));
    QCOMPARE(panes(), 3);
  }

  void oneDocumentAtTwoPlaces() {
    open(graph("a"));
    key(Qt::Key_Backslash);
    QCOMPARE(tabs().count(), 1);
    QCOMPARE(&half(0).document(), &half(1).document());
    clickIn(half(1));
    DocumentPane& other = half(0);
    const double zoom = other.canvas().viewport().zoom();
    const QPointF centre = other.canvas().viewport().visible().center();
    window().canvas().viewport().zoomBy(3, QPointF(10, 10));
    settle();
    QCOMPARE(other.canvas().viewport().zoom(), zoom);
    // A selection is seen in both and moves neither but the one that it was made in.
    document().select({document().module().findInstruction("out").value()});
    settle();
    QCOMPARE(other.canvas().viewport().visible().center(), centre);
    edit();
    QVERIFY(other.canvas().boxOf(document().module().findInstruction("a").value()).isValid());
    key(Qt::Key_W);  // this half, not the document
    QCOMPARE(tabs().count(), 1);
    QVERIFY(!window().beside());
    QVERIFY(document().canUndo());
    QCOMPARE(panes(), 1);
  }

  void aSplitEndsWithItsDocument() {
    openThree();
    key(Qt::Key_Backslash);
    key(Qt::Key_W);
    QVERIFY(!window().beside());
    QCOMPARE(current(), QStringLiteral("a.hlo"));
    QCOMPARE(names(), (QStringList{"a.hlo", "b.hlo"}));
    QVERIFY(playCommand(window(), "split same").has_value());
    QVERIFY(window().beside());
    click(0, Qt::MiddleButton);
    QCOMPARE(names(), QStringList{"b.hlo"});
    QVERIFY(!window().beside());
    QCOMPARE(panes(), 1);
    key(Qt::Key_Backslash);
    click(0, Qt::MiddleButton);
    QVERIFY(window().pane().isFirstGraph());
  }

  void anotherDocumentIsChosenForAHalf() {
    openThree();
    key(Qt::Key_Backslash);
    auto* title = half(1).findChild<QFrame*>("paneHeader")->findChild<QToolButton*>();
    QTimer::singleShot(100, this, [] {
      QWidget* menu = QApplication::activePopupWidget();
      QVERIFY(menu);
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Return);
    });
    QTest::mouseClick(title, Qt::LeftButton);
    settle();
    QCOMPARE(half(1).name(), QStringLiteral("b.hlo"));
    QCOMPARE(current(), QStringLiteral("b.hlo"));
  }

  // --- sessions
  void theLastSessionComesBack() {
    window_.reset();
    show(true);
    openThree();
    click(1);
    window().canvas().viewport().zoomBy(2, QPointF(30, 30));
    settle();
    const double zoom = window().canvas().viewport().zoom();
    const QPointF centre = window().canvas().viewport().visible().center();
    key(Qt::Key_Backslash);  // c beside b
    window().close();
    window_.reset();
    QVERIFY(QFile::remove(folder_.filePath("a.hlo")));
    show(true);
    QVERIFY(window().reopenDocuments());
    settle();
    QCOMPARE(names(), (QStringList{"b.hlo", "c.hlo"}));
    QCOMPARE(current(), QStringLiteral("b.hlo"));
    QVERIFY2(window().banner().message().contains("a.hlo"), qPrintable(window().banner().message()));
    QVERIFY(std::abs(window().canvas().viewport().zoom() / zoom - 1) < 0.01);
    QVERIFY(QLineF(window().canvas().viewport().visible().center(), centre).length() * zoom < 400);
    QVERIFY(window().beside());
    QCOMPARE(window().beside()->name(), QStringLiteral("c.hlo"));
    while (tabs().count() > 1) key(Qt::Key_W);
    key(Qt::Key_W);
    window_.reset();
    show(true);
    QVERIFY(!window().reopenDocuments());
  }

  void eachCrashIsOfferedByItself() {
    const QString aside = Recovery::usualFolder();
    QVERIFY(QDir(aside).removeRecursively() && QDir().mkpath(aside));
    const QString file = graph("a");
    const auto leave = [&](const char* name, const char* value, const QString& path) {
      const std::string left = (aside + "/" + name + ".tessera").toStdString();
      QVERIFY(writeFileAtomically(left, "tessera project 1\nhlo\n" + graphNamed(value) + "end\n").has_value());
      QVERIFY(writeFileAtomically(left + ".path", path.toStdString()).has_value());
    };
    leave("1", "changed", file);  // the number of a process that lives, as it does in every container
    leave("1073741823-1-00000000", "fresh", {});
    leave("1073741823-1-00000000.2", "third", {});
    window_.reset();
    show(true);
    window().offerLeftBehind();
    auto* bar = window().findChild<QFrame*>("leftBehind");
    const auto buttons = [&](const QString& text) {
      QList<QPushButton*> out;
      for (QPushButton* each : bar->findChildren<QPushButton*>())
        if (each->text() == text && each->isVisible()) out << each;
      return out;
    };
    QVERIFY(bar->isVisible());
    QCOMPARE(buttons("Restore").size(), 3);
    open(file);
    const auto ofFile = [&] {
      for (const QLabel* each : bar->findChildren<QLabel*>())
        if (each->isVisible() && each->text().startsWith("a.hlo")) return each->parentWidget();
      return static_cast<QWidget*>(nullptr);
    };
    QVERIFY(ofFile());
    QTest::mouseClick(ofFile()->findChildren<QPushButton*>().first(), Qt::LeftButton);
    settle();
    QCOMPARE(names(), QStringList{"● a.hlo"});  // in the place of its file
    QVERIFY(document().module().findInstruction("changed"));
    QTest::mouseClick(buttons("Restore").first(), Qt::LeftButton);
    settle();
    QCOMPARE(names(), (QStringList{"● a.hlo", "● untitled"}));
    QTest::mouseClick(buttons("Discard").first(), Qt::LeftButton);
    settle();
    QVERIFY(!bar->isVisible());
    QTRY_VERIFY(QDir(aside).entryList({"1073741823*.tessera"}).isEmpty());
    QCOMPARE(readFile(file.toStdString()).value_or(""), graphNamed("a"));
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
