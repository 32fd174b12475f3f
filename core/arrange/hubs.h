// Instructions that are drawn beside or inside each of their users, instead of wired over the page.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

// Constants, iotas, broadcasts of constants, and parameters with many users.
bool isHub(const Module& module, const UserTable& users, const Instruction& i, const Computation& computation);

// The constant behind a field: the instruction itself, or the number that it broadcasts; null: an iota, or no field.
const Instruction* constantBehind(const Module& module, const Instruction& i);

// By one operand of one instruction that is no root.
bool isReadOnce(const Module& module, const UserTable& users, const Instruction& i);

// A hub that can be a row of its only reader.
bool isField(const Module& module, const UserTable& users, const Instruction& i);

}  // namespace tessera
