// See cut.h.
#include "core/passes/partition/cut.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hlo/index_math.h"

namespace tessera::partition {
namespace {

Cuts withoutWhole(std::span<const CutPtr> cuts) {
  Cuts out;
  for (const CutPtr& cut : cuts)
    if (cut) out.push_back(cut);
  return out;
}

int64_t partsOf(const Cuts& cuts) {
  int64_t out = 1;
  for (const CutPtr& cut : cuts) out *= cut->parts;
  return out;
}

// The number of the combination of blocks that a device holds, row-major.
int64_t combinationOf(const Cuts& cuts, size_t device) {
  int64_t out = 0;
  for (const CutPtr& cut : cuts) out = out * cut->parts + cut->blockOf[device];
  return out;
}

}  // namespace

bool sameCut(const CutPtr& a, const CutPtr& b) {
  if (a == b) return true;
  return a && b && a->parts == b->parts && a->blockOf == b->blockOf;
}

int64_t blockSize(int64_t size, int64_t parts) { return (size + parts - 1) / parts; }

bool refines(const Cut& fine, const Cut& coarse, int64_t size) {
  if (fine.parts % coarse.parts != 0) return false;
  const int64_t inside = fine.parts / coarse.parts;
  if (blockSize(size, coarse.parts) != inside * blockSize(size, fine.parts)) return false;
  for (size_t device = 0; device < fine.blockOf.size(); ++device)
    if (fine.blockOf[device] / inside != coarse.blockOf[device]) return false;
  return true;
}

CutPtr makeCut(int64_t parts, std::vector<int64_t> blockOf) {
  return parts == 1 ? nullptr : std::make_shared<const Cut>(Cut{parts, std::move(blockOf)});
}

bool ArraySharding::isWhole() const {
  return !manual && std::ranges::none_of(cuts, [](const CutPtr& cut) { return cut != nullptr; });
}

bool ArraySharding::operator==(const ArraySharding& other) const {
  return manual == other.manual && std::ranges::equal(cuts, other.cuts, sameCut);
}

ArraySharding wholeArray(const Shape& shape) { return {.cuts = Cuts(shape.dimensions.size())}; }

bool canCombine(std::span<const CutPtr> cuts) {
  const Cuts present = withoutWhole(cuts);
  if (present.empty()) return true;
  const auto devices = static_cast<int64_t>(present[0]->blockOf.size());
  int64_t parts = 1;
  for (const CutPtr& cut : present) {
    if (cut->parts > devices / parts) return false;
    parts *= cut->parts;
  }
  if (devices % parts != 0) return false;
  std::vector<int64_t> holders(static_cast<size_t>(parts), 0);
  for (size_t device = 0; device < static_cast<size_t>(devices); ++device)
    ++holders[static_cast<size_t>(combinationOf(present, device))];
  return std::ranges::all_of(holders, [&](int64_t count) { return count == devices / parts; });
}

bool canAdd(const Cuts& there, const CutPtr& more, int64_t size) {
  return more->parts <= size && canCombineWith(there, more);
}

bool canCombineWith(const Cuts& there, const CutPtr& more) {
  Cuts all = there;
  all.push_back(more);
  return canCombine(all);
}

Shape localShape(const Shape& shape, const ArraySharding& sharding) {
  Shape out = shape;
  for (size_t d = 0; d < sharding.cuts.size(); ++d)
    if (sharding.cuts[d]) out.dimensions[d] = blockSize(out.dimensions[d], sharding.cuts[d]->parts);
  return out;
}

std::vector<std::vector<int64_t>> groupsAlong(std::span<const CutPtr> fixed, std::span<const CutPtr> along) {
  const Cuts same = withoutWhole(fixed), different = withoutWhole(along);
  const auto members = static_cast<size_t>(partsOf(different));
  std::map<int64_t, std::vector<std::vector<int64_t>>> holders;  // by combination of `fixed`, then of `along`
  for (size_t device = 0; device < different[0]->blockOf.size(); ++device) {
    auto& ofGroup = holders[combinationOf(same, device)];
    ofGroup.resize(members);
    ofGroup[static_cast<size_t>(combinationOf(different, device))].push_back(static_cast<int64_t>(device));
  }
  std::vector<std::vector<int64_t>> out;
  for (const auto& [combination, byBlock] : holders)
    for (size_t copy = 0; copy < byBlock[0].size(); ++copy) {
      std::vector<int64_t>& group = out.emplace_back();
      for (const auto& devices : byBlock) group.push_back(devices[copy]);
    }
  return out;
}

Result<ArraySharding> shardingOf(const Tiling& tiling, const Shape& shape, int64_t devices) {
  ArraySharding out = wholeArray(shape);
  if (tiling.tiles.empty()) return out;
  if (tiling.tiles.size() != shape.dimensions.size())
    return fail({.kind = ErrorKind::Invalid,
                 .message = "the sharding has another number of dimensions than the array",
                 .expected = std::to_string(shape.rank()),
                 .found = std::to_string(tiling.tiles.size())});
  std::vector<bool> named(static_cast<size_t>(devices), false);
  for (int64_t device : tiling.devices)
    if (device >= 0 && device < devices) named[static_cast<size_t>(device)] = true;
  if (static_cast<int64_t>(tiling.devices.size()) != devices || !std::ranges::all_of(named, std::identity()))
    return fail({.kind = ErrorKind::Invalid,
                 .message = "the sharding is not over the program's partitions, each once",
                 .expected = "0 to " + std::to_string(devices - 1),
                 .found = fmt::format("{}", fmt::join(tiling.devices, ","))});
  int64_t stride = devices;
  for (size_t d = 0; d < tiling.tiles.size(); ++d) {
    stride /= tiling.tiles[d];
    if (tiling.tiles[d] > shape.dimensions[d]) continue;
    std::vector<int64_t> blockOf(static_cast<size_t>(devices));
    for (size_t i = 0; i < tiling.devices.size(); ++i)
      blockOf[static_cast<size_t>(tiling.devices[i])] = static_cast<int64_t>(i) / stride % tiling.tiles[d];
    out.cuts[d] = makeCut(tiling.tiles[d], std::move(blockOf));
  }
  return out;
}

std::string textOf(const ArraySharding& sharding, int64_t devices) {
  if (sharding.manual) return "{manual}";
  if (sharding.isWhole()) return "{replicated}";
  std::vector<int64_t> tiles;
  for (const CutPtr& cut : sharding.cuts) tiles.push_back(cut ? cut->parts : 1);
  const int64_t copies = devices / productOf(tiles);
  std::vector<int64_t> order(static_cast<size_t>(devices));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  const Cuts present = withoutWhole(sharding.cuts);
  std::ranges::stable_sort(order, {},
                           [&](int64_t device) { return combinationOf(present, static_cast<size_t>(device)); });
  if (copies > 1) tiles.push_back(copies);
  const std::string list =
      std::ranges::is_sorted(order) ? fmt::format("<=[{}]", devices) : fmt::format("{}", fmt::join(order, ","));
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), list, copies > 1 ? " last_tile_dim_replicate" : "");
}

}  // namespace tessera::partition
