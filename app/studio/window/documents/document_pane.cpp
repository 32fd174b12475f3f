// What a document in the window is made of and who hears whom.
#include "app/studio/window/documents/document_pane.h"

#include <QDockWidget>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

#include "app/shared/manual.h"
#include "app/studio/files/disk_bar.h"
#include "app/studio/start/first_start.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/documents/overlay_column.h"
#include "app/studio/window/documents/pane_header.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/minimap.h"
#include "editor/controllers/argument_sources.h"
#include "editor/controllers/arrange_controller.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/breadcrumbs.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/empty_hint.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/layout_binding.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/place_history.h"
#include "editor/controllers/run_controller.h"
#include "editor/controllers/undo_highlight.h"
#include "editor/controllers/wire_preview.h"
#include "editor/document/document.h"
#include "editor/document/recovery.h"
#include "editor/document/round_trip.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/source_panel.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/overview/findings_panel.h"
#include "editor/panels/overview/overview_panel.h"
#include "editor/panels/popups/hidden_bar.h"
#include "editor/panels/popups/kept_searches.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/popups/shown_searches_bar.h"
#include "editor/panels/profile/communication_panel.h"
#include "editor/panels/profile/heat_legend.h"
#include "editor/panels/profile/memory_panel.h"
#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/profile/roofline_panel.h"
#include "editor/panels/profile/timeline_panel.h"
#include "editor/panels/run/permission_bar.h"
#include "editor/panels/run/round_trip_bar.h"
#include "editor/panels/size_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/call_bar.h"
#include "editor/values/value_panel.h"

