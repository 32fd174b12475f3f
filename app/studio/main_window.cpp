// What the window is made of and who hears whom. Its menus are in menus.cpp and menus_edit.cpp, files and the session
// in main_window_files.cpp.
#include "app/studio/main_window.h"

#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/shared/manual.h"
#include "app/studio/actions.h"
#include "app/studio/navigation.h"
#include "app/studio/panels.h"
#include "app/studio/start_page.h"
#include "app/studio/theme.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/empty_hint.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/layout_binding.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/run_controller.h"
#include "editor/controllers/undo_highlight.h"
#include "editor/controllers/wire_preview.h"
#include "editor/document/document.h"
#include "editor/document/recovery.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/panels/banner.h"
#include "editor/panels/heat_legend.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspector.h"
#include "editor/panels/permission_bar.h"
#include "editor/panels/profile_panel.h"
#include "editor/panels/search_bar.h"
#include "editor/panels/size_panel.h"
#include "editor/panels/source_panel.h"
#include "editor/panels/table_panel.h"
#include "editor/panels/text_panel.h"
#include "editor/text/plain_text.h"
#include "editor/values/call_bar.h"
#include "editor/values/value_panel.h"

namespace tessera {
namespace {

QString windowTitleOf(const Document& document) {
  const QString& path = document.file().path();
  return path.isEmpty() ? QObject::tr("untitled") : QFileInfo(path).fileName();
}

// "12 instructions in 2 computations · 3 selected".
QString factsOn(const Document& document) {
  const size_t computations = document.module().order().size(), instructions = document.module().instructionCount();
  QString out =
      (instructions == 1 ? QObject::tr("one instruction in ") : QObject::tr("%L1 instructions in ").arg(instructions)) +
      (computations == 1 ? QObject::tr("one computation") : QObject::tr("%L1 computations").arg(computations));
  if (const size_t selected = document.selection().size(); selected > 1)
    out += QObject::tr(" · %L1 selected").arg(selected);
  return out;
}

// Wholly on the screen with the frame that a window manager draws, which Qt knows only later.
QSize sizeFor(QSize screen) { return QSize(1440, 900).boundedTo(screen - QSize(16, 48)); }

}  // namespace

MainWindow::MainWindow(bool remembers, QWidget* parent)
    : QMainWindow(parent), document_(new Document(this)), remembers_(remembers) {
  document_->file().setProgramFolder(StartPage::examplesFolder());
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  resize(sizeFor(screen()->availableSize()));
  makeCentre();
  panels_ = std::make_unique<Panels>(*document_, *this);
  if (const auto manual = manualFolder()) panels_->help->setManual(QString::fromStdString(manual->string()));
  blocks_ = new BlockActions(*document_, *canvas_, *graphEdit_, *panels_->palette, remembers_, this);
  runController_ = new RunController(*document_, *canvas_, this);
  centralWidget()->layout()->addWidget(runController_->callBar().table());
  makeStatusBar();
  actions_ = new Actions(*canvas_, this);
  makeActions();
  navigation_ = new Navigation(*this, remembers_);
  connectCanvas();
  connectDocument();
  connectBanner();
  setTheme(Theme::Light);
  if (remembers_) {
    restoreSession();
    recovery_ = new Recovery(*document_, Recovery::usualFolder(), this);
    connect(recovery_, &Recovery::failed, this, [this](const QString& why) {
      banner_->showMessage(tr("The recovery file cannot be written: %1").arg(why));
    });
  }
  docksWhenOpen_ = saveState(kDockState);
  panels_->hideAll();
  showRecentFiles();
  updateActions();
}

// Docks say that they vanish, which must reach a whole window.
MainWindow::~MainWindow() {
  hide();
  delete recovery_;  // looks at the document
}

void MainWindow::makeCentre() {
  auto* centre = new QWidget(this);
  banner_ = new Banner(centre);
  stack_ = new QStackedWidget(centre);
  startPage_ = new StartPage(centre);
  canvas_ = new Canvas(stack_);
  legend_ = new HeatLegend(canvas_);
  graphEdit_ = new GraphEditController(*document_, *canvas_, this);
  arrangement_ = new ArrangeController(*document_, *canvas_, this);
  new WirePreview(*document_, *canvas_, this);
  connect(new EmptyHint(*document_, canvas_), &EmptyHint::lineWanted, graphEdit_, &GraphEditController::begin);
  new NextHint(*document_, canvas_);
  groups_ = new GroupActions(*document_, *canvas_, this);
  graphEdit_->setInserts([this](InstructionId node, int32_t edge) { return arrangement_->inserts(node, edge); });
  canvas_->installEventFilter(this);
  stack_->addWidget(canvas_);
  auto* beside = new QHBoxLayout;
  beside->setSpacing(0);
  auto* lessons = new LessonPanel(centre);
  beside->addWidget(startPage_);
  beside->addWidget(lessons);
  searchBar_ = new SearchBar(*document_, centre);
  auto* below = new QVBoxLayout;
  below->setSpacing(0);
  below->addWidget(searchBar_);
  below->addWidget(stack_, 1);
  beside->addLayout(below, 1);
  beside->addWidget(&arrangement_->sizes());
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(new PermissionBar(*document_, centre));
  layout->addLayout(beside, 1);
  setCentralWidget(centre);
  connect(startPage_, &StartPage::fileChosen, this, &MainWindow::openFile);
  connect(startPage_, &StartPage::openWanted, this, &MainWindow::chooseFile);
  connect(startPage_, &StartPage::newWanted, this, [this] {
    newFile();
    if (!firstGraph_) panels_->raise(QStringLiteral("palette"));  // to look through what there is
  });
  lessons_ = new LessonController(*document_, *canvas_, *lessons, this);
  lessons_->setMayLeave([this] { return mayLeave(); });
  connect(lessons_, &LessonController::panelWanted, this, [this](const QString& name) {
    if (name == QLatin1String("inspector")) panels_->lower(*this);  // nothing below: the height is the graph's
    panels_->raise(name);
  });
  connect(startPage_, &StartPage::lessonsWanted, this, [this] { lessons_->begin(0); });
  connect(startPage_, &StartPage::importHelpWanted, this, [this] { showChapter(QStringLiteral("import")); });
}

void MainWindow::makeStatusBar() {
  factsLabel_ = new PlainLabel(this);
  zoomLabel_ = new PlainLabel(this);
  busyLabel_ = new PlainLabel(this);
  busyBar_ = new QProgressBar(this);
  busyBar_->setMaximumWidth(160);
  busyBar_->setTextVisible(false);
  busyBar_->hide();
  statusBar()->addWidget(factsLabel_, 1);
  auto* offer = new QToolButton(this);
  offer->setObjectName(QStringLiteral("updateBlocks"));
  offer->hide();
  connect(offer, &QToolButton::clicked, blocks_, &BlockActions::update);
  connect(blocks_, &BlockActions::updateOffered, offer, [offer](const QString& text) {
    offer->setText(text + (text.isEmpty() ? QString() : tr(": update")));
    offer->setVisible(!text.isEmpty());
  });
  statusBar()->addPermanentWidget(offer);
  statusBar()->addPermanentWidget(busyLabel_);
  statusBar()->addPermanentWidget(busyBar_);
  statusBar()->addPermanentWidget(zoomLabel_);
}

void MainWindow::connectDocument() {
  connect(document_, &Document::opened, this, &MainWindow::arrived);
  connect(document_, &Document::progressed, this, &MainWindow::showProgress);
  connect(&document_->run(), &ProgramRun::outcomeChanged, this, [this] {
    showLegend();
    if (!document_->run().outcome()) return;
    // In the next event: filling the table and laying it out are a frame each at 100,000 rows.
    QMetaObject::invokeMethod(
        this, [this] { panels_->raise(QStringLiteral("results")); }, Qt::QueuedConnection);
  });
  connect(&document_->run(), &ProgramRun::profileOpened, this, [this](const QString& summary) {
    panels_->raise(QStringLiteral("profile"));
    statusBar()->showMessage(summary, 10000);
  });
  for (const auto signal : {&Document::moduleChanged, &Document::selectionChanged, &Document::pageChanged})
    connect(document_, signal, this, &MainWindow::updateActions);
  connect(document_, &Document::editingChanged, this, &MainWindow::updateActions);
  connect(&document_->run(), &ProgramRun::runningChanged, this, &MainWindow::updateActions);
  connect(&document_->fetch(), &ValueFetch::runningChanged, this, &MainWindow::updateActions);
  connect(panels_->diagnostics, &DiagnosticsPanel::countChanged, this, [this] {
    const int errors = panels_->diagnostics->errorCount();
    panels_->find(QStringLiteral("diagnostics"))
        ->setWindowTitle(errors ? tr("Diagnostics (%1)").arg(errors) : tr("Diagnostics"));
  });
  connect(panels_->help, &HelpPanel::exampleWanted, this, &MainWindow::openExample);
  connect(panels_->diagnostics, &TablePanel::revealWanted, this, &MainWindow::revealInstruction);
  connect(panels_->profile, &ProfilePanel::revealWanted, this, &MainWindow::revealInstruction);
}

void MainWindow::connectCanvas() {
  connect(panels_->source, &SourcePanel::searchWanted, this, [this](const QString& query) {
    searchBar_->open();
    searchBar_->field()->setText(query);
  });
  connect(panels_->source, &SourcePanel::foldersChanged, this, [this] {
    if (remembers_) QSettings().setValue(QStringLiteral("sourceFolders"), panels_->source->folders());
  });
  connect(panels_->inspector, &Inspector::sourceWanted, this, [this] { panels_->raise(QStringLiteral("source")); });
  connect(searchBar_, &SearchBar::revealWanted, this, &MainWindow::revealInstruction);
  connect(searchBar_, &SearchBar::closed, canvas_, qOverload<>(&QWidget::setFocus));
  binding_ = new CanvasBinding(*document_, *canvas_, this);
  new LayoutBinding(*document_, *panels_->layout, this);
  new UndoHighlight(*document_, *canvas_, this);
  binding_->setEditor([this](InstructionId id) { return graphEdit_->editConstant(id); });
  connect(binding_, &CanvasBinding::detailsWanted, this, [this] { panels_->raise(QStringLiteral("inspector")); });
  connect(binding_, &CanvasBinding::pictureShown, this, &MainWindow::showScene);
  connect(graphEdit_, &GraphEditController::placed, binding_, &CanvasBinding::followNext);
  connect(&canvas_->viewport(), &Viewport::zoomChanged, this, [this](double zoom) {
    zoomLabel_->setText(QStringLiteral("%1 %").arg(100 * zoom, 0, 'f', zoom < 0.1 ? 1 : 0));
  });
  connect(canvas_, &Canvas::valueWanted, this, [this](InstructionId id) {
    panels_->raise(QStringLiteral("value"));
    panels_->value->want(id);
  });
  connect(groups_, &GroupActions::extracted, this, [this](const QString& path) {
    addRecentFile(path);
    statusBar()->showMessage(tr("Extracted to %1; it stands under File › Open recent").arg(path), 6000);
  });
}

void MainWindow::openExample(const QString& name, const std::string& hlo) {
  if (!mayLeave()) return;
  if (const Status opened = document_->file().createFromHlo(hlo, name.toStdString()); !opened)
    banner_->showMessage(QString::fromStdString(opened.error().toString()));
}

// Whoever has something to explain says it in the banner.
void MainWindow::connectBanner() {
  const auto say = [this](const QString& message) { banner_->showMessage(message); };
  connect(document_, &Document::failed, this, say);
  connect(graphEdit_, &GraphEditController::explained, this, say);
  connect(arrangement_, &ArrangeController::explained, this, say);
  connect(groups_, &GroupActions::explained, this, say);
  connect(blocks_, &BlockActions::explained, this, say);
  connect(panels_->profile, &ProfilePanel::failed, this, say);
  connect(banner_, &Banner::detailsWanted, this, [this] { panels_->raise(QStringLiteral("diagnostics")); });
}

// --- what is shown

void MainWindow::arrived() {
  pictureNews_ = true;
  if (!firstGraph_) showDocks();
  startPage_->setVisible(firstGraph_);
  delete std::exchange(firstHint_, nullptr);
  banner_->hide();
  if (!document_->file().path().isEmpty()) addRecentFile(document_->file().path());
  canvas_->setFocus();
  updateComputations();
  updateActions();
  showLinked();
}

void MainWindow::showScene() {
  showLegend();
  updateActions();
  const uint32_t shown = document_->view().computation().value;
  if (computations_->findData(shown) < 0) updateComputations();  // an edit brought it
  const QSignalBlocker blocker(computations_);
  computations_->setCurrentIndex(computations_->findData(shown));
}

bool MainWindow::hasSelection() const { return document_->isOpen() && document_->selected().valid(); }

void MainWindow::updateActions() {
  actions_->update();
  const bool open = document_->isOpen();
  computations_->setEnabled(open);
  setWindowTitle(open ? tr("%1[*] — Tessera").arg(windowTitleOf(*document_)) : tr("Tessera"));
  setWindowModified(open && document_->file().isModified());
  factsLabel_->setText(open ? factsOn(*document_) : QString());
}

void MainWindow::showLegend() {
  legend_->setOverlay(document_->view().scene().overlay.get());
  placeLegend();
}

void MainWindow::placeLegend() {
  constexpr int kMargin = 12;
  legend_->move(kMargin, canvas_->height() - legend_->height() - kMargin);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == canvas_ && event->type() == QEvent::Resize) placeLegend();
  if (watched == canvas_ && event->type() == QEvent::Paint && pictureNews_ && canvas_->tilesReady()) {
    pictureNews_ = false;
    QMetaObject::invokeMethod(this, &MainWindow::firstPictureShown, Qt::QueuedConnection);
  }
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::showProgress(const QString& stage, double fraction) {
  busyLabel_->setText(stage);
  busyBar_->setVisible(!stage.isEmpty());
  busyBar_->setRange(0, fraction < 0 ? 0 : 1000);
  if (fraction >= 0) busyBar_->setValue(static_cast<int>(fraction * 1000));
}

void MainWindow::updateComputations() {
  const QSignalBlocker blocker(computations_);
  computations_->clear();
  const Module& module = document_->module();
  const auto add = [&](ComputationId id) {
    const QString name = QString::fromStdString(module.at(id).name);
    computations_->addItem(id == module.entry() ? tr("%1 (entry)").arg(name) : name, id.value);
  };
  add(module.entry());
  constexpr size_t kMaxListed = 2000;
  for (ComputationId id : module.order())
    if (id != module.entry() && static_cast<size_t>(computations_->count()) < kMaxListed) add(id);
}

void MainWindow::revealInstruction(InstructionId id) { binding_->reveal(id); }

void MainWindow::setTheme(Theme theme) {
  theme_ = theme;
  applyTheme(theme);
  canvas_->setTheme(theme);
  legend_->setTheme(theme);
  startPage_->showThumbnails(theme);
  panels_->text->setTheme(theme);
  actions_->update();
}

}  // namespace tessera
