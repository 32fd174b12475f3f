// The window's life: what it is made of, how the document's signals reach its parts, files, theme and session. Menus
// and their actions are in main_window_actions.cpp.
#include "app/studio/main_window.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTableWidget>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/first_start.h"
#include "app/studio/lesson_controller.h"
#include "app/studio/navigation.h"
#include "app/studio/panels.h"
#include "app/studio/start_page.h"
#include "app/studio/theme.h"
#include "core/edit/parameter_edits.h"
#include "core/edit/wiring/initial_value.h"
#include "core/ops/inference/unfinished.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/dimension_color.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/empty_hint.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/run_controller.h"
#include "editor/controllers/wire_preview.h"
#include "editor/document/document.h"
#include "editor/document/recovery.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/panels/banner.h"
#include "editor/panels/heat_legend.h"
#include "editor/panels/inspector.h"
#include "editor/panels/instruction_facts.h"
#include "editor/panels/permission_bar.h"
#include "editor/panels/size_panel.h"
#include "editor/panels/table_panel.h"
#include "editor/panels/text_panel.h"
#include "editor/values/call_bar.h"
#include "editor/values/value_panel.h"

namespace tessera {
namespace {

constexpr int kMaxRecentFiles = 10, kMaxMarks = 400, kDockStateVersion = 2;

QString fileNameOf(const Document& document) {
  return document.path().isEmpty() ? QObject::tr("untitled.hlo") : QFileInfo(document.path()).fileName();
}

// Wholly on the screen with the frame that a window manager draws, which Qt knows only later.
QSize sizeFor(QSize screen) { return QSize(1440, 900).boundedTo(screen - QSize(16, 48)); }

std::vector<DimensionHue> dimensionsOf(const Document& document, InstructionId id) {
  return document.scene().hues ? document.scene().hues->of(id) : std::vector<DimensionHue>();
}

bool hasOpenInput(const Module& module, InstructionId id) {
  return module.contains(id) &&
         std::ranges::any_of(module.at(id).operands, [](InstructionId operand) { return !operand.valid(); });
}

}  // namespace

MainWindow::MainWindow(bool remembers, QWidget* parent)
    : QMainWindow(parent), document_(new Document(this)), remembers_(remembers) {
  document_->setProgramFolder(StartPage::examplesFolder());
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  resize(sizeFor(screen()->availableSize()));
  makeCentre();
  panels_ = std::make_unique<Panels>(*document_, *this);
  blocks_ = new BlockActions(*document_, *canvas_, *authoring_, *panels_->palette, remembers_, this);
  connect(blocks_, &BlockActions::explained, banner_, &Banner::showMessage);
  values_ = new RunController(*document_, *canvas_, this);
  connect(canvas_, &Canvas::valueWanted, this, [this](InstructionId id) {
    panels_->raise(QStringLiteral("value"));
    panels_->value->want(id);
  });
  centralWidget()->layout()->addWidget(values_->callBar().table());
  makeStatusBar();
  makeActions();
  navigation_ = new Navigation(*this, remembers_);
  connectDocument();
  connectCanvas();
  setTheme(Theme::Light);
  if (remembers_) {
    restoreSession();
    recovery_ = new Recovery(*document_, Recovery::usualFolder(), this);
    connect(recovery_, &Recovery::failed, this, [this](const QString& why) {
      banner_->showMessage(tr("Unsaved changes cannot be kept aside: %1").arg(why));
    });
  }
  docksWhenOpen_ = saveState(kDockStateVersion);
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
  authoring_ = new GraphEditController(*document_, *canvas_, this);
  arranging_ = new ArrangeController(*document_, *canvas_, this);
  new WirePreview(*document_, *canvas_, this);
  connect(new EmptyHint(*document_, canvas_), &EmptyHint::lineWanted, authoring_, &GraphEditController::begin);
  new NextHint(*document_, canvas_);
  groups_ = new GroupActions(*document_, *canvas_, this);
  authoring_->setInserts([this](InstructionId node, int32_t edge) { return arranging_->inserts(node, edge); });
  canvas_->installEventFilter(this);
  stack_->addWidget(canvas_);
  auto* beside = new QHBoxLayout;
  beside->setSpacing(0);
  auto* lessons = new LessonPanel(centre);
  beside->addWidget(startPage_);
  beside->addWidget(lessons);
  beside->addWidget(stack_, 1);
  beside->addWidget(&arranging_->sizes());
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
  learning_ = new LessonController(*this, *lessons);
  connect(startPage_, &StartPage::lessonsWanted, this, [this] { learning_->begin(0); });
  connect(banner_, &Banner::detailsWanted, this, [this] { panels_->raise(QStringLiteral("diagnostics")); });
}

void MainWindow::makeStatusBar() {
  factsLabel_ = new QLabel(this);
  zoomLabel_ = new QLabel(this);
  busyLabel_ = new QLabel(this);
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
  connect(document_, &Document::opened, this, [this] {
    pictureNews_ = true;
    if (!firstGraph_) showDocks();
    startPage_->setVisible(firstGraph_);
    delete std::exchange(firstHint_, nullptr);
    banner_->hide();
    if (!document_->path().isEmpty()) addRecentFile(document_->path());
    canvas_->setFocus();
    updateComputations();
    updateActions();
  });
  connect(document_, &Document::failed, this, [this](const QString& message) { banner_->showMessage(message); });
  connect(document_, &Document::sceneChanged, this, &MainWindow::showScene);
  connect(document_, &Document::moduleChanged, this, &MainWindow::updateActions);
  connect(document_, &Document::selectionChanged, this, [this] {
    canvas_->setSelection(document_->selection(), true);
    showLayout();
    updateActions();
  });
  connect(document_, &Document::moduleChanged, this, &MainWindow::showLayout);
  connect(panels_->find(QStringLiteral("layout")), &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible) showLayout();
  });
  connect(panels_->layout, &LayoutPanel::layoutEdited, this, &MainWindow::takeLayout);
  connect(document_, &Document::diagnosticsChanged, this, &MainWindow::showMarks);
  connect(document_, &Document::outcomeChanged, this, [this] {
    showLegend();
    if (!document_->outcome()) return;
    // In the next event: filling the table and laying it out are a frame each at 100,000 rows.
    QMetaObject::invokeMethod(
        this, [this] { panels_->raise(QStringLiteral("profile")); }, Qt::QueuedConnection);
  });
  connect(document_, &Document::runningChanged, this, &MainWindow::updateActions);
  connect(document_, &Document::editingChanged, this, &MainWindow::updateActions);
  connect(document_, &Document::progressed, this, &MainWindow::showProgress);
  connect(panels_->diagnostics, &DiagnosticsPanel::countChanged, this, [this] {
    const int errors = panels_->diagnostics->errorCount();
    panels_->find(QStringLiteral("diagnostics"))
        ->setWindowTitle(errors ? tr("Diagnostics (%1)").arg(errors) : tr("Diagnostics"));
  });
  for (TablePanel* table : std::initializer_list<TablePanel*>{panels_->diagnostics, panels_->profile})
    connect(table, &TablePanel::revealWanted, this, &MainWindow::revealInstruction);
}

