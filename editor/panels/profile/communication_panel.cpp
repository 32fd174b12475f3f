// See communication_panel.h. Measured by a worker when it is seen.
#include "editor/panels/profile/communication_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>

#include "editor/document/document.h"
#include "editor/look/columns.h"
#include "editor/panels/number_item.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

enum UseColumn {
  kUseKind,
  kUseGroups,
  kUseAxis,
  kUseCount,
  kUseBytes,
  kUseTime,
  kUseExposed,
  kUseRate,
  kUseBusRate,
  kUseSkew,
  kUseColumns
};
constexpr int kUseInstruction = Qt::UserRole + 2;

QString rateWords(double giga) { return giga > 0 ? QString::number(giga, 'g', 3) : QString(); }
QString timeWords(double ns) { return ns > 0 ? durationWords(ns) : QString(); }

}  // namespace

CommunicationPanel::CommunicationPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      table_(new QTreeWidget(this)),
      words_(new StatusLine(this)),
      empty_(new EmptyLabel(tr("Run a graph on several devices (Run settings), or open a profile of such a run, to see "
                               "what was exchanged."),
                            this)) {
  pool_.setMaxThreadCount(1);
  table_->setHeaderLabels({tr("Collective"), tr("Groups"), tr("Axis"), tr("Count"), tr("Bytes each"), tr("Time"),
                           tr("Exposed"), tr("GB/s"), tr("Bus GB/s"), tr("Skew")});
  const char* const tips[kUseColumns] = {
      "",
      "",
      QT_TR_NOOP("The axis of the mesh, or how far the members are apart"),
      QT_TR_NOOP("Executions in a run on a device"),
      QT_TR_NOOP("The whole array that is exchanged"),
      QT_TR_NOOP("From the start to the done, in a run on a device"),
      QT_TR_NOOP("What no other kernel of the device hides"),
      QT_TR_NOOP("Bytes over time"),
      QT_TR_NOOP("What a link carries then: times 2(n-1)/n of an all-reduce, (n-1)/n of the others"),
      QT_TR_NOOP("Between the first and the last device that begins, at most")};
  for (int column = 0; column < kUseColumns; ++column)
    table_->headerItem()->setToolTip(column, asPlainText(tr(tips[column])));
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  table_->setAllColumnsShowFocus(true);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(kUseExposed, Qt::DescendingOrder);
  setColumnLetters(*table_, std::array{34, 18, 14, 9, 12, 12, 12, 9, 10, 12});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  words_->setIndent(8);
  words_->setEnabled(false);
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // at the top also without the table
  layout->addWidget(words_);
  layout->addWidget(table_, 1);
  connect(table_, &QTreeWidget::itemSelectionChanged, this, &CommunicationPanel::selectRows);
  connect(table_, &QTreeWidget::itemDoubleClicked, this, [this](const QTreeWidgetItem* item) {
    const InstructionId id(item->data(0, kUseInstruction).toUInt());
    if (item->childCount() == 0 && document_.module().contains(id)) emit revealWanted(id);
  });
  connect(&document_.measures(), &NodeMeasures::timesHeld, this, [this] {
    stale_ = true;
    if (isVisible()) measure();
  });
  connect(&document_, &Document::selectionChanged, this, &CommunicationPanel::showSelection);
}

CommunicationPanel::~CommunicationPanel() { pool_.waitForDone(); }

QString CommunicationPanel::words() const { return words_->text(); }

void CommunicationPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) measure();
}

void CommunicationPanel::resizeEvent(QResizeEvent*) { empty_->setGeometry(rect().adjusted(12, 48, -12, 0)); }

void CommunicationPanel::measure() {
  stale_ = false;
  const uint64_t request = ++request_;
  const auto& times = document_.measures().times();
  if (!times) return take(nullptr);
  ++busy_;
  pool_.start(
      [panel = QPointer(this), request, times, timeline = document_.run().timeline(), module = document_.module()] {
        auto found = std::make_shared<const CommunicationTimes>(communicationOf(module, *times, timeline.get()));
        QMetaObject::invokeMethod(
            panel,
            [panel, request, found] {
              if (!panel) return;
              --panel->busy_;
              if (request == panel->request_) panel->take(found);
            },
            Qt::QueuedConnection);
      });
}

