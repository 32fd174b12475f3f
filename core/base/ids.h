// Strong 32-bit ids. All references between parts of the IR are ids, never pointers: they can be written to a
// file, compared across snapshots, and survive edits.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace tessera {

template <class Tag>
struct Id {
  static constexpr uint32_t kInvalid = 0xffffffffu;
  uint32_t value = kInvalid;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr bool valid() const { return value != kInvalid; }
  constexpr auto operator<=>(const Id&) const = default;
};

using InstructionId = Id<struct InstructionTag>;
using ComputationId = Id<struct ComputationTag>;

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Id<Tag>> {
  size_t operator()(tessera::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value); }
};
