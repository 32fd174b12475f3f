// RegionMembers: programs as members of a region on one kind of target: how they are made, where they access their
// arrays, what they cost, and how much may be one region. Used by region_planner.
#pragma once

#include <optional>
#include <vector>

#include "backends/codegen/nest/kernel_nest.h"
#include "core/base/result.h"
#include "core/base/tuning.h"
#include "core/element/approximations/approximations.h"
#include "core/element/element_program.h"
#include "core/hlo/module.h"

namespace tessera {
struct OpDef;
}

namespace tessera::cpu {

using RegionLimits = decltype(Tuning::regions);

struct RegionMember {
  LoopProgram program;
  double ns = 0;                  // estimated
  std::vector<bool> atConstants;  // by array, operands first: every access is to elements that constants tell
};

class RegionMembers {
 public:
  explicit RegionMembers(const Module& module) : module_(module) {}
  virtual ~RegionMembers() = default;

  RegionLimits limits = tuning().regions;

  // What the instruction's step would compute; an error where it has no program, or better one of its own.
  virtual Result<LoopProgram> programOf(const Instruction& instruction, const OpDef& op) const = 0;
  // Other kinds of steps than programs compute it better.
  virtual bool isStep(const Instruction&) const { return false; }
  virtual std::optional<RegionMember> member(LoopProgram program) const = 0;

 protected:
  const Module& module_;
};

// Of a processor: vectors of lanes, one thread.
class ProcessorMembers final : public RegionMembers {
 public:
  ProcessorMembers(const Module& module, const codegen::Target& target) : RegionMembers(module), target_(target) {}
  Result<LoopProgram> programOf(const Instruction& instruction, const OpDef& op) const override;
  std::optional<RegionMember> member(LoopProgram program) const override;

 private:
  const codegen::Target& target_;
};

// straight: the nest of a program whose axis has no loop (KernelNest::isStraight); whole vectors along it are at
// constant places, too. Null: none has.
std::vector<bool> accessedAtConstants(const LoopProgram& program, const codegen::ProgramAnalysis& analysis,
                                      const codegen::KernelNest* straight);

}  // namespace tessera::cpu
