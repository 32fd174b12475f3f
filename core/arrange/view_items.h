// What decides how an instruction is shown: as a box, as a copy beside each user, or as a row of its only user; and the
// names of its ports. Used by view.
#pragma once

#include <string>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/hlo/module.h"

namespace tessera {

// Drawn beside each user: constants, iotas, device ids, broadcasts of constants, parameters with many users.
bool isHub(const Module& module, const UserTable& users, const Instruction& i, const Computation& computation);
// The constant behind a field: the instruction itself, or the number that it broadcasts; null: an iota, or no field.
const Instruction* constantBehind(const Module& module, const Instruction& i);
// One reader, which reads it once; not the root.
bool isReadOnce(const Module& module, const UserTable& users, const Instruction& i);
// A constant, broadcast number or iota with one reader, which can be shown as a row of it.
bool isField(const Module& module, const UserTable& users, const Instruction& i);
bool isCallLike(Opcode opcode);  // a call or a fusion
// "lhs", or "input 1".
std::string inputName(const Instruction& user, int32_t operand);
// "lhs", "init", a parameter of the callee; the number where operands are of one kind.
std::string portName(const Module& module, const Instruction& user, size_t operand,
                     const std::vector<ComputationId>& callees);
ViewPort portOf(const Shape& shape);

}  // namespace tessera
