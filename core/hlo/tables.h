// Tables: immutable data that all snapshots of a document share: interned shapes, strings and metadata,
// and the arena of operand spans. Append-only; what it hands out lives as long as the Tables and never moves, so
// equal shapes are equal pointers and equal names are equal data() pointers. Interning is serialised by a lock,
// reading needs none.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/hlo/shape.h"

namespace tessera {

// metadata={…} of an instruction. Empty strings and zeros are absent and not printed.
struct Metadata {
  std::string opType, opName, sourceFile;
  int32_t sourceLine = 0, sourceEndLine = 0, sourceColumn = 0, sourceEndColumn = 0;
  std::vector<int64_t> profileType;
  std::string deduplicatedName, schedulingName;
  int32_t stackFrameId = 0;
  std::string payload;
  bool operator==(const Metadata&) const = default;
};

class Tables {
 public:
  Tables();
  ~Tables();
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  const Shape* intern(const Shape& shape);
  std::string_view intern(std::string_view text);
  const Metadata* intern(const Metadata& metadata);
  std::span<const InstructionId> store(std::span<const InstructionId> ids);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
