// The pass pipeline: from a verified module to the optimised one that backends compile; the result is HLO again.
// Passes work in place on a derived copy whose instructions carry provenance into the source module.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/module.h"
#include "core/passes/device_fusions.h"

namespace tessera {

// What runs the result: a processor's cores, or a device that runs blocks of threads.
enum class PassTarget : uint8_t { Processor, Device };

struct Pass {
  std::string_view name;
  std::string_view what;                          // one sentence
  Result<bool> (*run)(Module& module) = nullptr;  // true: changed something; null where runForDevice stands
  std::optional<PassTarget> only = std::nullopt;  // of use there alone
  Result<bool> (*runForDevice)(Module& module, DeviceFusions& device) = nullptr;  // in the place of `run`

  bool isFor(PassTarget target) const { return only.value_or(target) == target; }
  Result<bool> apply(Module& module, DeviceFusions& device) const;
};

// The table of contents.
std::span<const Pass> passes();

// A copy of `source` in which each instruction is its own provenance, same ids.
Module derive(const Module& source);
// The same with operands before users and callees before callers. Fails where something is open, or on a cycle.
Result<Module> deriveInOrder(const Module& source);
// deriveInOrder + every pass for the target: the device, if there is one, else a processor. `observe` sees the module
// after each pass. `cancel` is looked at between passes: what is cancelled fails with ErrorKind::Runtime.
Result<Module> optimize(const Module& source, const std::function<void(const Pass&, const Module&)>& observe = {},
                        const std::atomic<bool>* cancel = nullptr, DeviceFusions* device = nullptr);

// Union of the provenances of instructions, made by a pass.
ProvenancePtr mergeProvenance(const Module& module, std::span<const InstructionId> ids, std::string_view pass);

}  // namespace tessera
