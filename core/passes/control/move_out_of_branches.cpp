// See move_out_of_branches.h. Instructions of branches get numbers: equal ones are the same work on the same values
// from outside. What has the same number in all branches can be computed outside.
#include "core/passes/control/move_out_of_branches.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/ops/inference/callee_index.h"
#include "core/passes/control/loop_form.h"
#include "core/passes/dead_code.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

constexpr size_t kMaxBranchInstructions = 10'000;  // of a branch
constexpr size_t kMaxRounds = 16;                  // ends that follow one another

bool isExpensive(Opcode opcode) {
  switch (opcode) {
    case Opcode::Dot:
    case Opcode::Convolution:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Sort:
    case Opcode::Scatter:
    case Opcode::SelectAndScatter:
    case Opcode::Fft:
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
    case Opcode::Gather: return true;
    default: return false;
  }
}

double bytesOf(const Shape& shape) { return static_cast<double>(shape.denseBytes().value_or(INT64_MAX)); }

class BranchMotion {
 public:
  BranchMotion(Rewriter& rewriter, InstructionId id)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        in_(rewriter.visit(id)),
        branches_(branchesOf(*in_.attributes)),
        numbers_(branches_.size()),
        uses_(branches_.size()) {}

  bool run() {
    if (!isPlain()) return false;
    for (size_t b = 0; b < branches_.size(); ++b) number(b);
    findBeginnings();
    findEnds();
    if (moved_.empty() && std::ranges::none_of(ends_, [](const auto& end) { return end.has_value(); })) return false;
    rebuild();
    return true;
  }

 private:
  // The same work on the same values, whichever branch does it.
  struct Work {
    Ids samples;  // by branch, as far as it has one
    std::vector<size_t> operands;
    InstructionId outside;   // where it is already
    bool expensive = false;  // it, or what it needs, is
    size_t branches = 0;
  };

  bool isPlain() const {
    if (branches_.size() < 2 || in_.operands.size() != branches_.size() + 1 ||
        in_.attributes->has(Attr::control_predecessors))
      return false;
    return std::ranges::all_of(branches_, [&](ComputationId branch) {
      const Computation& c = module_.at(branch);
      return c.parameters.size() == 1 && c.instructions.size() <= kMaxBranchInstructions &&
             std::ranges::none_of(c.instructions, [&](InstructionId id) {
               return module_.at(id).attributes->has(Attr::control_predecessors) ||
                      module_.at(id).shape->hasDynamicDimensions();
             });
    });
  }

  InstructionId operandOf(size_t b) const { return rewriter_.resolve(in_.operands[b + 1]); }

  // --- numbers

  void number(size_t b) {
    const Computation& branch = module_.at(branches_[b]);
    for (InstructionId id : branch.instructions) {
      for (InstructionId operand : module_.at(id).operands) ++uses_[b][operand.value];
      if (const auto work = workOf(b, branch, module_.at(id))) {
        numbers_[b][id.value] = *work;
        Work& same = works_[*work];
        if (same.samples.size() <= b) same.samples.resize(b + 1), ++same.branches;
        if (!same.samples[b].valid()) same.samples[b] = id;
      }
    }
  }

  std::optional<size_t> workOf(size_t b, const Computation& branch, const Instruction& in) {
    if (const InstructionId from = takenFromOutside(b, branch, in); from.valid()) return leaf(from);
    if (!in.shape->isArray() || in.opcode == Opcode::Parameter || in.opcode == Opcode::GetTupleElement ||
        in.opcode == Opcode::Call)
      return std::nullopt;
    if (hasSideEffect(in) || isStateful(in)) return std::nullopt;
    std::vector<size_t> operands;
    for (InstructionId operand : in.operands) {
      auto at = numbers_[b].find(operand.value);
      if (at == numbers_[b].end()) return std::nullopt;
      operands.push_back(at->second);
    }
    return same(in, std::move(operands));
  }

  InstructionId takenFromOutside(size_t b, const Computation& branch, const Instruction& in) const {
    if (in.id == branch.parameters[0] && in.shape->isArray()) return operandOf(b);
    const auto k = elementOf(module_, in.id, branch.parameters[0]);
    const Instruction& operand = module_.at(operandOf(b));
    return k && operand.opcode == Opcode::Tuple ? rewriter_.resolve(operand.operands[*k]) : InstructionId();
  }

