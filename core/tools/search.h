// Finding instructions by what they are: opcode, name, op_name, shape. Used by `tessera grep`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// '*' any letters, '?' any one; the whole text must match.
bool matchesGlob(std::string_view pattern, std::string_view text);

// TYPE[DIMENSIONS]: "f32[*,128]", "*[2,3]", "[...,8]", "bf16"; '*' one dimension, '...' any number of them. A tuple
// matches when an array inside it does.
class ShapePattern {
 public:
  static Result<ShapePattern> parse(std::string_view text);  // ErrorKind::Usage
  bool matches(const Shape& shape) const;

 private:
  static constexpr int64_t kAny = -1, kMany = -2;
  bool matchesFrom(size_t dimension, size_t part, const Shape& shape) const;

  std::string type_;                                // a glob
  std::optional<std::vector<int64_t>> dimensions_;  // absent: any rank
};

struct Search {
  std::string opcode;  // glob
  std::string name;    // glob; without '*' and '?' a part of the name
  std::string opName;  // the same
  std::optional<ShapePattern> shape;
};

// Those that match all that is set, computation by computation in the module's order.
std::vector<InstructionId> search(const Module& module, const Search& search);

}  // namespace tessera
