// See memory_panel.h. Measured by a worker when it is looked at; an edit of the graph makes it anew.
#include "editor/panels/profile/memory_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <unordered_set>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "editor/document/document.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/number_item.h"
#include "editor/panels/profile/memory_chart.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

QTreeWidget* memoryTable(const QStringList& titles, QWidget* parent) {
  auto* out = new QTreeWidget(parent);
  out->setRootIsDecorated(false);
  out->setUniformRowHeights(true);
  out->setAlternatingRowColors(true);
  out->setAllColumnsShowFocus(true);
  out->setHeaderLabels(titles);
  out->setSortingEnabled(true);
  out->header()->setStretchLastSection(true);
  out->setSelectionMode(QAbstractItemView::ExtendedSelection);
  return out;
}

}  // namespace

MemoryPanel::MemoryPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), chart_(new MemoryChart(this)) {
  pool_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  auto* split = new QSplitter(this);
  split->addWidget(chart_);
  split->addWidget(makeTables());
  split->setSizes({1000, 1000});
  layout->addWidget(split, 1);
  connect(chart_, &MemoryChart::momentChosen, this, &MemoryPanel::chooseMoment);
  connect(chart_, &MemoryChart::bufferChosen, this, [this](size_t buffer) { choose({buffer}); });
  connect(chart_, &MemoryChart::cleared, this, &MemoryPanel::clearMoment);
  connect(&document_, &Document::moduleChanged, this, &MemoryPanel::forget);
  connect(&document_, &Document::opened, this, &MemoryPanel::forget);
  connect(&document_, &Document::selectionChanged, this, &MemoryPanel::showSelection);
  showWords();
}

MemoryPanel::~MemoryPanel() {
  if (check_) *check_ = true;
  pool_.waitForDone();
}

QWidget* MemoryPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  source_ = new QComboBox(bar);
  source_->addItem(tr("as written"));
  source_->addItem(tr("as compiled"));
  source_->addItem(tr("XLA's assignment…"));
  source_->setToolTip(tr("The graph in its own order, after all passes, or with the buffer assignment of an XLA dump"));
  peak_ = makeBarButton(bar, tr("Peak"), tr("Show what is live at the peak, and light it on the canvas (Esc ends it)"));
  words_ = new StatusLine(bar);
  row->addWidget(source_);
  row->addWidget(peak_);
  row->addWidget(words_, 1);
  connect(peak_, &QToolButton::clicked, this, [this] {
    if (shown_.report && !shown_.report->moments.empty()) chooseMoment(shown_.report->peakMoment);
  });
  connect(source_, &QComboBox::activated, this, [this](int source) {
    if (source != static_cast<int>(MemorySource::Xla)) return measure();
    const QString path = QFileDialog::getOpenFileName(this, tr("Buffer assignment of an XLA dump"), QString(),
                                                      tr("Buffer assignments (*buffer-assignment.txt);;All files (*)"));
    if (!path.isEmpty()) return openAssignment(path);
    const QSignalBlocker blocker(source_);
    source_->setCurrentIndex(static_cast<int>(MemorySource::AsWritten));
    measure();
  });
  return bar;
}

