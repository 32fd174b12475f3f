// What the main window is made of, without it: the current document, panes side by side, what opens, saves and closes
// documents, recent files, the chooser of computations, menus.
#include <QComboBox>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenuBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>

#include "app/studio/actions/actions.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/menus/arrange_menu.h"
#include "app/studio/window/menus/run_menu.h"
#include "app/studio/window/panels.h"
#include "core/edit/parameter_edits.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/computation_chooser.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/qt_tests.h"

namespace tessera::window_parts_test {
namespace {

constexpr int kPatience = 20000;
constexpr const char* kProgram = R"(HloModule program
twice { p = f32[4,2] parameter(0) ROOT q = f32[4,2] add(p, p) }
ENTRY main { x = f32[4,2] parameter(0) ROOT called = f32[4,2] call(x), to_apply=twice }
)";

// A plain window that holds docks and panes; none of the parts knows more of it.
struct Parts {
  QMainWindow window;
  PanelDocks docks{window};
  DocumentTabs tabs;
  CurrentDocument current;
  PaneArea& area = *new PaneArea(current, tabs, docks, false, &window);
  RecentFiles recent;
  QStatusBar status;
  Actions actions;
  QObject listeners;
  DocumentSaver& saver = *new DocumentSaver(current, area, recent, status, false, &listeners);
  DocumentCloser& closer = *new DocumentCloser(current, area, tabs, saver, &listeners);
  DocumentOpener& opener = *new DocumentOpener(current, area, tabs, saver, closer, status, &listeners);
  GraphComparison& comparison = *new GraphComparison(current, area, tabs, opener, &listeners);

  Parts() {
    window.setCentralWidget(&area);
    docks.hideAll();
    window.resize(1200, 800);
    window.show();
    DocumentPane& first = area.add();
    tabs.add(first);
    current.set(first);
  }
  ~Parts() {
    qDeleteAll(listeners.children());
    area.removeAll();
  }
};

}  // namespace

class WindowPartsTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Parts> parts_;

  QString write(const char* name, const std::string& text) {
    const QString path = folder_.filePath(QLatin1String(name));
    if (!writeFileAtomically(path.toStdString(), text)) qFatal("cannot write a test's file");
    return path;
  }
  QString graph(const char* name) {
    return write(name, std::string("HloModule m\nENTRY main { ROOT x = f32[4,8] parameter(0) }\n"));
  }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!parts_->area.isBusy() && !parts_->opener.isBusy(), kPatience); }
  void open(const QString& path) {
    parts_->opener.open(path);
    settle();
  }
  QString name() const { return QFileInfo(document().file().path()).fileName(); }
  Document& document() const { return parts_->current.document(); }
  void edit() {
    const auto id = document().module().entryComputation().instructions.front();
    document().perform(settingShape(document().module(), id, Shape::arrayRowMajor(ElementType::F32, {2, 8})));
    settle();
  }

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName("TesseraTest");
    QCoreApplication::setApplicationName(metaObject()->className());
  }
  void init() { parts_ = std::make_unique<Parts>(); }
  void cleanup() { parts_.reset(); }

  void recentFilesHaveTheLatestFirst() {
    RecentFiles recent;
    QSignalSpy changed(&recent, &RecentFiles::changed);
    for (int i = 0; i < 12; ++i) recent.add(QString::number(i));
    QCOMPARE(recent.paths().size(), RecentFiles::kMost);
    QCOMPARE(recent.paths().first(), QStringLiteral("11"));
    recent.add("9");  // once
    QCOMPARE(recent.paths().mid(0, 3), (QStringList{"9", "11", "10"}));
    QCOMPARE(changed.count(), 13);
    const QTemporaryDir folder;
    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    for (const QVariantMap kept = recent.kept(); const QString& name : kept.keys()) settings.setValue(name, kept[name]);
    RecentFiles later;
    later.read(settings);
    QCOMPARE(later.paths(), recent.paths());
  }

  void theChooserFollowsTheCanvas() {
    ComputationChooser chooser(nullptr);
    chooser.setDocument(document());
    QVERIFY(!chooser.isEnabled() && chooser.count() == 0);
    open(write("program.hlo", kProgram));
    chooser.setDocument(document());
    chooser.showCurrent();
    QCOMPARE(chooser.count(), 2);
    QCOMPARE(chooser.currentText(), QStringLiteral("main (entry)"));
    emit chooser.activated(1);
    settle();
    QCOMPARE(document().view().computation(), document().module().findComputation("twice"));
    chooser.showCurrent();
    QCOMPARE(chooser.currentText(), QStringLiteral("twice"));
  }

  void theCurrentDocumentTellsOfEachChangeOnce() {
    DocumentPane& first = parts_->current.pane();
    DocumentPane& second = parts_->area.add();
    DocumentPane* before = nullptr;
    connect(&parts_->current, &CurrentDocument::replaced, this, [&](DocumentPane* pane) { before = pane; });
    QSignalSpy changed(&parts_->current, &CurrentDocument::changed);
    parts_->current.set(second);
    QCOMPARE(before, &first);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(&parts_->current.canvas(), &second.canvas());
    QVERIFY(first.isHidden() && !second.isHidden());
    QCOMPARE(parts_->docks.find("text")->widget(), second.panels().text);  // its panels are in the docks
    parts_->current.set(second);
    QCOMPARE(changed.count(), 1);
  }

  void filesAreOpenedOneAfterTheOther() {
    QSignalSpy opened(&parts_->opener, &DocumentOpener::opened);
    QSignalSpy all(&parts_->opener, &DocumentOpener::allOpened);
    const QString bad = write("bad.hlo", "HloModule bad\nENTRY main { ROOT x = nothing[ }\n");
    parts_->opener.open(graph("a.hlo"));
    parts_->opener.open(bad);
    parts_->opener.open(graph("b.hlo"));
    settle();
    QCOMPARE(opened.count(), 2);
    QCOMPARE(all.count(), 1);
    QCOMPARE(parts_->tabs.count(), 2);  // the first took the place of what nobody would miss
    QCOMPARE(name(), QStringLiteral("b.hlo"));
    QCOMPARE(parts_->area.paneOf(bad), nullptr);
    open(folder_.filePath("a.hlo"));  // is open already
    QCOMPARE(parts_->tabs.count(), 2);
    QCOMPARE(name(), QStringLiteral("a.hlo"));
    open(folder_.filePath("b.hlo#nowhere"));
    QVERIFY(parts_->current.banner().message().contains("nowhere"));
  }

  void aTwinLivesWhileItIsSeen() {
    open(graph("a.hlo"));
    QSignalSpy ended(&parts_->area, &PaneArea::splitEnded);
    parts_->area.split(true);
    QVERIFY(parts_->area.beside() && parts_->area.beside()->isTwin());
    QCOMPARE(&parts_->area.beside()->document(), &document());
    QVERIFY(!parts_->area.beside()->isHidden());
    DocumentPane& original = parts_->current.pane();
    parts_->current.set(*parts_->area.beside());
    QCOMPARE(parts_->area.beside(), &original);
    QVERIFY(parts_->closer.close(parts_->current.pane()));  // this half alone
    QCOMPARE(ended.count(), 1);
    QVERIFY(!parts_->area.beside());
    QCOMPARE(&parts_->current.pane(), &original);
    QTRY_COMPARE(parts_->area.all().size(), size_t{1});
  }

  void aFileIsComparedBesideItsGraph() {
    open(graph("a.hlo"));
    DocumentPane& pane = parts_->current.pane();
    parts_->comparison.compareWithFile(pane, graph("b.hlo"));
    settle();
    QCOMPARE(&parts_->current.pane(), &pane);
    QVERIFY(parts_->area.beside());
    QCOMPARE(pane.panels().differences->other(), &parts_->area.beside()->document());
  }

  // A window that closes deletes what listens to panes before them, and panes list what else is open as others go.
  void whatIsComparedOutlivesTheComparison() {
    open(graph("a.hlo"));
    DocumentPane& pane = parts_->current.pane();
    parts_->comparison.compareWithFile(pane, graph("b.hlo"));
    settle();
    DiffPanel& differences = *pane.panels().differences;
    QCOMPARE(differences.choice()->count(), 3);  // the words, the other document, a file
    delete &parts_->comparison;
    differences.compareWith(nullptr);
    QCOMPARE(differences.choice()->count(), 2);
  }

  void whatIsSavedIsToldOnce() {
    open(graph("a.hlo"));
    QSignalSpy saved(&parts_->saver, &DocumentSaver::saved);
    edit();
    QVERIFY(document().file().isModified());
    parts_->saver.save();
    QTRY_VERIFY(!document().file().isModified());
    QCOMPARE(saved.count(), 1);
    QCOMPARE(parts_->recent.paths().first(), folder_.filePath("a.hlo"));
    QVERIFY(parts_->status.currentMessage().contains("a.hlo"));
    const auto content = readFile(folder_.filePath("a.hlo").toStdString());
    QVERIFY(content && content->find("f32[2,8]") != std::string::npos);
    edit();
    QVERIFY(QFile::remove(folder_.filePath("a.hlo")) && QDir(folder_.path()).mkdir("a.hlo"));  // it cannot be written
    parts_->saver.save();
    QVERIFY(!document().file().waitForSaving());
    QCOMPARE(saved.count(), 1);
    QVERIFY(!parts_->current.banner().message().isEmpty());
    QVERIFY(QDir(folder_.path()).rmdir("a.hlo"));
  }

  void theLastDocumentLeavesTheFirstGraph() {
    open(graph("a.hlo"));
    open(graph("b.hlo"));
    QSignalSpy last(&parts_->closer, &DocumentCloser::lastClosed);
    QVERIFY(parts_->closer.close(parts_->current.pane()));
    QCOMPARE(name(), QStringLiteral("a.hlo"));
    QCOMPARE(last.count(), 0);
    QVERIFY(parts_->closer.close(parts_->current.pane()));
    QCOMPARE(last.count(), 1);
    QVERIFY(parts_->current.pane().isFirstGraph());
    QCOMPARE(parts_->tabs.count(), 1);
  }

  void menusAskTheCurrentDocument() {
    QMenuBar bar;
    const ArrangeMenu arrange(bar, parts_->actions, parts_->current, nullptr);
    const RunMenu run(bar, parts_->actions, parts_->current, parts_->opener, parts_->status, nullptr);
    QCOMPARE(bar.actions().size(), 2);
    QAction* watch = parts_->actions.find("watch");
    open(graph("a.hlo"));
    parts_->actions.update();
    QVERIFY(parts_->actions.find("run")->isEnabled() && !watch->isEnabled());
    document().select({document().module().entryComputation().root});
    parts_->actions.update();
    QVERIFY(watch->isEnabled());
    parts_->actions.find("flow-down")->trigger();
    QCOMPARE(document().project().flow, PageFlow::Down);
  }
};

TESSERA_QT_TEST(window_parts_test, WindowPartsTest)
}  // namespace tessera::window_parts_test
#include "window_parts_test.moc"