  size_t leaf(InstructionId outside) {
    auto [at, isNew] = leaves_.try_emplace(outside.value, works_.size());
    if (isNew) works_.push_back({{}, {}, outside, false, 0});
    return at->second;
  }

  size_t same(const Instruction& in, std::vector<size_t> operands) {
    std::vector<size_t>& alike = byForm_[{in.opcode, operands}];
    for (size_t w : alike) {
      const Instruction& other = module_.at(*std::ranges::find_if(works_[w].samples, &InstructionId::valid));
      const bool equalLiterals =
          in.literal == other.literal || (in.literal && other.literal && !in.literal->elided() &&
                                          !other.literal->elided() && in.literal->identical(*other.literal));
      if (in.shape == other.shape && equalLiterals && equalAttributes(*in.attributes, *other.attributes)) return w;
    }
    bool expensive = isExpensive(in.opcode);
    for (size_t operand : operands) expensive = expensive || works_[operand].expensive;
    alike.push_back(works_.size());
    works_.push_back({{}, std::move(operands), {}, expensive, 0});
    return works_.size() - 1;
  }

  bool isCommon(size_t work) const {
    return works_[work].outside.valid() || (works_[work].branches == branches_.size());
  }

  // --- what moves

  // Dear, the same everywhere, and no larger than what it is made of.
  bool moves(size_t work) const {
    const Work& w = works_[work];
    if (!w.expensive || w.outside.valid() || !isCommon(work)) return false;
    const Instruction& in = module_.at(w.samples[0]);
    double read = 0;
    for (InstructionId operand : in.operands) read += bytesOf(module_.shapeOf(operand));
    return isExpensive(in.opcode) || bytesOf(*in.shape) <= read;
  }

  // The last ones of what moves: some branch reads them by what stays.
  void findBeginnings() {
    std::vector<bool> isRead(works_.size(), false);
    auto workIn = [&](size_t b, InstructionId id) {
      auto at = numbers_[b].find(id.value);
      return at == numbers_[b].end() ? std::optional<size_t>() : std::optional(at->second);
    };
    for (size_t b = 0; b < branches_.size(); ++b) {
      const Computation& branch = module_.at(branches_[b]);
      if (const auto work = workIn(b, branch.root)) isRead[*work] = true;
      for (InstructionId id : branch.instructions) {
        const auto own = workIn(b, id);
        if (own && moves(*own)) continue;
        for (InstructionId operand : module_.at(id).operands)
          if (const auto work = workIn(b, operand)) isRead[*work] = true;
      }
    }
    for (size_t w = 0; w < works_.size(); ++w)
      if (isRead[w] && moves(w)) moved_.push_back(w);
  }

  InstructionId resultOf(size_t b, size_t i) const {
    const InstructionId root = module_.at(branches_[b]).root;
    return in_.shape->isTuple() ? module_.at(root).operands[i] : root;
  }

  void findEnds() {
    ends_.resize(in_.shape->isTuple() ? in_.shape->elements.size() : 1);
    if (in_.shape->isTuple())
      for (ComputationId branch : branches_)
        if (module_.at(module_.at(branch).root).opcode != Opcode::Tuple) return;
    for (size_t i = 0; i < ends_.size(); ++i)
      if (endsAlike(i)) ends_[i] = resultOf(0, i);
  }

