// See device_run.h.
#include "app/cli/device_run.h"

#include "app/cli/physical_run.h"
#include "core/evaluate/sharding.h"

namespace tessera::cli {
namespace {

Diagnostic inputFault(std::string message) {
  Diagnostic d;
  d.fault = Fault::Input;
  d.message = std::move(message);
  return d;
}

struct EntryLeaf {
  Shape shape;
  std::string_view sharding;
};

// Leaves of the parameters as entryArgumentShapes counts them; the leaves of a tuple are not cut.
std::vector<EntryLeaf> entryLeaves(const Module& module) {
  std::vector<EntryLeaf> out;
  for (InstructionId id : module.entryComputation().parameters) {
    const Instruction& parameter = module.at(id);
    const auto* text = parameter.attributes->get<RawText>(Attr::sharding);
    for (const ShapeLeaf& leaf : leavesOf(*parameter.shape))
      if (leaf.shape->isArray()) out.push_back({*leaf.shape, text && parameter.shape->isArray() ? std::string_view(text->text) : std::string_view()});
  }
  return out;
}

Result<Literal> wholeArgument(const Shape& block, const Shape& whole, size_t leaf, const NamedArrays& given, const FillRule& rule) {
  const std::string key = "arg" + std::to_string(leaf);
  const auto found = given.find(key);
  if (found == given.end()) return fillParameter(whole, leaf, rule);
  if (compatible(found->second.shape(), whole) || compatible(found->second.shape(), block)) return found->second;
  return fail(inputFault(key + " has shape " + toString(found->second.shape(), false) + ", the program's is " + toString(whole, false)));
}

}  // namespace

DeviceGrid gridOf(const Module& module, int64_t replicas, int64_t partitions) {
  const ModuleConfig& config = module.config();
  return {replicas > 0 ? replicas : config.replicaCount.value_or(1), partitions > 0 ? partitions : config.numPartitions.value_or(1)};
}

Result<DeviceArrays> argumentsByDevice(const Module& module, DeviceGrid grid, const NamedArrays& given, const FillRule& rule) {
  DeviceArrays out(static_cast<size_t>(grid.count()));
  const std::vector<EntryLeaf> leaves = entryLeaves(module);
  for (size_t i = 0; i < leaves.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(const Tiling tiling, tilingOf(leaves[i].sharding));
    TESSERA_ASSIGN_OR_RETURN(const Shape whole, globalShape(leaves[i].shape, tiling));
    TESSERA_ASSIGN_OR_RETURN(const Literal argument, wholeArgument(leaves[i].shape, whole, i, given, rule));
    for (int64_t device = 0; device < grid.count(); ++device) {
      TESSERA_ASSIGN_OR_RETURN(Literal block, blockOf(argument, leaves[i].shape, tiling, device % grid.partitions));
      out[static_cast<size_t>(device)].push_back(std::move(block));
    }
  }
  return out;
}

Result<std::vector<Literal>> comparable(const DeviceArrays& outputs, size_t output, const Shape& expected) {
  std::vector<Literal> blocks;
  for (const auto& device : outputs) blocks.push_back(device[output]);
  if (compatible(blocks[0].shape(), expected)) return blocks;
  TESSERA_ASSIGN_OR_RETURN(Literal joined, joinBlocks(blocks, expected));
  return std::vector<Literal>{std::move(joined)};
}

Status FeedFiles::open(const std::string& source) {
  TESSERA_ASSIGN_OR_RETURN(given_, readNpz(source));
  return {};
}

Result<Literal> FeedFiles::next(int64_t device, const Shape& shape) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, next(device, element));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  const std::string key = "feed" + std::to_string(read_[device]++);
  const auto found = given_.find(key);
  if (found == given_.end()) return fail(inputFault("the infeed wants " + key + " (" + toString(shape, false) + "), which is not in its source"));
  return physical_ ? fromMemory(found->second, shape, key) : found->second;
}

Status FeedFiles::store(int64_t device, const Literal& value) {
  if (value.shape().isTuple()) {
    for (const Literal& element : value.elements()) TESSERA_TRY(store(device, element));
    return {};
  }
  const std::string prefix = device == 0 ? "" : "device" + std::to_string(device) + "_";
  Literal& kept = taken_[prefix + "feed" + std::to_string(written_[device]++)];
  kept = value;
  if (physical_) {
    TESSERA_ASSIGN_OR_RETURN(kept, toMemory(value, value.shape()));
  }
  return {};
}

HostFeeds FeedFiles::feeds() {
  HostFeeds out;
  if (!given_.empty()) out.infeed = [this](int64_t device, const Shape& shape) { return next(device, shape); };
  if (keeps_)
    out.outfeed = [this](int64_t device, const Literal& value) { return store(device, value); };
  return out;
}

}  // namespace tessera::cli
