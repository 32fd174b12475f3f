// See size_flow.h. Every dimension begins as a variable of its own; the relations of the ops unify them, whatever the
// order. Beside those only slices of one value need more than one instruction at a time.
#include "core/edit/sizes/size_flow.h"

#include <algorithm>
#include <map>

#include "core/base/sorting.h"
#include "core/ops/inference/infer.h"
#include "core/ops/shared/dimension_relations.h"

namespace tessera {
namespace {

using Dims = std::vector<SymbolicSize>;

class Rules {
 public:
  Rules(const Module& module, SizeFlow& flow) : module_(module), flow_(flow) {}

  void run() {
    flow_.values.resize(module_.instructionSlots());
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) makeAtoms(id);
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions)
        if (operandsStand(id) && agreesWithInference(module_, id)) relate(id);
    for (auto& [whole, slices] : slices_)
      if (!tiles(whole.first, whole.second, slices))
        for (const SliceOf& slice : slices) alone(slice, whole.second);
  }

 private:
  // One dimension of a slice.
  struct SliceOf {
    InstructionId slice;
    SliceDimension row;
  };

  void makeAtoms(InstructionId id) {
    for (const ShapeLeaf& leaf : leavesOf(module_.shapeOf(id))) {
      Dims& dims = flow_.values[id.value].emplace_back();
      for (int64_t size : leaf.shape->dimensions) dims.push_back(flow_.terms.variable(size));
    }
  }
  bool operandsStand(InstructionId id) const {
    const auto& operands = module_.at(id).operands;
    return std::ranges::all_of(operands,
                               [&](InstructionId operand) { return operand.valid() && module_.contains(operand); });
  }
  const Dims& dims(InstructionId id) const {
    static const Dims kNone;
    return flow_.values[id.value].empty() ? kNone : flow_.values[id.value].front();
  }
  int64_t size(SymbolicSize term) const { return flow_.terms.sizeOf(term); }

  void same(InstructionId id, SymbolicSize a, SymbolicSize b) {
    if (!flow_.terms.unify(a, b) && size(a) == size(b))
      flow_.constraints.push_back({{a}, {b}, id, "two sizes that are made in unlike ways meet here"});
  }
  void fix(InstructionId id, const Dims& all, std::string_view reason) {
    for (SymbolicSize term : all) flow_.fixed.push_back({term, id, std::string(reason)});
  }
  // Nothing tells how a result follows: neither it nor what it reads may change.
  void opaque(InstructionId id) {
    const std::string name(nameOf(module_.at(id).opcode));
    const std::string reason =
        name + (module_.at(id).opcode == Opcode::CustomCall ? ": only its target knows how its sizes follow"
                                                            : ": how its sizes follow cannot be told");
    for (const Dims& leaf : flow_.values[id.value]) fix(id, leaf, reason);
    for (InstructionId operand : module_.at(id).operands)
      for (const Dims& leaf : flow_.values[operand.value]) fix(id, leaf, reason);
  }

  // nullptr: there is no such dimension, as in a called computation that does not fit.
  const SymbolicSize* termOf(InstructionId id, const DimensionRef& ref) const {
    const Instruction& in = module_.at(id);
    InstructionId value = id;
    if (ref.of == DimensionRef::Of::Operand) {
      value = in.operands[ref.value];
    } else if (ref.of != DimensionRef::Of::Result) {
      const Computation& callee = module_.at(module_.callees(in)[ref.callee]);
      if (ref.of == DimensionRef::Of::Parameter && ref.value >= callee.parameters.size()) return nullptr;
      value = ref.of == DimensionRef::Of::Root ? callee.root : callee.parameters[ref.value];
    }
    if (!value.valid() || ref.leaf >= flow_.values[value.value].size()) return nullptr;
    const Dims& dims = flow_.values[value.value][ref.leaf];
    return ref.dimension < dims.size() ? &dims[ref.dimension] : nullptr;
  }

