// The facts of an overview, one function each.
#include "core/overview/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/arrange/scopes.h"
#include "core/base/sorting.h"
#include "core/devices/shardy.h"
#include "core/hlo/argument_path.h"
#include "core/memory/memory_report.h"
#include "core/ops/op.h"
#include "core/ops/shared/op_cost.h"
#include "core/overview/layers.h"

namespace tessera {
namespace {

constexpr size_t kTop = 10;
constexpr std::string_view kLost = "…";  // of which argument is not known (argumentPath)

// Leaves of tuples have one name.
void addArrays(const std::string& name, const Shape& shape, InstructionId instruction,
               std::vector<Overview::Array>& out) {
  for (const ShapeLeaf& leaf : leavesOf(shape))
    out.push_back({name, toString(*leaf.shape, false), bytesOf(*leaf.shape), instruction});
}

void addToArgument(const Instruction& parameter, const std::string& name, std::vector<Overview::Argument>& arguments) {
  auto found = std::ranges::find(arguments, argumentOf(name), &Overview::Argument::name);
  if (found == arguments.end()) {
    arguments.push_back({argumentOf(name), 0, 0, 0, true, toString(*parameter.shape, false), parameter.id});
    found = arguments.end() - 1;
  }
  for (const ShapeLeaf& leaf : leavesOf(*parameter.shape)) {
    ++found->arrays;
    found->elements += elementsOf(*leaf.shape);
    found->bytes += bytesOf(*leaf.shape);
    found->floats &= leaf.shape->rank() == 0 || isFloat(leaf.shape->type);
  }
}

// The first argument of several arrays, all of floats: optimizer state has a count among its arrays or comes later.
std::optional<Overview::Argument> weightsOf(const std::vector<Overview::Argument>& arguments) {
  const auto found =
      std::ranges::find_if(arguments, [](const auto& a) { return a.arrays > 1 && a.floats && a.name != kLost; });
  return found == arguments.end() ? std::nullopt : std::optional(*found);
}

void tellInterface(const Module& module, Overview& out) {
  if (!module.contains(module.entry())) return;
  const Computation& entry = module.entryComputation();
  for (InstructionId id : entry.parameters) {
    const Instruction& parameter = module.at(id);
    const std::string name = argumentPath(parameter);
    addArrays(name, *parameter.shape, id, out.inputs);
    addToArgument(parameter, name, out.arguments);
  }
  out.parameters = weightsOf(out.arguments);
  const Instruction& root = module.at(entry.root);
  const bool tuple = root.opcode == Opcode::Tuple;
  for (size_t k = 0; k < (tuple ? root.operands.size() : 1); ++k) {
    const InstructionId id = tuple ? root.operands[k] : root.id;
    addArrays(tuple ? "output " + std::to_string(k) : "output", module.shapeOf(id), id, out.outputs);
  }
  const auto bySize = [](const Overview::Array& a, const Overview::Array& b) { return a.bytes > b.bytes; };
  sortWith(out.inputs, bySize);
  sortWith(out.outputs, bySize);
}

void tellDevices(const Module& module, Overview& out) {
  out.replicas = module.config().replicaCount.value_or(1);
  out.partitions = module.config().numPartitions.value_or(1);
  const auto meshes = meshesOf(module);
  if (!meshes) return;
  for (const auto& [name, mesh] : *meshes) {
    std::string axes;
    for (const auto& [axis, size] : mesh.axes) axes += (axes.empty() ? "" : ", ") + axis + "=" + std::to_string(size);
    out.meshes.push_back({name, axes});
  }
}

class Kinds {
 public:
  void add(const Workload& work, const std::string& name, const Instruction& i) {
    Overview::Kind& kind = kinds_[name];
    kind.name = name;
    if (kind.count++ == 0) kind.instruction = i.id;
    kind.bytes += work.isKernel(i) ? bytesOf(*i.shape) * work.timesOf(i.id) : 0;
  }
  std::vector<Overview::Kind> sorted() const {
    std::vector<Overview::Kind> out;
    for (const auto& [name, kind] : kinds_) out.push_back(kind);
    sortWith(out, [](const auto& a, const auto& b) { return a.count > b.count; });
    return out;
  }

 private:
  std::map<std::string, Overview::Kind> kinds_;
};

void tellKinds(const Workload& work, Overview& out) {
  Kinds types, collectives, calls;
  for (ComputationId computation : work.module.order())
    for (InstructionId id : work.module.at(computation).instructions) {
      const Instruction& i = work.module.at(id);
      if (i.shape->isArray()) types.add(work, std::string(nameOf(i.shape->type)), i);
      if (hasTrait(i.opcode, kCollective)) collectives.add(work, std::string(i.opcodeName()), i);
      if (i.opcode == Opcode::CustomCall)
        calls.add(work, std::string(i.attributes->textOr(Attr::custom_call_target, "")), i);
    }
  out.types = types.sorted();
  out.collectives = collectives.sorted();
  out.customCalls = calls.sorted();
}

// What is told as one: of the same shape and scope but for the scope's numbers.
std::string kindOf(const Workload& work, const Instruction& i) {
  const Computation* fused = work.fusedBy(i);
  const std::string_view ends = fused ? work.module.at(fused->root).opcodeName() : std::string_view();
  return fmt::format("{}\n{}\n{}\n{}", i.opcodeName(), ends, toString(*i.shape, false),
                     i.metadata ? numberPattern(i.metadata->opName) : std::string());
}

void tellTop(const Workload& work, Overview& out) {
  std::unordered_map<std::string, size_t> known;
  std::vector<double> heaviest;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const double weight = work.weightOf(id);
      if (weight <= 0) continue;
      const auto [found, isNew] = known.try_emplace(kindOf(work, work.module.at(id)), out.top.size());
      if (isNew) out.top.push_back({id, {}, 0, 0, 0}), heaviest.push_back(0);
      Overview::CostlyInstruction& all = out.top[found->second];
      addWork(all.cost, work.costOf(id), 1);
      all.cost.bytesAccessed += work.costOf(id).bytesAccessed;
      all.times += work.timesOf(id), all.weight += weight, ++all.alike;
      if (weight > heaviest[found->second]) heaviest[found->second] = weight, all.instruction = id;
    }
  const size_t kept = std::min(out.top.size(), kTop);
  const auto heavier = [](const auto& a, const auto& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.instruction < b.instruction;
  };
  std::ranges::partial_sort(out.top, out.top.begin() + static_cast<std::ptrdiff_t>(kept), heavier);
  out.top.resize(kept);
}

}  // namespace

Overview overviewOf(const Workload& work) {
  const Module& module = work.module;
  Overview out;
  out.stage = work.stage;
  out.instructions = module.instructionCount();
  out.computations = module.order().size();
  out.layers = layersOf(work);
  out.loops = loopsOf(work);
  out.work = work.total();
  out.tripsKnown = std::ranges::all_of(work.execution.runs, &Execution::Runs::timesKnown);
  if (const auto memory = memoryReport(module)) out.peakMemory = memory->peakBytes();
  tellInterface(module, out);
  tellDevices(module, out);
  tellKinds(work, out);
  tellTop(work, out);
  return out;
}

}  // namespace tessera
