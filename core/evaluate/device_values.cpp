// See device_values.h.
#include "core/evaluate/device_values.h"

#include <algorithm>
#include <numeric>

#include "core/custom_calls/custom_calls.h"
#include "core/devices/sharding.h"
#include "core/devices/shardy.h"
#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/join_blocks.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npy_header.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

struct EntryLeaf {
  Shape shape;
  std::string_view sharding;
  std::optional<Shape> whole;  // where it is said
};

bool isManualBorder(const Instruction& instruction) {
  if (instruction.opcode != Opcode::CustomCall) return false;
  const auto targets = manualRegionTargets();
  return std::ranges::find(targets, instruction.attributes->textOr(Attr::custom_call_target, ""),
                           &CustomCallTarget::name) != targets.end();
}

bool dependsOnDevice(const Instruction& instruction) {
  return instruction.opcode == Opcode::PartitionId || hasTrait(instruction.opcode, kCollective) ||
         isManualBorder(instruction);
}

template <class Wanted>
bool anyInstruction(const Module& module, const Wanted& wanted) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (wanted(module.at(id))) return true;
  return false;
}

void appendTilings(const Instruction& instruction, std::optional<size_t> leaf, std::vector<Tiling>& out) {
  const auto* text = instruction.attributes->get<RawText>(Attr::sharding);
  if (!text) return;
  const std::vector<std::string_view> shardings = shardingsOf(text->text);
  for (size_t i = 0; i < shardings.size(); ++i) {
    if (leaf && i != *leaf) continue;
    if (auto tiling = tilingOf(shardings[i])) out.push_back(std::move(*tiling));
  }
}

// How an output may be cut: as the root says, else as one of the parameters is.
std::vector<Tiling> likelyTilings(const Module& module, size_t output) {
  std::vector<Tiling> out;
  const Computation& entry = module.entryComputation();
  appendTilings(module.at(entry.root), module.shapeOf(entry.root).isTuple() ? std::optional(output) : std::nullopt,
                out);
  for (InstructionId parameter : entry.parameters) appendTilings(module.at(parameter), std::nullopt, out);
  return out;
}

// As the partitioner writes it, where blocks have padding.
std::optional<Shape> wholeShapeOf(const Instruction& instruction) {
  const auto* frontend = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  const std::string text = frontend ? frontendAttribute(frontend->text, kWholeShape) : "";
  auto whole = text.empty() ? Result<Shape>(Shape()) : parseShape(text);
  if (text.empty() || !whole || leavesOf(*whole).size() != leavesOf(*instruction.shape).size()) return std::nullopt;
  return std::move(*whole);
}

// Leaves of the parameters as entryArgumentShapes counts them.
std::vector<EntryLeaf> entryLeaves(const Module& module) {
  std::vector<EntryLeaf> out;
  for (InstructionId id : module.entryComputation().parameters) {
    const Instruction& parameter = module.at(id);
    const auto* text = parameter.attributes->get<RawText>(Attr::sharding);
    const std::vector<ShapeLeaf> leaves = leavesOf(*parameter.shape);
    std::vector<std::string_view> shardings;
    if (text) shardings = shardingsOf(text->text);
    const bool eachHasOne = shardings.size() == leaves.size();
    const auto whole = wholeShapeOf(parameter);
    for (size_t k = 0; k < leaves.size(); ++k)
      if (leaves[k].shape->isArray())
        out.push_back({*leaves[k].shape, eachHasOne ? shardings[k] : std::string_view(),
                       whole ? std::optional(*leavesOf(*whole)[k].shape) : std::nullopt});
  }
  return out;
}

// The arrays that a run is given, by name: in memory, else in a file.
struct GivenArrays {
  const std::map<std::string, Literal>& arrays;
  const NpzBlocks* file = nullptr;

  const Shape* find(const std::string& key) const {
    if (const auto found = arrays.find(key); found != arrays.end()) return &found->second.shape();
    if (!file) return nullptr;
    const auto found = file->shapes().find(key);
    return found == file->shapes().end() ? nullptr : &found->second;
  }
  Result<Literal> read(const std::string& key) const {
    const auto found = arrays.find(key);
    return found != arrays.end() ? Result<Literal>(found->second) : file->whole(key);
  }
};

