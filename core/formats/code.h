// A module in two other words: C++ that builds it with XlaBuilder, the reference's language, and Python that builds it
// with jax.lax. One row an opcode (code/rows.cpp) has both; what a language has no form for is named.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// Fail with ErrorKind::Unsupported and the instruction that has no form.
Result<std::string> printXlaBuilder(const Module& module);
Result<std::string> printJax(const Module& module);

}  // namespace tessera