QWidget* MemoryPanel::makeTables() {
  tabs_ = new QTabWidget(this);
  live_ = memoryTable({tr("Value"), tr("Bytes"), tr("Padding"), tr("Kind"), tr("Moments"), tr("Shape")}, tabs_);
  live_->sortByColumn(1, Qt::DescendingOrder);
  allocations_ = memoryTable({tr("Allocation"), tr("Bytes"), tr("Values"), tr("Reuse")}, tabs_);
  allocations_->sortByColumn(1, Qt::DescendingOrder);
  auto* page = new QWidget(tabs_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  edits_ = memoryTable({tr("Edit"), tr("Peak"), tr("Saves"), tr("Why"), tr("More flops")}, page);
  edits_->setSelectionMode(QAbstractItemView::SingleSelection);
  edits_->sortByColumn(1, Qt::AscendingOrder);
  why_ = new PlainLabel(page);
  why_->setWordWrap(true);
  why_->setMargin(4);
  why_->hide();
  apply_ = new QPushButton(tr("Apply and check by running"), page);
  apply_->setToolTip(tr("Opens the edited graph as a document of its own"));
  apply_->setEnabled(false);
  column->addWidget(edits_, 1);
  column->addWidget(why_);
  column->addWidget(apply_, 0, Qt::AlignRight);
  tabs_->addTab(live_, tr("Live"));
  tabs_->addTab(allocations_, tr("Allocations"));
  tabs_->addTab(page, tr("Suggestions"));
  for (QTreeWidget* each : {live_, allocations_})
    connect(each, &QTreeWidget::itemSelectionChanged, this, &MemoryPanel::selectRows);
  connect(live_, &QTreeWidget::itemDoubleClicked, this, [this] {
    if (document_.selected().valid()) emit revealWanted(document_.selected());
  });
  connect(edits_, &QTreeWidget::itemSelectionChanged, this, &MemoryPanel::showWhy);
  connect(apply_, &QPushButton::clicked, this, &MemoryPanel::applyEdit);
  return tabs_;
}

// --- measuring

void MemoryPanel::start(std::function<std::function<void()>()> work) {
  ++busy_;
  pool_.start([this, work = std::move(work)] {
    auto answer = work();
    QMetaObject::invokeMethod(
        this,
        [this, answer = std::move(answer)] {
          --busy_;
          answer();
        },
        Qt::QueuedConnection);
  });
}

void MemoryPanel::measure() {
  stale_ = false;
  const uint64_t request = ++request_;
  if (!document_.isOpen() || document_.isPlainGraph() || document_.module().instructionCount() == 0) return show({});
  words_->setText(tr("measuring …"));
  start([this, request, module = document_.module(), source = static_cast<MemorySource>(source_->currentIndex()),
         text = assignment_, path = assignmentPath_]() -> std::function<void()> {
    auto found = std::make_shared<MeasuredMemory>(measuredMemory(module, source, text, path));
    return [this, request, found, source] {
      if (request != request_) return;
      show(std::move(*found));
      findEdits(source);
    };
  });
}

// Each is measured on a copy of the graph, so they come after what is shown at once.
void MemoryPanel::findEdits(MemorySource source) {
  if (source != MemorySource::AsWritten || !shown_.report) return;
  tabs_->setTabText(2, tr("Suggestions …"));
  start([this, request = request_, module = document_.module(), report = shown_.report]() -> std::function<void()> {
    return [this, request, edits = memoryEdits(module, *report)] {
      if (request != request_) return;
      found_ = edits;
      showEdits();
    };
  });
}

void MemoryPanel::openAssignment(const QString& path) {
  auto text = readFile(path.toStdString());
  if (!text) return emit failed(QString::fromStdString(text.error().toString()));
  assignment_ = std::move(*text);
  assignmentPath_ = path.toStdString();
  const QSignalBlocker blocker(source_);
  source_->setCurrentIndex(static_cast<int>(MemorySource::Xla));
  measure();
}

void MemoryPanel::forget() {
  stale_ = true;
  clearMoment();
  if (isVisible()) measure();
}

void MemoryPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) measure();
}

void MemoryPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  clearMoment();
}

// --- showing

QString MemoryPanel::words() const { return words_->text(); }

void MemoryPanel::show(MeasuredMemory measured) {
  shown_ = std::move(measured);
  found_.clear();
  chart_->setReport(shown_.report);
  showWords();
  showLive();
  showAllocations();
  showEdits();
  showSelection();
}

void MemoryPanel::showWords() {
  if (!shown_.error.isEmpty()) return words_->setText(shown_.error);
  if (!shown_.report || shown_.report->moments.empty())
    return words_->setText(tr("What of the graph lives when, and where it lies"));
  const MemoryReport& report = *shown_.report;
  words_->setText(tr("peak %1 at %%2; allocated %3, %4 of it lost between values")
                      .arg(bytesWords(report.peakBytes()),
                           toQString(report.module.at(report.moments[report.peakMoment]).name),
                           bytesWords(report.allocatedBytes()), bytesWords(report.fragmentationBytes())));
}