  // Every branch makes result `i` by the same operation of one operand, which holds fewer bytes or the same ones.
  bool endsAlike(size_t i) const {
    const Instruction& first = module_.at(resultOf(0, i));
    if (first.operands.size() != 1 || !first.shape->isArray() || !module_.shapeOf(first.operands[0]).isArray() ||
        hasSideEffect(first) || isStateful(first))
      return false;
    const OpcodeKind kind = kindOf(first);
    if (kind == OpcodeKind::Other) return false;
    const Shape& from = module_.shapeOf(first.operands[0]);
    if (kind == OpcodeKind::Widens && bytesOf(from) >= bytesOf(*first.shape)) return false;
    for (size_t b = 0; b < branches_.size(); ++b) {
      const Instruction& end = module_.at(resultOf(b, i));
      if (end.opcode != first.opcode || end.shape != first.shape || end.operands.size() != 1 ||
          module_.shapeOf(end.operands[0]) != from)
        return false;
      if (!equalAttributes(*end.attributes, *first.attributes) || isMovedIn(b, end.id)) return false;
      const auto reads = uses_[b].find(end.id.value);
      if ((reads == uses_[b].end() ? 0u : reads->second) != (in_.shape->isTuple() ? 1u : 0u)) return false;
    }
    return true;
  }
  enum class OpcodeKind { Widens, Reshapes, Other };
  static OpcodeKind kindOf(const Instruction& in) {
    if (in.opcode == Opcode::Reshape) return OpcodeKind::Reshapes;
    return in.opcode == Opcode::Broadcast || in.opcode == Opcode::Convert ? OpcodeKind::Widens : OpcodeKind::Other;
  }
  bool isMovedIn(size_t b, InstructionId id) const {
    auto at = numbers_[b].find(id.value);
    return at != numbers_[b].end() && std::ranges::find(moved_, at->second) != moved_.end();
  }

  // --- the conditional again

