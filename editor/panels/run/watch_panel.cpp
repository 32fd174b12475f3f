// See watch_panel.h. The run goes on in a worker, which a second press on its button stops: what was seen stays.
#include "editor/panels/run/watch_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

#include "backends/run_request.h"
#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/document/node_values.h"
#include "editor/document/player.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/run/watch_chart.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

enum WatchedColumn { kWatchedName, kWatchedLast, kWatchedLeast, kWatchedMost, kWatchedSpecials };
constexpr int kWatchedMostSteps = 1'000'000;

// What the run needs, or why there is none.
Result<WatchRequest> requestFor(const Document& document, const std::vector<InstructionId>& watched, int steps) {
  WatchRequest out;
  TESSERA_ASSIGN_OR_RETURN(ArgumentRules rules, argumentRulesOf(document.runSettings(), document.filesOfRun()));
  rules.decodeImage = decodePicture;
  TESSERA_ASSIGN_OR_RETURN(out.arguments, argumentsBy(rules, document.module()));
  out.watched = watched;
  out.feedback = feedbackOf(document);
  if (out.feedback.empty()) out.feedback = possibleFeedback(document.module());  // else all steps are the same
  out.steps = steps;
  out.threads = document.runSettings().threads;
  return out;
}

}  // namespace

WatchPanel::WatchPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), list_(new QTreeWidget(this)), chart_(new WatchChart(this)) {
  pool_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(words_);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setHeaderLabels({tr("Watched"), tr("Last mean"), tr("Least"), tr("Most"), tr("NaN, infinite")});
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  auto* split = new QSplitter(this);
  split->addWidget(chart_);
  split->addWidget(list_);
  split->setSizes({640, 340});
  split->setStretchFactor(0, 1);
  layout->addWidget(split, 1);
  connect(list_, &QTreeWidget::itemSelectionChanged, this, [this] {
    if (choosing_ || list_->selectedItems().isEmpty()) return;
    const int row = list_->indexOfTopLevelItem(list_->selectedItems()[0]);
    choosing_ = true;
    document_.select({watched_[static_cast<size_t>(row)]});
    choosing_ = false;
    showSelection();
  });
  connect(chart_, &WatchChart::chosen, this,
          [this](int line) { document_.select({shown_[static_cast<size_t>(line)]}); });
  connect(&document_, &Document::selectionChanged, this, &WatchPanel::showSelection);
  connect(&document_, &Document::moduleChanged, this, [this] {
    std::erase_if(watched_, [this](InstructionId id) { return !document_.module().contains(id); });
    forget();
  });
  connect(&document_, &Document::opened, this, [this] {
    watched_.clear();
    forget();
  });
  forget();
}

WatchPanel::~WatchPanel() {
  if (cancel_) *cancel_ = true;
  pool_.waitForDone();
}

