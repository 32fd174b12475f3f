// See timeline_panel.h.
#include "editor/panels/profile/timeline_panel.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <array>

#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/look/columns.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/number_item.h"
#include "editor/panels/profile/timeline_view.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"
#include "editor/text/unit_words.h"

namespace tessera {

TimelinePanel::TimelinePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      empty_(new EmptyLabel(
          tr("Run the graph (F5), or open a profile (File menu), to see what ran when, thread by thread."), this)),
      view_(new TimelineView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  auto* split = new QSplitter(this);
  split->addWidget(view_);
  split->addWidget(makeFacts());
  split->setSizes({600, 300});
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 1);
  layout->addWidget(split, 1);
  connect(view_, &TimelineView::spanSelected, this, &TimelinePanel::showSpan);
  connect(view_, &TimelineView::stretchSelected, this, &TimelinePanel::showStretch);
  connect(view_, &TimelineView::marksChanged, this, [this] {
    if (const QString words = view_->measured(); !words.isEmpty()) words_->setText(words);
  });
  connect(view_, &TimelineView::activated, this, [this](const SpanPlace& place) {
    const auto& of = timeline_->names[timeline_->at(place).name].instructions;
    if (!of.empty() && document_.module().contains(of[0])) emit revealWanted(of[0]);
  });
  connect(sums_, &QTreeWidget::itemSelectionChanged, this, &TimelinePanel::selectSum);
  connect(&document_.run(), &ProgramRun::analysed, this, &TimelinePanel::show);
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, &TimelinePanel::show);
  connect(&document_, &Document::selectionChanged, this, [this] {
    if (!choosing_) view_->markInstructions(document_.selection());
  });
  show();
}

QWidget* TimelinePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  const auto button = [&](const QString& text, const QString& tip, auto&& does) {
    QToolButton* out = makeBarButton(bar, text, tip);
    connect(out, &QToolButton::clicked, this, does);
    row->addWidget(out);
  };
  button(tr("All"), tr("Show all of it (Home)"), [this] { view_->showAll(); });
  button(tr("Trace…"), tr("Write a Chrome trace, which Perfetto opens"), [this] { chooseExport(); });
  words_ = new StatusLine(bar);
  words_->setToolTip(
      tr("W S zoom, A D move, F shows the selection, M marks it (or the pointer), Shift+M clears the "
         "marks, comma and full stop go to the span before and behind. Drag to add up a stretch, "
         "Shift+drag to move, Ctrl+wheel to zoom."));
  row->addWidget(words_, 1);
  return bar;
}

QWidget* TimelinePanel::makeFacts() {
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  details_ = new PlainLabel(side);
  details_->setWordWrap(true);
  details_->setMargin(6);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sums_ = new QTreeWidget(side);
  sums_->setRootIsDecorated(false);
  sums_->setUniformRowHeights(true);
  sums_->setSortingEnabled(true);
  sums_->setHeaderLabels({tr("Name"), tr("Total"), tr("Count"), tr("Mean"), tr("Least"), tr("Most")});
  sums_->sortByColumn(1, Qt::DescendingOrder);
  setColumnLetters(*sums_, std::array{20, 10, 10, 10, 10, 10});
  column->addWidget(details_);
  column->addWidget(sums_, 1);
  return side;
}

QString TimelinePanel::details() const { return details_->text(); }

void TimelinePanel::resizeEvent(QResizeEvent*) { showEmptyText(); }

void TimelinePanel::showEmptyText() {
  empty_->setVisible(!timeline_);
  empty_->setGeometry(rect().adjusted(12, 40, -12, 0));
  empty_->raise();
}

void TimelinePanel::show() {
  timeline_ = document_.run().timeline();
  if (timeline_ && timeline_->spanCount() == 0) timeline_.reset();
  view_->setTimeline(timeline_, timeline_ ? std::make_shared<const Module>(document_.module()) : nullptr);
  view_->setVisible(timeline_ != nullptr);
  words_->setText(timeline_ ? tr("%L1 spans, %2; W A S D, F, M as in Perfetto")
                                  .arg(timeline_->spanCount())
                                  .arg(document_.run().origin().words)
                            : QString());
  if (timeline_) {
    for (const std::string& note : timeline_->notes)
      words_->setText(words_->text() + "; " + QString::fromStdString(note));
    view_->markInstructions(document_.selection());
    showStretch();
  } else {
    sums_->clear();
    details_->clear();
  }
  showEmptyText();
}

