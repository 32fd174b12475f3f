// See join_blocks.h.
#include "core/evaluate/join_blocks.h"

#include "core/evaluate/compare.h"

namespace tessera {
namespace {

// Device o·copies·inner + c·inner + i holds block o·inner + i.
Tiling inDeviceOrder(const std::vector<int64_t>& tiles, int64_t outer, int64_t copies, int64_t inner) {
  Tiling out{tiles, {}, copies};
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t c = 0; c < copies; ++c) out.devices.push_back((o * copies + c) * inner + i);
  return out;
}

std::vector<Literal> firstCopies(std::span<const Literal> blocks, const Tiling& tiling) {
  std::vector<Literal> out;
  for (size_t at = 0; at < tiling.devices.size(); at += static_cast<size_t>(tiling.copies))
    out.push_back(blocks[static_cast<size_t>(tiling.devices[at])]);
  return out;
}

// The devices that hold one block hold equal values, but for the rounding of what they have computed each.
bool copiesAgree(std::span<const Literal> blocks, const Tiling& tiling) {
  const auto copies = static_cast<size_t>(tiling.copies);
  for (size_t at = 0; at < tiling.devices.size(); ++at) {
    const auto device = static_cast<size_t>(tiling.devices[at]),
               first = static_cast<size_t>(tiling.devices[at / copies * copies]);
    if (device >= blocks.size() || first >= blocks.size()) return false;
    if (!compareLiterals(blocks[first], blocks[device], defaultTolerance(blocks[first].shape().type), "").equal)
      return false;
  }
  return true;
}

}  // namespace

Result<Literal> joinBlocks(std::span<const Literal> blocks, const Shape& whole, std::span<const Tiling> likely) {
  const Shape& block = blocks[0].shape();
  if (compatible(block, whole)) return blocks[0];
  const auto devices = static_cast<int64_t>(blocks.size());
  for (const Tiling& tiling : likely)
    if (static_cast<int64_t>(tiling.devices.size()) == devices && cutsInto(tiling, whole, block) &&
        copiesAgree(blocks, tiling))
      return joinTiles(firstCopies(blocks, tiling), tiling, whole);
  const std::vector<int64_t> tiles = tilesBetween(block, whole);
  const int64_t count = deviceCount(tiles);
  if (tiles.empty() || count == 0 || devices % count != 0)
    return fail(std::to_string(blocks.size()) + " blocks " + toString(block, false) + " do not make " +
                toString(whole, false));
  for (int64_t inner = count; inner >= 1; --inner) {
    if (count % inner != 0) continue;
    const Tiling tiling = inDeviceOrder(tiles, count / inner, devices / count, inner);
    if (copiesAgree(blocks, tiling)) return joinTiles(firstCopies(blocks, tiling), tiling);
  }
  return fail("no two of the " + std::to_string(devices) + " blocks " + toString(block, false) +
              " that would be copies in " + toString(whole, false) + " agree");
}

}  // namespace tessera
