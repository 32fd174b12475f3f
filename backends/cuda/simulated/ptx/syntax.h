// A PTX module as it is written: variables, functions, statements. Views point into the text that was parsed, which the
// module holds. Made by parser.h, read by what decodes kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/simulated/ptx/types.h"

namespace tessera::cuda::simulated {

struct Operand {
  enum class Kind : uint8_t { Name, Integer, Float32, Float64, Address, Vector, Pair, Sink };
  Kind kind = Kind::Sink;
  std::string_view name = {};       // of a register, variable or label; of an address's base, perhaps empty
  bool isNegated = false;           // !%p
  uint64_t bits = 0;                // of a number
  int64_t offset = 0;               // behind a name or in an address
  std::vector<Operand> parts = {};  // of {a, b} and of a|b
};

struct Statement {
  uint32_t line = 0;
  uint32_t scope = 0;           // index in Function::scopes
  std::string_view text = {};   // without its semicolon
  std::string_view guard = {};  // the predicate of @%p; empty: none
  bool isGuardNegated = false;
  std::string_view opcode = {};  // "ld.global.f32"; empty: only a label
  std::string_view label = {};   // of the place itself, where opcode is empty
  std::vector<Operand> operands = {};
  std::vector<Operand> returns = {}, arguments = {};  // of a call; its operands hold the name of the function
};

// Bytes of an initial value that are the address of another variable.
struct AddressPatch {
  size_t at = 0;  // in bytes
  std::string_view name;
  int64_t addend = 0;
  int bytes = 8;
};

struct Variable {
  std::string_view name;
  uint32_t line = 0;
  Space space = Space::Global;
  Type type = Type::B8;
  bool isRegister = false;  // a parameter of a function that is a register
  bool isExternal = false;
  bool hasOpenSize = false;  // dynamic shared memory
  int64_t bytes = 0, alignment = 1;
  std::vector<uint8_t> initial = {};  // shorter than bytes: zeros follow
  std::vector<AddressPatch> patches = {};
};

// Registers %r0 … %r(count-1), or one of that name.
struct RegisterRange {
  std::string_view prefix;
  std::optional<uint64_t> count = {};
  Type type = Type::B32;
};

struct Scope {
  int parent = -1;
  std::vector<RegisterRange> ranges = {};
  std::map<std::string_view, Type> registers = {};
  std::map<std::string_view, Variable> variables = {};
  std::map<std::string_view, uint32_t> labels = {};                             // to a number of a statement
  std::map<std::string_view, std::vector<std::string_view>> branchTables = {};  // .branchtargets
};

struct Function {
  std::string_view name;
  uint32_t line = 0;
  bool isEntry = false;
  bool hasBody = false;
  int maxThreads = 0;  // .maxntid or .reqntid; 0: not given
  std::vector<Variable> returns = {}, parameters = {};
  std::vector<Scope> scopes = {};
  std::vector<Statement> statements = {};
};

struct PtxModule {
  std::shared_ptr<const std::string> text;
  int version = 0;     // 70: 7.0
  std::string target;  // "sm_80"
  std::vector<Variable> variables = {};
  std::vector<Function> functions = {};
};

}  // namespace tessera::cuda::simulated
