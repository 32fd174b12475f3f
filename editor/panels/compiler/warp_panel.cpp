// See warp_panel.h. A worker compiles and runs; an answer to an older question is dropped.
#include "editor/panels/compiler/warp_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "backends/derived.h"
#include "core/edit/wiring/splicing.h"
#include "core/evaluate/complete.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/look/qt_colors.h"
#include "editor/panels/compiler/warp_picture.h"
#include "editor/text/plain_text.h"

namespace tessera {

struct WarpPanel::Answer {
  QString failure;
  std::vector<WarpAccess> accesses;
};

namespace {

constexpr int64_t kMostBlocks = 1 << 30;
constexpr int kMostWarps = 31;

QString rowOf(const WarpAccess& access) {
  const QString place = QString::fromStdString(access.place);
  return QObject::tr("%1   %2 %3 of %4: %5 of %6")
      .arg(place.section(QLatin1Char(':'), 0, 0), access.isWrite ? QObject::tr("write") : QObject::tr("read"))
      .arg(QObject::tr("%1 B").arg(access.bytes), QString::fromStdString(access.array))
      .arg(access.needed)
      .arg(access.isShared ? QObject::tr("%1 rounds").arg(access.units) : QObject::tr("%1 sectors").arg(access.units));
}

}  // namespace

WarpPanel::WarpPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      words_(new PlainLabel(this)),
      block_(new QSpinBox(this)),
      warp_(new QSpinBox(this)),
      look_(new QPushButton(tr("Run on the simulated card"), this)),
      list_(new QListWidget(this)),
      picture_(new WarpPicture) {
  pool_.setMaxThreadCount(1);
  words_->setWordWrap(true);
  block_->setRange(0, static_cast<int>(kMostBlocks));
  block_->setAccessibleName(tr("Block"));
  warp_->setRange(0, kMostWarps);
  warp_->setAccessibleName(tr("Warp"));
  list_->setAccessibleName(tr("Accesses of the warp"));
  auto* line = new QHBoxLayout;
  line->addWidget(words_, 1);
  line->addWidget(new PlainLabel(tr("Block"), this));
  line->addWidget(block_);
  line->addWidget(new PlainLabel(tr("Warp"), this));
  line->addWidget(warp_);
  line->addWidget(look_);
  auto* area = new QScrollArea(this);
  area->setWidget(picture_);
  area->setBackgroundRole(QPalette::Base);
  auto* split = new QSplitter(this);
  split->addWidget(list_);
  split->addWidget(area);
  split->setSizes({300, 640});  // lines and pictures are as long
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 0);
  layout->addLayout(line);
  layout->addWidget(split, 1);
  connect(look_, &QPushButton::clicked, this, &WarpPanel::look);
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    const bool isThere = row >= 0 && static_cast<size_t>(row) < accesses_.size();
    picture_->setAccess(isThere ? std::optional(accesses_[static_cast<size_t>(row)]) : std::nullopt);
  });
  connect(&document_, &Document::selectionChanged, this, &WarpPanel::follow);
  connect(&document_, &Document::moduleChanged, this, &WarpPanel::forget);
  connect(&document_, &Document::opened, this, &WarpPanel::forget);
  forget();
}

WarpPanel::~WarpPanel() {
  cancelLooking();
  pool_.waitForDone();
}

QString WarpPanel::words() const { return words_->text(); }

void WarpPanel::cancelLooking() {
  if (cancel_) *cancel_ = true;
}

void WarpPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

// Another graph: what a warp did is of the one before.
void WarpPanel::forget() {
  cancelLooking();
  const bool wasBusy = isBusy();
  cancel_.reset();
  ++request_;
  shown_ = {};
  follow();
  if (wasBusy) emit lookingChanged();
}