void MemoryPanel::chooseMoment(size_t moment) {
  chart_->setMoment(moment);
  showLive();
  tabs_->setCurrentIndex(0);
  std::vector<InstructionId> lit;
  std::unordered_set<InstructionId> seen;
  for (size_t buffer : shown_.report->liveAt(moment))
    for (InstructionId id : shown_.sources[buffer])
      if (document_.module().contains(id) && seen.insert(id).second) lit.push_back(id);
  document_.view().light(std::move(lit));
}

void MemoryPanel::clearMoment() {
  if (!chart_->moment()) return;
  chart_->setMoment(std::nullopt);
  document_.view().light(std::nullopt);
  showLive();
}

void MemoryPanel::showLive() {
  constexpr size_t kMost = 5000;
  choosing_ = true;
  live_->clear();
  if (shown_.report && !shown_.report->moments.empty()) {
    const MemoryReport& report = *shown_.report;
    QList<QTreeWidgetItem*> items;
    std::vector<size_t> buffers = report.liveAt(chart_->moment().value_or(report.peakMoment));
    buffers.resize(std::min(kMost, buffers.size()));
    for (size_t number : buffers) {
      const MemoryBuffer& buffer = report.buffers[number];
      const auto leaves = leavesOf(report.module.shapeOf(buffer.instruction));
      auto* item = new NumberItem;
      item->setText(0, toQString(report.module.at(buffer.instruction).name));
      item->setData(0, NumberItem::kKey, QVariant::fromValue<qulonglong>(number));
      item->setNumber(1, static_cast<double>(buffer.bytes), bytesWords(buffer.bytes));
      item->setNumber(2, static_cast<double>(buffer.padding),
                      buffer.padding > 0 ? bytesWords(buffer.padding) : QString());
      item->setText(3, toQString(nameOf(buffer.kind)));
      item->setNumber(4, static_cast<double>(buffer.begin), tr("%1 – %2").arg(buffer.begin).arg(buffer.end));
      if (buffer.leaf < leaves.size()) item->setText(5, QString::fromStdString(toString(*leaves[buffer.leaf].shape)));
      items.push_back(item);
    }
    live_->addTopLevelItems(items);
  }
  tabs_->setTabText(0, chart_->moment() && *chart_->moment() != shown_.report->peakMoment
                           ? tr("Live at moment %L1").arg(*chart_->moment())
                           : tr("Live at the peak"));
  choosing_ = false;
}

void MemoryPanel::showAllocations() {
  choosing_ = true;
  allocations_->clear();
  for (size_t i = 0; shown_.report && i < shown_.report->allocations.size(); ++i) {
    const MemoryAllocation& one = shown_.report->allocations[i];
    double used = 0;
    for (size_t buffer : one.buffers) used += static_cast<double>(shown_.report->buffers[buffer].bytes);
    auto* item = new NumberItem(allocations_);
    item->setText(0, QString::fromStdString(one.name));
    item->setData(0, NumberItem::kKey, QVariant::fromValue<qulonglong>(i));
    item->setNumber(1, static_cast<double>(one.bytes), bytesWords(one.bytes));
    item->setNumber(2, static_cast<double>(one.buffers.size()), QString::number(one.buffers.size()));
    const double reuse = one.bytes > 0 ? used / static_cast<double>(one.bytes) : 0;
    item->setNumber(3, reuse, tr("%1 times").arg(reuse, 0, 'f', 1));
  }
  choosing_ = false;
}

void MemoryPanel::showEdits() {
  edits_->clear();
  for (size_t i = 0; i < found_.size(); ++i) {
    const MemoryEdit& edit = found_[i];
    auto* item = new NumberItem(edits_);
    item->setText(0, QString::fromStdString(edit.words));
    item->setData(0, NumberItem::kKey, QVariant::fromValue<qulonglong>(i));
    item->setNumber(1, static_cast<double>(edit.peakBytes), bytesWords(edit.peakBytes));
    const int64_t saved = shown_.report->peakBytes() - edit.peakBytes;
    item->setNumber(2, static_cast<double>(saved), bytesWords(saved));
    item->setText(3, QString::fromStdString(edit.reason));
    for (const int column : {0, 3}) item->setToolTip(column, asPlainText(item->text(column)));
    item->setNumber(4, edit.flops, edit.flops > 0 ? QString::fromStdString(amountText(edit.flops)) : QString());
  }
  tabs_->setTabText(2, found_.empty() ? tr("Suggestions") : tr("Suggestions (%1)").arg(found_.size()));
  showWhy();
}

