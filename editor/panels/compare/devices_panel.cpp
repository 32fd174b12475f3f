// See devices_panel.h.
#include "editor/panels/compare/devices_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "backends/device_times.h"
#include "backends/value_compare.h"
#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/look/columns.h"
#include "editor/look/qt_colors.h"
#include "editor/panels/number_item.h"
#include "editor/panels/run/device_chooser.h"
#include "editor/text/plain_text.h"

namespace tessera {

struct DevicesPanel::Row {
  InstructionId id;
  QString name, opcode;
  double leftNs = 0, rightNs = 0;
  std::optional<double> error;  // the largest relative one of its value; nothing: not compared
  bool differs = false;
};
struct DevicesPanel::Answer {
  QString failure;
  double leftNs = 0, rightNs = 0;
  int64_t differing = 0, compared = 0;
  bool isSimulated = false;
  std::vector<Row> rows;  // the slowest first
};

namespace {

enum DeviceColumn { kNameColumn, kOpcodeColumn, kLeftColumn, kRightColumn, kRatioColumn, kErrorColumn, kDeviceColumns };
constexpr int kRuns = 3, kDeepest = 120;                        // alpha of the longest time
constexpr size_t kMostDeviceRows = 1000, kMostCompared = 3000;  // instructions whose values are compared

QString textOf(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

DevicesPanel::DevicesPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      words_(new PlainLabel(this)),
      other_(new DeviceChooser(this)),
      run_(new QPushButton(tr("Run on both"), this)),
      table_(new QTreeWidget(this)) {
  pool_.setMaxThreadCount(1);
  words_->setWordWrap(true);
  other_->setCurrent("cuda", "simulated");
  table_->setHeaderLabels(
      {tr("Node"), tr("Operation"), tr("Processor"), tr("Other"), tr("Other / processor"), tr("Values differ by")});
  table_->setAccessibleName(tr("Times on both devices"));
  table_->setRootIsDecorated(false);
  table_->setSortingEnabled(true);
  setColumnLetters(*table_, std::array{26, 16, 12, 12, 12, 14});
  auto* line = new QHBoxLayout;
  line->addWidget(words_, 1);
  line->addWidget(new PlainLabel(tr("Processor beside"), this));
  line->addWidget(other_);
  line->addWidget(run_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 0);
  layout->addLayout(line);
  layout->addWidget(table_, 1);
  connect(run_, &QPushButton::clicked, this, &DevicesPanel::runBoth);
  connect(table_, &QTreeWidget::itemSelectionChanged, this, [this] {
    const QTreeWidgetItem* item = table_->currentItem();
    const auto at = item ? static_cast<size_t>(item->data(kNameColumn, NumberItem::kKey).toUInt()) : ids_.size();
    if (at < ids_.size() && document_.module().contains(ids_[at])) document_.select({ids_[at]});
  });
  connect(&document_, &Document::moduleChanged, this, &DevicesPanel::forget);
  connect(&document_, &Document::opened, this, &DevicesPanel::forget);
  forget();
}

DevicesPanel::~DevicesPanel() {
  cancelRunning();
  pool_.waitForDone();
}

QString DevicesPanel::words() const { return words_->text(); }

void DevicesPanel::cancelRunning() {
  if (cancel_) *cancel_ = true;
}

// Another graph: what ran is of the one before.
void DevicesPanel::forget() {
  cancelRunning();
  const bool wasBusy = isBusy();
  cancel_.reset();
  ++request_;
  ids_.clear();
  table_->clear();
  const bool isGraph = document_.isOpen() && !document_.isPlainGraph();
  run_->setEnabled(isGraph);
  words_->setText(isGraph ? tr("What each node takes on the processor and on another device, and where values part.")
                          : tr("There is no graph to run."));
  if (wasBusy) emit runningChanged();
}

// Times on both devices, and in a graph that is not too large the values of each node.
Status DevicesPanel::compareInto(Answer& answer, const Module& module, std::span<const Literal> arguments,
                                 const std::string& other, const std::atomic<bool>& cancel) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceTimes times, timesOnDevices(module, arguments, "cpu", other, kRuns, &cancel));
  answer.leftNs = times.leftNs, answer.rightNs = times.rightNs;
  answer.isSimulated = other.find("simulated") != std::string::npos;
  std::map<InstructionId, Comparison> values;
  if (module.instructionCount() <= kMostCompared) {
    const std::vector<Literal> given(arguments.begin(), arguments.end());
    const ComparedSide left{&module, "cpu", given}, right{&module, other, given};
    TESSERA_ASSIGN_OR_RETURN(const ValueComparison compared, compareValues(left, right, diff(module, module), {}));
    for (const ComparedValue& value : compared.values) values[value.left] = value.comparison;
    answer.differing = compared.differing, answer.compared = static_cast<int64_t>(compared.values.size());
  }
  for (const NodeTimes& node : times.nodes) {
    Row& row = answer.rows.emplace_back();
    row.id = node.instruction;
    row.name = textOf(module.at(node.instruction).name);
    row.opcode = textOf(module.at(node.instruction).opcodeName());
    row.leftNs = node.leftNs, row.rightNs = node.rightNs;
    if (const auto value = values.find(node.instruction); value != values.end())
      row.error = value->second.maxRelError, row.differs = !value->second.equal;
  }
  sortDescending(answer.rows, [](const Row& row) { return std::max(row.leftNs, row.rightNs); });
  if (answer.rows.size() > kMostDeviceRows) answer.rows.resize(kMostDeviceRows);
  return {};
}

DevicesPanel::Answer DevicesPanel::runOn(const Module& module, const FileAccess& files, const RunSettings& settings,
                                         const std::string& other, const std::atomic<bool>& cancel) {
  Answer answer;
  const auto run = [&]() -> Status {
    const Diagnostics found = verify(module);
    for (const Diagnostic& d : found.items())
      if (d.severity == Severity::Error) return std::unexpected(d);
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsOf(module, files, settings, cancel));
    return compareInto(answer, module, arguments, other, cancel);
  }();
  if (!run) answer.failure = QString::fromStdString(run.error().toString());
  return answer;
}