  void relate(InstructionId id) {
    const DimensionRelations relations = dimensionRelationsOf(module_, module_.at(id));
    if (relations.opaque) return opaque(id);
    for (const ReshapeGroup& group : relations.groups) reshape(id, group);
    const auto& rows = relations.rows;
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool again = i > 0 && rows[i].to == rows[i - 1].to && rows[i].rule == rows[i - 1].rule;
      if (again && rows[i].rule != DimensionRule::Same) continue;
      const SymbolicSize *to = termOf(id, rows[i].to), *from = termOf(id, rows[i].from);
      if (!to || (!from && rows[i].rule != DimensionRule::Fixed)) continue;
      if (rows[i].rule == DimensionRule::Sum)
        sum(id, *to, std::span(rows).subspan(i));
      else if (rows[i].rule == DimensionRule::Fixed)
        fix(id, {*to}, rows[i].fixed);
      else
        relate(id, rows[i], *to, *from);
    }
  }
  void relate(InstructionId id, const DimensionRelation& relation, SymbolicSize to, SymbolicSize from) {
    if (!relation.fixed.empty())
      return fix(id, relation.rule == DimensionRule::Same ? Dims{to} : Dims{from, to}, relation.fixed);
    if (relation.aligned) return same(id, to, from);
    switch (relation.rule) {
      case DimensionRule::Same: return same(id, to, from);
      case DimensionRule::Part: return size(to) == size(from) ? same(id, to, from) : void();
      case DimensionRule::Sliced:
        slices_[{module_.at(id).operands[relation.from.value], relation.from.dimension}].push_back(
            {id, std::get<SliceDimension>(relation.how)});
        return;
      case DimensionRule::Padded: {
        const auto& padding = std::get<PaddingDimension>(relation.how);
        if (padding.interior != 0) return through(id, relation, to, from);
        return same(id, to, flow_.terms.sum({from}, padding.low + padding.high));
      }
      case DimensionRule::Half: return half(id, relation, to, from);
      default: return through(id, relation, to, from);
    }
  }

  void sum(InstructionId id, SymbolicSize to, std::span<const DimensionRelation> rows) {
    Dims parts;
    for (const DimensionRelation& row : rows) {
      if (row.to != rows[0].to || row.rule != DimensionRule::Sum) break;
      if (const SymbolicSize* part = termOf(id, row.from)) parts.push_back(*part);
    }
    same(id, to, parts.size() == 1 ? parts[0] : flow_.terms.sum(parts, 0));
  }
  // What a rule makes of a dimension; the same where it keeps every size.
  void through(InstructionId id, const DimensionRelation& relation, SymbolicSize to, SymbolicSize from) {
    const auto rule = [relation, whole = size(from)](int64_t n) { return sizeByRule(relation, n, whole); };
    const int64_t probe = size(from) + 97;
    if (rule(size(from)) != size(to)) return fix(id, {from, to}, "the window does not say how the size follows");
    if (size(from) == size(to) && rule(probe) == probe) return same(id, from, to);
    same(id, to, flow_.terms.mapped(from, rule));
  }
  void half(InstructionId id, const DimensionRelation& relation, SymbolicSize to, SymbolicSize from) {
    if (const auto known = halves_.find(flow_.terms.find(to)); known != halves_.end())
      return same(id, from, known->second);  // there and back
    through(id, relation, to, from);
    halves_[flow_.terms.find(to)] = from;
  }
  void reshape(InstructionId id, const ReshapeGroup& group) {
    Dims from, to;
    for (size_t d : group.from) from.push_back(dims(module_.at(id).operands[0])[d]);
    for (size_t d : group.to) to.push_back(dims(id)[d]);
    if (!flow_.terms.uniteProducts(from, to))
      flow_.constraints.push_back({from, to, id, "the dimensions are merged here in a way that leaves no single size"});
    for (Dims side : {from, to}) {
      std::erase_if(side, [&](SymbolicSize term) { return size(term) != 1; });
      fix(id, side, "a size of 1 that a reshape adds or takes away");
    }
  }

  // Slices of one value that lie end to end over a dimension are its parts; else a slice that begins at 0 or ends at
  // the end keeps doing so, and what is cut off keeps its length.
  bool tiles(InstructionId value, size_t d, std::vector<SliceOf> slices) {
    sortBy(slices, [](const SliceOf& each) { return each.row.start; });
    Dims lengths;
    std::vector<SizeFlow::SliceStart> starts;
    int64_t next = 0, begin = -1;
    for (const auto& [slice, row] : slices) {
      if (row.stride != 1 || (row.start != next && row.start != begin)) return false;
      if (row.start == begin && row.limit != next) return false;
      if (row.start == begin) {  // the same stretch once more
        starts.push_back(starts.back());
        starts.back().slice = slice;
        continue;
      }
      starts.push_back({slice, d, 0, lengths});
      begin = row.start;
      next = row.limit;
      lengths.push_back(dims(slice)[d]);
    }
    if (next != size(dims(value)[d]) || lengths.size() < 2) return false;
    for (size_t i = 1; i < starts.size(); ++i)
      if (starts[i].before.size() == starts[i - 1].before.size())
        same(slices[i].slice, dims(slices[i].slice)[d], dims(slices[i - 1].slice)[d]);
    flow_.sliceStarts.insert(flow_.sliceStarts.end(), starts.begin(), starts.end());
    same(slices[0].slice, dims(value)[d], flow_.terms.sum(lengths, 0));
    return true;
  }
  void alone(const SliceOf& part, size_t d) {
    constexpr int64_t kShift = 2;  // x[:-1] is cut off at the end, x[:8] is a beginning
    const auto& [slice, row] = part;
    const SymbolicSize whole = dims(module_.at(slice).operands[0])[d], length = dims(slice)[d];
    const int64_t cut = size(whole) - row.limit;
    flow_.sliceStarts.push_back({slice, d, row.start, {}});
    if (row.stride == 1 && (cut == 0 || (row.start == 0 && cut <= kShift && row.limit > kShift)))
      same(slice, length, flow_.terms.sum({whole}, -row.start - cut));
    else if (row.stride != 1 && cut < row.stride)
      same(slice, length, flow_.terms.mapped(whole, [row = row](int64_t n) {
        return std::max<int64_t>(n - row.start + row.stride - 1, 0) / row.stride;
      }));
  }

  const Module& module_;
  SizeFlow& flow_;
  std::map<std::pair<InstructionId, size_t>, std::vector<SliceOf>> slices_;  // by value and dimension
  std::map<SymbolicSize, SymbolicSize> halves_;  // of real transforms: the real side of a complex one
};

}  // namespace

SizeFlow::SizeFlow(const Module& module) { Rules(module, *this).run(); }

}  // namespace tessera
