// See align.h.
#include "core/arrange/align.h"

#include <algorithm>
#include <numeric>

#include "core/base/sorting.h"

namespace tessera {
namespace {

// One axis of a box.
struct Interval {
  float begin = 0, length = 0;
  float end() const { return begin + length; }
};

std::vector<Interval> stretches(std::span<const RectF> boxes, bool across) {
  std::vector<Interval> out;
  for (const RectF& box : boxes) out.push_back(across ? Interval{box.x, box.width} : Interval{box.y, box.height});
  return out;
}

void spread(std::vector<Interval>& all) {
  if (all.size() < 3) return;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  sortBy(order, [&](size_t i) { return all[i].begin + all[i].length / 2; });
  float taken = 0;
  for (const Interval& each : all) taken += each.length;
  const float room = all[order.back()].end() - all[order.front()].begin;
  const float gap = (room - taken) / static_cast<float>(all.size() - 1);
  float next = all[order.front()].begin;
  for (size_t i : order) {
    all[i].begin = next;
    next += all[i].length + gap;
  }
}

// part: 0 the beginnings, 0.5 the middles, 1 the ends in one line.
void line(std::vector<Interval>& all, float part) {
  float begin = all[0].begin, end = all[0].end();
  for (const Interval& each : all) begin = std::min(begin, each.begin), end = std::max(end, each.end());
  const float at = begin + (end - begin) * part;
  for (Interval& each : all) each.begin = at - each.length * part;
}

}  // namespace

std::vector<RectF> aligned(std::span<const RectF> boxes, Alignment alignment) {
  std::vector<RectF> out(boxes.begin(), boxes.end());
  if (out.size() < 2) return out;
  const bool across = alignment == Alignment::Left || alignment == Alignment::Centre || alignment == Alignment::Right ||
                      alignment == Alignment::SpreadAcross;
  auto all = stretches(boxes, across);
  if (alignment == Alignment::SpreadAcross || alignment == Alignment::SpreadDown)
    spread(all);
  else if (alignment == Alignment::Left || alignment == Alignment::Top)
    line(all, 0);
  else
    line(all, alignment == Alignment::Centre || alignment == Alignment::Middle ? 0.5f : 1);
  for (size_t i = 0; i < out.size(); ++i) (across ? out[i].x : out[i].y) = all[i].begin;
  return out;
}

}  // namespace tessera
