// Alias analysis: origins (forward, callees first), last uses, then classes (in-place updates, carries, results).
#include "core/passes/buffers/alias_analysis.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/passes/buffers/flat_schedule.h"
#include "core/passes/fusion/update_in_place.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

void collectLeaves(const Shape& shape, std::vector<const Shape*>& out) {
  if (!shape.isTuple()) return out.push_back(&shape);
  for (const Shape& element : shape.elements) collectLeaves(element, out);
}

}  // namespace

uint32_t AliasAnalysis::find(uint32_t value) const {
  while (parent_[value] != value) value = parent_[value];
  return value;
}

uint32_t AliasAnalysis::classOf(uint32_t value) const {
  uint32_t at = find(origin_[value]);
  while (outer_[at] != kNone) at = find(origin_[outer_[at]]);
  return at;
}

constexpr std::string_view kNextState =
    "the next state takes the place of one that is still read, or changes places with it";
constexpr std::string_view kResult =
    "a result needs a place of its own: it is an argument, a constant or another result too";

class AliasBuilder {
 public:
  explicit AliasBuilder(const Module& module) : module_(module) {}

  Result<AliasAnalysis> run() {
    TESSERA_ASSIGN_OR_RETURN(flat_, FlatSchedule::of(module_));
    numberValues();
    const auto& order = flat_.computations;
    for (auto it = order.rbegin(); it != order.rend(); ++it) findOrigins(*it);
    for (auto it = order.rbegin(); it != order.rend(); ++it) findLastUses(*it);
    lastUseOf_ = lastUse_;
    for (ComputationId c : order) formClasses(c);
    shortenWays();
    computeLiveRanges();
    out_.begin_ = std::move(flat_.begin);
    out_.end_ = std::move(flat_.end);
    out_.computations_ = std::move(flat_.computations);
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kNone = AliasAnalysis::kNone;
  // Numbers all leaves of all scheduled instructions.
  void numberValues() {
    out_.first_.assign(module_.instructionSlots(), kNone);
    for (ComputationId c : flat_.computations)
      for (InstructionId id : module_.at(c).instructions) {
        out_.first_[id.value] = static_cast<uint32_t>(out_.shapes_.size());
        collectLeaves(module_.shapeOf(id), out_.shapes_);
        out_.definitions_.resize(out_.shapes_.size(), id);
      }
    const size_t count = out_.shapes_.size();
    out_.origin_.resize(count);
    out_.parent_.resize(count);
    for (uint32_t v = 0; v < count; ++v) out_.origin_[v] = out_.parent_[v] = v;
    out_.outer_.assign(count, kNone);
    out_.output_.assign(count, kNone);
    lastUse_.assign(count, -1);
    firstDef_.assign(count, 0);
    fixed_.assign(count, 0);
  }

  uint32_t value(InstructionId id, uint32_t leaf = 0) const { return out_.first_[id.value] + leaf; }
  uint32_t origin(InstructionId id, uint32_t leaf = 0) const { return out_.origin_[value(id, leaf)]; }
  bool isArray(uint32_t v) const { return out_.shapes_[v]->isArray(); }

  // Carry `leaf` of a loop is the same array in every iteration.
  bool isInvariant(const Instruction& loop, uint32_t leaf) const {
    const Computation& body = module_.at(*loop.attributes->get<ComputationId>(Attr::body));
    return origin(body.root, leaf) == value(body.parameters[0], leaf);
  }
  bool isMutableCarry(ComputationId c, uint32_t leaf) const {
    const CallSite& site = flat_.callSites.at(c.value);
    return site.role == CallSite::Body && !isInvariant(module_.at(site.caller), leaf);
  }

  // --- 1. origins
  void findOrigins(ComputationId c) {
    for (InstructionId id : module_.at(c).instructions) passOn(module_.at(id));
  }
  void passOn(const Instruction& in) {
    auto share = [&](uint32_t to, InstructionId from, uint32_t fromLeaf, uint32_t count) {
      for (uint32_t i = 0; i < count; ++i) out_.origin_[value(in.id, to + i)] = origin(from, fromLeaf + i);
    };
    switch (in.opcode) {
      case Opcode::Tuple: {
        uint32_t at = 0;
        for (InstructionId operand : in.operands) {
          uint32_t count = leafCount(module_.shapeOf(operand));
          share(at, operand, 0, count);
          at += count;
        }
        break;
      }
      case Opcode::GetTupleElement: {
        const Shape& tuple = module_.shapeOf(in.operands[0]);
        auto index = static_cast<size_t>(in.attributes->intOr(Attr::index, 0));
        share(0, in.operands[0], firstLeafOf(tuple, index), leafCount(*in.shape));
        break;
      }
      case Opcode::While:
        for (uint32_t leaf = 0; leaf < leafCount(*in.shape); ++leaf)
          if (isInvariant(in, leaf)) share(leaf, in.operands[0], leaf, 1);
        break;
      default:
        if (isAliasOnly(in.opcode)) share(0, in.operands[0], 0, leafCount(*in.shape));
    }
  }

  // --- 2. last uses, as positions in the computation; its length stands for "the root"
  void findLastUses(ComputationId c) {
    const Computation& computation = module_.at(c);
    for (InstructionId id : computation.instructions) {
      const Instruction& in = module_.at(id);
      for (uint32_t leaf = 0, n = leafCount(*in.shape); leaf < n; ++leaf) {
        uint32_t v = value(id, leaf);
        firstDef_[v] = flat_.position[id.value];
        fixed_[v] = in.opcode == Opcode::Constant || (in.opcode == Opcode::Parameter && !isMutableCarry(c, leaf));
      }
      if (isAliasOnly(in.opcode)) continue;
      for (InstructionId operand : in.operands)
        for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(operand)); leaf < n; ++leaf)
          lastUse_[origin(operand, leaf)] =
              std::max<int64_t>(lastUse_[origin(operand, leaf)], flat_.position[id.value]);
    }
    for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(computation.root)); leaf < n; ++leaf)
      lastUse_[origin(computation.root, leaf)] = static_cast<int64_t>(computation.instructions.size());
  }

  // --- 3. classes
  // Makes the way shorter as it goes: chains of values in place are as long as programs.
  uint32_t classIn(uint32_t originValue) {
    std::vector<uint32_t>& parent = out_.parent_;
    while (parent[originValue] != originValue) originValue = parent[originValue] = parent[parent[originValue]];
    return originValue;
  }
  void shortenWays() {
    for (uint32_t v = 0; v < out_.parent_.size(); ++v) out_.parent_[v] = classIn(v);
  }
  void join(uint32_t into, uint32_t from) {
    out_.parent_[from] = into;
    lastUse_[into] = std::max(lastUse_[into], lastUse_[from]);
    firstDef_[into] = std::min(firstDef_[into], firstDef_[from]);
  }

  void formClasses(ComputationId c) {
    const Computation& computation = module_.at(c);
    const CallSite& site = flat_.callSites.at(c.value);
    bindParameters(computation, site);
    carryLeaf_.clear();
    if (site.role == CallSite::Body)
      for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(computation.root)); leaf < n; ++leaf)
        if (isMutableCarry(c, leaf) && isArray(value(computation.root, leaf)))
          carryLeaf_[origin(computation.root, leaf)] = leaf;
    for (InstructionId id : computation.instructions) updateInPlace(computation, module_.at(id));
    bindRoot(computation, site);
    for (InstructionId id : computation.instructions) overwriteDead(module_.at(id));
    if (site.role == CallSite::Body) fillCarries(c);
  }

  // Parameters of bodies, conditions and branches are where the caller's values lie.
  void bindParameters(const Computation& computation, const CallSite& site) {
    if (site.role == CallSite::Entry || computation.parameters.empty()) return;
    InstructionId parameter = computation.parameters[0];
    for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(parameter)); leaf < n; ++leaf) {
      const Instruction& caller = module_.at(site.caller);
      out_.outer_[value(parameter, leaf)] =
          site.role == CallSite::Branch ? value(caller.operands[site.operand], leaf) : value(caller.id, leaf);
    }
  }

  void updateInPlace(const Computation& computation, const Instruction& in) {
    switch (in.opcode) {
      case Opcode::DynamicUpdateSlice: return overwrite(in, 0, 0, 0, true);
      case Opcode::Fusion:
        if (const auto updated = updatedOperand(module_, in))
          return overwrite(in, static_cast<uint32_t>(*updated), 0, 0, true);
        return reuseCarry(computation, in);
      case Opcode::Scatter:
        for (uint32_t k = 0, n = leafCount(*in.shape); k < n; ++k) overwrite(in, k, 0, k, true);
        return;
      case Opcode::While: return overwriteCarries(in);
      default: return reuseCarry(computation, in);
    }
  }

  // Result leaf over operand leaf; asks for a copy where it must be and may not.
  void overwrite(const Instruction& in, uint32_t operand, uint32_t operandLeaf, uint32_t leaf, bool must) {
    uint32_t old = classIn(origin(in.operands[operand], operandLeaf));
    if (!isArray(old) || !isArray(value(in.id, leaf))) return;
    bool dies = !fixed_[old] && lastUse_[old] == flat_.position[in.id.value] && readsOf(in, old) == 1;
    if (dies)
      join(old, classIn(value(in.id, leaf)));
    else if (must)
      out_.requests_.push_back(
          {in.computation, in.id, operand, operandLeaf,
           fixed_[old] ? "it writes over what may not be written" : "it writes over what is still read"});
  }
  int readsOf(const Instruction& in, uint32_t classValue) {
    int reads = 0;
    for (InstructionId operand : in.operands)
      for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(operand)); leaf < n; ++leaf)
        reads += classIn(origin(operand, leaf)) == classValue;
    return reads;
  }

  void overwriteCarries(const Instruction& loop) {
    const uint32_t count = leafCount(*loop.shape);
    std::unordered_map<uint32_t, int> reads;
    for (uint32_t leaf = 0; leaf < count; ++leaf) ++reads[classIn(origin(loop.operands[0], leaf))];
    for (uint32_t leaf = 0; leaf < count; ++leaf) {
      if (isInvariant(loop, leaf) || !isArray(value(loop.id, leaf))) continue;
      uint32_t old = classIn(origin(loop.operands[0], leaf));
      if (!fixed_[old] && lastUse_[old] == flat_.position[loop.id.value] && reads[old] == 1) {
        join(old, classIn(value(loop.id, leaf)));
        continue;
      }
      const std::string_view reason =
          fixed_[old]      ? "the loop changes its state, which begins as something that may not be written"
          : reads[old] > 1 ? "the loop carries the value twice"
                           : "the loop changes its state, whose beginning is still read";
      out_.requests_.push_back({loop.computation, loop.id, 0, leaf, reason});
      --reads[old];
    }
  }

  // An elementwise step of a carry writes the next value over the old one.
  void reuseCarry(const Computation& computation, const Instruction& in) {
    if (!in.shape->isArray() || isAliasOnly(in.opcode)) return;
    auto carry = carryLeaf_.find(value(in.id));
    if (carry == carryLeaf_.end()) return;
    uint32_t target = classIn(value(computation.parameters[0], carry->second));
    for (uint32_t k = 0; k < in.operands.size(); ++k)
      if (module_.shapeOf(in.operands[k]).isArray() && classIn(origin(in.operands[k])) == target &&
          mayOverwrite(module_, in, k))
        return overwrite(in, k, 0, 0, false);
  }

  // Where nothing else is at stake (after carries and results are bound, so that no copy comes of it), an elementwise
  // step writes over an operand that dies in it.
  void overwriteDead(const Instruction& in) {
    if (in.opcode != Opcode::Fusion && !isElementwise(in.opcode)) return;
    for (uint32_t k = 0; k < in.operands.size(); ++k) {
      if (!module_.shapeOf(in.operands[k]).isArray()) continue;
      const uint32_t old = classIn(origin(in.operands[k]));
      if (fixed_[old] || lastUse_[old] != flat_.position[in.id.value] ||
          firstDef_[old] >= flat_.position[in.id.value] || readsOf(in, old) != 1)
        continue;
      if (takenBy(in, old) || !mayOverwrite(module_, in, k)) continue;
      overwriteWithLeaf(in, old, module_.shapeOf(in.operands[k]));
    }
  }
  bool takenBy(const Instruction& in, uint32_t old) {
    for (uint32_t leaf = 0, n = leafCount(*in.shape); leaf < n; ++leaf)
      if (classIn(value(in.id, leaf)) == old) return true;
    return false;
  }
  // The first result of the same form whose buffer begins with it. A scalar, which may be in a register, keeps its
  // type.
  void overwriteWithLeaf(const Instruction& in, uint32_t old, const Shape& was) {
    for (uint32_t leaf = 0, n = leafCount(*in.shape); leaf < n; ++leaf) {
      const uint32_t made = classIn(value(in.id, leaf));
      const Shape& is = *out_.shapes_[value(in.id, leaf)];
      if (firstDef_[made] != flat_.position[in.id.value] || byteWidth(is.type) != byteWidth(was.type) ||
          is.layout != was.layout)
        continue;
      if (is.type != was.type && is.elementCount() == 1) continue;
      return join(made, old);
    }
  }

  void bindRoot(const Computation& computation, const CallSite& site) {
    if (site.role == CallSite::Condition) return;
    std::unordered_map<uint32_t, bool> taken;
    for (uint32_t leaf = 0, output = 0, n = leafCount(module_.shapeOf(computation.root)); leaf < n; ++leaf) {
      if (!isArray(value(computation.root, leaf))) {
        output += !out_.shapes_[value(computation.root, leaf)]->isToken();
        continue;
      }
      uint32_t v = classIn(origin(computation.root, leaf));
      bool bound =
          site.role == CallSite::Body ? bindCarry(computation, leaf, v) : bindResult(site, leaf, v, output, taken);
      if (!bound)
        out_.requests_.push_back({computation.id, {}, 0, leaf, site.role == CallSite::Body ? kNextState : kResult});
      ++output;
    }
  }

  bool isCarryClass(const Computation& body, uint32_t v) const { return out_.definitions_[v] == body.parameters[0]; }
  bool bindCarry(const Computation& body, uint32_t leaf, uint32_t v) {
    uint32_t target = classIn(value(body.parameters[0], leaf));
    if (v == target) return true;
    if (fixed_[v] || isCarryClass(body, v)) return false;
    if (lastUse_[target] >= firstDef_[v]) return false;
    join(target, v);
    return true;
  }
  bool bindResult(const CallSite& site, uint32_t leaf, uint32_t v, uint32_t output,
                  std::unordered_map<uint32_t, bool>& taken) {
    if (fixed_[v] || !taken.emplace(v, true).second) return false;
    if (site.role == CallSite::Entry)
      out_.output_[v] = output;
    else
      out_.outer_[v] = value(site.caller, leaf);
    return true;
  }

  // --- 4. a carry's buffer is idle between the last read of the old state and the definition of the next: other values
  // may use it
  struct Use {
    int64_t begin = 0, end = 0;  // positions; both belong to it
  };
  using Uses = std::vector<std::pair<uint32_t, Use>>;  // of the values of a class

  void fillCarries(ComputationId c) {
    const Computation& body = module_.at(c);
    std::map<uint32_t, Uses> uses;  // by class
    for (InstructionId id : body.instructions)
      for (uint32_t v = value(id), end = v + leafCount(*module_.at(id).shape); v < end; ++v)
        if (out_.origin_[v] == v && isArray(v))
          uses[classIn(v)].push_back(
              {v, {flat_.position[id.value], std::max<int64_t>(lastUseOf_[v], flat_.position[id.value])}});
    std::vector<uint32_t> carries;
    const InstructionId state = body.parameters[0];
    for (uint32_t leaf = 0, n = leafCount(module_.shapeOf(state)); leaf < n; ++leaf)
      if (isMutableCarry(c, leaf) && isArray(value(state, leaf)) &&
          out_.shapes_[value(state, leaf)]->elementCount() > 1)
        carries.push_back(classIn(value(state, leaf)));
    for (const auto& [candidate, its] : uses) {
      if (fixed_[candidate] || out_.outer_[candidate] != kNone || isCarryClass(body, candidate)) continue;
      const auto carry =
          std::ranges::find_if(carries, [&](uint32_t one) { return fits(its, uses.at(one), *out_.shapes_[one]); });
      if (carry == carries.end()) continue;
      join(*carry, candidate);
      uses.at(*carry).insert(uses.at(*carry).end(), its.begin(), its.end());
    }
  }
  bool fits(const Uses& some, const Uses& others, const Shape& shape) const {
    return std::ranges::all_of(some, [&](const auto& one) {
      const Shape& is = *out_.shapes_[one.first];
      return is.type == shape.type && is.dimensions == shape.dimensions && is.layout == shape.layout &&
             std::ranges::none_of(others, [&](const auto& other) {
               return one.second.begin <= other.second.end && other.second.begin <= one.second.end;
             });
    });
  }

  // --- live ranges, in the one sequence of time
  void computeLiveRanges() {
    const size_t count = out_.shapes_.size();
    out_.liveBegin_.assign(count, 0);
    out_.liveEnd_.assign(count, 0);
    for (ComputationId c : flat_.computations) {
      const std::vector<InstructionId>& instructions = module_.at(c).instructions;
      for (InstructionId id : instructions)
        for (uint32_t leaf = 0, n = leafCount(*module_.at(id).shape); leaf < n; ++leaf) {
          uint32_t v = value(id, leaf);
          if (out_.parent_[v] != v) continue;
          auto last = std::max<int64_t>(lastUse_[v], firstDef_[v]);
          out_.liveBegin_[v] = flat_.begin[instructions[static_cast<size_t>(firstDef_[v])].value];
          bool toTheEnd = last >= static_cast<int64_t>(instructions.size());
          out_.liveEnd_[v] =
              toTheEnd ? flat_.lastTime.at(c.value) : flat_.end[instructions[static_cast<size_t>(last)].value];
        }
    }
  }

  const Module& module_;
  AliasAnalysis out_;
  FlatSchedule flat_;
  std::unordered_map<uint32_t, uint32_t> carryLeaf_;  // of the current body: origin of a root leaf -> leaf
  std::vector<int64_t> lastUse_, firstDef_;           // by class
  std::vector<int64_t> lastUseOf_;                    // by value: before values became classes
  std::vector<uint8_t> fixed_;                        // by class: may not be written
};

Result<AliasAnalysis> AliasAnalysis::of(const Module& module) { return AliasBuilder(module).run(); }

}  // namespace tessera