// Of another instruction nothing is known yet.
void WarpPanel::follow() {
  const bool isGraph = document_.isOpen() && !document_.isPlainGraph();
  const InstructionId selected = isGraph ? document_.selected() : InstructionId();
  const bool isThere = isGraph && selected.valid() && document_.module().contains(selected);
  look_->setEnabled(isThere && !isBusy());
  if (isBusy() || (isThere && selected == shown_)) return;
  shown_ = {};
  accesses_.clear();
  list_->clear();
  picture_->setAccess(std::nullopt);
  words_->setText(!isGraph  ? tr("There is no graph to run.")
                  : isThere ? tr("What 32 threads of a kernel touch, access by access: coalesced or not.")
                            : tr("Select an instruction to see what a warp of its kernel touches."));
}

WarpPanel::Answer WarpPanel::lookAt(const Module& module, const FileAccess& files, const RunSettings& settings,
                                    InstructionId id, WarpPlace place, const std::atomic<bool>& cancel) {
  const auto found = [&]() -> Result<std::vector<WarpAccess>> {
    const Diagnostics diagnostics = verify(module);
    for (const Diagnostic& d : diagnostics.items())
      if (d.severity == Severity::Error) return std::unexpected(d);
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsOf(module, files, settings, cancel));
    TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend("cuda"));
    CompileOptions options;
    options.device = settings.device.starts_with("simulated") ? settings.device : "simulated";
    options.cancel = &cancel;
    TESSERA_ASSIGN_OR_RETURN(const auto executable, backend->compile(module, options));
    RunOptions run;
    run.cancel = &cancel;
    std::vector<WarpAccess> out;
    Status last = fail(ErrorKind::Unsupported, "nothing of it is left in the compiled program");
    bool hasKernel = false;
    for (InstructionId each : derivedOf(executable->optimized(), id)) {
      auto accesses = executable->warpAccesses(each, arguments, place, run);
      if (!accesses) last = std::unexpected(accesses.error());
      if (!accesses) continue;
      hasKernel = true;
      out.insert(out.end(), accesses->begin(), accesses->end());
    }
    if (!hasKernel) return std::unexpected(last.error());
    return out;
  }();
  if (found) return {{}, *found};
  return {QString::fromStdString(found.error().toString()), {}};
}

void WarpPanel::look() {
  if (isBusy() || !document_.isOpen() || !document_.selected().valid()) return;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  shown_ = document_.selected();
  look_->setEnabled(false);
  words_->setText(tr("Running on the simulated card …"));
  emit lookingChanged();
  pool_.start([panel = QPointer(this), module = withoutMuted(document_.module(), document_.muted()),
               files = document_.files(), settings = document_.runSettings(), id = shown_, cancel = cancel_,
               place = WarpPlace{block_->value(), warp_->value()}, request = ++request_] {
    auto answer = std::make_shared<const Answer>(lookAt(module, files, settings, id, place, *cancel));
    QMetaObject::invokeMethod(
        panel,
        [panel, answer, request] {
          if (!panel || request != panel->request_) return;
          panel->cancel_.reset();
          emit panel->lookingChanged();
          panel->show(*answer);
        },
        Qt::QueuedConnection);
  });
}

void WarpPanel::show(const Answer& answer) {
  look_->setEnabled(true);
  list_->clear();
  accesses_ = answer.accesses;
  if (shown_ != document_.selected()) return follow();
  int wasteful = 0;
  for (const WarpAccess& access : accesses_) {
    auto* item = new QListWidgetItem(rowOf(access), list_);
    item->setToolTip(asPlainText(QString::fromStdString(access.place)));
    const bool isWasteful = access.isShared ? access.units > access.needed : access.units > 2 * access.needed;
    wasteful += isWasteful;
    if (isWasteful) item->setForeground(colorOf(Ink::Changed, palette()));
  }
  words_->setText(!answer.failure.isEmpty() ? answer.failure
                  : accesses_.empty()       ? tr("This warp touches no memory.")
                  : wasteful
                      ? tr("%L1 accesses; %L2 of them moving more than twice what is needed, or waiting for banks.")
                            .arg(accesses_.size())
                            .arg(wasteful)
                      : tr("%L1 accesses, all of them coalesced and without conflicts.").arg(accesses_.size()));
  if (list_->count() > 0) list_->setCurrentRow(0);
}

}  // namespace tessera
