// See reshard.h. Each step brings the sharding nearer to the wanted one.
#include "core/passes/partition/reshard.h"

#include <algorithm>
#include <map>

namespace tessera::partition {
namespace {

class Resharding {
 public:
  Resharding(BlockBuilder& build, InstructionId array, const Shape& whole, Cuts from, const Cuts& to)
      : build_(build), array_(array), sizes_(whole.dimensions), now_(std::move(from)), to_(to) {}

  InstructionId run() {
    if (!permute()) {
      sliceWhatFits();
      exchangeDimensions();
      gather();
      sliceWhatFits();
    }
    return array_;
  }

 private:
  size_t rank() const { return now_.size(); }

  Cuts without(size_t d) const {
    Cuts out = now_;
    out[d] = nullptr;
    return out;
  }

  // The devices that hold each combination of blocks.
  std::map<std::vector<int64_t>, std::vector<int64_t>> holders(const Cuts& cuts) const {
    std::map<std::vector<int64_t>, std::vector<int64_t>> out;
    for (int64_t device = 0; device < build_.grid().partitions; ++device) {
      std::vector<int64_t> blocks;
      for (const CutPtr& cut : cuts) blocks.push_back(cut ? cut->blockOf[static_cast<size_t>(device)] : 0);
      out[std::move(blocks)].push_back(device);
    }
    return out;
  }

  // Equal blocks on other devices. A device that holds its block already keeps it.
  bool permute() {
    const auto parts = [](const CutPtr& cut) { return cut ? cut->parts : 1; };
    if (!std::ranges::equal(now_, to_, {}, parts, parts) || std::ranges::equal(now_, to_, sameCut)) return false;
    const auto sources = holders(now_);
    BlockBuilder::Groups pairs;
    for (const auto& [block, targets] : holders(to_)) {
      std::vector<int64_t> senders = sources.at(block), receivers = targets;
      const auto keeps = [&](int64_t device) { return std::ranges::find(targets, device) != targets.end(); };
      for (int64_t device : sources.at(block))
        if (keeps(device)) {
          pairs.push_back({device, device});
          std::erase(senders, device);
          std::erase(receivers, device);
        }
      for (size_t i = 0; i < senders.size(); ++i) pairs.push_back({senders[i], receivers[i]});
    }
    array_ = build_.permute(array_, pairs);
    now_ = to_;
    return true;
  }

  // Cuts of whole dimensions, and finer cuts of those that are cut.
  void sliceWhatFits() {
    Cuts slices(rank());
    for (size_t d = 0; d < rank(); ++d) {
      const CutPtr &cut = to_[d], &old = now_[d];
      if (!cut || sameCut(cut, old) || (old && !refines(*cut, *old, sizes_[d]))) continue;
      Cuts all = without(d);
      all[d] = cut;
      if (!canCombine(all)) continue;
      slices[d] = old ? insideOf(*cut, *old) : cut;
      now_ = all;
    }
    array_ = build_.takeBlock(array_, slices);
  }

  static CutPtr insideOf(const Cut& fine, const Cut& coarse) {
    const int64_t inside = fine.parts / coarse.parts;
    std::vector<int64_t> blockOf = fine.blockOf;
    for (int64_t& block : blockOf) block %= inside;
    return makeCut(inside, std::move(blockOf));
  }

  // One exchange may make room for the next.
  void exchangeDimensions() {
    while (exchangeOne()) {
    }
  }

  bool exchangeOne() {
    for (size_t join = 0; join < rank(); ++join)
      for (size_t split = 0; split < rank(); ++split) {
        const CutPtr cut = now_[join];
        if (!cut || split == join || now_[split] || !sameCut(to_[split], cut) || sameCut(to_[join], cut)) continue;
        array_ = build_.allToAll(array_, static_cast<int64_t>(split), static_cast<int64_t>(join),
                                 groupsAlong(without(join), {&cut, 1}));
        dropPadding(join);
        now_[split] = cut;
        now_[join] = nullptr;
        return true;
      }
    return false;
  }

  // Dimensions that are cut otherwise become whole, or as coarse as they are wanted.
  void gather() {
    for (size_t d = 0; d < rank(); ++d) {
      const CutPtr old = now_[d];
      if (!old || sameCut(old, to_[d])) continue;
      Cuts fixed = without(d);
      CutPtr along = old, left;
      if (to_[d] && refines(*old, *to_[d], sizes_[d])) {
        left = to_[d];
        along = insideOf(*old, *left);
        fixed.push_back(left);
      }
      array_ = build_.allGather(array_, static_cast<int64_t>(d), groupsAlong(fixed, {&along, 1}));
      now_[d] = left;
      if (!left) dropPadding(d);
    }
  }

  void dropPadding(size_t d) {
    if (build_.shapeOf(array_).dimensions[d] > sizes_[d])
      array_ = build_.slice(array_, static_cast<int64_t>(d), 0, sizes_[d]);
  }

  BlockBuilder& build_;
  InstructionId array_;
  const std::vector<int64_t>& sizes_;  // of the whole
  Cuts now_;
  const Cuts& to_;
};

}  // namespace

InstructionId reshard(BlockBuilder& build, InstructionId array, const Shape& whole, const ArraySharding& from,
                      const ArraySharding& to) {
  return from == to ? array : Resharding(build, array, whole, from.cuts, to.cuts).run();
}

}  // namespace tessera::partition
