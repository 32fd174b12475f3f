// See overlay.h. The scale is logarithmic unless asked otherwise, so that a node of a microsecond and one of a second
// are both told apart from their neighbours.
#include "core/picture/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/sorting.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

constexpr double kLeastNs = 0.5, kLeast = 1e-12;  // less reads as nothing
constexpr double kDecades = 1e4;                  // colder than the hottest by more than this is simply cold

double coldestOf(double hot) { return std::max(hot / kDecades, 1e-3); }

// The first and last of the scale that a kind of overlay has whatever it shows.
bool hasFixedScale(const Overlay& overlay) {
  return overlay.unit == OverlayUnit::Share || overlay.kind == OverlayKind::Bound;
}

void scaleBy(Overlay& overlay, double least, double most) {
  if (most <= 0 || hasFixedScale(overlay)) return;
  overlay.hot = most;
  overlay.cold = overlay.linear ? 0 : overlay.kind == OverlayKind::Ratio ? std::min(least, most / 2) : coldestOf(most);
}

std::string flopsText(double flops) {
  const std::string amount = amountText(flops);
  return amount + (amount.find(' ') == amount.npos ? " flop" : "flop");
}

double clampedShare(double from, double to, double at) { return std::clamp((at - from) / (to - from), 0.0, 1.0); }

}  // namespace

double Overlay::numberOf(const Entry& entry) const {
  switch (kind) {
    case OverlayKind::Sum:
    case OverlayKind::Largest: return entry.value;
    case OverlayKind::Difference: return std::abs(entry.value);
    case OverlayKind::Ratio: return entry.per > 0 ? entry.value / entry.per : 0;
    case OverlayKind::Bound:
      return entry.value >= std::max(entry.per, entry.rest) ? 0 : entry.per >= entry.rest ? 1 : 2;
  }
  return 0;
}

bool Overlay::shows(const Entry& entry) const {
  switch (kind) {
    case OverlayKind::Sum:
    case OverlayKind::Largest: return entry.value >= (unit == OverlayUnit::Nanoseconds ? kLeastNs : kLeast);
    case OverlayKind::Difference: return entry.value != 0;
    case OverlayKind::Ratio: return entry.per > 0 && entry.value > 0;
    case OverlayKind::Bound: return entry.value + entry.per + entry.rest > 0;
  }
  return false;
}

double Overlay::heatOf(double number) const {
  if (kind == OverlayKind::Bound) return number / 2;
  if (hot == cold) return number > 0 ? 1 : 0;
  if (linear) return clampedShare(cold, hot, number);
  if (number <= 0 || cold <= 0 || hot <= 0) return 0;
  return clampedShare(std::log(cold), std::log(hot), std::log(number));
}

std::string Overlay::textOfNumber(double number) const {
  switch (unit) {
    case OverlayUnit::Nanoseconds: return durationText(number);
    case OverlayUnit::Bytes: return bytesText(number);
    case OverlayUnit::Flops: return flopsText(number);
    case OverlayUnit::FlopsPerByte: return fmt::format("{:.3g} flop/B", number);
    case OverlayUnit::Share: return fmt::format("{:.0f} %", 100 * number);
    case OverlayUnit::Count: return fmt::format("× {:.6g}", number);
    case OverlayUnit::Error: return fmt::format("{:.2g}", number);
  }
  return {};
}

std::string Overlay::textOf(const Entry& entry) const {
  constexpr const char* kBounds[] = {"compute", "memory", "overhead"};
  if (kind == OverlayKind::Bound) return kBounds[static_cast<size_t>(numberOf(entry))];
  const std::string text = textOfNumber(numberOf(entry));
  return kind != OverlayKind::Difference ? text : (entry.value > 0 ? "+" : "−") + text;
}

void Overlay::add(Entry& sum, const Entry& entry) const {
  sum.value = kind == OverlayKind::Largest ? std::max(sum.value, entry.value) : sum.value + entry.value;
  sum.per += entry.per;
  sum.rest += entry.rest;
  sum.measured &= entry.measured;
}