void CommunicationPanel::take(std::shared_ptr<const CommunicationTimes> found) {
  found_ = std::move(found);
  const bool any = found_ && !found_->uses.empty();
  document_.measures().give(Measure::Exposed, any ? std::make_shared<const Overlay>(exposedOverlay(*found_)) : nullptr);
  empty_->setVisible(!any);
  table_->setVisible(any);
  QString words;
  if (found_ && !any) words = tr("nothing was exchanged between devices");
  if (any)
    words = tr("%1 a run on a device, %2 of it exposed; %3 moved; %L4 devices")
                .arg(durationWords(found_->ns), durationWords(found_->exposedNs),
                     bytesWords(static_cast<int64_t>(found_->bytes)))
                .arg(found_->devices);
  for (const std::string& note : found_ ? found_->notes : std::vector<std::string>())
    words += QStringLiteral("; ") + toQString(note);
  words_->setText(words);
  fill();
}

QTreeWidgetItem* CommunicationPanel::itemFor(const CollectiveUse& use, const QString& name) const {
  auto* item = new NumberItem(static_cast<QTreeWidget*>(nullptr));
  item->setText(kUseKind, name);
  item->setText(kUseGroups, toQString(use.groups));
  item->setText(kUseAxis, toQString(use.axis));
  item->setNumber(kUseCount, use.count, QString::number(use.count, 'g', 6));
  item->setNumber(kUseBytes, use.bytes, bytesWords(static_cast<int64_t>(use.bytes)));
  item->setNumber(kUseTime, use.ns, timeWords(use.ns));
  item->setNumber(kUseExposed, use.exposedNs, use.exposedKnown ? durationWords(use.exposedNs) : tr("unknown"));
  item->setNumber(kUseRate, use.rate(), rateWords(use.rate()));
  item->setNumber(kUseBusRate, use.busRate(), rateWords(use.busRate()));
  item->setNumber(kUseSkew, use.skewNs, timeWords(use.skewNs));
  return item;
}

void CommunicationPanel::fill() {
  choosing_ = true;
  table_->clear();
  if (found_)
    for (const CollectiveUse& group : groupedByKind(*found_)) {
      QTreeWidgetItem* top = itemFor(group, toQString(group.kind));
      for (const CollectiveUse& use : found_->uses) {
        if (use.kind != group.kind || use.groups != group.groups || use.axis != group.axis) continue;
        if (!document_.module().contains(use.instruction)) continue;
        QTreeWidgetItem* item = itemFor(use, toQString(document_.module().at(use.instruction).name));
        item->setData(0, kUseInstruction, use.instruction.value);
        top->addChild(item);
      }
      table_->addTopLevelItem(top);
      top->setExpanded(true);
    }
  choosing_ = false;
  showSelection();
}

void CommunicationPanel::selectRows() {
  if (choosing_) return;
  std::vector<InstructionId> chosen;
  const auto add = [&](const QTreeWidgetItem& item) {
    const QVariant id = item.data(0, kUseInstruction);
    if (id.isValid() && document_.module().contains(InstructionId(id.toUInt()))) chosen.emplace_back(id.toUInt());
  };
  for (const QTreeWidgetItem* item : table_->selectedItems()) {
    add(*item);
    for (int i = 0; i < item->childCount(); ++i) add(*item->child(i));
  }
  if (chosen.empty()) return;
  choosing_ = true;
  document_.select(std::move(chosen));
  choosing_ = false;
}

void CommunicationPanel::showSelection() {
  if (choosing_) return;
  choosing_ = true;
  table_->clearSelection();
  const InstructionId selected = document_.selected();
  for (QTreeWidgetItemIterator at(table_); *at && selected.valid(); ++at) {
    const QVariant id = (*at)->data(0, kUseInstruction);
    if (!id.isValid() || InstructionId(id.toUInt()) != selected) continue;
    (*at)->setSelected(true);
    table_->scrollToItem(*at);
  }
  choosing_ = false;
}

}  // namespace tessera
