// Statements of a kernel and of the functions that it calls (which are put in their place) to instructions. A decoder
// walks the statements; for each it calls the function that the table has for its name, which reads modifiers and
// operands here and emits. The first error stops the walk; after it, every result is a harmless zero.
#pragma once

#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "backends/cuda/simulated/machine/program.h"
#include "backends/cuda/simulated/ptx/syntax.h"
#include "core/base/result.h"

namespace tessera::cuda::simulated {

// Addresses of the variables of a module.
using ModuleAddresses = std::map<std::string_view, DeviceAddress>;

// A variable: an offset in its space, or an address of global memory.
struct Place {
  Space space = Space::Global;
  uint64_t offset = 0;
  bool isDynamic = false;  // where dynamic shared memory begins
};

struct RegisterPlace {
  Type type = Type::None;  // Pred: `row` is the number of a predicate
  uint32_t row = 0;
};

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

class Decoder {
 public:
  Decoder(const PtxModule& module, const ModuleAddresses& addresses) : module_(module), addresses_(addresses) {}
  Result<Kernel> decode(const Function& entry);

  // --- modifiers of the statement, the parts of its name behind dots; an unused one is an error
  const Statement& statement() const { return *statement_; }
  bool take(std::string_view modifier);
  bool has(std::string_view modifier) const;                                      // and is not taken
  std::string_view takeOneOf(std::initializer_list<std::string_view> modifiers);  // "": none of them
  Type takeType();                                                                // an error where there is none
  std::optional<Type> tryType();
  std::optional<Space> trySpace();
  std::optional<Rounding> tryRounding();
  void ignore(std::initializer_list<std::string_view> modifiers);
  template <class Fn>
  void takeWhere(Fn&& isWanted) {
    for (Modifier& modifier : modifiers_)
      if (!modifier.isTaken && isWanted(modifier.text)) modifier.isTaken = true;
  }

  // --- operands
  size_t operands() const { return statement_->operands.size(); }
  const Operand& operand(size_t index);
  uint32_t source(size_t index, Type type) { return sourceOf(operand(index), type); }
  uint32_t destination(size_t index, Type type) { return destinationOf(operand(index), type); }
  uint32_t sourceOf(const Operand& operand, Type type);
  uint32_t destinationOf(const Operand& operand, Type type);
  // The same for any width; returns the width.
  uint32_t sourceOfAny(const Operand& operand, Type type, bool& isWide);
  uint32_t destinationOfAny(const Operand& operand, Type type, bool& isWide);
  uint32_t predicate(const Operand& operand);  // a negated one is copied
  uint32_t predicateDestination(const Operand& operand);
  // "[base + offset]" into the instruction: a, offset, the flag of narrow addresses and, of a variable, its space.
  void address(const Operand& operand, Instruction& instruction);
  bool isPredicateOperand(const Operand& operand) { return findRegister(operand.name).type == Type::Pred; }
  std::optional<Place> findVariable(std::string_view name);
  // The rows of {a, b, …} or of a single operand, into the lists; their begin.
  uint32_t sourceList(const Operand& operand, Type type, size_t count);
  uint32_t destinationList(const Operand& operand, Type type, size_t count);
  uint32_t listOf(const std::vector<uint32_t>& rows);

  // --- rows and instructions
  uint32_t temporary(bool isWide);
  uint32_t temporaryPredicate() { return kernel_.predicates++; }
  uint32_t constant(uint64_t bits, bool isWide);
  uint32_t special(Special special, bool isWide, uint64_t further = 0);
  uint32_t carryRow();  // of add.cc and its like
  // The statement's guard and place are set. Valid until the next one is emitted.
  Instruction& emit(Handler handler);
  Instruction& emitControl(Control control);
  Kernel& kernel() { return kernel_; }
  std::string_view target() const { return module_.target; }
  bool isInFunction() const { return frames_.size() > 1; }

  // --- control flow
  void branchTo(std::string_view label);
  void branchByTable(std::string_view table, uint32_t index);
  void leaveFunction();
  void call();

  bool failed() const { return error_.has_value(); }
  void fail(std::string message, std::string expected = {}, std::string found = {});
  // "… is not known or not supported": the word for whatever the simulated device lacks.
  void failUnknown(const std::string& what);

 private:
  struct Modifier {
    std::string_view text;
    bool isTaken = false;
  };
  struct Frame {
    const Function* function = nullptr;
    const Statement* caller = nullptr;
    std::map<std::string_view, Place> parameters = {};
    std::map<std::pair<uint32_t, std::string_view>, RegisterPlace> registers = {};
    std::map<std::pair<uint32_t, std::string_view>, Place> variables = {};
    std::vector<uint32_t> starts = {};                             // of each statement's instructions
    std::vector<std::pair<uint32_t, uint32_t>> branches = {};      // instruction, statement
    std::vector<std::pair<uint32_t, uint32_t>> tableEntries = {};  // index in lists, statement
  };

  void placeParameters(const Function& entry);
  void walk(Frame& frame);
  void decodeStatement(const Statement& statement);
  void setModifiers(std::string_view opcode);
  void finishBranches(Frame& frame);
  RegisterPlace findRegister(std::string_view name);
  std::optional<Type> declaredType(const Scope& scope, std::string_view name) const;
  RegisterPlace makeRegister(Type type);
  std::optional<Place> placeVariable(const Variable& variable);
  std::optional<Place> placeShared(const Variable& variable);
  uint32_t literal(const Operand& operand, Type type, bool isWide);
  std::optional<uint32_t> namedSource(const Operand& operand, bool isWide);
  RegisterPlace registerOperand(const Operand& operand);
  void checkWidth(const RegisterPlace& place, std::string_view name, Type type);
  std::optional<uint32_t> statementOfLabel(std::string_view label);
  const Function* findFunction(std::string_view name) const;
  void bind(Frame& frame, const std::vector<Variable>& formal, const std::vector<Operand>& actual);
  Scope& scopeAt(uint32_t index) const;

  const PtxModule& module_;
  const ModuleAddresses& addresses_;
  Kernel kernel_;
  std::deque<Frame> frames_;
  const Statement* statement_ = nullptr;
  std::vector<Modifier> modifiers_;
  std::map<std::pair<uint64_t, bool>, uint32_t> constants_;
  std::map<std::tuple<Special, bool, uint64_t>, uint32_t> specials_;
  std::map<std::string_view, Place> sharedPlaces_;
  std::vector<const Variable*> openShared_;
  std::optional<uint32_t> carryRow_;
  uint32_t site_ = 0;
  std::optional<Diagnostic> error_;
};

}  // namespace tessera::cuda::simulated
