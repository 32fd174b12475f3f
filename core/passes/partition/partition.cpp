// See partition.h.
#include "core/passes/partition/partition.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/evaluate/device_values.h"
#include "core/formats/padding.h"
#include "core/ops/op.h"
#include "core/passes/control/call_inliner.h"
#include "core/passes/control/flatten_control.h"
#include "core/passes/dead_code.h"
#include "core/passes/partition/lowering.h"
#include "core/passes/pipeline.h"

namespace tessera {
namespace partition {
namespace {

template <class Wanted>
bool anyInstruction(const Module& module, const Wanted& wanted) {
  return std::ranges::any_of(module.order(), [&](ComputationId computation) {
    return std::ranges::any_of(module.at(computation).instructions,
                               [&](InstructionId id) { return wanted(module.at(id)); });
  });
}

bool isAnnotated(const Instruction& instruction) {
  if (instruction.attributes->has(Attr::sharding) || borderOf(instruction) != Border::None) return true;
  const auto* frontend = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  return frontend && !frontendAttribute(frontend->text, "xla.sdy.sharding").empty();
}

int64_t nextChannel(const Module& module) {
  int64_t last = 0;
  anyInstruction(module, [&](const Instruction& instruction) {
    last = std::max(last, instruction.attributes->intOr(Attr::channel_id, 0));
    return false;
  });
  return last + 1;
}

std::string textOfAll(const Shape& shape, const std::vector<ArraySharding>& shardings, int64_t devices) {
  std::vector<std::string> texts;
  for (const ArraySharding& sharding : shardings)
    texts.push_back(textOf(sharding.manual ? ArraySharding{.cuts = sharding.cuts} : sharding, devices));
  return shape.isTuple() ? fmt::format("{{{}}}", fmt::join(texts, ", ")) : texts[0];
}

bool isUneven(const Shape& whole, const std::vector<ArraySharding>& shardings) {
  const std::vector<ShapeLeaf> leaves = leavesOf(whole);
  for (size_t k = 0; k < shardings.size(); ++k)
    for (size_t d = 0; d < shardings[k].cuts.size(); ++d)
      if (shardings[k].cuts[d] && leaves[k].shape->dimensions[d] % shardings[k].cuts[d]->parts != 0) return true;
  return false;
}

// Of a parameter or the root, which is of arrays of the shape `whole`.
void annotateSignature(Module& module, InstructionId id, const Shape& whole,
                       const std::vector<ArraySharding>& shardings, int64_t devices) {
  if (shardings.empty()) return;
  AttributeSet attributes = *module.at(id).attributes;
  attributes.set(Attr::sharding, RawText{textOfAll(module.shapeOf(id), shardings, devices)});
  if (isUneven(whole, shardings)) {
    const auto* said = attributes.get<RawText>(Attr::frontend_attributes);
    attributes.set(Attr::frontend_attributes,
                   RawText{withFrontendAttribute(said ? said->text : "", kWholeShape, toString(whole, false))});
  }
  module.setAttributes(id, std::move(attributes));
}

// The arrays at both ends of an alias still have one shape.
bool aliasFits(const Module& module, const AliasEntry& alias) {
  const auto at = [](const Shape& shape, const std::vector<int64_t>& index) {
    const Shape* out = &shape;
    for (int64_t i : index) out = &out->elements[static_cast<size_t>(i)];
    return *out;
  };
  const Computation& entry = module.entryComputation();
  const InstructionId parameter = entry.parameters[static_cast<size_t>(alias.parameter)];
  return compatible(at(module.shapeOf(parameter), alias.parameterIndex),
                    at(module.shapeOf(entry.root), alias.outputIndex));
}

// The facts beside the graph, as they are of one device.
void localizeConfig(Module& module) {
  ModuleConfig config = module.config();
  const Computation& entry = module.entryComputation();
  const auto withDimensions = [](Shape& layout, const Shape& local) {
    if (layout.isArray() && layout.rank() == local.rank()) layout.dimensions = local.dimensions;
  };
  for (size_t i = 0; i < config.entryParameterLayouts.size() && i < entry.parameters.size(); ++i) {
    const Shape& local = module.shapeOf(entry.parameters[i]);
    local.isTuple() ? void(config.entryParameterLayouts[i] = local)
                    : withDimensions(config.entryParameterLayouts[i], local);
  }
  if (config.entryResultLayout) {
    const Shape& local = module.shapeOf(entry.root);
    Shape& layout = *config.entryResultLayout;
    if (!local.isTuple()) withDimensions(layout, local);
    for (size_t k = 0; k < layout.elements.size() && k < local.elements.size(); ++k)
      local.elements[k].isTuple() ? void(layout.elements[k] = local.elements[k])
                                  : withDimensions(layout.elements[k], local.elements[k]);
  }
  std::erase_if(config.inputOutputAlias, [&](const AliasEntry& alias) { return !aliasFits(module, alias); });
  const bool borders =
      anyInstruction(module, [](const Instruction& instruction) { return borderOf(instruction) != Border::None; });
  if (!borders && config.frontendAttributes.starts_with("{xla.sdy.meshes=")) config.frontendAttributes.clear();
  config.allowShardingPropagationToOutput.clear();
  config.allowShardingPropagationToParameters.clear();
  module.setConfig(std::move(config));
}

Status lowerEntry(Module& module) {
  const int64_t devices = module.config().numPartitions.value_or(1);
  AnnotationContext context{module, devices, {}};
  TESSERA_ASSIGN_OR_RETURN(context.meshes, meshesOf(module));
  Propagation shardings(context);
  TESSERA_TRY(shardings.run());
  Rewriter rewriter(module, kPartitionPass);
  ProgramGrid grid{devices, module.config().replicaCount.value_or(1), nextChannel(module), {}};
  const ComputationId before = module.entry();
  TESSERA_ASSIGN_OR_RETURN(const ComputationId entry, Lowering(rewriter, context, shardings, grid).lower(before));
  TESSERA_TRY(rewriter.finish());
  const auto annotate = [&](InstructionId made, InstructionId source) {
    annotateSignature(module, made, module.shapeOf(source), shardings.of(module.at(source)), devices);
  };
  for (size_t i = 0; i < module.at(before).parameters.size(); ++i)
    annotate(module.at(entry).parameters[i], module.at(before).parameters[i]);
  annotate(module.at(entry).root, module.at(before).root);
  module.setEntry(entry);
  TESSERA_TRY(restoreComputationOrder(module));
  return {};
}

}  // namespace
}  // namespace partition

// The program of one device says how its arguments are cut as well. One that says no more is told apart by its header.
bool isShardedProgram(const Module& module) {
  const ModuleConfig& config = module.config();
  if (!module.entry().valid() || config.isScheduled.value_or(false) || isPartitionedProgram(module)) return false;
  const bool isAwaited = !frontendAttribute(config.frontendAttributes, "xla.sdy.meshes").empty() ||
                         !config.allowShardingPropagationToOutput.empty() ||
                         !config.allowShardingPropagationToParameters.empty();
  return partition::anyInstruction(module, [&](const Instruction& instruction) {
    return partition::isAnnotated(instruction) && (isAwaited || instruction.opcode != Opcode::Parameter);
  });
}

Result<bool> partitionProgram(Module& module) {
  if (module.config().numPartitions.value_or(1) < 2 || !isShardedProgram(module)) return false;
  TESSERA_TRY(inlineCalls(module));
  TESSERA_TRY(flattenControl(module));
  TESSERA_TRY(removeDeadCode(module));  // whose exchanges would stay
  TESSERA_TRY(partition::lowerEntry(module));
  TESSERA_TRY(removeDeadCode(module));
  partition::localizeConfig(module);
  return true;
}

Result<Module> partitionedFor(const Module& module, DeviceGrid grid) {
  if (grid.partitions < 2 || !isShardedProgram(module)) return module;
  TESSERA_ASSIGN_OR_RETURN(Module out, deriveInOrder(module));
  ModuleConfig config = module.config();
  config.numPartitions = grid.partitions;
  config.replicaCount = grid.replicas;
  out.setConfig(std::move(config));
  TESSERA_TRY(partitionProgram(out));
  return out;
}

Result<Module> partitionedAsSaid(const Module& module) {
  return partitionedFor(module, {module.config().replicaCount.value_or(1), module.config().numPartitions.value_or(1)});
}

}  // namespace tessera
