// Shardings that a program is annotated with: sharding={…} of GSPMD, xla.sdy.sharding of Shardy, and the borders of
// manual regions.
#pragma once

#include "core/devices/shardy.h"
#include "core/passes/partition/cut.h"

namespace tessera::partition {

struct Annotation {
  ArraySharding sharding;
  bool open = false;  // propagation may cut further dimensions
};

// What annotations of a module refer to.
struct AnnotationContext {
  const Module& module;
  int64_t devices = 1;  // partitions
  Meshes meshes;

  // Of each leaf of the instruction's shape; empty: it has no annotation. Errors name the instruction.
  Result<std::vector<Annotation>> of(const Instruction& instruction) const;
};

// A custom call that hands its operands on: Sharding, FuncResultSharding …
bool isAnnotationCall(const Instruction& instruction);

enum class Border : uint8_t { None, In, Out };  // into a manual region, out of it
Border borderOf(const Instruction& instruction);
// How the whole arrays on the outer side of a border are cut, one an operand. Absent: it stays a call, which takes
// whole arrays.
Result<std::optional<std::vector<ArraySharding>>> borderShardings(const AnnotationContext& context,
                                                                  const Instruction& border);

}  // namespace tessera::partition