void MainWindow::connectCanvas() {
  connect(canvas_, &Canvas::selectionChanged, document_, &Document::select);
  connect(canvas_, &Canvas::groupToggled, document_, &Document::toggleGroup);
  connect(canvas_, &Canvas::instructionActivated, this, [this](InstructionId id) {
    if (!document_->module().contains(id) || authoring_->editConstant(id))
      return;  // the picture may be older than the graph
    const auto callees = document_->module().callees(document_->module().at(id));
    if (!callees.empty())
      document_->showComputation(callees.front());
    else
      panels_->raise(QStringLiteral("inspector"));
  });
  connect(authoring_, &GraphEditController::placed, this, [this] { followPlaced_ = true; });
  connect(authoring_, &GraphEditController::explained, banner_, &Banner::showMessage);
  connect(arranging_, &ArrangeController::explained, banner_, &Banner::showMessage);
  connect(groups_, &GroupActions::explained, banner_, &Banner::showMessage);
  connect(groups_, &GroupActions::extracted, this, [this](const QString& path) {
    addRecentFile(path);
    statusBar()->showMessage(tr("Extracted to %1; it stands under File › Open recent").arg(path), 6000);
  });
  connect(document_, &Document::pageChanged, this, &MainWindow::updateActions);
  connect(document_, &Document::valuesChanged, this, [this] { canvas_->setValues(document_->values()); });
  connect(canvas_, &Canvas::zoomChanged, this, [this](double zoom) {
    zoomLabel_->setText(QStringLiteral("%1 %").arg(100 * zoom, 0, 'f', zoom < 0.1 ? 1 : 0));
  });
  canvas_->setTooltipProvider([this](InstructionId id) {
    if (!document_->isOpen() || !document_->module().contains(id)) return QString();
    return tooltipOf(
        document_->module(), id,
        legendOf(dimensionsOf(*document_, id), document_->module().shapeOf(id).dimensions, QToolTip::palette()));
  });
}

