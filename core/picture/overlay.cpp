// The heat overlay: a Profile's times per source instruction on a logarithmic scale, so that a node of a microsecond
// and one of a second are both told apart from their neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/sorting.h"
#include "core/picture/picture.h"

namespace tessera {

namespace {
constexpr double kDecades = 1e4;  // colder than the hottest by more than this is simply cold

double coldestOf(double hotNs) { return std::max(hotNs / kDecades, 1e-3); }
}  // namespace

double Overlay::heatOf(double timeNs) const {
  if (timeNs <= coldNs || coldNs <= 0) return 0;
  if (timeNs >= hotNs) return 1;
  return std::log(timeNs / coldNs) / std::log(hotNs / coldNs);
}

const Overlay::Entry* Overlay::find(InstructionId id) const {
  const auto found = std::lower_bound(entries.begin(), entries.end(), id,
                                      [](const auto& entry, InstructionId wanted) { return entry.first < wanted; });
  return found == entries.end() || found->first != id ? nullptr : &found->second;
}

Overlay overlayOf(const Profile& profile) {
  Overlay out;
  const double runs = static_cast<double>(std::max<int64_t>(profile.runs, 1));
  for (const SourceProfile& source : profile.sources) {
    const double ns = source.timeNs / runs;
    if (!(ns > 0)) continue;
    out.hotNs = std::max(out.hotNs, ns);
    out.entries.push_back({source.instruction, {ns, source.measured}});
  }
  out.coldNs = coldestOf(out.hotNs);
  sortWith(out.entries, [](const auto& a, const auto& b) { return a.first < b.first; });
  out.title = fmt::format("time of a run: {}", durationText(static_cast<double>(profile.totalNs) / runs));
  return out;
}

std::vector<Overlay::Entry> boxTimes(const GraphView& view, const Overlay& overlay) {
  std::vector<Overlay::Entry> times(view.nodes.size(), {0, true});
  for (const auto& [id, entry] : overlay.entries)
    for (int32_t box = view.boxOf(id); box >= 0; box = view.nodes[static_cast<size_t>(box)].parent) {
      times[static_cast<size_t>(box)].timeNs += entry.timeNs;
      times[static_cast<size_t>(box)].measured &= entry.measured;
    }
  return times;
}

Overlay scaledTo(const GraphView& view, Overlay overlay) {
  const std::vector<Overlay::Entry> times = boxTimes(view, overlay);
  double hottest = 0;
  for (size_t v = 0; v < times.size(); ++v)
    if (view.nodes[v].kind != ViewNode::Kind::OpenGroup) hottest = std::max(hottest, times[v].timeNs);
  if (hottest > 0) {
    overlay.hotNs = hottest;
    overlay.coldNs = coldestOf(hottest);
  }
  return overlay;
}

}  // namespace tessera
