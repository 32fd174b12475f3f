// See roofline_panel.h. Dots are made when the panel is seen; what-if is answered by a worker.
#include "editor/panels/profile/roofline_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPointer>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "editor/document/document.h"
#include "editor/document/machine_peaks.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/profile/roofline_view.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr int kDeviceLetters = 26;  // of a device's name; the list shows all
constexpr int kThisMachine = -1, kRecorded = -2;

QString wordsOfDot(const RooflineDot& dot) {
  QString out = QObject::tr("%1 · %2 · %3 flop a byte")
                    .arg(amountWords(dot.flops, "flop"), bytesWords(static_cast<int64_t>(dot.bytes)))
                    .arg(dot.intensity(), 0, 'g', 3);
  if (dot.predictedNs > 0)
    out += QObject::tr("\nat least %1, bound by %2").arg(durationWords(dot.predictedNs), toQString(nameOf(dot.bound)));
  return out;
}

QString errorWords(const ModelError& error) {
  if (error.kernels == 0) return QObject::tr("no other kernel to judge the model by");
  return QObject::tr("on %L1 kernels measured is %2 to %3 times the prediction, %4 in the median")
      .arg(error.kernels)
      .arg(error.low, 0, 'g', 3)
      .arg(error.high, 0, 'g', 3)
      .arg(error.median, 0, 'g', 3);
}

}  // namespace

RooflinePanel::RooflinePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      view_(new RooflineView(this)),
      empty_(new EmptyLabel(
          tr("Run the graph (F5), or open a profile (File menu), to see its kernels under the roofline."), this)) {
  pool_.setMaxThreadCount(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(words_);
  auto* split = new QSplitter(this);
  split->addWidget(view_);
  split->addWidget(makeSide());
  split->setSizes({700, 280});
  split->setStretchFactor(0, 1);
  layout->addWidget(split, 1);
  connect(view_, &RooflineView::chosen, this, &RooflinePanel::choose);
  connect(view_, &RooflineView::activated, this, [this](int dot) {
    const auto& of = view_->dots()[static_cast<size_t>(dot)].instructions;
    if (!of.empty() && document_.module().contains(of[0])) emit revealWanted(of[0]);
  });
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, &RooflinePanel::fillDevices);
  connect(&document_.measures(), &NodeMeasures::timesHeld, this, &RooflinePanel::show);
  connect(&document_, &Document::selectionChanged, this, &RooflinePanel::showSelection);
  connect(&MachinePeaks::ofThisMachine(), &MachinePeaks::ready, this, [this] {
    fillDevices();
    if (std::exchange(wantsThisMachine_, false))
      document_.measures().chooseDevice(MachinePeaks::ofThisMachine().peaks());
    showWords();
  });
  fillDevices();
  show();
}

RooflinePanel::~RooflinePanel() { pool_.waitForDone(); }

QWidget* RooflinePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  device_ = new QComboBox(bar);
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(kDeviceLetters);
  device_->setPlaceholderText(tr("Choose a device"));
  device_->setToolTip(tr("The device that the kernels are held against"));
  grouping_ = new QComboBox(bar);
  for (const OpGrouping by : {OpGrouping::None, OpGrouping::Scope, OpGrouping::Opcode, OpGrouping::Category,
                              OpGrouping::Source, OpGrouping::Computation})
    grouping_->addItem(by == OpGrouping::None ? tr("kernels") : tr("by %1").arg(toQString(nameOf(by))),
                       static_cast<int>(by));
  again_ = makeBarButton(bar, tr("Measure again"), tr("Measures what this machine can do, and keeps it with its date"));
  words_ = new StatusLine(this);  // below the lists, which leave it no room in a narrow window
  words_->setContentsMargins(8, 0, 8, 4);
  for (QWidget* each : std::initializer_list<QWidget*>{device_, again_, grouping_}) row->addWidget(each);
  row->addStretch(1);
  connect(device_, &QComboBox::activated, this, &RooflinePanel::chooseDevice);
  connect(grouping_, &QComboBox::currentIndexChanged, this, &RooflinePanel::show);
  connect(again_, &QToolButton::clicked, this, [this] {
    MachinePeaks::ofThisMachine().measureAgain();
    showWords();
  });
  return bar;
}