QWidget* WatchPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  const auto button = [&](const QString& text, const QString& tip) {
    QToolButton* out = makeBarButton(bar, text, tip);
    row->addWidget(out);
    return out;
  };
  add_ =
      button(tr("Watch the selection"), tr("Arrays of real numbers of the entry computation, of a graph of any size"));
  remove_ = button(tr("Remove"), tr("Watch the chosen rows no more; without any, nothing"));
  steps_ = new QSpinBox(bar);
  steps_->setRange(1, kWatchedMostSteps);
  steps_->setValue(1000);
  steps_->setSuffix(tr(" steps"));
  steps_->setToolTip(
      tr("Outputs become inputs of the next step: as the player has them, else where shapes are the same"));
  run_ = new QPushButton(tr("Run"), bar);
  statistic_ = new QComboBox(bar);
  for (const auto& [text, what] : {std::pair(tr("mean"), WatchStatistic::Mean),
                                   {tr("least to most"), WatchStatistic::Range},
                                   {tr("deviation"), WatchStatistic::Deviation},
                                   {tr("largest magnitude"), WatchStatistic::Largest},
                                   {tr("NaN and infinite"), WatchStatistic::Specials}})
    statistic_->addItem(text, static_cast<int>(what));
  row->addWidget(steps_);
  row->addWidget(run_);
  row->addWidget(statistic_);
  logarithmic_ = button(tr("Log"), tr("A logarithmic scale"));
  logarithmic_->setCheckable(true);
  csv_ = button(tr("CSV…"), tr("Write the statistics of each step as a table"));
  row->addStretch(1);
  words_ = new StatusLine(this);  // below the buttons, which leave it no room in a narrow window
  words_->setContentsMargins(8, 0, 8, 4);
  connect(add_, &QToolButton::clicked, this, &WatchPanel::addSelection);
  connect(remove_, &QToolButton::clicked, this, &WatchPanel::removeChosen);
  connect(run_, &QPushButton::clicked, this, &WatchPanel::run);
  connect(statistic_, &QComboBox::currentIndexChanged, this,
          [this] { chart_->setStatistic(static_cast<WatchStatistic>(statistic_->currentData().toInt())); });
  connect(logarithmic_, &QToolButton::toggled, chart_, &WatchChart::setLogarithmic);
  connect(csv_, &QToolButton::clicked, this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Write the statistics"), QStringLiteral("watched.csv"),
                                                      tr("Tables (*.csv)"));
    if (!path.isEmpty()) exportCsv(path);
  });
  return bar;
}

QString WatchPanel::words() const { return words_->text(); }

void WatchPanel::exportCsv(const QString& path) {
  std::vector<std::string> names;
  for (InstructionId id : shown_) names.emplace_back(document_.module().at(id).name);
  exportFile(
      this, path, [series = chart_->series(), names] { return toCsv(series, names); },
      [this](const Status& written) {
        if (!written) words_->setText(QString::fromStdString(written.error().toString()));
      });
}

// --- what is watched

void WatchPanel::watch(const std::vector<InstructionId>& values) {
  QString refused;
  for (InstructionId id : values) {
    if (!document_.module().contains(id) || std::ranges::count(watched_, id) > 0) continue;
    if (const Status can = checkWatched(document_.module(), id); can)
      watched_.push_back(id);
    else
      refused = QString::fromStdString(can.error().toString());
  }
  listWatched();
  if (!refused.isEmpty()) words_->setText(refused);
}

void WatchPanel::addSelection() { watch(document_.selection()); }

void WatchPanel::removeChosen() {
  std::vector<InstructionId> gone;
  for (QTreeWidgetItem* item : list_->selectedItems())
    gone.push_back(watched_[static_cast<size_t>(list_->indexOfTopLevelItem(item))]);
  if (gone.empty()) gone = watched_;
  std::erase_if(watched_, [&](InstructionId id) { return std::ranges::count(gone, id) > 0; });
  forget();
}

// What was measured is of other values or of another graph.
void WatchPanel::forget() {
  if (cancel_) *cancel_ = true;
  shown_.clear();
  chart_->setSeries({}, {});
  csv_->setEnabled(false);
  words_->setText(tr("Watch values, then run: their statistics become lines"));
  listWatched();
}

void WatchPanel::listWatched() {
  choosing_ = true;
  list_->clear();
  for (InstructionId id : watched_) new QTreeWidgetItem(list_, {toQString(document_.module().at(id).name)});
  run_->setEnabled(!watched_.empty());
  choosing_ = false;
  showStatistics();
  showSelection();
}

// --- the run

