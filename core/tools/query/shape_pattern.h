// ShapePattern: shapes by type and dimensions, as users write them. Used by queries and `tessera grep --shape`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/shape.h"

namespace tessera {

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

}  // namespace tessera
