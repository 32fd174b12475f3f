// What is where, and what is selected. See timeline_view.h.
#include "editor/panels/profile/timeline_view.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr size_t kMostArrows = 64;

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent) {
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
}

void TimelineView::setTimeline(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Module> module) {
  timeline_ = std::move(timeline);
  module_ = std::move(module);
  selected_.reset();
  stretch_.reset();
  stretchTracks_.clear();
  marks_.clear();
  arrows_.clear();
  marked_.clear();
  colors_.clear();
  labels_.clear();
  placeRows();
  showAll();
}

void TimelineView::placeRows() {
  rows_.clear();
  int top = kTrackGap;
  std::string process;
  for (size_t t = 0; timeline_ && t < timeline_->tracks.size(); ++t) {
    const TimelineTrack& track = timeline_->tracks[t];
    if (t == 0 || track.process != process) {
      process = track.process;
      rows_.push_back({-1, 0, top, QString::fromStdString(process)});
      top += kProcessHeight;
    }
    for (uint32_t lane = 0; lane < track.lanes.size(); ++lane, top += kLaneHeight)
      rows_.push_back({static_cast<int32_t>(t), lane, top, lane == 0 ? QString::fromStdString(track.name) : QString()});
    top += kTrackGap;
  }
  height_ = top;
  resizeEvent(nullptr);
}

void TimelineView::resizeEvent(QResizeEvent*) {
  const int seen = viewport()->height() - kRulerHeight;
  verticalScrollBar()->setRange(0, std::max(0, height_ - seen));
  verticalScrollBar()->setPageStep(std::max(1, seen));
  verticalScrollBar()->setSingleStep(kLaneHeight);
}

int TimelineView::contentWidth() const { return std::max(1, viewport()->width() - kLabelWidth); }
int TimelineView::rowY(const Row& row) const { return kRulerHeight + row.top - verticalScrollBar()->value(); }

double TimelineView::xOf(int64_t ns) const {
  return kLabelWidth + static_cast<double>(ns - range_.beginNs) * contentWidth() /
                           static_cast<double>(std::max<int64_t>(1, range_.endNs - range_.beginNs));
}

int64_t TimelineView::timeAt(double x) const {
  const double share = (x - kLabelWidth) / contentWidth();
  return range_.beginNs + std::llround(share * static_cast<double>(range_.endNs - range_.beginNs));
}

void TimelineView::setRange(int64_t beginNs, int64_t endNs) {
  constexpr int64_t kLeast = 10;
  if (!timeline_) return;
  const int64_t whole = std::max(kLeast, timeline_->endNs() - timeline_->beginNs());
  const int64_t length = std::clamp(endNs - beginNs, kLeast, whole + whole / 10);
  const int64_t margin = length / 2;
  beginNs = std::clamp(beginNs, timeline_->beginNs() - margin,
                       std::max(timeline_->beginNs(), timeline_->endNs() - length) + margin);
  range_ = {beginNs, beginNs + length};
  viewport()->update();
}

void TimelineView::showRange(TimeRange range) {
  const int64_t margin = (range.endNs - range.beginNs) / 20;
  setRange(range.beginNs - margin, range.endNs + margin);
}

void TimelineView::showAll() {
  if (timeline_) showRange({timeline_->beginNs(), timeline_->endNs()});
  viewport()->update();
}

std::optional<SpanPlace> TimelineView::spanAt(QPointF at) const {
  if (!timeline_ || at.x() < kLabelWidth || at.y() < kRulerHeight) return std::nullopt;
  for (const Row& row : rows_) {
    if (row.track < 0 || at.y() < rowY(row) || at.y() >= rowY(row) + kLaneHeight) continue;
    const TimelineLane& lane = timeline_->tracks[static_cast<size_t>(row.track)].lanes[row.lane];
    const int64_t from = timeAt(at.x() - 0.5), to = timeAt(at.x() + 1.5);
    const uint32_t first = lane.after(from);
    if (first >= lane.spans().size() || lane.spans()[first].beginNs > to) return std::nullopt;
    uint32_t last = first;
    while (last < lane.spans().size() && lane.spans()[last].beginNs <= to && last - first < 100000) ++last;
    return SpanPlace{static_cast<uint32_t>(row.track), row.lane,
                     lane.summary(first, std::max(last, first + 1)).longest};
  }
  return std::nullopt;
}

