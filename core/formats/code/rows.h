// The table of forms: what an instruction of each opcode is in C++ and in Python, as a text with {placeholders}, which
// words.cpp resolves: {0} {1} operands by number, {*} all of them, {NAME} an attribute, {sizes}, {type}, {shape} of the
// result, and parts of structured attributes such as {window.stride}.
#pragma once

#include <string_view>

#include "core/hlo/opcode.h"

namespace tessera::code {

struct Row {
  Opcode opcode;
  std::string_view xla;  // empty: no form
  std::string_view jax;
};
// Null: neither language has a form.
const Row* findRow(Opcode opcode);

}  // namespace tessera::code