bool Overlay::hasEstimates() const {
  return std::ranges::any_of(entries, [](const auto& entry) { return !entry.second.measured; }) ||
         std::ranges::any_of(wholes, [](const Whole& whole) { return !whole.entry.measured; });
}

std::optional<Overlay::Entry> Overlay::find(InstructionId id) const {
  std::optional<Entry> out;
  const auto found = std::ranges::lower_bound(entries, id, {}, &std::pair<InstructionId, Entry>::first);
  if (found != entries.end() && found->first == id) out = found->second;
  for (const Whole& whole : std::ranges::equal_range(wholes, id, {}, &Whole::instruction)) {
    if (!out) out = Entry{.measured = true};
    add(*out, whole.entry);
  }
  return out;
}

void sortEntries(Overlay& overlay) {
  sortBy(overlay.entries, &std::pair<InstructionId, Overlay::Entry>::first);
  size_t kept = 0;
  for (size_t i = 0; i < overlay.entries.size(); ++i) {
    if (kept > 0 && overlay.entries[kept - 1].first == overlay.entries[i].first)
      overlay.add(overlay.entries[kept - 1].second, overlay.entries[i].second);
    else
      overlay.entries[kept++] = overlay.entries[i];
  }
  overlay.entries.resize(kept);
  sortBy(overlay.wholes, &Overlay::Whole::instruction);
}

Overlay overlayOf(const Profile& profile) {
  Overlay out;
  const double runs = static_cast<double>(std::max<int64_t>(profile.runs, 1));
  for (const SourceProfile& source : profile.sources) {
    const double ns = source.timeNs / runs;
    if (!(ns > 0)) continue;
    out.hot = std::max(out.hot, ns);
    out.entries.push_back({source.instruction, {.value = ns, .measured = source.measured}});
  }
  out.cold = coldestOf(out.hot);
  sortEntries(out);
  out.title = fmt::format("time of a run: {}", durationText(static_cast<double>(profile.totalNs) / runs));
  return out;
}

std::vector<Overlay::Entry> boxEntries(const GraphView& view, const Overlay& overlay) {
  std::vector<Overlay::Entry> out(view.nodes.size(), {.measured = true});
  const auto addFrom = [&](int32_t box, const Overlay::Entry& entry) {
    for (; box >= 0; box = view.nodes[at(box)].parent) overlay.add(out[at(box)], entry);
  };
  for (const auto& [id, entry] : overlay.entries) addFrom(view.boxOf(id), entry);
  for (const Overlay::Whole& whole : overlay.wholes) {
    const int32_t box = view.boxOf(whole.instruction);
    if (box < 0) continue;
    if (view.boxOf(whole.inside) < 0)
      addFrom(box, whole.entry);
    else if (whole.only && view.nodes[at(box)].caller)
      out[at(box)].measured = whole.entry.measured;
  }
  return out;
}

Overlay scaledTo(const GraphView& view, Overlay overlay) {
  const std::vector<Overlay::Entry> entries = boxEntries(view, overlay);
  double most = 0, least = 0;
  for (size_t v = 0; v < entries.size(); ++v) {
    if (view.nodes[v].kind == ViewNode::Kind::OpenGroup || !overlay.shows(entries[v])) continue;
    const double number = overlay.numberOf(entries[v]);
    if (!std::isfinite(number)) continue;  // hotter than any
    most = std::max(most, number);
    least = least > 0 ? std::min(least, number) : number;
  }
  scaleBy(overlay, least, most);
  return overlay;
}

ColorRole roleOf(const Overlay& overlay, const Overlay::Entry& entry) {
  constexpr ColorRole kBounds[] = {ColorRole::BoundCompute, ColorRole::BoundMemory, ColorRole::BoundOverhead};
  const double number = overlay.numberOf(entry);
  if (overlay.kind == OverlayKind::Bound) return kBounds[static_cast<size_t>(number)];
  const double heat = overlay.heatOf(number);
  if (overlay.kind == OverlayKind::Difference && entry.value < 0) return coolRole(heat);
  return heatRole(heat);
}

}  // namespace tessera
