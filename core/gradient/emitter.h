// Emitter: makes the nodes of a gradient in one computation. Equal nodes are made once, what is in the computation
// already is used again, and products with one and element reads of tuples are not made at all. Every node carries the
// op_name of the instruction whose gradient it belongs to.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/gradient/session.h"
#include "core/gradient/value.h"

namespace tessera::gradient {

using Ints = std::vector<int64_t>;

class Emitter {
 public:
  Emitter(Session& session, ComputationId computation);

  Session& session;
  Module& module;
  const ComputationId computation;

  // Nodes from here on belong to the gradient of this instruction.
  void differentiates(const Instruction& forward);
  Value at(InstructionId id) { return {this, id}; }
  // `written` is for ops whose shape is their own: broadcast, reshape, iota. A node that inference refuses is no node,
  // and session.status has the error.
  Value make(Opcode opcode, std::span<const Value> operands, AttributeSet attributes = {},
             const Shape* written = nullptr);
  Value make(Opcode opcode, std::initializer_list<Value> operands, AttributeSet attributes = {},
             const Shape* written = nullptr) {
    return make(opcode, std::span(operands.begin(), operands.size()), std::move(attributes), written);
  }
  // A copy of an instruction of another computation over other operands.
  Value clone(const Instruction& original, std::span<const Value> operands);

  // --- constants
  Value constant(Literal literal);
  Value scalar(ElementType type, double value);
  Value filled(const Shape& like, double value);
  Value zeros(const Shape& like) { return filled(like, 0); }
  // The number that all elements of a constant, or of a broadcast constant, have.
  std::optional<double> splatOf(Value value) const;

  // --- tuples
  Value tuple(std::span<const Value> parts);
  Value element(Value tuple, size_t index);
  // The k-th array in it; of an array itself.
  Value leaf(Value tuple, size_t k);
  std::vector<Value> leaves(Value tuple);
  // The opposite: a value of this shape from its arrays.
  Value pack(const Shape& shape, std::span<const Value> leaves);

  // Takes away what was made here and none of `kept` needs.
  void removeUnused(std::span<const InstructionId> kept);
  void rename(Value value, const std::string& stem);
  // Made here, and still called after its opcode.
  bool isNameless(Value value) const;
  const std::vector<InstructionId>& made() const { return made_; }

 private:
  Value add(Instruction instruction, const Shape& shape);
  void index(InstructionId id);
  const Metadata* metadata_ = nullptr;
  std::unordered_multimap<size_t, InstructionId> known_;
  std::vector<InstructionId> made_;
  std::unordered_map<uint32_t, bool> isMade_;  // true: nameless
};

// --- nodes with their attributes
Value unary(Opcode opcode, Value a);
Value binary(Opcode opcode, Value a, Value b);
Value power(Value a, double exponent);
Value compare(std::string_view direction, Value a, Value b);
Value select(Value condition, Value yes, Value no);
Value convert(Value a, ElementType type);
Value conjugate(Value a);                                      // of real numbers itself
Value broadcast(Value a, const Ints& to, const Shape& shape);  // operand dimension i becomes to[i]
Value broadcastScalar(Value scalar, const Ints& dims);
Value reshape(Value a, const Ints& dims);
Value transpose(Value a, const Ints& permutation);
Value reduce(Opcode reducer, Value a, const Ints& dims);  // add, multiply, maximum …: from its neutral element
Value slice(Value a, const std::vector<SliceDimension>& ranges);
Value pad(Value a, Value value, const std::vector<PaddingDimension>& padding);
Value padZeros(Value a, const std::vector<PaddingDimension>& padding);
Value iota(Emitter& emit, const Ints& dims, int64_t along, ElementType type = ElementType::S32);
Value concatenate(std::span<const Value> parts, int64_t along);
Value dynamicSlice(Value a, std::span<const Value> starts, const Ints& sizes);
Value dynamicUpdate(Value a, Value update, std::span<const Value> starts);
// The dimension `along` at one place: sliced out, and written.
Value stepOf(Value stack, Value step);
Value withStep(Value stack, Value step, Value part);

Value zerosOf(Value like);
Shape arrayLike(const Shape& like, Ints dims);

}  // namespace tessera::gradient