Result<Literal> wholeArgument(const Shape& block, const Shape& whole, size_t leaf, const GivenArrays& given,
                              const FillRule& rule) {
  const std::string key = "arg" + std::to_string(leaf);
  const Shape* found = given.find(key);
  if (!found) return fillParameter(whole, leaf, rule);
  if (takesArgument(whole, *found) || compatible(*found, block)) return given.read(key);
  std::string message = key + " has shape " + toString(*found, false) + ", the program's is " + toString(whole, false);
  if (!tilesBetween(whole, *found).empty()) message += "; the parameter has no sharding that says how to cut it";
  if (const std::string suffix = writtenType(whole.type).suffix; whole.type != found->type && !suffix.empty())
    message += "; an array of its bits is named " + key + suffix;
  return fail(ErrorKind::Input, std::move(message));
}

// Without a sharding: an array of as many blocks as there are partitions is cut in their order; else it is one block.
Tiling impliedTiling(const Shape& block, size_t leaf, const GivenArrays& given, DeviceGrid grid) {
  const Shape* found = given.find("arg" + std::to_string(leaf));
  if (!found || grid.partitions < 2) return {};
  Tiling out;
  out.tiles = tilesBetween(block, *found);
  int64_t count = out.tiles.empty() ? 0 : 1;
  for (int64_t tiles : out.tiles) count *= tiles;
  if (count != grid.partitions) return {};
  out.devices.resize(static_cast<size_t>(count));
  std::iota(out.devices.begin(), out.devices.end(), 0);
  return out;
}

// A leaf of the entry's parameters, and how it is cut.
struct CutLeaf {
  Shape block, whole;
  Tiling tiling;
};

Result<std::vector<CutLeaf>> cutLeaves(const Module& module, DeviceGrid grid, const GivenArrays& given) {
  std::vector<CutLeaf> out;
  const bool uncut = isGlobalProgram(module) || grid.count() == 1;
  std::vector<EntryLeaf> leaves = entryLeaves(module);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (uncut) leaves[i].sharding = {};
    TESSERA_ASSIGN_OR_RETURN(Tiling tiling, tilingOf(leaves[i].sharding));
    if (leaves[i].sharding.empty() && !uncut) tiling = impliedTiling(leaves[i].shape, i, given, grid);
    TESSERA_ASSIGN_OR_RETURN(Shape whole, globalShape(leaves[i].shape, tiling));
    // Without the padding of the last blocks, as is said, or given.
    const Shape* uneven = leaves[i].whole ? &*leaves[i].whole : given.find("arg" + std::to_string(i));
    if (uneven && cutsInto(tiling, *uneven, leaves[i].shape)) whole = *uneven;
    out.push_back({leaves[i].shape, std::move(whole), std::move(tiling)});
  }
  return out;
}

// The device's own block, where a file has the whole; absent: it is cut out of the whole.
Result<std::optional<Literal>> readBlock(const CutLeaf& leaf, size_t number, const GivenArrays& given,
                                         int64_t partition) {
  const std::string key = "arg" + std::to_string(number);
  const Shape* found = given.find(key);
  if (!found || given.arrays.contains(key) || !compatible(*found, leaf.whole)) return std::nullopt;
  const auto start = blockStart(leaf.block, leaf.tiling, partition);
  if (!start || !compatible(*globalShape(leaf.block, leaf.tiling), leaf.whole)) return std::nullopt;  // or has padding
  TESSERA_ASSIGN_OR_RETURN(Literal block, given.file->block(key, *start, leaf.block.dimensions));
  return block;
}

}  // namespace

bool isPartitionedProgram(const Module& module) { return module.entryComputation().name.ends_with("_spmd"); }

bool isGlobalProgram(const Module& module) {
  if (isPartitionedProgram(module)) return false;
  if (!frontendAttribute(module.config().frontendAttributes, "xla.sdy.meshes").empty()) return true;
  return anyInstruction(module, [](const Instruction& instruction) { return isManualBorder(instruction); });
}