QWidget* RooflinePanel::makeSide() {
  auto* side = new QWidget(this);
  auto* rows = new QFormLayout(side);
  rows->setContentsMargins(8, 4, 8, 4);
  type_ = new QComboBox(side);
  type_->addItem(tr("as it is"), QString());
  for (const char* name : {"f64", "f32", "bf16", "f16", "f8e4m3fn"})
    type_->addItem(QLatin1String(name), QLatin1String(name));
  edges_ = new QComboBox(side);
  edges_->addItem(tr("as measured"), static_cast<int>(KernelEdges::AsMeasured));
  edges_->addItem(tr("one for all of it"), static_cast<int>(KernelEdges::One));
  edges_->addItem(tr("one an instruction"), static_cast<int>(KernelEdges::Each));
  auto* question = new PlainLabel(tr("What if the selection were of another type or cut otherwise:"), side);
  question->setWordWrap(true);
  rows->addRow(question);
  rows->addRow(tr("floats"), type_);
  rows->addRow(tr("kernels"), edges_);
  details_ = new PlainLabel(side);
  details_->setWordWrap(true);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  details_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  rows->addRow(details_);
  connect(type_, &QComboBox::currentIndexChanged, this, &RooflinePanel::ask);
  connect(edges_, &QComboBox::currentIndexChanged, this, &RooflinePanel::ask);
  auto* area = new QScrollArea(this);  // a low panel keeps its height, and no line is cut
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setWidget(side);
  return area;
}

QString RooflinePanel::words() const { return words_->text(); }
QString RooflinePanel::details() const { return details_->text(); }

// --- the device

void RooflinePanel::fillDevices() {
  device_->clear();
  const auto& here = MachinePeaks::ofThisMachine().peaks();
  device_->addItem(
      here ? tr("this machine: %1, %2").arg(toQString(here->name), toQString(here->source)) : tr("this machine"),
      kThisMachine);
  const auto& known = knownDevices();
  for (size_t i = 0; i < known.size(); ++i) {
    device_->addItem(toQString(known[i].name), static_cast<int>(i));
    device_->setItemData(device_->count() - 1, toQString(known[i].source), Qt::ToolTipRole);
  }
  if (const auto recorded = document_.run().recordedDevice(); recorded && !findDevice(recorded->name)) {
    device_->addItem(toQString(recorded->name), kRecorded);
    device_->setItemData(device_->count() - 1, toQString(recorded->source), Qt::ToolTipRole);
  }
  showDevice();
}

// None, where another machine's profile waits for a choice.
void RooflinePanel::showDevice() {
  const auto& held = document_.measures().device();
  int index = held ? device_->findText(toQString(held->name)) : -1;
  if (held == MachinePeaks::ofThisMachine().peaks() && (held || wantsThisMachine_ || document_.run().isOwnRun()))
    index = device_->findData(kThisMachine);
  device_->setCurrentIndex(index);
  again_->setEnabled(index >= 0 && device_->itemData(index).toInt() == kThisMachine);
}

void RooflinePanel::chooseDevice(int index) {
  const int device = device_->itemData(index).toInt();
  if (device == kRecorded) return document_.measures().chooseDevice(nullptr);
  if (device == kThisMachine) {
    const bool own = document_.run().isOwnRun();
    MachinePeaks::ofThisMachine().measure();
    wantsThisMachine_ = !own && !MachinePeaks::ofThisMachine().peaks();
    return document_.measures().chooseDevice(own ? nullptr : MachinePeaks::ofThisMachine().peaks());
  }
  document_.measures().chooseDevice(std::make_shared<const DevicePeaks>(knownDevices()[static_cast<size_t>(device)]));
}

void RooflinePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (document_.run().isOwnRun()) MachinePeaks::ofThisMachine().measure();
  show();
}

void RooflinePanel::resizeEvent(QResizeEvent*) { empty_->setGeometry(rect().adjusted(12, 40, -12, 0)); }

// --- dots

void RooflinePanel::show() {
  const auto& times = document_.measures().times();
  empty_->setVisible(!times);
  empty_->setGeometry(rect().adjusted(12, 40, -12, 0));
  view_->setVisible(times != nullptr);
  if (!times || !isVisible()) {
    view_->setDots({}, nullptr);
    return showWords();
  }
  if (document_.run().isOwnRun()) MachinePeaks::ofThisMachine().measure();
  const auto& device = document_.measures().device();
  const auto by = static_cast<OpGrouping>(grouping_->currentData().toInt());
  view_->setDots(rooflineDots(*times, device ? *device : DevicePeaks(), by), device);
  showWords();
  showSelection();
}