void TimelinePanel::showSpan() {
  const SpanPlace place = *view_->selected();
  const TimelineSpan& span = timeline_->at(place);
  const TimelineName& name = timeline_->names[span.name];
  size_t count = 0;
  timeline_->placesOf(span.name, count);
  const TimelineTrack& track = timeline_->tracks[place.track];
  QString text = view_->tipOf(place) +
                 tr("\n%1, %2").arg(QString::fromStdString(track.process), QString::fromStdString(track.name)) +
                 tr("\n%L1 of that name").arg(count);
  if (name.instructions.size() > 1) text += tr("\ncomputes %L1 instructions").arg(name.instructions.size());
  details_->setText(text);
  choose(name.instructions);
}

void TimelinePanel::showStretch() {
  if (!timeline_) return;
  const auto& stretch = view_->stretch();
  const int64_t begin = stretch ? stretch->beginNs : timeline_->beginNs();
  const int64_t end = stretch ? stretch->endNs : timeline_->endNs();
  const QString length = durationWords(static_cast<double>(timeline_->realNs(begin, end)));
  const size_t tracks = view_->stretchTracks().size();
  details_->setText(!stretch      ? tr("All: %1").arg(length)
                    : tracks == 1 ? tr("Selected: %1 on one track").arg(length)
                                  : tr("Selected: %1 on %L2 tracks").arg(length).arg(tracks));
  showSums(begin, end, view_->stretchTracks());
}

void TimelinePanel::showSums(int64_t beginNs, int64_t endNs, const std::vector<uint32_t>& tracks) {
  constexpr size_t kMost = 2000;
  const std::vector<TimelineStat> stats = timeline_->statistics(beginNs, endNs, tracks);
  choosing_ = true;
  sums_->clear();
  QList<QTreeWidgetItem*> items;
  for (size_t i = 0; i < std::min(kMost, stats.size()); ++i) {
    const TimelineStat& stat = stats[i];
    auto* item = new NumberItem;
    const TimelineName& name = timeline_->names[stat.name];
    item->setText(0, QString::fromStdString(name.owner.empty() ? name.text : name.text + " · " + name.owner));
    item->setData(0, NumberItem::kKey, stat.name);
    const double numbers[] = {static_cast<double>(stat.totalNs), static_cast<double>(stat.count), stat.meanNs(),
                              static_cast<double>(stat.minNs), static_cast<double>(stat.maxNs)};
    for (int column = 1; column < 6; ++column)
      item->setNumber(column, numbers[column - 1],
                      column == 2 ? QString::number(stat.count) : durationWords(numbers[column - 1]));
    items.push_back(item);
  }
  sums_->addTopLevelItems(items);
  choosing_ = false;
}

void TimelinePanel::selectSum() {
  if (choosing_ || sums_->selectedItems().isEmpty()) return;
  std::vector<InstructionId> chosen;
  for (const QTreeWidgetItem* item : sums_->selectedItems()) {
    const auto& of = timeline_->names[item->data(0, NumberItem::kKey).toUInt()].instructions;
    chosen.insert(chosen.end(), of.begin(), of.end());
  }
  choose(chosen);
  view_->markInstructions(document_.selection());
}

void TimelinePanel::choose(std::vector<InstructionId> instructions) {
  std::erase_if(instructions, [this](InstructionId id) { return !document_.module().contains(id); });
  if (instructions.empty()) return;
  choosing_ = true;
  document_.select(std::move(instructions));
  choosing_ = false;
}

void TimelinePanel::exportTrace(const QString& path) {
  if (!timeline_) return;
  exportFile(
      this, path, [timeline = timeline_] { return toChromeTrace(*timeline); },
      [this](const Status& written) {
        if (!written) emit failed(QString::fromStdString(written.error().toString()));
      });
}

void TimelinePanel::chooseExport() {
  if (!timeline_) return;
  const QString path = QFileDialog::getSaveFileName(this, tr("Write the timeline"), QStringLiteral("trace.json"),
                                                    tr("Chrome traces (*.json)"));
  if (!path.isEmpty()) exportTrace(path);
}

}  // namespace tessera
