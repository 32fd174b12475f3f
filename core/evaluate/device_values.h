// One program's values on several devices: how many devices it needs, its arguments cut by the parameters' shardings,
// and its outputs as they are compared with the whole: device by device, or joined. Used by run requests and tests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/devices/communicator.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/npz_blocks.h"

namespace tessera {

using DeviceArrays = std::vector<std::vector<Literal>>;  // by device, then by leaf

// The program of one device, as XLA's partitioner and ours name it: its entry ends in "_spmd".
bool isPartitionedProgram(const Module& module);
// A program that no partitioner has seen: its shapes are whole arrays, and each partition computes the whole outside of
// manual regions.
bool isGlobalProgram(const Module& module);
// The user's wish; 0: the module's replica_count and num_partitions, or the meshes of a global program
// that reads its device id. A grid that does not fit is refused.
Result<DeviceGrid> gridOf(const Module& module, int64_t replicas, int64_t partitions);
// Asked before each of `leaves` arguments is made; what it fails with ends the making.
using LeafWatch = std::function<Status(size_t leaf, size_t leaves)>;
// Arrays of `given` ("arg0" …) are whole arrays (cut here) or one device's block; missing ones follow the fill rule.
Result<DeviceArrays> argumentsByDevice(const Module& module, DeviceGrid grid,
                                       const std::map<std::string, Literal>& given, const FillRule& rule,
                                       const LeafWatch& watch = nullptr);
// The same of one device. Of arrays that only `file` has, no more is read than the device's blocks; null: there is
// none.
Result<std::vector<Literal>> argumentsOfDevice(const Module& module, DeviceGrid grid, int64_t device,
                                               const std::map<std::string, Literal>& given, const NpzBlocks* file,
                                               const FillRule& rule, const LeafWatch& watch = nullptr);
// The whole arrays of a partitioned program's results, where its root says how they are cut; else none.
std::vector<Shape> wholeResults(const Module& module);
// The expected shape decides whether a device's output is compared by itself or joined: one literal a comparison.
Result<std::vector<Literal>> comparable(const Module& module, const DeviceArrays& outputs, size_t output,
                                        const Shape& expected);

}  // namespace tessera
