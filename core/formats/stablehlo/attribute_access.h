// Reading the attributes of an mlir::Operation as HLO's values: integers, booleans, words, dense elements.
// Each takes the names that the pretty and the generic form use. Stands between the parser and the lowering rows.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/formats/stablehlo/mlir.h"
#include "core/hlo/literal.h"

namespace tessera::mlir {

using Names = std::initializer_list<std::string_view>;

const Attribute* findAny(const Operation& op, Names names);
// [1, 2], array<i64: 1, 2>, dense<[1, 2]> : tensor<2xi64>, or one integer; empty when absent or something else.
std::vector<int64_t> integersOf(const Attribute* attribute);
std::vector<int64_t> integers(const Operation& op, Names names);
int64_t integer(const Operation& op, Names names, int64_t otherwise);
// A unit attribute is true.
bool boolean(const Operation& op, Names names, bool otherwise);
double real(const Operation& op, Names names, double otherwise);
// The word of EQ, #stablehlo<comparison_direction EQ> or "EQ"; empty when absent.
std::string wordOf(const Attribute* attribute);
std::string word(const Operation& op, Names names);
// Rows of [[1, 2], [3, 4]] or dense<[[1, 2], [3, 4]]>.
std::vector<std::vector<int64_t>> integerRows(const Attribute* attribute);

// dense<…> of this shape: nested lists, one element for all, or "0x…" bytes. Errors name what was expected.
Result<Literal> denseLiteral(std::string_view text, const Shape& shape);
// The bytes of a dense_resource blob "0x…": four bytes of alignment first.
Result<Literal> resourceLiteral(std::string_view hexadecimal, const Shape& shape);

}  // namespace tessera::mlir
