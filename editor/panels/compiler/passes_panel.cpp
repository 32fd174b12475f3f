// One worker has the film: frames first, then counts for the strip. A frame that nobody waits for any more is not made.
#include "editor/panels/compiler/passes_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/base/units.h"
#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "core/tools/passes/pass_film.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/dimension_color.h"
#include "editor/canvas/highlights.h"
#include "editor/document/document.h"
#include "editor/look/columns.h"
#include "editor/look/type_scale.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kFramePriority = 2;

QTreeWidget* makeTable(QWidget* parent, const QStringList& columns, const std::vector<int>& widths) {
  auto* out = new QTreeWidget(parent);
  out->setRootIsDecorated(false);
  out->setUniformRowHeights(true);
  out->setAlternatingRowColors(true);
  out->setHeaderLabels(columns);
  setColumnLetters(*out, widths);
  return out;
}

Result<PassFilm> filmOf(const std::optional<Module>& module, const QString& folder, const QString& file,
                        const std::atomic<bool>& cancel) {
  if (!module) {
    TESSERA_ASSIGN_OR_RETURN(PassTrail trail, PassTrail::ofFolder(folder.toStdString(), file.toStdString()));
    return PassFilm(std::move(trail));
  }
  const Diagnostics found = verify(*module);
  for (const Diagnostic& each : found.items())
    if (each.severity == Severity::Error) return std::unexpected(each);
  TESSERA_ASSIGN_OR_RETURN(PassTrail trail, PassTrail::ofPipeline(*module, {}, &cancel));
  return PassFilm(std::move(trail));
}

}  // namespace

struct PassesPanel::Answer {
  uint64_t request = 0;
  std::shared_ptr<const PassFrame> frame;
  std::shared_ptr<const SpatialIndex> index;
  std::vector<PassLine> lines;
  QString trouble;
};

PassesPanel::PassesPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      strip_(new PassStrip(this)),
      canvas_(new Canvas(this)),
      wanted_(std::make_shared<std::atomic<uint64_t>>(0)) {
  pool_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(strip_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(canvas_);
  split->addWidget(makeBeside());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setChildrenCollapsible(false);
  layout->addWidget(split, 1);
  canvas_->setMinimumSize(160, 90);
  canvas_->setTheme(themeOf(palette()));
  connectCanvas();
  connect(strip_, &PassStrip::chosen, this, &PassesPanel::wantFrame);
  connect(strip_, &PassStrip::touchWanted, this, &PassesPanel::stepToTouch);
  connect(&document_, &Document::opened, this, [this] {
    chosen_ = false;
    forget();
  });
  connect(&document_, &Document::moduleChanged, this, [this] {
    if (from_ == kOwn) forget();
  });
  connect(&document_, &Document::selectionChanged, this, &PassesPanel::followDocument);
  listSources();
  showWords();
}

PassesPanel::~PassesPanel() {
  if (cancel_) *cancel_ = true;
  ++*wanted_;
  ++filmRequest_;
  pool_.clear();
  pool_.waitForDone();
}

QWidget* PassesPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 4, 8, 4);
  source_ = new QComboBox(bar);
  source_->setMinimumContentsLength(18);
  source_->setToolTip(tr("Whose passes: our own over this graph, or those of a folder that XLA dumped into"));
  connect(source_, &QComboBox::activated, this, &PassesPanel::chooseSource);
  row->addWidget(source_);
  const auto button = [&](Qt::ArrowType arrow, const QString& tip, const auto& action) {
    auto* out = new QToolButton(bar);
    out->setAutoRaise(true);
    out->setArrowType(arrow);
    out->setToolTip(tip);
    connect(out, &QToolButton::clicked, this, action);
    row->addWidget(out);
  };
  button(Qt::LeftArrow, tr("The pass before that touched the selection (Ctrl+Left in the strip)"),
         [this] { stepToTouch(-1); });
  button(Qt::RightArrow, tr("The next pass that touched the selection (Ctrl+Right in the strip)"),
         [this] { stepToTouch(1); });
  words_ = new PlainLabel(bar);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(words_, 1);
  return bar;
}

