// See scalar_functions.h. Also here: that every row is whole, judged by the compiler.
#include "core/element/scalar_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/hlo/numbers.h"

namespace tessera {
namespace {

// What a row says of one class of types, as text: "none" where it says nothing.
struct Said {
  std::string_view real, complex, integer;
};
constexpr bool given(std::string_view text) { return text != "none"; }
constexpr bool Called = true, Inline = false;

struct Row {
  ScalarFunctionInfo info;
  Said value, evaluated;
  std::string_view reference;
};

#define VALUE(real, complex, integer) \
  { #real, #complex, #integer }
#define EVALUATED(real, complex, integer) \
  { #real, #complex, #integer }
#define APPROXIMATION(real, complex) given(#real), given(#complex)
#define REFERENCE(real, complex) #real
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, approximation, forms, \
                               reference, ...)                                                                  \
  Row{{NodeOp::node, Opcode::opcode, 1, takes, price, how, given(#symbol) ? #symbol : "", Neutral::None,        \
       approximation},                                                                                          \
      value,                                                                                                    \
      evaluated,                                                                                                \
      reference},
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                forms, reference, ...)                                                             \
  Row{{NodeOp::node, Opcode::opcode, 2, takes, price, how, given(#symbol) ? #symbol : "", neutral, approximation}, \
      value,                                                                                                       \
      evaluated,                                                                                                   \
      reference},
constexpr Row kRows[] = {
#include "core/element/scalar_functions.inc"
};

constexpr auto kInfos = [] {
  std::array<ScalarFunctionInfo, std::size(kRows)> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = kRows[i].info;
  return out;
}();

// --- what must hold of every row

constexpr bool coversItsTypes(const ScalarFunctionInfo& row, const Said& said) {
  if (row.takes & kGivesComplex) return true;  // its two parts as they are
  return (!(row.takes & kFloat) || given(said.real)) && (!(row.takes & kComplexNumber) || given(said.complex)) &&
         (!(row.takes & (kPred | kInteger)) || given(said.integer));
}
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return coversItsTypes(row.info, row.value); }),
              "a row of scalar_functions.inc takes a type that its VALUE has nothing for");
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return coversItsTypes(row.info, row.evaluated); }),
              "a row of scalar_functions.inc takes a type that its EVALUATED has nothing for");
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return row.info.called == !row.info.symbol.empty(); }),
              "a row of scalar_functions.inc is Called without a symbol, or has one that nobody calls");
static_assert(
    std::ranges::all_of(kRows, [](const Row& row) { return !row.info.price.transcendental || given(row.reference); }),
    "a transcendental row of scalar_functions.inc has no REFERENCE to be measured against");

template <class Key, size_t size>
constexpr auto tableBy(Key ScalarFunctionInfo::*key) {
  std::array<int16_t, size> out{};
  out.fill(-1);
  for (size_t i = 0; i < kInfos.size(); ++i) out[static_cast<size_t>(kInfos[i].*key)] = static_cast<int16_t>(i);
  return out;
}
constexpr auto kByNode = tableBy<NodeOp, static_cast<size_t>(NodeOp::Fma) + 1>(&ScalarFunctionInfo::node);
constexpr auto kByOpcode = tableBy<Opcode, kOpcodeCount + 1>(&ScalarFunctionInfo::opcode);

// --- neutral elements

// The least or greatest value, which is finite in narrow types without infinities.
ScalarBits extremeFloat(ElementType type, bool greatest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double sign = greatest ? 1 : -1;
  const ScalarBits infinite = scalarFromDouble(type, sign * kInfinity);
  if (loadDouble(type, &infinite) == sign * kInfinity) return infinite;
  ScalarBits best;
  for (uint64_t code = 1; code < uint64_t{1} << info(type).bits; ++code) {
    const ScalarBits now{code, 0};
    if (sign * loadDouble(type, &now) > sign * loadDouble(type, &best)) best = now;
  }
  return best;
}