namespace tessera {

DocumentPane::DocumentPane(PanelDocks& docks, bool remembers, DocumentPane* twinOf, QWidget* parent)
    : QWidget(parent), document_(twinOf ? twinOf->document_ : std::make_shared<Document>()), twinOf_(twinOf) {
  header_ = new PaneHeader(this);
  document_->file().setProgramFolder(StartPage::examplesFolder());
  banner_ = new Banner(this);
  makeCanvas();
  makeLessons();
  searchBar_ = new SearchBar(*document_, this);
  if (remembers) searchBar_->kept()->remember();
  strip_ = new OverviewStrip(*document_, this);
  panels_ = std::make_unique<Panels>(*document_, docks);
  if (const auto manual = manualFolder()) panels_->help->setManual(QString::fromStdString(manual->string()));
  blocks_ = new BlockActions(*document_, *canvas_, *graphEdit_, *panels_->palette, remembers, this);
  runController_ = new RunController(*document_, *canvas_, this);
  labels_ = new NodeLabels(*document_, *canvas_);
  breadcrumbs_ = std::make_unique<Breadcrumbs>(*document_, nullptr);
  breadcrumbs_->hide();
  layOut();
  connectCanvas();
  connectDocument();
  connectBanner();
  connectSearch();
  connectOverview();
}

DocumentPane::~DocumentPane() = default;

QWidget& DocumentPane::breadcrumbs() const { return *breadcrumbs_; }

void DocumentPane::keepAside(const QString& folder) {
  recovery_ = std::make_unique<Recovery>(*document_, folder, nullptr);
  connect(recovery_.get(), &Recovery::failed, this,
          [this](const QString& why) { banner_->showMessage(tr("The recovery file cannot be written: %1").arg(why)); });
}

void DocumentPane::makeCanvas() {
  canvas_ = new Canvas(this);
  minimap_ = new Minimap(*canvas_);
  legend_ = new HeatLegend(*document_, canvas_);
  graphEdit_ = new GraphEditController(*document_, *canvas_, this);
  arrangement_ = new ArrangeController(*document_, *canvas_, this);
  new WirePreview(*document_, *canvas_, this);
  connect(new EmptyHint(*document_, canvas_), &EmptyHint::lineWanted, graphEdit_, &GraphEditController::begin);
  new NextHint(*document_, canvas_);
  groups_ = new GroupActions(*document_, *canvas_, this);
  graphEdit_->setInserts([this](InstructionId node, int32_t edge) { return arrangement_->inserts(node, edge); });
  canvas_->installEventFilter(this);
  setFocusProxy(canvas_);
}

// The words of a lesson name what is on the canvas: nothing is folded, and each node has its name.
void DocumentPane::makeLessons() {
  lessons_ = new LessonController(*document_, *canvas_, *new LessonPanel(this), this);
  const auto showNames = [this](bool on) {
    document_->view().showFields(!on);
    labels_->show(NodeLabels::Names, on);
    emit changed();
  };
  connect(lessons_, &LessonController::begun, this, [showNames] { showNames(true); });
  connect(lessons_, &LessonController::ended, this, [showNames] { showNames(false); });
  connect(lessons_, &LessonController::revealWanted, this, [this] { binding_->reveal(document_->selected()); });
}

void DocumentPane::layOut() {
  auto* beside = new QHBoxLayout;
  beside->setSpacing(0);
  beside->addWidget(&lessons_->panel());
  auto* bars = new OverlayColumn(*canvas_);
  bars_ = bars;
  bars->add(*banner_);
  bars->add(*new PermissionBar(*document_, bars));
  bars->add(*new HiddenBar(*document_, bars));
  auto* shown = new ShownSearchesBar(*document_, bars);
  bars->add(*shown);
  connect(shown, &ShownSearchesBar::endWanted, searchBar_->kept(),
          [this](const QString& name) { searchBar_->kept()->show(name, SearchLook::None); });
  if (!twinOf_) bars->add(*(diskBar_ = new DiskBar(*document_, bars)));
  auto* below = new QVBoxLayout;
  below->setSpacing(0);
  below->addWidget(searchBar_);
  below->addWidget(canvas_, 1);
  beside->addLayout(below, 1);
  beside->addWidget(&arrangement_->sizes());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(header_);
  layout->addWidget(strip_);
  layout->addLayout(beside, 1);
  layout->addWidget(runController_->callBar().table());
}

void DocumentPane::connectDocument() {
  connect(legend_, &HeatLegend::resized, this, &DocumentPane::leaveLegendRoom);
  connect(document_.get(), &Document::opened, this, &DocumentPane::begin);
  connect(document_.get(), &Document::progressed, this, &DocumentPane::progressed);
  connect(panels_->compiled, &CompiledPanel::compilingChanged, this, &DocumentPane::progressed);
  connect(panels_->passes, &PassesPanel::filmingChanged, this, &DocumentPane::progressed);
  connect(panels_->memory, &MemoryPanel::checkingChanged, this, &DocumentPane::progressed);
  connect(panels_->warp, &WarpPanel::lookingChanged, this, &DocumentPane::progressed);
  connect(panels_->devices, &DevicesPanel::runningChanged, this, &DocumentPane::progressed);
  connect(&document_->run(), &ProgramRun::outcomeChanged, this, [this] {
    showLegend();
    if (document_->run().outcome()) emit outcomeCame();
  });
  for (const auto signal : {&Document::moduleChanged, &Document::selectionChanged, &Document::pageChanged})
    connect(document_.get(), signal, this, &DocumentPane::changed);
  connect(document_.get(), &Document::editingChanged, this, &DocumentPane::changed);
  connect(&document_->run(), &ProgramRun::runningChanged, this, &DocumentPane::changed);
  connect(&document_->measures(), &NodeMeasures::changed, this, &DocumentPane::changed);
  connect(&document_->fetch(), &ValueFetch::runningChanged, this, &DocumentPane::changed);
  connect(&document_->watched(), &WatchedValues::computing, this, &DocumentPane::changed);
  connect(panels_->diagnostics, &DiagnosticsPanel::countChanged, this, &DocumentPane::changed);
  connect(panels_->diagnostics, &TablePanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->profile, &ProfilePanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->timeline, &TimelinePanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->memory, &MemoryPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->differences, &DiffPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->roofline, &RooflinePanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->communication, &CommunicationPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->dump, &DumpPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->numerics, &NumericsPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(blocks_, &BlockActions::updateOffered, this, [this](const QString& text) {
    blockOffer_ = text;
    emit changed();
  });
}

void DocumentPane::connectCanvas() {
  binding_ = new CanvasBinding(*document_, *canvas_, this);
  places_ = new PlaceHistory(
      *document_, *canvas_, [this](InstructionId id) { binding_->reveal(id); }, this);
  new LayoutBinding(*document_, *panels_->layout, this);
  new UndoHighlight(*document_, *canvas_, this);
  binding_->setEditor([this](InstructionId id) { return graphEdit_->editConstant(id); });
  connect(binding_, &CanvasBinding::detailsWanted, this, [this] { emit panelWanted(QStringLiteral("inspector")); });
  connect(binding_, &CanvasBinding::pictureShown, this, [this] {
    showLegend();
    emit pictureShown();
  });
  connect(graphEdit_, &GraphEditController::placed, binding_, &CanvasBinding::followNext);
  connect(canvas_, &Canvas::valueWanted, this, [this](InstructionId id) {
    emit panelWanted(QStringLiteral("value"));
    if (!document_->live().trace()) document_->watched().watch({id});
    panels_->value->want(id);
  });
}

// Whoever has something to explain says it in the banner.
void DocumentPane::connectBanner() {
  const auto say = [this](const QString& message) { banner_->showMessage(message); };
  const auto refuse = [this](const QString& message) { banner_->showRefusal(message); };
  const auto hint = [this](const QString& message) { banner_->showHint(message); };
  connect(document_.get(), &Document::moduleChanged, banner_, &Banner::goOn);
  connect(document_.get(), &Document::selectionChanged, banner_, &Banner::goOn);
  connect(document_.get(), &Document::failed, this, [this](const QString& message) {
    if (!twinOf_ || !twinOf_->isVisible()) banner_->showMessage(message);
  });
  connect(&document_->run(), &ProgramRun::profileOpened, this, [this] {
    const ProfileOrigin& origin = document_->run().origin();
    if (origin.warnings.isEmpty()) return banner_->hide();
    banner_->showNote(QStringLiteral("%1: %2").arg(origin.path.section(QLatin1Char('/'), -1), origin.warnings));
  });
  connect(graphEdit_, &GraphEditController::explained, this, refuse);
  connect(graphEdit_, &GraphEditController::hinted, this, hint);
  connect(arrangement_, &ArrangeController::explained, this, refuse);
  connect(arrangement_, &ArrangeController::hinted, this, hint);
  connect(&runController_->arguments(), &ArgumentSources::explained, this, say);
  connect(&runController_->arguments(), &ArgumentSources::hinted, this, hint);
  connect(&runController_->arguments(), &ArgumentSources::isOver, this, [this](const QString& message) {
    if (banner_->message() == message) banner_->hide();
  });
  connect(groups_, &GroupActions::explained, this, refuse);
  connect(groups_, &GroupActions::hinted, this, hint);
  connect(blocks_, &BlockActions::explained, this, say);
  connect(panels_->profile, &ProfilePanel::failed, this, say);
  connect(panels_->timeline, &TimelinePanel::failed, this, say);
  connect(panels_->memory, &MemoryPanel::failed, this, say);
  connect(banner_, &Banner::detailsWanted, this, [this] { emit panelWanted(QStringLiteral("diagnostics")); });
}

void DocumentPane::connectSearch() {
  connect(searchBar_, &SearchBar::revealWanted, binding_, &CanvasBinding::reveal);
  connect(searchBar_, &SearchBar::closed, canvas_, qOverload<>(&QWidget::setFocus));
  connect(panels_->source, &SourcePanel::searchWanted, this, [this](const QString& query) {
    searchBar_->open();
    searchBar_->field()->setText(query);
  });
  connect(panels_->inspector, &Inspector::sourceWanted, this, [this] { emit panelWanted(QStringLiteral("source")); });
  connect(panels_->inspector, &Inspector::canvasWanted, canvas_, qOverload<>(&QWidget::setFocus));
}

void DocumentPane::connectOverview() {
  connect(strip_, &OverviewStrip::overviewWanted, this, [this] { emit panelWanted(QStringLiteral("overview")); });
  connect(panels_->overview, &OverviewPanel::findingsWanted, this,
          [this] { emit panelWanted(QStringLiteral("findings")); });
  connect(panels_->overview, &OverviewPanel::revealWanted, binding_, &CanvasBinding::reveal);
  connect(panels_->overview, &OverviewPanel::canvasWanted, canvas_, qOverload<>(&QWidget::setFocus));
  connect(panels_->findings, &FindingsPanel::revealWanted, binding_, &CanvasBinding::reveal);
}

void DocumentPane::begin() {
  pictureNews_ = true;
  firstGraph_ = std::exchange(firstGraphComes_, false);
  delete std::exchange(firstHint_, nullptr);
  banner_->hide();
  emit arrived();
}

QString DocumentPane::name() const {
  const DocumentFile& file = document_->file();
  return file.path().isEmpty() && lessons_->isOn() ? lessons_->title() : file.title();
}

std::vector<BackgroundTask> DocumentPane::tasks() const {
  std::vector<BackgroundTask> out = twinOf_ ? std::vector<BackgroundTask>() : document_->tasks();
  if (CompiledPanel* compiled = panels_->compiled; compiled->isCompiling())
    out.push_back({{tr("Compiling for the panel")}, [compiled] { compiled->cancelCompiling(); }});
  if (PassesPanel* passes = panels_->passes; passes->isFilming())
    out.push_back({{tr("Running the passes")}, [passes] { passes->cancelFilming(); }});
  if (MemoryPanel* memory = panels_->memory; memory->isChecking())
    out.push_back({{tr("Checking an edit by running")}, [memory] { memory->cancelCheck(); }});
  if (WarpPanel* warp = panels_->warp; warp->isBusy())
    out.push_back({{tr("Running on the simulated card")}, [warp] { warp->cancelLooking(); }});
  if (DevicesPanel* devices = panels_->devices; devices->isBusy())
    out.push_back({{tr("Running on both devices")}, [devices] { devices->cancelRunning(); }});
  return out;
}

// Docks stay away and the start page is beside it until something else is opened.
void DocumentPane::showFirstGraph() {
  firstGraphComes_ = true;
  document_->file().createFrom(firstGraph());
  firstHint_ = new FirstHint(canvas_);
}

bool DocumentPane::isUntouched() const {
  if (!document_->isOpen() || firstGraph_) return true;
  return document_->file().path().isEmpty() && !document_->file().isModified() && !lessons_->isOn() &&
         !document_->isPlainGraph() && !document_->canRedo() && document_->module().instructionCount() == 0;
}

bool DocumentPane::hasUnsavedWork() const {
  return !firstGraph_ && !lessons_->isOn() && document_->isOpen() && document_->file().isModified();
}

// The bar is over the canvas as long as this is the part's document.
void DocumentPane::setTrip(std::unique_ptr<RoundTrip> trip) {
  trip_ = std::move(trip);
  trip_->setPart(document_.get());
  auto* bar = new RoundTripBar(*trip_, bars_);
  bars_->add(*bar);
  bar->show();
  connect(bar, &RoundTripBar::dropWanted, this, &DocumentPane::dropWanted);
  connect(bar, &RoundTripBar::putBackDone, this, &DocumentPane::putBackDone);
}

void DocumentPane::setTheme(Theme theme) {
  canvas_->setTheme(theme);
  legend_->setTheme(theme);
  panels_->text->setTheme(theme);
}

void DocumentPane::showLegend() { legend_->showOverlay(); }

// --- what is seen

PanePlace DocumentPane::place() const {
  const Viewport& viewport = canvas_->viewport();
  return wanted_.value_or(PanePlace{viewport.zoom(), viewport.visible().center(), viewport.showsAll()});
}

void DocumentPane::goTo(const PanePlace& place) {
  wanted_ = place;
  canvas_->update();
}

void DocumentPane::setCurrent(bool current) { binding_->setFollowsSelection(current); }

void DocumentPane::placeLegend() {
  constexpr int kMargin = 12;
  legend_->move(kMargin, canvas_->height() - legend_->height() - kMargin);
}

void DocumentPane::leaveLegendRoom() {
  placeLegend();
  constexpr int kGap = 20;
  runController_->keepFreeBelow(legend_->isHidden() ? 0 : legend_->height() + kGap);
}

bool DocumentPane::eventFilter(QObject* watched, QEvent* event) {
  if (watched == canvas_ && event->type() == QEvent::Resize) {
    placeLegend();
    const QSizeF room = canvas_->viewport().room();
    document_->view().setRoom({static_cast<float>(room.width()), static_cast<float>(room.height())});
  }
  if (watched == canvas_ && event->type() == QEvent::Paint && wanted_ && canvas_->picture()) {
    const PanePlace place = *std::exchange(wanted_, std::nullopt);
    Viewport& viewport = canvas_->viewport();
    if (place.showsAll) {
      viewport.fitAll();
    } else {
      viewport.zoomBy(place.zoom / viewport.zoom(), {});
      viewport.keepCentered(place.centre);  // the window may not have its last size yet
    }
  }
  if (watched == canvas_ && event->type() == QEvent::Paint && pictureNews_ && canvas_->tilesReady()) {
    pictureNews_ = false;
    if (canvas_->viewport().showsAll()) document_->view().fitToRoom();
    QMetaObject::invokeMethod(this, &DocumentPane::firstPainted, Qt::QueuedConnection);
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace tessera
