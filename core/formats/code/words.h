// Words: what the {placeholders} of rows.cpp become in one of the two languages. Lists, truths and types are written as
// the language has them; structured attributes are taken apart by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera::code {

enum class Language : uint8_t { Cpp, Python };

// What a program's printer knows of names.
struct Names {
  std::function<std::string(InstructionId)> value;        // the variable
  std::function<std::string(ComputationId)> computation;  // Python: the function; C++: a call that builds it
};

std::string listOf(Language language, std::span<const std::string> items);
std::string intsOf(Language language, std::span<const int64_t> values);
std::string quoted(std::string_view text);
std::string typeName(Language language, ElementType type);
// C++: an xla::Shape; Python: (type, sizes), tuples nested.
std::string shapeText(Language language, const Shape& shape);

// The row's text with its placeholders resolved. Fails with ErrorKind::Unsupported where an attribute has no form.
Result<std::string> fillIn(std::string_view text, const Module& module, const Instruction& instruction,
                           Language language, const Names& names);
std::unexpected<Diagnostic> noForm(const Instruction& instruction, Language language, const std::string& why);

}  // namespace tessera::code