void WatchPanel::run() {
  if (cancel_) {
    *cancel_ = true;
    return;
  }
  const Diagnostics found = verify(document_.module());
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return words_->setText(QString::fromStdString(d.toString()));
  auto request = requestFor(document_, watched_, steps_->value());
  if (!request) return words_->setText(QString::fromStdString(request.error().toString()));
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  request->cancel = cancel_.get();
  request->progress = [this, told = int64_t{0}, cancel = cancel_](int64_t step) mutable {
    constexpr int64_t kBetween = 64;
    if (step - told < kBetween) return;
    told = step;
    QMetaObject::invokeMethod(
        this,
        [this, step, cancel] {
          if (cancel == cancel_) words_->setText(tr("step %L1").arg(step));
        },
        Qt::QueuedConnection);
  };
  run_->setText(tr("Stop"));
  csv_->setEnabled(false);
  words_->setText(tr("compiling …"));
  shown_ = watched_;
  ++busy_;
  pool_.start([this, request = *std::move(request), cancel = cancel_,
               module = withoutMuted(document_.module(), document_.muted())] {
    auto made = std::make_shared<Result<WatchSeries>>(watchValues(module, request));
    QMetaObject::invokeMethod(
        this,
        [this, made, cancel] {
          --busy_;
          if (cancel != cancel_) return;
          cancel_.reset();
          run_->setText(tr("Run"));
          if (!shown_.empty()) take(*made);
        },
        Qt::QueuedConnection);
  });
}

void WatchPanel::take(const Result<WatchSeries>& series) {
  if (!series) return words_->setText(QString::fromStdString(series.error().toString()));
  QStringList names;
  for (InstructionId id : shown_) names << toQString(document_.module().at(id).name);
  chart_->setSeries(*series, names);
  csv_->setEnabled(true);
  words_->setText(resultWords());
  showStatistics();
  showSelection();
}

// The steps, and where the first NaN or infinite element is.
QString WatchPanel::resultWords() const {
  const WatchSeries& series = chart_->series();
  const size_t steps = series.empty() ? 0 : series.front().size();
  for (size_t step = 0; step < steps; ++step)
    for (size_t line = 0; line < series.size(); ++line)
      if (series[line][step].hasSpecials())
        return tr("%L1 steps; NaN or infinite first in %2 at step %L3")
            .arg(steps)
            .arg(toQString(document_.module().at(shown_[line]).name))
            .arg(step + 1);
  return tr("%L1 steps").arg(steps);
}

void WatchPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showStatistics();
}

void WatchPanel::showStatistics() {
  if (shown_ != watched_) return;
  for (size_t row = 0; row < chart_->series().size(); ++row) {
    const auto& steps = chart_->series()[row];
    QTreeWidgetItem* item = list_->topLevelItem(static_cast<int>(row));
    if (!item || steps.empty()) continue;
    QPixmap color(12, 12);
    color.fill(chart_->colorOf(static_cast<int>(row)));
    item->setIcon(kWatchedName, color);
    std::optional<double> least, most;
    int64_t specials = 0;
    for (const ValueStats& stats : steps) {
      specials += stats.nans + stats.infinities;
      if (stats.finite == 0) continue;
      least = std::min(least.value_or(stats.least), stats.least);
      most = std::max(most.value_or(stats.most), stats.most);
    }
    const auto show = [&](int column, std::optional<double> number, int digits) {
      item->setText(column, number ? QString::number(*number, 'g', digits) : QString());
    };
    show(kWatchedLast, steps.back().finite > 0 ? std::optional(steps.back().mean) : std::nullopt, 6);
    show(kWatchedLeast, least, 4);
    show(kWatchedMost, most, 4);
    item->setText(kWatchedSpecials, specials > 0 ? tr("%L1").arg(specials) : QString());
  }
}

void WatchPanel::showSelection() {
  const auto place = std::ranges::find(shown_, document_.selected());
  chart_->setSelected(place == shown_.end() ? -1 : static_cast<int>(place - shown_.begin()));
  if (choosing_) return;
  choosing_ = true;
  list_->clearSelection();
  for (size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i] == document_.selected()) list_->topLevelItem(static_cast<int>(i))->setSelected(true);
  choosing_ = false;
}

}  // namespace tessera