std::optional<ScalarBits> neutralFloat(Neutral neutral, ElementType type) {
  if (neutral == Neutral::Lowest || neutral == Neutral::Highest) return extremeFloat(type, neutral == Neutral::Highest);
  if (neutral == Neutral::One) return scalarFromDouble(type, 1);
  if (neutral != Neutral::Zero) return std::nullopt;
  for (double zero : {-0.0, 0.0}) {  // some narrow types have no -0, one has no zero
    const ScalarBits out = scalarFromDouble(type, zero);
    if (loadDouble(type, &out) == 0) return out;
  }
  return std::nullopt;
}

ScalarBits neutralInteger(Neutral neutral, ElementType type) {
  const int bits = type == ElementType::Pred ? 1 : info(type).bits;
  const int64_t lowest = isSigned(type) ? INT64_MIN >> (64 - bits) : 0;
  switch (neutral) {
    case Neutral::One: return scalarFromInt(type, 1);
    case Neutral::AllBits: return scalarFromInt(type, -1);
    case Neutral::Lowest: return scalarFromInt(type, lowest);
    case Neutral::Highest: return scalarFromInt(type, ~lowest);
    default: return scalarFromInt(type, 0);
  }
}

}  // namespace

bool takesType(unsigned taken, ElementType type) {
  if (taken & kWholeFloat) return type == ElementType::F32 || type == ElementType::F64;
  switch (info(type).klass) {
    case ElementClass::Pred: return taken & kPred;
    case ElementClass::Signed: return taken & kSigned;
    case ElementClass::Unsigned: return taken & kUnsigned;
    case ElementClass::Float: return taken & kFloat;
    case ElementClass::Complex: return taken & kComplexNumber;
    default: return false;
  }
}

std::string takenTypesText(unsigned taken) {
  if (taken & kWholeFloat) return "f32 or f64";
  static constexpr std::pair<unsigned, std::string_view> kNames[] = {{kPred, "pred"},
                                                                     {kSigned, "signed integer"},
                                                                     {kUnsigned, "unsigned integer"},
                                                                     {kFloat, "float"},
                                                                     {kComplexNumber, "complex"}};
  std::string out;
  const auto append = [&](std::string_view name) { out += (out.empty() ? "" : ", ") + std::string(name); };
  const bool anyInteger = (taken & kInteger) == kInteger;
  for (const auto& [bit, name] : kNames) {
    if (!(taken & bit) || (anyInteger && bit == kUnsigned)) continue;
    append(anyInteger && bit == kSigned ? "integer" : name);
  }
  return out;
}

std::span<const ScalarFunctionInfo> scalarFunctions() { return kInfos; }

const ScalarFunctionInfo* scalarFunctionOf(NodeOp node) {
  const int16_t at = kByNode[static_cast<size_t>(node)];
  return at < 0 ? nullptr : &kInfos[static_cast<size_t>(at)];
}

const ScalarFunctionInfo* scalarFunctionOf(Opcode opcode) {
  const int16_t at = kByOpcode[static_cast<size_t>(opcode)];
  return at < 0 ? nullptr : &kInfos[static_cast<size_t>(at)];
}

std::optional<ScalarBits> neutralElement(const ScalarFunctionInfo& function, ElementType type) {
  if (function.neutral == Neutral::None || isComplex(type) || !takesType(function.takes, type)) return std::nullopt;
  return isFloat(type) ? neutralFloat(function.neutral, type) : std::optional(neutralInteger(function.neutral, type));
}

std::optional<ScalarBits> neutralElement(Opcode opcode, ElementType type) {
  const ScalarFunctionInfo* function = scalarFunctionOf(opcode);
  return function ? neutralElement(*function, type) : std::nullopt;
}

bool isCommutative(Opcode opcode) {
  const ScalarFunctionInfo* function = scalarFunctionOf(opcode);
  return function && function->neutral != Neutral::None;
}

bool isCommutative(NodeOp node) {
  const ScalarFunctionInfo* function = scalarFunctionOf(node);
  return function && function->neutral != Neutral::None;
}

}  // namespace tessera