// --- what is shown

void MainWindow::showScene(bool keepView) {
  const Scene& scene = document_->scene();
  canvas_->setPicture(scene.picture, scene.view, keepView ? Canvas::KeepView::Yes : Canvas::KeepView::No, scene.index);
  canvas_->setSelection(document_->selection(), revealPending_);
  if (std::exchange(followPlaced_, false)) canvas_->bringIntoView();
  if (std::exchange(revealPending_, false)) canvas_->fitSelection();
  showMarks();
  showLegend();
  updateActions();
  if (computations_->findData(document_->computation().value) < 0) updateComputations();  // an edit brought it
  const QSignalBlocker blocker(computations_);
  computations_->setCurrentIndex(computations_->findData(document_->computation().value));
}

void MainWindow::showMarks() {
  std::vector<std::pair<InstructionId, QString>> marks;
  for (const Diagnostic& d : document_->diagnostics()) {
    if (d.severity != Severity::Error || !d.instruction.valid() || marks.size() >= kMaxMarks) continue;
    if (d.label == kUnfinished && document_->isOpen() && hasOpenInput(document_->module(), d.instruction))
      continue;  // its field says so
    marks.emplace_back(d.instruction, QString::fromStdString(d.message));
  }
  if (document_->isOpen() && document_->module().contains(document_->computation()))
    for (InstructionId id : document_->module().at(document_->computation()).instructions) {
      const auto warning = marks.size() < kMaxMarks ? initialValueWarning(document_->module(), id) : std::nullopt;
      if (warning) marks.emplace_back(id, tr("warning: %1").arg(QString::fromStdString(*warning)));
    }
  canvas_->setMarks(std::move(marks));
}

void MainWindow::showLegend() {
  legend_->setOverlay(document_->scene().overlay.get());
  placeLegend();
}

// The layout panel follows the selection while it can be seen; what was typed into it stays until the next selection.
void MainWindow::showLayout() {
  const InstructionId id = document_->selected();
  if (!panels_->layout->isVisible() || !id.valid()) return;
  const Instruction& instruction = document_->module().at(id);
  if (shownLayout_ == std::pair(id, instruction.shape)) return;
  shownLayout_ = {id, instruction.shape};
  panels_->layout->showShape(
      *instruction.shape, QString::fromUtf8(instruction.name.data(), static_cast<qsizetype>(instruction.name.size())),
      dimensionsOf(*document_, id));
}