Result<DeviceGrid> gridOf(const Module& module, int64_t replicas, int64_t partitions) {
  const ModuleConfig& config = module.config();
  int64_t byModule = config.numPartitions.value_or(1);
  if (partitions == 0 && !config.numPartitions && anyInstruction(module, dependsOnDevice)) {
    TESSERA_ASSIGN_OR_RETURN(const Meshes meshes, meshesOf(module));
    for (const auto& [name, mesh] : meshes) byModule = std::max(byModule, static_cast<int64_t>(mesh.devices.size()));
  }
  const DeviceGrid grid{replicas > 0 ? replicas : config.replicaCount.value_or(1),
                        partitions > 0 ? partitions : byModule};
  if (grid.fits()) return grid;
  return fail({.kind = replicas > 0 || partitions > 0 ? ErrorKind::Usage : ErrorKind::Unsupported,
               .message = "a run takes at most " + std::to_string(DeviceGrid::kMaxDevices) + " devices",
               .found = grid.text()});
}

Result<DeviceArrays> argumentsByDevice(const Module& module, DeviceGrid grid,
                                       const std::map<std::string, Literal>& given, const FillRule& rule,
                                       const LeafWatch& watch) {
  DeviceArrays out(static_cast<size_t>(grid.count()));
  const GivenArrays arrays{given};
  TESSERA_ASSIGN_OR_RETURN(const std::vector<CutLeaf> leaves, cutLeaves(module, grid, arrays));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const CutLeaf& leaf = leaves[i];
    if (watch) TESSERA_TRY(watch(i, leaves.size()));
    TESSERA_ASSIGN_OR_RETURN(const Literal argument, wholeArgument(leaf.block, leaf.whole, i, arrays, rule));
    for (int64_t device = 0; device < grid.count(); ++device) {
      TESSERA_ASSIGN_OR_RETURN(Literal block, blockOf(argument, leaf.block, leaf.tiling, device % grid.partitions));
      out[static_cast<size_t>(device)].push_back(std::move(block));
    }
  }
  return out;
}

Result<std::vector<Literal>> argumentsOfDevice(const Module& module, DeviceGrid grid, int64_t device,
                                               const std::map<std::string, Literal>& given, const NpzBlocks* file,
                                               const FillRule& rule, const LeafWatch& watch) {
  std::vector<Literal> out;
  const GivenArrays arrays{given, file};
  TESSERA_ASSIGN_OR_RETURN(const std::vector<CutLeaf> leaves, cutLeaves(module, grid, arrays));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const CutLeaf& leaf = leaves[i];
    if (watch) TESSERA_TRY(watch(i, leaves.size()));
    TESSERA_ASSIGN_OR_RETURN(auto block, readBlock(leaf, i, arrays, device % grid.partitions));
    if (!block) {
      TESSERA_ASSIGN_OR_RETURN(const Literal argument, wholeArgument(leaf.block, leaf.whole, i, arrays, rule));
      TESSERA_ASSIGN_OR_RETURN(block, blockOf(argument, leaf.block, leaf.tiling, device % grid.partitions));
    }
    out.push_back(std::move(*block));
  }
  return out;
}

std::vector<Shape> wholeResults(const Module& module) {
  const Instruction& root = module.at(module.entryComputation().root);
  const std::vector<ShapeLeaf> leaves = leavesOf(*root.shape);
  const auto* text = root.attributes->get<RawText>(Attr::sharding);
  if (!text || !isPartitionedProgram(module)) return {};
  std::vector<Shape> out;
  if (const auto whole = wholeShapeOf(root)) {
    for (const ShapeLeaf& leaf : leavesOf(*whole)) out.push_back(*leaf.shape);
    return out;
  }
  const std::vector<std::string_view> shardings = shardingsOf(text->text);
  for (size_t k = 0; k < leaves.size() && shardings.size() == leaves.size(); ++k) {
    const auto tiling = tilingOf(shardings[k]);
    auto whole = tiling ? globalShape(*leaves[k].shape, *tiling) : Result<Shape>(std::unexpected(tiling.error()));
    if (!whole) return {};
    out.push_back(std::move(*whole));
  }
  return out;
}

Result<std::vector<Literal>> comparable(const Module& module, const DeviceArrays& outputs, size_t output,
                                        const Shape& expected) {
  std::vector<Literal> blocks;
  for (const auto& device : outputs) blocks.push_back(device[output]);
  if (compatible(blocks[0].shape(), expected)) return blocks;
  TESSERA_ASSIGN_OR_RETURN(Literal joined, joinBlocks(blocks, expected, likelyTilings(module, output)));
  return std::vector<Literal>{std::move(joined)};
}

}  // namespace tessera
