// The tree of scopes of each executed computation, joined by path, with the costs of the kernels summed upwards.
#include <algorithm>
#include <unordered_map>

#include "core/arrange/scopes.h"
#include "core/base/sorting.h"
#include "core/ops/shared/op_cost.h"
#include "core/overview/overview.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

// Of everything: what holds so much and has no scopes inside is told by opcodes.
constexpr double kNeedsParts = 0.5;
constexpr int kFurthest = 4;  // instructions to one that has a scope
constexpr size_t kMostTried = 16;

struct Node {
  std::string name;
  bool isOpcode = false;
  Cost cost;
  double weight = 0, heaviest = -1;
  InstructionId instruction;
  std::vector<size_t> children;
};

class CostTree {
 public:
  explicit CostTree(const Workload& work) : work_(work), nodes_(1) {}

  CostScope build(double leastShare) {
    for (ComputationId computation : work_.execution.computations) addComputation(computation);
    least_ = leastShare * nodes_[0].weight;
    return scopeOf(0);
  }

 private:
  void addComputation(ComputationId id) {
    const Computation& computation = work_.module.at(id);
    const ScopeTree tree = scopesOf(work_.module, computation);
    std::vector<size_t> nodeOf;
    for (const Scope& scope : tree.scopes)
      nodeOf.push_back(child(scope.parent < 0 ? 0 : nodeOf[static_cast<size_t>(scope.parent)], scope.name));
    place_.clear();
    for (size_t k = 0; k < computation.instructions.size(); ++k) place_[computation.instructions[k]] = k;
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const InstructionId instruction = computation.instructions[k];
      if (!work_.isKernel(work_.module.at(instruction))) continue;
      const int32_t scope = scopeNear(tree, instruction);
      add(0, instruction);
      const size_t own = scope < 0 ? child(0, "no scope") : nodeOf[static_cast<size_t>(scope)];
      add(opcodeIn(own, work_.module.at(instruction)), instruction);
      if (scope < 0) add(own, instruction);
      for (int32_t s = scope; s >= 0; s = tree.scopes[static_cast<size_t>(s)].parent)
        add(nodeOf[static_cast<size_t>(s)], instruction);
    }
  }
  // Its own; of what a compiler made without one, that of the nearest reader, else of the nearest operand.
  int32_t scopeNear(const ScopeTree& tree, InstructionId instruction) const {
    const int32_t own = tree.scopeOf[place_.at(instruction)];
    if (own >= 0) return own;
    const int32_t reader = scopeAlong(tree, instruction, [&](InstructionId id) { return readersOf(work_, id); });
    if (reader >= 0) return reader;
    return scopeAlong(tree, instruction, [&](InstructionId id) {
      const auto operands = work_.module.at(id).operands;
      return std::vector<InstructionId>(operands.begin(), operands.end());
    });
  }
  template <class Next>
  int32_t scopeAlong(const ScopeTree& tree, InstructionId start, const Next& next) const {
    std::vector<InstructionId> reached{start};
    for (int step = 0; step < kFurthest; ++step) {
      std::vector<InstructionId> further;
      for (InstructionId id : reached)
        for (InstructionId near : next(id)) {
          const auto place = place_.find(near);
          if (place == place_.end() || further.size() == kMostTried) continue;
          if (const int32_t scope = tree.scopeOf[place->second];
              scope >= 0 && work_.module.at(near).opcode != Opcode::Parameter)
            return scope;
          further.push_back(near);
        }
      reached = std::move(further);
    }
    return -1;
  }
  size_t child(size_t parent, const std::string& name) {
    const auto [known, isNew] = byName_.try_emplace(std::to_string(parent) + "/" + name, nodes_.size());
    if (!isNew) return known->second;
    nodes_.push_back({});
    nodes_.back().name = name;
    nodes_[parent].children.push_back(known->second);
    return known->second;
  }
  // Fusions by what they end in.
  size_t opcodeIn(size_t scope, const Instruction& i) {
    const Computation* fused = work_.fusedBy(i);
    std::string name(fused ? work_.module.at(fused->root).opcodeName() : i.opcodeName());
    const size_t out = child(scope, (fused ? "%fusion " : "%") + name);  // no segment begins so
    nodes_[out].name = fused ? name + " fusion" : std::move(name);
    nodes_[out].isOpcode = true;
    return out;
  }
  // Opcodes or scopes.
  bool showsOpcodes(const Node& own) const {
    return own.weight >= kNeedsParts * nodes_[0].weight &&
           std::ranges::all_of(own.children, [this](size_t k) { return nodes_[k].isOpcode || nodes_[k].weight <= 0; });
  }
  void add(size_t node, InstructionId instruction) {
    Node& own = nodes_[node];
    const Cost& cost = work_.costOf(instruction);
    addWork(own.cost, cost, 1);
    own.cost.bytesAccessed += cost.bytesAccessed;
    const double weight = work_.weightOf(instruction);
    own.weight += weight;
    if (weight > own.heaviest) own.heaviest = weight, own.instruction = instruction;
  }
  // No deeper than scopes go (scopes.cpp bounds them).
  CostScope scopeOf(size_t node) const {
    const Node& own = nodes_[node];
    CostScope out{own.name, own.cost, own.weight, own.instruction, {}};
    CostScope rest{"…", {}, 0, {}, {}};
    const bool opcodes = showsOpcodes(own);
    for (size_t inner : own.children) {
      const Node& part = nodes_[inner];
      if (part.isOpcode != opcodes) continue;
      if (part.weight > 0 && part.weight >= least_) {
        out.children.push_back(scopeOf(inner));
      } else if (part.weight > 0) {
        addWork(rest.cost, part.cost, 1);
        rest.cost.bytesAccessed += part.cost.bytesAccessed, rest.weight += part.weight;
        if (!rest.instruction.valid()) rest.instruction = part.instruction;
      }
    }
    sortWith(out.children, [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (rest.weight > 0) out.children.push_back(std::move(rest));
    return out;
  }

  const Workload& work_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, size_t> byName_;
  std::unordered_map<InstructionId, size_t> place_;  // in the computation
  double least_ = 0;
};

}  // namespace

CostScope costByScope(const Workload& work, double leastShare) { return CostTree(work).build(leastShare); }

}  // namespace tessera