QWidget* PassesPanel::makeBeside() {
  tabs_ = new QTabWidget(this);
  changes_ = makeTable(tabs_, {tr("Instruction"), tr("What the pass did")}, {26, 80});
  history_ = makeTable(tabs_, {tr("Pass"), tr("Name then"), tr("What became of it")}, {34, 22, 60});
  text_ = new QPlainTextEdit(tabs_);
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setAccessibleName(tr("Changed text"));
  keepFont(*text_, monoFont);
  tabs_->addTab(changes_, tr("Changes"));
  tabs_->addTab(text_, tr("Text"));
  tabs_->addTab(history_, tr("History"));
  connect(changes_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) {
    const InstructionId id(item->data(0, kIdOrMoment).toUInt());
    if (frame_ && frame_->module->contains(id)) select(id);
  });
  connect(history_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) {
    strip_->setCurrent(item->data(0, kIdOrMoment).toInt());
    wantFrame();
  });
  return tabs_;
}

void PassesPanel::connectCanvas() {
  connect(canvas_, &Canvas::selectionChanged, this, [this](const std::vector<InstructionId>& selection) {
    if (selection.size() == 1)
      select(selection[0]);
    else
      clearHistory();
  });
  connect(canvas_, &Canvas::instructionActivated, this, [this](InstructionId id) {
    if (!frame_ || !frame_->module->contains(id)) return;
    const auto called = frame_->module->callees(frame_->module->at(id));
    if (called.empty() || !film_) return;
    fits_ = true;
    inBackground(kFramePriority, [film = film_, name = frame_->module->at(called[0]).name] {
      film->showComputation(name);
      return [] {};
    });
    wantFrame();
  });
  connect(canvas_, &Canvas::emptyActivated, this, [this] {
    if (!film_ || !frame_ || frame_->computation == frame_->module->entry()) return;
    fits_ = true;
    inBackground(kFramePriority, [film = film_] {
      film->showComputation({});
      return [] {};
    });
    wantFrame();
  });
  connect(canvas_, &Canvas::groupToggled, this, [this](const QString& group) {
    if (!film_) return;
    inBackground(kFramePriority, [film = film_, path = group.toStdString()] {
      film->toggleGroup(path);
      return [] {};
    });
    wantFrame();
  });
  canvas_->setTooltipProvider([this](InstructionId id) {
    const PassChange* change = frame_ ? frame_->changes->of(id) : nullptr;
    return change ? QString::fromStdString(phraseOf(*change)).toHtmlEscaped() : QString();
  });
}

QString PassesPanel::words() const { return words_->text(); }

void PassesPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  listSources();
  if (!film_ && !cancel_) start();
}

void PassesPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && canvas_) canvas_->setTheme(themeOf(palette()));
}

void PassesPanel::inBackground(int priority, std::function<std::function<void()>()> work) {
  ++busy_;
  pool_.start(
      [this, work = std::move(work)] {
        QMetaObject::invokeMethod(
            this,
            [this, answer = work()] {
              --busy_;
              answer();
            },
            Qt::QueuedConnection);
      },
      priority);
}

// --- whose passes

void PassesPanel::listSources() {
  const QString path = document_.file().path();
  const QString beside = path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
  const bool isDump = !beside.isEmpty() && isDumpFolder(beside.toStdString());
  if (!chosen_) from_ = isDump ? kBeside : kOwn;
  source_->clear();
  source_->addItem(tr("Our passes over this graph"), kOwn);
  if (isDump) source_->addItem(tr("The dump that this file is of"), kBeside);
  if (!folder_.isEmpty()) source_->addItem(QFileInfo(folder_).fileName(), kFolder);
  source_->addItem(tr("A dump folder …"), -1);
  source_->setCurrentIndex(std::max(0, source_->findData(from_)));
}

void PassesPanel::chooseSource(int index) {
  const int wanted = source_->itemData(index).toInt();
  if (wanted < 0) {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("A folder that XLA dumped into"));
    if (folder.isEmpty()) return listSources();
    return openFolder(folder);
  }
  chosen_ = true;
  from_ = static_cast<Source>(wanted);
  forget();
}

void PassesPanel::openFolder(const QString& folder) {
  folder_ = folder;
  from_ = kFolder;
  chosen_ = true;
  listSources();
  forget();
}

void PassesPanel::forget() {
  if (cancel_) *cancel_ = true;
  cancel_.reset();
  film_.reset();
  frame_.reset();
  trouble_.clear();
  notes_.clear();
  fits_ = true;
  ++filmRequest_;
  emit filmingChanged();
  ++*wanted_;
  clearHistory();
  strip_->setMoments({});
  changes_->clear();
  text_->clear();
  showWords();
  if (isVisible()) {
    listSources();
    start();
  }
}

