// DeviceFusions: what passes that make fusions for a device ask the device's code generator, and what they tell of the
// fusions that they do not make. Used by fusion/attention, fusion/attention_gradient, and who compiles for a device.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

class DeviceFusions {
 public:
  // Ok: there is a kernel for the fusion, which is in the module; else why there is none.
  using Check = std::function<Status(const Module& module, InstructionId fusion)>;

  DeviceFusions() = default;  // of a device that has kernels for all
  explicit DeviceFusions(Check check) : check_(std::move(check)) {}

  Status check(const Module& module, InstructionId fusion) const { return check_ ? check_(module, fusion) : Status{}; }
  // Of the instructions that `computed` does the work of: they are in no fusion, or they are in one after all.
  void refuse(const Instruction& computed, const std::string& why);
  void accept(const Instruction& computed);
  // Why the instruction is in no fusion; nullptr: it is in one, or was never meant to be.
  const std::string* refusalOf(const Instruction& computed) const;

 private:
  Check check_;
  std::map<InstructionId, std::string> refused_;  // by instruction of the source module
};

}  // namespace tessera