  InstructionId add(ComputationId into, Opcode opcode, const Shape& shape, const Ids& operands,
                    AttributeSet attributes = {}) {
    const InstructionId origin[] = {in_.id};
    return rewriter_.add(into, opcode, shape, operands, std::move(attributes), origin);
  }
  InstructionId element(ComputationId into, InstructionId tuple, size_t i) {
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(i));
    return add(into, Opcode::GetTupleElement, Shape(module_.shapeOf(tuple).elements[i]), {tuple},
               std::move(attributes));
  }

  InstructionId outside(size_t work) {
    if (works_[work].outside.valid()) return works_[work].outside;
    Ids operands;
    for (size_t operand : works_[work].operands) operands.push_back(outside(operand));
    const Ids samples = works_[work].samples;
    const InstructionId made = rewriter_.clone(samples[0], in_.computation, operands);
    for (size_t b = 1; b < samples.size(); ++b)
      if (samples[b] != samples[0]) rewriter_.absorb(made, samples[b]);
    return works_[work].outside = made;
  }

  // The operand of branch `b`, element by element, then what moved.
  Ids operandElements(size_t b) {
    const InstructionId operand = operandOf(b);
    Ids elements;
    if (!module_.shapeOf(operand).isTuple())
      elements.push_back(operand);
    else if (module_.at(operand).opcode == Opcode::Tuple)
      elements.assign(module_.at(operand).operands.begin(), module_.at(operand).operands.end());
    else
      for (size_t i = 0; i < module_.shapeOf(operand).elements.size(); ++i)
        elements.push_back(element(in_.computation, operand, i));
    for (size_t work : moved_) elements.push_back(outside(work));
    return elements;
  }

  InstructionId tupleOf(ComputationId into, const Ids& parts) {
    std::vector<Shape> shapes;
    for (InstructionId part : parts) shapes.push_back(module_.shapeOf(part));
    return add(into, Opcode::Tuple, Shape::tuple(std::move(shapes)), parts);
  }

  // A copy of branch `b` that takes what moved from its operand, and ends before the common ends.
  ComputationId branchAnew(size_t b, const Shape& operand) {
    const Computation from = module_.at(branches_[b]);
    const ComputationId copy =
        module_.addComputation(std::string(from.name) + ".t" + std::to_string(module_.instructionSlots()));
    const InstructionId parameter = rewriter_.clone(from.parameters[0], copy, {});
    const bool wasArray = module_.shapeOf(from.parameters[0]).isArray();
    const size_t first = operand.isTuple() ? operand.elements.size() - moved_.size() : 0;
    module_.setShape(parameter, operand);
    std::unordered_map<uint32_t, InstructionId> map{
        {from.parameters[0].value, wasArray && operand.isTuple() ? element(copy, parameter, 0) : parameter}};
    for (InstructionId id : from.instructions) {
      if (map.contains(id.value)) continue;
      const auto at = numbers_[b].find(id.value);
      const auto moved = at == numbers_[b].end() ? moved_.end() : std::ranges::find(moved_, at->second);
      if (moved != moved_.end()) {
        map[id.value] = element(copy, parameter, first + static_cast<size_t>(moved - moved_.begin()));
        continue;
      }
      Ids operands;
      for (InstructionId o : module_.at(id).operands) operands.push_back(map.at(o.value));
      map[id.value] = rewriter_.clone(id, copy, operands);
    }
    module_.setRoot(copy, rootAnew(b, copy, map));
    return copy;
  }
  InstructionId rootAnew(size_t b, ComputationId copy, const std::unordered_map<uint32_t, InstructionId>& map) {
    if (std::ranges::none_of(ends_, [](const auto& end) { return end.has_value(); }))
      return map.at(module_.at(branches_[b]).root.value);
    Ids parts;
    for (size_t i = 0; i < ends_.size(); ++i) {
      const InstructionId result = resultOf(b, i);
      parts.push_back(map.at((ends_[i] ? module_.at(result).operands[0] : result).value));
    }
    return in_.shape->isTuple() ? tupleOf(copy, parts) : parts[0];
  }

  void rebuild() {
    Ids operands{rewriter_.resolve(in_.operands[0])};
    std::vector<ComputationId> anew;
    for (size_t b = 0; b < branches_.size(); ++b) {
      operands.push_back(moved_.empty() ? operandOf(b) : tupleOf(in_.computation, operandElements(b)));
      anew.push_back(branchAnew(b, Shape(module_.shapeOf(operands.back()))));
    }
    AttributeSet attributes = *in_.attributes;
    for (const Attribute& item : in_.attributes->items()) {
      if (item.name == Attr::true_computation)
        attributes.set(item.name, anew[0]);
      else if (item.name == Attr::false_computation)
        attributes.set(item.name, anew[1]);
      else if (item.name == Attr::branch_computations)
        attributes.set(item.name, anew);
    }
    const InstructionId now = add(in_.computation, Opcode::Conditional,
                                  Shape(module_.shapeOf(module_.at(anew[0]).root)), operands, std::move(attributes));
    rewriter_.replace(in_.id, withEnds(now));
  }

  InstructionId endOf(size_t i, InstructionId value) {
    if (!ends_[i]) return value;
    const InstructionId made = rewriter_.clone(*ends_[i], in_.computation, Ids{value});
    for (size_t b = 1; b < branches_.size(); ++b)
      if (resultOf(b, i) != *ends_[i]) rewriter_.absorb(made, resultOf(b, i));
    return made;
  }
  InstructionId withEnds(InstructionId now) {
    if (std::ranges::none_of(ends_, [](const auto& end) { return end.has_value(); })) return now;
    if (!in_.shape->isTuple()) return endOf(0, now);
    Ids parts;
    for (size_t i = 0; i < ends_.size(); ++i) parts.push_back(endOf(i, element(in_.computation, now, i)));
    return tupleOf(in_.computation, parts);
  }

  Rewriter& rewriter_;
  Module& module_;
  const Instruction in_;
  const std::vector<ComputationId> branches_;
  std::vector<Work> works_;
  std::vector<std::unordered_map<uint32_t, size_t>> numbers_;  // by branch, by instruction: its work
  std::vector<std::unordered_map<uint32_t, unsigned>> uses_;   // by branch
  std::unordered_map<uint32_t, size_t> leaves_;
  std::map<std::pair<Opcode, std::vector<size_t>>, std::vector<size_t>> byForm_;
  std::vector<size_t> moved_;
  std::vector<std::optional<InstructionId>> ends_;  // by result: the first branch's last instruction, where it moves
};

Ids conditionalsOf(const Module& module) {
  Ids found;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Conditional) found.push_back(id);
  return found;
}

}  // namespace

Result<bool> moveOutOfBranches(Module& module) {
  bool any = false;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (InstructionId id : conditionalsOf(module)) {
      if (!module.contains(id)) continue;
      Rewriter rewriter(module, "move-out-of-branches");
      if (!BranchMotion(rewriter, id).run()) continue;
      TESSERA_TRY(rewriter.finish());
      changed = true;
    }
    if (!changed) break;
    any = true;
    TESSERA_TRY(restoreComputationOrder(module));
    TESSERA_TRY(removeDeadCode(module));
  }
  return any;
}

}  // namespace tessera