// What was asked for begins again when the panel is shown anew, or another source is chosen.
void PassesPanel::cancelFilming() {
  if (!cancel_) return;
  *cancel_ = true;
  cancel_.reset();
  ++filmRequest_;
  trouble_ = tr("Cancelled");
  showWords();
  emit filmingChanged();
}

void PassesPanel::start() {
  const QString path = document_.file().path();
  if (from_ != kFolder && (!document_.isOpen() || document_.isPlainGraph())) return showWords();
  std::optional<Module> module;
  if (from_ == kOwn) module = withoutMuted(document_.module(), document_.muted());
  const QString folder = from_ == kFolder ? folder_ : QFileInfo(path).absolutePath();
  const QString file = from_ == kBeside ? QFileInfo(path).fileName() : QString();
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  emit filmingChanged();
  words_->setText(from_ == kOwn ? tr("Running the passes …") : tr("Reading the folder …"));
  inBackground(kFramePriority,
               [this, module = std::move(module), folder, file, cancel = cancel_,
                request = ++filmRequest_]() -> std::function<void()> {
                 auto made = filmOf(module, folder, file, *cancel);
                 if (!made) {
                   const QString why = QString::fromStdString(made.error().toString());
                   return [this, why, request] {
                     if (request != filmRequest_) return;
                     cancel_.reset();
                     emit filmingChanged();
                     trouble_ = why;
                     showWords();
                   };
                 }
                 auto film = std::make_shared<PassFilm>(*std::move(made));
                 QStringList titles;
                 for (const PassMoment& moment : film->trail().moments())
                   titles << QString::fromStdString(moment.title());
                 QStringList notes;
                 for (const std::string& each : film->trail().warnings()) notes << QString::fromStdString(each);
                 return [this, film, titles, notes = notes.join(QStringLiteral("; ")), request] {
                   if (request == filmRequest_) taken(film, titles, notes);
                 };
               });
}

void PassesPanel::taken(std::shared_ptr<PassFilm> film, const QStringList& titles, const QString& warnings) {
  film_ = std::move(film);
  cancel_.reset();
  emit filmingChanged();
  notes_ = warnings;
  strip_->setMoments(titles);
  wantFrame();
  countNext(0);
  followDocument();
}

// --- frames

void PassesPanel::wantFrame() {
  if (!film_) return;
  const uint64_t request = ++*wanted_;
  const auto moment = static_cast<size_t>(strip_->current());
  inBackground(kFramePriority, [this, film = film_, moment, request, wanted = wanted_]() -> std::function<void()> {
    if (wanted->load() != request) return [] {};
    auto answer = std::make_shared<Answer>();
    answer->request = request;
    if (auto frame = film->frameAt(moment)) {
      if (frame->before) answer->lines = passText(*frame->before, *frame->module, *frame->changes);
      answer->index = Canvas::makeIndex(*frame->picture);
      answer->frame = std::make_shared<const PassFrame>(*std::move(frame));
    } else {
      answer->trouble = QString::fromStdString(frame.error().toString());
    }
    return [this, answer] {
      if (answer->request == wanted_->load()) take(*answer);
    };
  });
}

void PassesPanel::take(const Answer& answer) {
  trouble_ = answer.trouble;
  frame_ = answer.frame;
  changes_->clear();
  text_->clear();
  showWords();
  if (!frame_) return canvas_->setPicture(std::make_shared<const Picture>(), std::make_shared<const GraphView>());
  canvas_->setPicture(frame_->picture, frame_->view, fits_ ? Canvas::KeepView::No : Canvas::KeepView::Yes,
                      answer.index);
  fits_ = false;
  std::vector<std::pair<InstructionId, NodeTint>> tints;
  for (const PassChange& change : frame_->changes->changes) {
    if (!change.after.valid() || change.mark == PassMark::Rewired) continue;
    const bool fusion = change.mark == PassMark::Added && frame_->module->at(change.after).opcode == Opcode::Fusion;
    tints.emplace_back(change.after, fusion ? NodeTint::Fused : tintOf(change.mark));
  }
  canvas_->highlights().setTints(std::move(tints));
  fillChanges();
  fillText(answer.lines);
  markSelection();
}

}  // namespace tessera
