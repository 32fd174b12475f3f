// Bytes as a module made from the schema: opcodes, operands, attributes and called computations are drawn from the
// OpDef tables until inference accepts them, so a new op is in it by its op file alone. Keeps the promise that a module
// which the verifier accepts runs to the same values on the evaluator and the CPU backend. Used by fuzz_modules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera {

// Choices from bytes; when they run out, from a fixed sequence that the first eight start.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes);
  uint64_t below(uint64_t bound);  // 0 … bound-1
  bool chance(uint64_t percent) { return below(100) < percent; }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t state_ = 0;
};

class ModuleMaker {
 public:
  explicit ModuleMaker(std::span<const uint8_t> bytes) : choices_(bytes), module_("made") {}
  Module run();

 private:
  struct Value {
    InstructionId id;
    Shape shape;
    bool exact = true;  // the same bits whatever the order of sums and the approximations are
  };
  struct Operand {
    std::optional<size_t> value;  // one that is there; else a parameter is made
    Shape shape;
  };
  struct Attempt {
    std::vector<Operand> operands;
    AttributeSet attributes;
    std::vector<std::pair<Attr, int>> callees;  // the kind of computation for each attribute that calls one
    std::optional<Shape> written;
    Shape result;
  };

  const OpDef& chooseOp();
  void addInstruction(const OpDef& op);
  std::optional<Attempt> tryOnce(const OpDef& op);
  Operand chooseOperand(const OpDef& op, const std::vector<Operand>& before);
  Shape chooseShape();
  AttributeValue chooseValue(const AttributeRow& row, const std::vector<Operand>& operands, bool& good);
  std::vector<int64_t> chooseInts(int64_t rank);
  Window chooseWindow(int64_t rank);
  std::optional<Shape> chooseWritten(const std::vector<Operand>& operands);
  std::vector<Shape> scalarsOf(const std::vector<Operand>& operands) const;
  ProgramShape calleeShape(int kind, const std::vector<Operand>& operands);
  ComputationId makeCallee(int kind, const std::vector<Shape>& scalars);
  void commit(const OpDef& op, Attempt attempt);
  InstructionId instruction(ComputationId computation, Opcode opcode, const Shape& shape,
                            std::vector<InstructionId> operands, AttributeSet attributes = {});
  InstructionId parameter(ComputationId computation, const Shape& shape);

  Choices choices_;
  Module module_;
  ComputationId entry_;
  std::vector<Value> values_;
  int names_ = 0;
};

// The first promise that is broken for the module of these bytes; empty when all hold.
std::string brokenPromise(std::span<const uint8_t> bytes);

}  // namespace tessera
