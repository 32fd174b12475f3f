// What is known of a scalar function without computing it: the rows of scalar_functions.inc as data. Costs, choice of
// approximations, kernels' weights and calls, shape inference and reductions' neutral elements are read from here;
// nothing is concluded from the order of NodeOp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/element/element_program.h"
#include "core/element/scalar_math.h"
#include "core/hlo/opcode.h"

namespace tessera {

// Element types of the operands, and what the result's type is where it is not theirs.
enum TakenTypes : unsigned {
  kPred = 1,
  kSigned = 2,
  kUnsigned = 4,
  kFloat = 8,
  kComplexNumber = 16,
  kWholeFloat = 32,  // f32 and f64 alone
  kGivesReal = 64,   // of complex numbers the type of their parts
  kGivesPred = 128,
  kGivesComplex = 256,  // the complex type of two such parts
  kInteger = kSigned | kUnsigned,
  kFloatOrComplex = kFloat | kComplexNumber,
  kNumber = kInteger | kFloatOrComplex,
  kAnyType = kPred | kNumber,
};
bool takesType(unsigned taken, ElementType type);
// "pred, integer, float", for diagnostics.
std::string takenTypesText(unsigned taken);

// Prices are in additions of one element, so that they can be weighed against each other.
struct ScalarPrice {
  bool transcendental;  // what XLA's cost analysis counts it as
  double fused;         // of a float in a fusion, with its approximation as arithmetic
  double fusedOther;    // of an integer or a complex number there
  double kernel;        // of the node in a kernel: one instruction, or a call a lane where nothing replaced it
};
inline constexpr ScalarPrice kFree{false, 0, 0, 1};
inline constexpr ScalarPrice kSimple{false, 1, 1, 1};
inline constexpr ScalarPrice kDivision{false, 4, 16, 3};
inline constexpr ScalarPrice kRoot{true, 5, 5, 3};
inline constexpr ScalarPrice kFunction{true, 18, 18, 60};
inline constexpr ScalarPrice kLongFunction{true, 40, 40, 60};

// The value that leaves the other operand of a function as it is.
enum class Neutral : uint8_t { None, Zero, One, AllBits, Lowest, Highest };

struct ScalarFunctionInfo {
  NodeOp node;
  Opcode opcode;
  uint8_t operands;
  unsigned takes;  // TakenTypes
  ScalarPrice price;
  bool called;              // kernels call tessera_<symbol>_f64 or _f32 for a float that no approximation replaced
  std::string_view symbol;  // "" where not called
  Neutral neutral;
  bool approximated, complexApproximated;  // expandApproximations has a form for f32, for complex numbers
};

std::span<const ScalarFunctionInfo> scalarFunctions();
// Null: not a row of the table (leaves, memory, loops, compare, convert …).
const ScalarFunctionInfo* scalarFunctionOf(NodeOp node);
const ScalarFunctionInfo* scalarFunctionOf(Opcode opcode);

// The neutral element of a function in a real type: -0 for a sum of floats, -infinity or the least number for a
// maximum; nullopt: none is known, or the type lacks it.
// The functions that have one are those whose operands may be swapped and regrouped (floats: but for rounding).
std::optional<ScalarBits> neutralElement(const ScalarFunctionInfo& function, ElementType type);
std::optional<ScalarBits> neutralElement(Opcode opcode, ElementType type);
bool isCommutative(Opcode opcode);
bool isCommutative(NodeOp node);

}  // namespace tessera
