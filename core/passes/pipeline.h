// The pass pipeline: from a verified module to the optimised one that backends compile; the result is HLO again.
// Passes work in place on a derived copy whose instructions carry provenance into the source module.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct Pass {
  std::string_view name;
  std::string_view what;                          // one sentence
  Result<bool> (*run)(Module& module) = nullptr;  // true: changed something
};

// The table of contents.
std::span<const Pass> passes();

// A copy of `source` in which each instruction is its own provenance, same ids.
Module derive(const Module& source);
// derive + every pass of passes(). `observe` sees the module after each pass. `cancel` is looked at between passes:
// what is cancelled fails with ErrorKind::Runtime. without: names of passes that a backend has no use for.
Result<Module> optimize(const Module& source, const std::function<void(const Pass&, const Module&)>& observe = {},
                        const std::atomic<bool>* cancel = nullptr, std::span<const std::string_view> without = {});

// Union of the provenances of instructions, made by a pass.
ProvenancePtr mergeProvenance(const Module& module, std::span<const InstructionId> ids, std::string_view pass);

}  // namespace tessera
