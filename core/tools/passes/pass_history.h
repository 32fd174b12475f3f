// What became of one instruction from the first pass to the last: when it came, which pass gave it its layout, what it
// was fused into, when it went. Used by `tessera passes --history` and the studio's panel of passes.
#pragma once

#include "core/tools/passes/pass_trail.h"

namespace tessera {

struct PassEvent {
  size_t moment = 0;
  std::string name, computation;  // then; of what went: before
  std::string words;              // "there from the start", "added by fusion of %a, %b", "layout …"
  InstructionId id;               // then; invalid: it went
};

struct InstructionHistory {
  std::vector<PassEvent> events;   // the first is its creation
  std::vector<InstructionId> ids;  // by moment; invalid: not there, or the moment cannot be read
};

Result<InstructionHistory> historyOf(PassTrail& trail, size_t moment, InstructionId id);
// The last moment that has an instruction of this name, and the instruction.
Result<std::pair<size_t, InstructionId>> lastNamed(PassTrail& trail, std::string_view name);
// The next moment (or the one before, by < 0) whose pass touched it; the same moment: none.
size_t nextTouch(const InstructionHistory& history, size_t moment, int by);

}  // namespace tessera
