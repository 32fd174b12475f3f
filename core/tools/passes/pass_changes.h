// What a pass did: the match of instructions before and after it, and what was added, removed, fused, moved or got
// another layout. Used by pass_trail and pass_history, and by the studio's panel of passes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

enum class PassMark : uint8_t {
  Added,
  Removed,
  Fused,    // into a fusion
  Moved,    // to another computation, as by inlining
  Relaid,   // another layout
  Changed,  // another opcode, shape, attribute or value
  Rewired,  // other operands alone
};
inline constexpr size_t kPassMarks = 7;
// "added", as tables and JSON say it.
std::string_view nameOf(PassMark mark);

struct PassChange {
  PassMark mark;
  InstructionId before, after;  // invalid: it was not there, or is not any more
  std::string words;            // "layout f32[2,3]{1,0} → f32[2,3]{0,1}"; may be empty
};

struct PassChanges {
  std::vector<InstructionId> toAfter, toBefore;  // by id; invalid: no partner
  std::vector<PassChange> changes;               // in the order of the module after, what went at the end

  size_t count(PassMark mark) const;
  const PassChange* of(InstructionId after) const;          // null: as it was
  const PassChange* ofRemoved(InstructionId before) const;  // null: still there
  InstructionId after(InstructionId id) const {
    return id.value < toAfter.size() ? toAfter[id.value] : InstructionId();
  }
  InstructionId before(InstructionId id) const {
    return id.value < toBefore.size() ? toBefore[id.value] : InstructionId();
  }
};

enum class SameIds : uint8_t {
  No,   // two files: partners are found by structure
  Yes,  // one derived module before and after a pass: matched by ids and provenance
};
PassChanges passChanges(const Module& before, const Module& after, SameIds ids);

// "3 added, 1 relaid", or "nothing changed".
std::string countsText(const PassChanges& changes);
// "fused into %fusion.3": the mark and its words as one phrase.
std::string phraseOf(const PassChange& change);

}  // namespace tessera
