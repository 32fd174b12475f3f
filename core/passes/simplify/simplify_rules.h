// The rules of simplify: tables of (opcode, name, function). A rule looks at one instruction whose operands are already
// simple and gives its replacement. Rules are exact in every type that they are applied to: signed zeros, NaN,
// infinities and wrap-around stay; the name of a rule that is exact up to rounding only says so. Below simplify.cpp,
// one table a file.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {

// The instruction that a rule looks at, and a few words for reading its surroundings and building what replaces it.
class Site {
 public:
  // `uses`: users of the instructions that stood before the pass; younger ones count as used once.
  Site(Rewriter& rewriter, const std::vector<uint32_t>& uses, const Instruction& instruction)
      : module(rewriter.module()), in(instruction), rewriter_(rewriter), uses_(uses) {}

  Module& module;
  const Instruction& in;

  InstructionId operand(size_t i) const { return in.operands[i]; }
  const Instruction& from(size_t i) const { return module.at(in.operands[i]); }
  const Shape& shapeOf(InstructionId id) const { return module.shapeOf(id); }
  bool is(InstructionId id, Opcode opcode) const { return module.at(id).opcode == opcode; }
  ElementType type() const { return in.shape->type; }
  uint32_t useCount(InstructionId id) const { return id.value < uses_.size() ? uses_[id.value] : 1; }
  bool usedOnce(InstructionId id) const { return useCount(id) <= 1; }
  std::optional<double> splat(size_t i) const { return splatValue(module, in.operands[i]); }
  bool equals(size_t i, double value) const;
  // The scalar constant below broadcasts and reshapes; null when there is none.
  const Literal* splatLiteral(InstructionId id) const;
  // The scalar that a broadcast to all dimensions repeats; invalid when `id` is no such broadcast.
  InstructionId repeatedScalar(InstructionId id) const;

  // New instructions take the provenance of the site (and of `also`).
  InstructionId make(Opcode opcode, const Shape& shape, std::initializer_list<InstructionId> operands,
                     AttributeSet attributes = {}, InstructionId also = {});
  InstructionId make(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                     AttributeSet attributes = {}, InstructionId also = {});
  InstructionId constant(Literal scalar);
  InstructionId number(ElementType type, double value);
  InstructionId integer(ElementType type, int64_t value);
  InstructionId broadcast(InstructionId operand, const Shape& shape, std::vector<int64_t> dimensions = {});
  InstructionId reshape(InstructionId operand, const Shape& shape);
  InstructionId slice(InstructionId operand, std::span<const SliceDimension> ranges);
  // All elements equal to the value, in the shape of the site.
  InstructionId filled(double value) { return broadcast(number(type(), value), *in.shape); }
  InstructionId filledInteger(int64_t value) { return broadcast(integer(type(), value), *in.shape); }

 private:
  Rewriter& rewriter_;
  const std::vector<uint32_t>& uses_;
};

struct Rule {
  Opcode opcode;
  std::string_view name;
  InstructionId (*apply)(Site&);  // invalid: the rule does not fit
};

std::span<const Rule> arithmeticRules();
std::span<const Rule> logicRules();
std::span<const Rule> shapeRules();
std::span<const Rule> sliceRules();
std::span<const Rule> reductionRules();
std::span<const Rule> productRules();
std::span<const Rule> indexedRules();

// The same array type with other dimensions, dense and row-major.
Shape withDimensions(const Shape& like, std::vector<int64_t> dimensions);
AttributeSet dimensionsAttribute(std::vector<int64_t> dimensions);
// Every value of `from` is a value of `to`.
bool holdsExactly(ElementType from, ElementType to);
// The operand of an idempotent operation whose two operands are one; invalid otherwise.
InstructionId sameOperands(Site& site);
// The window; one without dimensions where the instruction has none.
const Window& windowOf(const Instruction& instruction);
// What the reducer leaves as it is: f(x, value) = x for every x, the sign of zero included.
bool isNeutral(const Literal& scalar, Opcode reducer);
// A pad that adds or removes nothing but whole edges: no interior, nothing negative.
bool isPlainPadding(std::span<const PaddingDimension> padding);

}  // namespace tessera