// A parameter's layout is the person's to choose; any other instruction's is only looked at in the panel.
void MainWindow::takeLayout(const Shape& shape) {
  const InstructionId id = document_->selected();
  if (!id.valid() || document_->module().at(id).opcode != Opcode::Parameter || shape == document_->module().shapeOf(id))
    return;
  shownLayout_ = {};
  document_->perform(settingLayout(document_->module(), id, shape));
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

void MainWindow::revealInstruction(InstructionId id) {
  revealPending_ = true;
  document_->reveal(id);
}

void MainWindow::setTheme(Theme theme) {
  theme_ = theme;
  applyTheme(theme);
  canvas_->setTheme(theme);
  legend_->setTheme(theme);
  startPage_->showThumbnails(theme);
  panels_->text->setTheme(theme);
  const QSignalBlocker blocker(dark_);
  dark_->setChecked(theme == Theme::Dark);
}

// --- files

void MainWindow::openFile(const QString& path) {
  if (!mayLoseChanges()) return;
  firstGraph_ = false;
  document_->open(path);
}

bool MainWindow::mayLeave() {
  if (!mayLoseChanges()) return false;
  firstGraph_ = false;
  return true;
}

// Docks stay away and the doors stand beside it until something else is opened.
void MainWindow::showFirstGraph() {
  firstGraph_ = true;
  document_->createFrom(firstGraph());
  firstHint_ = new FirstHint(canvas_);
}

void MainWindow::chooseFile() {
  const QString start = document_->isOpen() ? document_->path() : recentFiles_.value(0, StartPage::examplesFolder());
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a graph"), start,
      tr("Graphs (*.tessera *.hlo *.txt *.pb *.pbtxt *.mlir *.dot *.gv *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) openFile(path);
}

// Examples of the program are there to be changed, but stay as they are: what was made of one becomes a file of the
// user's.
void MainWindow::save(bool ask) {
  QString path = document_->path();
  const bool isExample = document_->isOfProgram();
  if (ask || path.isEmpty() || isExample)
    path = QFileDialog::getSaveFileName(this, tr("Save the graph"),
                                        isExample        ? QDir::home().filePath(fileNameOf(*document_))
                                        : path.isEmpty() ? fileNameOf(*document_)
                                                         : path,
                                        tr("HLO text (*.hlo *.txt);;Tessera project with its arrangement "
                                           "(*.tessera);;Protobuf (*.pb *.pbtxt);;All files (*)"));
  if (path.isEmpty()) return;
  if (!ask && remembers_ && document_->wouldRewriteOthers()) {  // nobody answers where a script drives
    const auto answer = askToRewrite(QFileInfo(path).fileName());
    if (answer == QMessageBox::SaveAll) return save(true);
    if (answer != QMessageBox::Save) return;
  }
  const bool newSidecar = document_->savesSidecar(path) && !QFileInfo::exists(path + QStringLiteral(".tessera"));
  if (const Status saved = document_->save(path); !saved) {
    banner_->showMessage(QString::fromStdString(saved.error().toString()));
    return;
  }
  addRecentFile(path);
  if (newSidecar)
    statusBar()->showMessage(tr("Saved %1; places, frames and notes go to %1.tessera beside it").arg(path), 8000);
  else
    statusBar()->showMessage(tr("Saved %1").arg(path), 3000);
  updateActions();
}

QMessageBox::StandardButton MainWindow::askToRewrite(const QString& name) {
  QMessageBox box(QMessageBox::Question, tr("Tessera"), tr("%1 was written by another program.").arg(name),
                  QMessageBox::Save | QMessageBox::SaveAll | QMessageBox::Cancel, this);
  box.setInformativeText(tr(
      "Saving over it gives it the form that this program writes: comments and what only the other program knows go."));
  box.button(QMessageBox::Save)->setText(tr("Save over it"));
  box.button(QMessageBox::SaveAll)->setText(tr("Save as…"));
  box.setDefaultButton(QMessageBox::SaveAll);
  return static_cast<QMessageBox::StandardButton>(box.exec());
}

bool MainWindow::mayLoseChanges() {
  if (!remembers_ || firstGraph_ || learning_->isOn() || !document_->isOpen() || !document_->isModified()) return true;
  const auto answer =
      QMessageBox::question(this, tr("Tessera"), tr("%1 has changes that are not saved.").arg(fileNameOf(*document_)),
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) save(false);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !document_->isModified());
}

void MainWindow::exportPicture() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the picture"),
                                                    fileNameOf(*document_) + QStringLiteral(".svg"), tr("SVG (*.svg)"));
  if (path.isEmpty()) return;
  const Status written = document_->exportSvg(path, theme_);
  if (!written) banner_->showMessage(QString::fromStdString(written.error().toString()));
}

void MainWindow::addRecentFile(const QString& path) {
  recentFiles_.removeAll(path);
  recentFiles_.prepend(path);
  recentFiles_ = recentFiles_.mid(0, kMaxRecentFiles);
  showRecentFiles();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().value(0).toLocalFile();
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openFile(path);
}

// --- session

void MainWindow::restoreSession() {
  const QSettings settings;
  recentFiles_ = settings.value(QStringLiteral("recentFiles")).toStringList();
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kDockStateVersion);
  if (settings.value(QStringLiteral("theme")).toString() == QLatin1String("dark")) setTheme(Theme::Dark);
}

// The first document brings the panels along.
void MainWindow::showDocks() {
  if (docksWhenOpen_.isEmpty()) return;
  restoreState(docksWhenOpen_, kDockStateVersion);
  docksWhenOpen_.clear();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayLoseChanges()) return event->ignore();
  document_->cancel();
  if (remembers_) {
    QSettings settings;
    settings.setValue(QStringLiteral("recentFiles"), recentFiles_);
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("docks"),
                      docksWhenOpen_.isEmpty() ? saveState(kDockStateVersion) : docksWhenOpen_);
    settings.setValue(QStringLiteral("theme"),
                      theme_ == Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
  }
  QMainWindow::closeEvent(event);
}

}  // namespace tessera
