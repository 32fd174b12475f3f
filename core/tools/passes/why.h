// Why an instruction that moves data, or a fusion, is in an optimised module: the instruction that requires it, the
// chain of layouts between them, the bytes moved, and what kept a fusion from including its neighbours. Known if a pass
// of ours recorded it; otherwise inferred from layouts and users, and marked as inferred. Used by `tessera why`.
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
  std::string answer;  // one sentence
  bool known = false;  // recorded by a pass; else inferred
  std::vector<WhyLink>
      chain;         // towards the instruction that requires it; of a fusion: its neighbours, and what kept each out
  double bytes = 0;  // that it reads and writes in one execution
};

// ErrorKind::Usage for what is no copy, transpose, pad, convert, bitcast, reshape or fusion.
Result<Why> whyHere(const Module& module, InstructionId id);

}  // namespace tessera
