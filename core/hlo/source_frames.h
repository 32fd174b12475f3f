// Where in a program's source an instruction comes from: its metadata's file and line, and the call stack that the
// module's tables keep for its stack_frame_id. Used by search and by what leads to the source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct SourceFrame {
  std::string_view file, function;  // function: "" if unknown; both are owned by the module
  int32_t line = 0;                 // 0: unknown
};

// The innermost first; empty: it has none. What the tables lack, or call in a circle, ends the list.
std::vector<SourceFrame> sourceFrames(const Module& module, const Metadata& metadata);
// The innermost alone; its file is "" where there is none.
SourceFrame sourceOf(const Module& module, const Metadata& metadata);
// The frames of an instruction; where it has none, of a called computation's last instruction that has some, else of
// the nearest user, at most four steps away. Empty if there are none.
std::vector<SourceFrame> framesNear(const Module& module, const UserTable& users, InstructionId id);
// The first that is no installed library's; null: all are, or there is none.
const SourceFrame* ownFrame(const std::vector<SourceFrame>& frames);

}  // namespace tessera
