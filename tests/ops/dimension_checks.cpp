// See dimension_checks.h.
#include "tests/ops/dimension_checks.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <tuple>

#include "core/ops/inference/infer.h"
#include "core/ops/shared/dimension_reasons.h"
#include "core/ops/shared/dimension_relations.h"

namespace tessera {
namespace {

using Of = DimensionRef::Of;

// One instruction with shapes of its own, so that sizes can be changed.
class Site {
 public:
  Site(const Module& module, const Instruction& instruction)
      : instruction_(instruction), context_(inferContextOf(module, instruction)), result_(*instruction.shape) {
    for (const Shape* operand : context_.operands) operands_.push_back(*operand);
    for (size_t k = 0; k < operands_.size(); ++k) context_.operands[k] = &operands_[k];
    context_.written = &result_;
    relations_ = dimensionRelationsOf(context_);
  }
  Site(const Site&) = delete;

  const DimensionRelations& relations() const { return relations_; }
  const InferContext& context() const { return context_; }
  Shape& result() { return result_; }
  size_t operandCount() const { return operands_.size(); }
  const Shape& operand(size_t k) const { return operands_[k]; }
  std::string where(const DimensionRef& ref) const {
    static const char* const kNames[] = {"operand", "result", "parameter", "root"};
    return std::string(instruction_.opcodeName()) + " " + std::string(instruction_.name) + ": " +
           kNames[static_cast<size_t>(ref.of)] + " " + std::to_string(ref.value) + " leaf " + std::to_string(ref.leaf) +
           " dimension " + std::to_string(ref.dimension);
  }

  int64_t* sizeOf(const DimensionRef& ref) {
    Shape* shape = shapeOf(ref);
    size_t leaf = ref.leaf;
    shape = shape ? leafOf(*shape, leaf) : nullptr;
    return shape && ref.dimension < shape->dimensions.size() ? &shape->dimensions[ref.dimension] : nullptr;
  }

  // Attributes that say a size as well.
  void adaptAttributes() {
    attributes_ = *context_.attributes;
    if (context_.opcode == Opcode::Fft) {
      auto lengths = attributes_.ints(Attr::fft_length);
      const Shape& real = attributes_.textOr(Attr::fft_type, "") == "IRFFT" ? result_ : operands_[0];
      for (size_t i = 0; i < lengths.size(); ++i)
        lengths[i] = real.dimensions[real.dimensions.size() - lengths.size() + i];
      attributes_.set(Attr::fft_length, lengths);
    }
    context_.attributes = &attributes_;
  }

 private:
  Shape* shapeOf(const DimensionRef& ref) {
    switch (ref.of) {
      case Of::Operand: return ref.value < operands_.size() ? &operands_[ref.value] : nullptr;
      case Of::Result: return &result_;
      default: break;
    }
    if (ref.callee >= context_.computations.size()) return nullptr;
    ProgramShape& callee = context_.computations[ref.callee];
    if (ref.of == Of::Root) return &callee.result;
    return ref.value < callee.parameters.size() ? &callee.parameters[ref.value] : nullptr;
  }
  static Shape* leafOf(Shape& shape, size_t& leaf) {
    if (!shape.isTuple()) return leaf-- == 0 ? &shape : nullptr;
    for (Shape& element : shape.elements)
      if (Shape* found = leafOf(element, leaf)) return found;
    return nullptr;
  }

  const Instruction& instruction_;
  InferContext context_;
  std::deque<Shape> operands_;
  Shape result_;
  AttributeSet attributes_;
  DimensionRelations relations_;
};

void checkHolds(Site& site, DimensionChecks& checks, const std::string& opcode) {
  const auto& rows = site.relations().rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t* to = site.sizeOf(rows[i].to);
    ASSERT_TRUE(to) << site.where(rows[i].to) << " does not exist";
    if (rows[i].rule == DimensionRule::Fixed) continue;
    const int64_t* from = site.sizeOf(rows[i].from);
    ASSERT_TRUE(from) << site.where(rows[i].from) << " does not exist";
    int64_t made = sizeByRule(rows[i], *from, *from);
    if (rows[i].rule == DimensionRule::Sum) {
      made = 0;
      for (const DimensionRelation& part : rows)
        if (part.to == rows[i].to && part.rule == DimensionRule::Sum) made += *site.sizeOf(part.from);
    }
    if (rows[i].rule == DimensionRule::Part)
      EXPECT_LE(*to, *from) << site.where(rows[i].to);
    else
      EXPECT_EQ(*to, made) << site.where(rows[i].to) << " from " << site.where(rows[i].from);
    EXPECT_TRUE(!rows[i].aligned || *to == *from) << site.where(rows[i].to);
    ++checks.relations;
    checks.held.insert(opcode);
  }
  for (const ReshapeGroup& group : site.relations().groups) {
    int64_t left = 1, right = 1;
    for (size_t d : group.from) left *= *site.sizeOf(DimensionRef::operand(0, d));
    for (size_t d : group.to) right *= *site.sizeOf(DimensionRef::result(d));
    EXPECT_EQ(left, right) << opcode;
    checks.held.insert(opcode);
  }
}

// Doubles a dimension of an operand and all that follows. False where something in its way keeps its size or is said by
// an attribute.
class Doubling {
 public:
  explicit Doubling(Site& site) : site_(site) {}

