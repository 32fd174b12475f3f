// What each StableHLO and chlo operation becomes: one row an operation. A row without a function takes its operands as
// they are; the functions are grouped by subject in the lower_*.cpp files.
#pragma once

#include <span>
#include <string_view>

#include "core/formats/stablehlo/lowering.h"
#include "core/hlo/opcode.h"

namespace tessera::mlir {

struct LoweringRow {
  std::string_view name;  // without "stablehlo." or "mhlo."; chlo and func operations with their dialect
  size_t operands;        // at least so many
  Opcode opcode;
  Status (*lower)(Lowering&, const Operation&, Opcode) = nullptr;
};

std::span<const LoweringRow> elementwiseRows();  // lower_elementwise.cpp
std::span<const LoweringRow> movementRows();     // lower_movement.cpp
std::span<const LoweringRow> contractionRows();  // lower_contraction.cpp
std::span<const LoweringRow> controlRows();      // lower_control.cpp
std::span<const LoweringRow> effectRows();       // lower_effect.cpp
std::span<const LoweringRow> chloRows();         // lower_chlo.cpp
std::span<const LoweringRow> dynamicRows();      // lower_dynamic.cpp

// Custom calls that represent an operation on dynamic sizes; nullptr for other targets.
using DynamicCall = Status (*)(Lowering&, const Operation&);
DynamicCall dynamicCallNamed(std::string_view target);
// Takes the operands that indices_of_shape_operands names away; open results get their sizes from them.
Status settleCall(Lowering& l, Operation& op);

// nullptr when no row has this name.
const LoweringRow* findRow(std::string_view name);

}  // namespace tessera::mlir