void DevicesPanel::runBoth() {
  if (isBusy() || !document_.isOpen() || document_.isPlainGraph()) return;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  run_->setEnabled(false);
  words_->setText(tr("Running on both devices …"));
  emit runningChanged();
  const std::string backend = other_->currentBackend(), device = other_->currentDevice();
  pool_.start([panel = QPointer(this), module = withoutMuted(document_.module(), document_.muted()),
               files = document_.files(), settings = document_.runSettings(), cancel = cancel_,
               other = backend + (device.empty() ? "" : ":" + device), request = ++request_] {
    auto answer = std::make_shared<const Answer>(runOn(module, files, settings, other, *cancel));
    QMetaObject::invokeMethod(
        panel,
        [panel, answer, request] {
          if (!panel || request != panel->request_) return;
          panel->cancel_.reset();
          panel->run_->setEnabled(true);
          emit panel->runningChanged();
          panel->show(*answer);
        },
        Qt::QueuedConnection);
  });
}

void DevicesPanel::add(const Row& row, double longestNs) {
  auto* item = new NumberItem(table_);
  item->setText(kNameColumn, row.name);
  item->setData(kNameColumn, NumberItem::kKey, static_cast<uint>(ids_.size()));
  ids_.push_back(row.id);
  item->setText(kOpcodeColumn, row.opcode);
  const QString none = QStringLiteral("–");
  const auto setTime = [&](int column, double ns) {
    item->setNumber(column, ns, ns > 0 ? QString::fromStdString(durationText(ns)) : none);
    QColor bar = colorOf(Ink::Highlight, palette());
    bar.setAlpha(static_cast<int>(kDeepest * (longestNs > 0 ? ns / longestNs : 0)));
    item->setBackground(column, bar);
  };
  setTime(kLeftColumn, row.leftNs);
  setTime(kRightColumn, row.rightNs);
  const bool isTimed = std::min(row.leftNs, row.rightNs) >= 0.5;  // what is told as 0 ns has no ratio
  const double ratio = isTimed ? row.rightNs / row.leftNs : 0;
  item->setNumber(kRatioColumn, ratio, ratio > 0 ? QStringLiteral("%1").arg(ratio, 0, 'g', 3) : none);
  item->setNumber(kErrorColumn, row.error.value_or(-1),
                  row.error ? QStringLiteral("%1").arg(*row.error, 0, 'g', 2) : none);
  if (row.differs) item->setForeground(kErrorColumn, colorOf(Ink::Error, palette()));
}

void DevicesPanel::show(const Answer& answer) {
  ids_.clear();
  table_->clear();
  if (!answer.failure.isEmpty()) return words_->setText(answer.failure);
  table_->setSortingEnabled(false);
  double longest = 0;
  for (const Row& row : answer.rows) longest = std::max({longest, row.leftNs, row.rightNs});
  for (const Row& row : answer.rows) add(row, longest);
  table_->setSortingEnabled(true);
  table_->sortByColumn(kRightColumn, Qt::DescendingOrder);
  for (int column = 0; column < kDeviceColumns; ++column) table_->resizeColumnToContents(column);
  QString words = tr("A run: %1 on the processor, %2 on the other.")
                      .arg(QString::fromStdString(durationText(answer.leftNs)),
                           QString::fromStdString(durationText(answer.rightNs)));
  if (answer.isSimulated) words += tr(" The simulated card is interpreted: its times say nothing of a card's.");
  if (answer.compared > 0)
    words += answer.differing ? tr(" %L1 of %L2 values differ.").arg(answer.differing).arg(answer.compared)
                              : tr(" All %L1 values agree.").arg(answer.compared);
  words_->setText(words);
}

}  // namespace tessera
