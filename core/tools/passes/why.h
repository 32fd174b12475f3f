// Why an instruction that moves data, or a fusion, stands in an optimised module: who asked for it, along which chain
// of layouts, what it moves, and what kept a fusion from taking in its neighbours. Known where a pass of ours noted it,
// else inferred from layouts and users, and said to be. Used by `tessera why`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct WhyLink {
  InstructionId id;
  std::string words;  // "takes f32[2,3]{1,0}"
};

struct Why {
  std::string answer;          // one sentence
  bool known = false;          // a pass said so; else it is inferred
  std::vector<WhyLink> chain;  // towards who asks; of a fusion: its neighbours, and what kept each out
  double bytes = 0;            // that it reads and writes in one execution
};

// ErrorKind::Usage for what is no copy, transpose, pad, convert, bitcast, reshape or fusion.
Result<Why> whyHere(const Module& module, InstructionId id);

}  // namespace tessera
