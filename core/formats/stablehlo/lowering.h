// Lowering: an mlir::File into a Module. Functions become computations when they are first called; values are looked up
// by name in the frame of the computation being built. The translation of each operation is a row (lowering_rows.h),
// which call back to this class for operands, instructions and computations.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/formats/hlo_text.h"
#include "core/formats/stablehlo/attribute_access.h"
#include "core/formats/stablehlo/folding.h"
#include "core/formats/stablehlo/mlir.h"
#include "core/hlo/module.h"

namespace tessera::mlir {

constexpr int kMaxCalls = 200;  // of functions by functions, and of locations by locations

class Lowering {
 public:
  Lowering(const File& file, std::string_view text, std::string fileName)
      : file_(file), text_(text), fileName_(std::move(fileName)) {}
  ReadResult run();

  // --- for the rows
  std::unexpected<Diagnostic> fault(const Operation& op, std::string message, std::string expected = {},
                                    std::string found = {}) const;
  Result<InstructionId> operand(const Operation& op, size_t index);
  Result<std::vector<InstructionId>> operands(const Operation& op);
  // The word of an attribute, which has to be one of `choices` (with blanks between); absent, `otherwise`, and an error
  // when that is empty. The error is at the attribute.
  Result<std::string> choice(const Operation& op, Names names, std::string_view choices,
                             std::string_view otherwise = {}) const;
  Result<std::string> oneOf(const Operation& op, std::string_view word, size_t offset, std::string_view name,
                            std::string_view choices) const;
  // The same for a bare word of the pretty form.
  Result<std::string> wordChoice(const Operation& op, size_t index, std::string_view name,
                                 std::string_view choices) const;
  // At least `count` operands and as many result types as result names; checked before a row is used.
  Status need(const Operation& op, size_t count) const;

  InstructionId add(Opcode opcode, const Shape& shape, const std::vector<InstructionId>& operands,
                    AttributeSet attributes = {});
  InstructionId addConstant(Literal literal);
  const Shape& shapeOf(InstructionId id) const { return module_.shapeOf(id); }
  Module& module() { return module_; }

  // The shape that HLO gives an operation: its result, or the tuple of them.
  Shape resultShape(const Operation& op) const;
  // Makes an instruction of resultShape() the operation's results.
  void define(const Operation& op, InstructionId id);
  void defineResult(const Operation& op, size_t index, InstructionId id);
  // Adds and defines in one go.
  Status addAccuracy(const Operation& op, Opcode opcode, AttributeSet& attributes) const;
  Status emit(const Operation& op, Opcode opcode, const std::vector<InstructionId>& operands,
              AttributeSet attributes = {});
  // An array broadcast to a shape: dimensions[i] is where dimension i of it goes; sizes of 1 are stretched.
  InstructionId broadcast(InstructionId id, const Shape& shape, const std::vector<int64_t>& dimensions);
  InstructionId tupleElement(InstructionId tuple, size_t index);

  // A region as a computation with one parameter a block argument. Outer constants that it uses are copied into it;
  // other outer values are an error.
  Result<ComputationId> regionComputation(const Operation& op, size_t region, std::string name);
  // The same with one tuple parameter that holds the block arguments and then the captured values.
  Result<ComputationId> tupleComputation(const Operation& op, size_t region, const std::vector<std::string>& captured,
                                         std::string name);
  // OP over two scalars of each type, for "applies stablehlo.add".
  Result<ComputationId> binaryComputation(const Operation& op, std::string_view applied,
                                          const std::vector<ElementType>& types);
  // Values from outside that these regions use, constants left out, in order of first use.
  std::vector<std::string> captures(const Operation& op) const;
  Result<InstructionId> valueNamed(const Operation& op, std::string_view name, size_t offset);
  Result<ComputationId> functionNamed(const Operation& op, std::string_view name);
  // The same for a call with these operands: a function with open sizes has a computation for each set of them.
  Result<ComputationId> calledFunction(const Operation& op, std::string_view name,
                                       const std::vector<InstructionId>& operands);
  // The elements of an operand that follows from constants and static sizes; what they depend on else is in the error.
  Result<std::vector<int64_t>> knownIntegers(const Operation& op, size_t index);
  // The same of any value; nullopt where it is not known.
  std::optional<std::vector<int64_t>> known(InstructionId id);
  const std::string* resource(const std::string& name) const;

 private:
  struct Frame {
    ComputationId id;
    std::unordered_map<std::string, InstructionId> values;
    Frame* outer = nullptr;
  };
  Status lowerModule();
  Status lowerEntry(const Operation& function);
  Status lowerOperation(const Operation& op);
  // Lowers the operations of a block and makes its terminator's operands the root.
  Status lowerBlock(const Region& region, const Operation& owner, bool alwaysTuple);
  // Open sizes of arguments are those of the operands, where these are given.
  Result<ComputationId> lowerFunction(const Operation& function, const std::vector<InstructionId>& operands = {});
  Result<std::vector<InstructionId>> outerValues(const Operation& op, size_t arguments,
                                                 const std::vector<std::string>& captured);
  void settle(InstructionId id);
  bool regionTakesSizes(const Region& region);
  bool functionTakesSizes(const Operation& function);
  Shape settledType(const Shape& type, InstructionId operand) const;
  std::string causeText() const;
  Status setRoot(const Operation& terminator, bool alwaysTuple);
  // HLO text contains a sharding verbatim: it must be a string with one pair of braces.
  Status checkSharding(const Operation& op, const Dictionary& attributes) const;
  void decorate(const Operation& op, size_t firstNew);
  const Metadata* metadataOf(std::string_view location);
  void addParameters(const Region& region, const std::vector<InstructionId>& operands = {});
  Status argumentFacts(const Operation& function);
  std::string uniqueComputationName(const std::string& base);
  void setConfig();

  const File& file_;
  std::string_view text_;
  std::string fileName_;
  Module module_;
  ConstantFolder folder_{module_};
  Frame* frame_ = nullptr;
  std::unordered_map<std::string_view, const Operation*> functions_;
  std::unordered_map<std::string_view, ComputationId> lowered_;
  std::unordered_map<std::string_view, bool> open_;
  std::unordered_map<std::string_view, bool> takesSizes_;
  std::unordered_map<std::string, ComputationId> copies_;  // by name, argument shapes and known arguments
  std::unordered_map<std::string, int> computationNames_;
  size_t count_ = 0;
  int depth_ = 0;
  std::vector<std::pair<std::string, std::string>> meshes_;
};

// {name="value",…} of frontend_attributes; values that are dictionaries are unchanged.
std::string frontendText(std::vector<std::pair<std::string, std::string>> entries);

}  // namespace tessera::mlir