void RooflinePanel::showWords() {
  showDevice();
  const auto& device = document_.measures().device();
  const auto& times = document_.measures().times();
  if (MachinePeaks::ofThisMachine().isMeasuring()) return words_->setText(tr("measuring this machine …"));
  if (!times) return words_->setText(QString());
  if (!device) return words_->setText(tr("choose the device on which this was recorded, to see its roofs"));
  const ModelError error = modelError(rooflineDots(*times, *device, OpGrouping::None));
  const QString words = tr("%1; %2").arg(toQString(device->source), errorWords(error));
  words_->setText(error.faster == 0 ? words : tr("%1; %2").arg(QString::fromStdString(error.doubt()), words));
}

void RooflinePanel::choose(int dot) {
  std::vector<InstructionId> chosen;
  if (dot >= 0)
    for (InstructionId id : view_->dots()[static_cast<size_t>(dot)].instructions)
      if (document_.module().contains(id)) chosen.push_back(id);
  choosing_ = true;
  document_.select(std::move(chosen));
  choosing_ = false;
  view_->setMarked(dot >= 0 ? std::vector{static_cast<size_t>(dot)} : std::vector<size_t>());
  ask();
}

void RooflinePanel::showSelection() {
  if (choosing_ || !isVisible()) return;
  const std::unordered_set<InstructionId> selected(document_.selection().begin(), document_.selection().end());
  std::vector<size_t> marked;
  for (size_t i = 0; i < view_->dots().size() && !selected.empty(); ++i)
    if (std::ranges::any_of(view_->dots()[i].instructions, [&](InstructionId id) { return selected.contains(id); }))
      marked.push_back(i);
  view_->setMarked(std::move(marked));
  ask();
}

// --- what if

void RooflinePanel::ask() {
  const uint64_t request = ++request_;
  view_->setMoved(std::nullopt, std::nullopt);
  const auto& times = document_.measures().times();
  const auto& device = document_.measures().device();
  if (!times || document_.selection().empty()) return details_->setText(tr("Select a kernel, on the canvas or here."));
  if (!device)
    return details_->setText(MachinePeaks::ofThisMachine().isMeasuring() ? tr("measuring this machine …")
                                                                         : tr("Choose a device."));
  const WhatIf change{type_->currentData().toString().toStdString(),
                      static_cast<KernelEdges>(edges_->currentData().toInt())};
  ++busy_;
  pool_.start([panel = QPointer(this), request, times, device, change, module = document_.module(),
               selection = document_.selection()] {
    const auto answer = std::make_shared<Result<WhatIfAnswer>>(whatIf(module, *times, *device, selection, change));
    QMetaObject::invokeMethod(
        panel,
        [panel, request, answer] {
          if (!panel) return;
          --panel->busy_;
          if (request == panel->request_) panel->showAnswer(*answer);
        },
        Qt::QueuedConnection);
  });
}

void RooflinePanel::showAnswer(const Result<WhatIfAnswer>& answer) {
  if (!answer) return details_->setText(QString::fromStdString(answer.error().message));
  const RooflineDot& before = answer->before;
  QString text =
      tr("%1: %2 a run, %3, %4\n%5")
          .arg(toQString(before.name), durationWords(before.measuredNs), amountWords(before.rate() * 1e9, "flop/s"),
               amountWords(before.byteRate() * 1e9, "B/s"), wordsOfDot(before));
  const bool asks = type_->currentIndex() > 0 || edges_->currentIndex() > 0;
  if (asks) {
    text += tr("\n\nThen: %1 a run if it stays as far from the roof as now\n%2")
                .arg(durationWords(answer->expectedNs), wordsOfDot(answer->after));
    if (answer->error.kernels > 0)
      text += tr("\nas far as other kernels are: %1 to %2")
                  .arg(durationWords(answer->lowNs), durationWords(answer->highNs));
    view_->setMoved(answer->before, answer->after);
  }
  text += QStringLiteral("\n\n") + tr("The model: %1").arg(errorWords(answer->error));
  for (const std::string& note : answer->notes) text += QLatin1Char('\n') + toQString(note);
  details_->setText(text);
}

}  // namespace tessera
