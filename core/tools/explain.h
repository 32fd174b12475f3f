// Everything there is to say about one instruction: its shape and why, how its elements come about, what they read.
// Used by `tessera explain` and the studio's panel of compiled code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct Explanation {
  std::string text;     // the instruction as HLO
  std::string summary;  // what its op does, one line; may be empty
  std::string kind;     // how it is executed, in words
  std::string shape;
  std::vector<std::string> reasons;  // by dimension; may be empty
  std::string loopNest;              // empty: there is none, for the reason `without`
  std::string without;
  std::vector<std::string> buffers;  // by operand of the loop nest: "%x", "%state{1}"
  std::vector<int64_t> outputIndex;  // whose reads are listed
  std::vector<std::string> reads;    // "%x[0, 3]"
  bool moreReads = false;
  std::vector<std::string> users;
};
inline constexpr size_t kMaxReads = 32;

// `index`: the output element to trace; absent: the middle one. ErrorKind::Usage when it is outside.
Result<Explanation> explain(const Module& module, InstructionId id,
                            const std::optional<std::vector<int64_t>>& index = {});

}  // namespace tessera
