// One worker has the film: frames first, then counts for the strip. A frame that nobody waits for any more is not made.
#include "editor/panels/compiler/passes_panel.h"

#include <QComboBox>
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
#include "core/tools/passes/pass_film.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/dimension_color.h"
#include "editor/canvas/highlights.h"
#include "editor/document/document.h"
#include "editor/look/columns.h"
#include "editor/look/type_scale.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/text/status_line.h"

namespace tessera {
namespace {

QTreeWidget* makeTable(QWidget* parent, const QStringList& columns, const std::vector<int>& widths) {
  auto* out = new QTreeWidget(parent);
  out->setRootIsDecorated(false);
  out->setUniformRowHeights(true);
  out->setAlternatingRowColors(true);
  out->setHeaderLabels(columns);
  setColumnLetters(*out, widths);
  return out;
}

}  // namespace

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
  words_ = new StatusLine(bar);
  row->addWidget(words_, 1);
  return bar;
}

QWidget* PassesPanel::makeBeside() {
  tabs_ = new QTabWidget(this);
  changes_ = makeTable(tabs_, {tr("Instruction"), tr("What the pass did")}, {26, 80});
  history_ = makeTable(tabs_, {tr("Pass"), tr("What became of it"), tr("Name then")}, {34, 44, 22});
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
  if (event->type() != QEvent::PaletteChange || !canvas_) return;
  canvas_->setTheme(themeOf(palette()));
  wantFrame();  // rows and lines have colours of the theme
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
  canvas_->setPicture(frame_->picture, frame_->view, fits_ ? Canvas::KeepView::No : Canvas::KeepView::Boxes,
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