// Its columns cut what is long.
void MemoryPanel::showWhy() {
  const auto chosen = edits_->selectedItems();
  apply_->setEnabled(!chosen.isEmpty());
  why_->setVisible(!chosen.isEmpty());
  if (!chosen.isEmpty()) why_->setText(QStringLiteral("%1: %2").arg(chosen[0]->text(0), chosen[0]->text(3)));
}

// --- selection

void MemoryPanel::choose(const std::vector<size_t>& buffers) {
  std::vector<InstructionId> chosen;
  for (size_t buffer : buffers)
    for (InstructionId id : shown_.sources[buffer])
      if (document_.module().contains(id) && std::ranges::find(chosen, id) == chosen.end()) chosen.push_back(id);
  chart_->setMarked(buffers);
  if (chosen.empty()) return;
  choosing_ = true;
  document_.select(std::move(chosen));
  choosing_ = false;
}

void MemoryPanel::selectRows() {
  if (choosing_) return;
  const auto* from = qobject_cast<QTreeWidget*>(sender());
  std::vector<size_t> buffers;
  for (const QTreeWidgetItem* item : from->selectedItems()) {
    const auto key = static_cast<size_t>(item->data(0, NumberItem::kKey).toULongLong());
    if (from == live_) {
      buffers.push_back(key);
    } else {
      const auto& of = shown_.report->allocations[key].buffers;
      buffers.insert(buffers.end(), of.begin(),
                     of.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(of.size(), 2000)));
    }
  }
  if (!buffers.empty()) choose(buffers);
}

void MemoryPanel::showSelection() {
  constexpr size_t kMost = 500;
  if (choosing_ || !shown_.report) return;
  const std::unordered_set<InstructionId> selected(document_.selection().begin(), document_.selection().end());
  std::vector<size_t> buffers;
  for (size_t i = 0; i < shown_.sources.size() && !selected.empty() && buffers.size() < kMost; ++i)
    if (std::ranges::any_of(shown_.sources[i], [&](InstructionId id) { return selected.contains(id); }))
      buffers.push_back(i);
  chart_->setMarked(buffers);
  choosing_ = true;
  live_->clearSelection();
  const std::unordered_set<size_t> marked(buffers.begin(), buffers.end());
  for (int row = 0; row < live_->topLevelItemCount() && !marked.empty(); ++row) {
    QTreeWidgetItem* item = live_->topLevelItem(row);
    if (!marked.contains(static_cast<size_t>(item->data(0, NumberItem::kKey).toULongLong()))) continue;
    item->setSelected(true);
    live_->scrollToItem(item);
  }
  choosing_ = false;
}

void MemoryPanel::applyEdit() {
  if (edits_->selectedItems().isEmpty()) return;
  const auto number = static_cast<size_t>(edits_->selectedItems()[0]->data(0, NumberItem::kKey).toULongLong());
  cancelCheck();
  words_->setText(tr("applying, and running both …"));
  apply_->setEnabled(false);
  check_ = std::make_shared<std::atomic<bool>>(false);
  emit checkingChanged();
  start([this, module = document_.module(), edit = found_[number], check = check_]() -> std::function<void()> {
    auto made = std::make_shared<Result<Module>>(editedForMemory(module, edit.words));
    const QString checked = *made ? checkedForMemory(module, **made, edit.peakBytes, check.get())
                                  : QString::fromStdString(made->error().toString());
    return [this, made, checked, check, name = module.name + "_" + edit.words.substr(0, edit.words.find(':'))] {
      if (*check) return;
      check_.reset();
      emit checkingChanged();
      words_->setText(checked);
      if (*made) emit moduleMade(QString::fromStdString(name), printHloText(**made), checked);
    };
  });
}

void MemoryPanel::cancelCheck() {
  if (!check_) return;
  *check_ = true;
  check_.reset();
  words_->setText(tr("Cancelled"));
  apply_->setEnabled(true);
  emit checkingChanged();
}

}  // namespace tessera