  bool from(const DimensionRef& first) {
    set(first, 2 * *site_.sizeOf(first));
    while (possible_ && !pending_.empty()) {
      const DimensionRef ref = pending_.back();
      pending_.pop_back();
      follow(ref);
    }
    for (const DimensionRelation& row : site_.relations().rows)
      if (possible_ && row.rule == DimensionRule::Sum && touched(row.from)) sum(row.to);
    return possible_;
  }
  void apply() {
    for (const auto& [key, ref] : refs_) *site_.sizeOf(ref) = sizes_.at(key);
  }

 private:
  using Key = std::tuple<int, uint32_t, uint32_t, uint32_t, uint32_t>;
  static Key keyOf(const DimensionRef& r) { return {static_cast<int>(r.of), r.callee, r.value, r.leaf, r.dimension}; }
  bool touched(const DimensionRef& ref) const { return sizes_.contains(keyOf(ref)); }
  int64_t now(const DimensionRef& ref) {
    const auto found = sizes_.find(keyOf(ref));
    return found == sizes_.end() ? *site_.sizeOf(ref) : found->second;
  }
  void set(const DimensionRef& ref, int64_t size) {
    const auto [at, isNew] = sizes_.emplace(keyOf(ref), size);
    possible_ = possible_ && at->second == size;
    if (!isNew) return;
    refs_.emplace(keyOf(ref), ref);
    pending_.push_back(ref);
  }
  void follow(const DimensionRef& ref) {
    for (const DimensionRelation& row : site_.relations().rows) {
      const bool isTo = row.to == ref, isFrom = row.from == ref && row.rule != DimensionRule::Fixed;
      if (!isTo && !isFrom) continue;
      if (row.rule == DimensionRule::Part && isFrom && now(row.to) < *site_.sizeOf(ref)) continue;  // it stays
      const bool said = row.rule == DimensionRule::Part || row.rule == DimensionRule::Sliced;
      if (row.rule == DimensionRule::Fixed || !row.fixed.empty() || said) return void(possible_ = false);
      if (row.rule == DimensionRule::Sum) continue;
      if (row.rule == DimensionRule::Same)
        set(isTo ? row.from : row.to, now(ref));
      else if (isFrom)
        set(row.to, sizeByRule(row, now(ref), now(ref)));
      else if (!touched(row.from))
        return void(possible_ = false);  // the other way round there is no one answer
    }
    for (const ReshapeGroup& group : site_.relations().groups)
      for (size_t d : group.from)
        if (DimensionRef::operand(0, d) == ref) {
          if (group.to.empty()) return void(possible_ = false);
          set(DimensionRef::result(group.to[0]), 2 * *site_.sizeOf(DimensionRef::result(group.to[0])));
        }
  }
  void sum(const DimensionRef& to) {
    int64_t all = 0;
    for (const DimensionRelation& row : site_.relations().rows)
      if (row.to == to && row.rule == DimensionRule::Sum) all += now(row.from);
    set(to, all);
  }

  Site& site_;
  bool possible_ = true;
  std::map<Key, int64_t> sizes_;
  std::map<Key, DimensionRef> refs_;
  std::vector<DimensionRef> pending_;
};

// Slices of a gather as large as its operand are said by an attribute, whose new value follows from the result.
bool isSaidByAttribute(const Site& site, const DimensionRef& ref) {
  return site.context().opcode == Opcode::Gather && ref.value == 0;
}

void checkResizing(const Module& module, const Instruction& instruction, DimensionChecks& checks) {
  const size_t operands = instruction.operands.size();
  for (size_t k = 0; k < operands; ++k) {
    const auto leaves = leavesOf(module.shapeOf(instruction.operands[k]));
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      for (size_t d = 0; d < leaves[leaf].shape->dimensions.size(); ++d) {
        Site site(module, instruction);
        const DimensionRef ref = DimensionRef::operand(k, d, leaf);
        if (leaves[leaf].shape->dimensions[d] < 2 || isSaidByAttribute(site, ref)) continue;
        Doubling doubling(site);
        if (!doubling.from(ref)) continue;
        doubling.apply();
        site.adaptAttributes();
        const auto inferred = site.context().op->inferShape(site.context());
        ASSERT_TRUE(inferred) << site.where(ref) << ": " << inferred.error().toString();
        EXPECT_TRUE(compatible(*inferred, site.result()))
            << site.where(ref) << ": inference gives " << toString(*inferred, false) << ", the relations "
            << toString(site.result(), false);
        ++checks.resizings;
        checks.resized.insert(std::string(instruction.opcodeName()));
      }
  }
}

}  // namespace

void DimensionChecks::check(const Module& module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& instruction = module.at(id);
      const OpDef* op = findOp(instruction.opcode);
      if (!op || !op->inferShape || isUnbounded(*instruction.shape)) continue;
      bool known = true;
      for (InstructionId operand : instruction.operands)
        known = known && operand.valid() && module.contains(operand) && !isUnbounded(module.shapeOf(operand));
      if (!known) continue;
      const auto inferred = inferInstruction(module, id);
      if (!inferred || !compatible(*inferred, *instruction.shape)) continue;
      const size_t rank = instruction.shape->isArray() ? instruction.shape->dimensions.size() : 0;
      EXPECT_EQ(dimensionReasons(module, id).size(), rank) << instruction.opcodeName();
      Site site(module, instruction);
      if (site.relations().opaque) continue;
      checkHolds(site, *this, std::string(instruction.opcodeName()));
      checkResizing(module, instruction, *this);
    }
}

}  // namespace tessera
