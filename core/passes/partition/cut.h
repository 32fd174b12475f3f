// How arrays are cut among the partitions of a program. Each dimension has a cut of its own: which block of it a device
// holds. Devices with equal blocks in all dimensions hold copies. Cuts follow a dimension from operand to result as
// they are, whatever mesh they came from. Below all of core/passes/partition.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/devices/sharding.h"

namespace tessera::partition {

struct Cut {
  int64_t parts = 1;             // blocks of equal size; what they have beyond the end of the array is padding
  std::vector<int64_t> blockOf;  // by device
};
using CutPtr = std::shared_ptr<const Cut>;  // null: the dimension is not cut
using Cuts = std::vector<CutPtr>;           // by dimension

bool sameCut(const CutPtr& a, const CutPtr& b);
// Indices that a block of a dimension of `size` has.
int64_t blockSize(int64_t size, int64_t parts);
// Each block of `fine` lies in one of `coarse`, in order: block b of it in b / (fine.parts / coarse.parts).
bool refines(const Cut& fine, const Cut& coarse, int64_t size);
// A cut into `parts`, or none where that is one.
CutPtr makeCut(int64_t parts, std::vector<int64_t> blockOf);

// How one array lies on the devices.
struct ArraySharding {
  Cuts cuts;            // as many as dimensions
  bool manual = false;  // each device has its own value, of which nothing is known

  bool isWhole() const;  // every device has all of it
  bool operator==(const ArraySharding& other) const;
};

ArraySharding wholeArray(const Shape& shape);
// Equally many devices hold each combination of blocks: only such cuts may be those of one array, or of one operation.
bool canCombine(std::span<const CutPtr> cuts);
// Fits the cuts that are there: together with them it can combine, and it has no more parts than there are indices, so
// that padding is less than the array itself.
bool canAdd(const Cuts& there, const CutPtr& more, int64_t size);
bool canCombineWith(const Cuts& there, const CutPtr& more);
Shape localShape(const Shape& shape, const ArraySharding& sharding);

// Groups of devices that agree in `fixed`; one group has one device for each combination of blocks of `along`, in
// row-major order of these.
std::vector<std::vector<int64_t>> groupsAlong(std::span<const CutPtr> fixed, std::span<const CutPtr> along);

// Fails where the tiling has another rank or other devices. Dimensions of fewer indices than tiles stay whole.
Result<ArraySharding> shardingOf(const Tiling& tiling, const Shape& shape, int64_t devices);
// HLO's text: {devices=[2,1,4]<=[8] last_tile_dim_replicate}.
std::string textOf(const ArraySharding& sharding, int64_t devices);

}  // namespace tessera::partition