QRectF TimelineView::boxOf(const SpanPlace& place) const {
  for (const Row& row : rows_)
    if (row.track == static_cast<int32_t>(place.track) && row.lane == place.lane) {
      const TimelineSpan& span = timeline_->at(place);
      const double left = xOf(span.beginNs);
      return {left, static_cast<double>(rowY(row)), std::max(1.0, xOf(span.endNs) - left), kLaneHeight - 1.0};
    }
  return {};
}

QString TimelineView::tipOf(const SpanPlace& place) const {
  const TimelineSpan& span = timeline_->at(place);
  const TimelineName& name = timeline_->names[span.name];
  QString out = QString::fromStdString(name.text);
  if (!name.category.empty()) out += QStringLiteral(" (%1)").arg(QString::fromStdString(name.category));
  if (!name.owner.empty()) out += tr(" of %1").arg(QString::fromStdString(name.owner));
  const auto since = static_cast<double>(timeline_->realNs(timeline_->beginNs(), span.beginNs));
  return out + tr("\n%1, from %2 on").arg(durationWords(static_cast<double>(span.ns())), durationWords(since));
}

QString TimelineView::measured() const {
  if (marks_.size() < 2) return {};
  const int64_t ns = timeline_->realNs(marks_[0], marks_[1]);
  return tr("%1 between the marks").arg(durationWords(static_cast<double>(std::abs(ns))));
}

// --- selection

void TimelineView::markInstructions(const std::vector<InstructionId>& instructions) {
  constexpr size_t kMost = 2000;
  marked_.clear();
  if (!timeline_) return;
  for (size_t i = 0; i < std::min(kMost, instructions.size()); ++i)
    for (uint32_t name : timeline_->namesOf(instructions[i])) marked_.insert(name);
  if (selected_ && !marked_.contains(timeline_->at(*selected_).name)) {
    selected_.reset();
    arrows_.clear();
  }
  if (marked_.size() == 1 && !selected_) {
    size_t count = 0;
    const SpanPlace* first = timeline_->placesOf(*marked_.begin(), count);
    const auto seen = [&](const SpanPlace& p) {
      return timeline_->at(p).endNs >= range_.beginNs && timeline_->at(p).beginNs <= range_.endNs;
    };
    if (count > 0 && std::none_of(first, first + count, seen)) bringIntoSight(*first);
  }
  viewport()->update();
}

void TimelineView::select(const SpanPlace& place) {
  selected_ = place;
  arrows_.clear();
  const auto touches = [&](const TimelineFlow& flow) { return flow.from == place || flow.to == place; };
  for (const TimelineFlow& flow : timeline_->flows)
    if (touches(flow) && arrows_.size() < kMostArrows) arrows_.push_back(flow);
  if (module_)
    for (const TimelineFlow& flow : timeline_->wiresOf(place, *module_))
      if (arrows_.size() < kMostArrows) arrows_.push_back(flow);
  marked_ = {timeline_->at(place).name};
  viewport()->update();
  emit spanSelected();
}

void TimelineView::bringIntoSight(const SpanPlace& place) {
  const TimelineSpan& span = timeline_->at(place);
  const int64_t length = std::max(range_.endNs - range_.beginNs, 4 * span.ns());
  if (span.beginNs < range_.beginNs || span.endNs > range_.endNs) {
    const int64_t begin = span.beginNs + span.ns() / 2 - length / 2;
    setRange(begin, begin + length);
  }
  const QRectF box = boxOf(place);
  if (box.top() < kRulerHeight || box.bottom() > viewport()->height())
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(box.center().y()) -
                                  viewport()->height() / 2);
}

}  // namespace tessera
