// The instructions of one module by the names that profiles give them, and what each costs and is called. Used by
// matching and by the readers of tables.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/arrange/source_functions.h"
#include "core/cost/cost.h"
#include "core/hlo/module.h"
#include "core/profile/op_profile.h"

namespace tessera {

class InstructionIndex {
 public:
  explicit InstructionIndex(std::shared_ptr<const Module> module);

  struct Found {
    InstructionId id;  // invalid: none, for the reason
    std::string reason;
  };
  // The one instruction of that name. Where several computations have one, the one that is executed by itself counts.
  Found find(std::string_view name) const;
  // The same by the name of a GPU kernel, in which every letter but [A-Za-z0-9_] is '_'.
  Found findKernel(std::string_view kernel) const;

  // Name, computation, opcode, category, scope and source line; the latter two are those of what is near where it has
  // no scope itself (core/arrange/nearest_places.h).
  InstructionTime describe(InstructionId id) const;
  // One execution; nothing of an instruction whose called computations have times of their own.
  Cost costOf(InstructionId id, const std::unordered_set<InstructionId>& timed) const;

  const Module& module() const { return *module_; }

 private:
  using Names = std::unordered_map<std::string, std::vector<InstructionId>>;
  const Names& kernels() const;
  CostCounter* costs() const;
  Found chosen(std::string_view name, const Names& names) const;
  std::string scopeOf(const Metadata& metadata) const;
  void findPlaces() const;
  bool callsTimed(const Instruction& instruction, const std::unordered_set<InstructionId>& timed) const;

  std::shared_ptr<const Module> module_;
  SourceFunctions functions_;
  std::unordered_set<ComputationId> executed_;  // the entry, loops, branches, calls: not the insides of fusions
  Names names_;
  // Made for the first who asks.
  mutable std::once_flag kernelsMade_, placesMade_, costsMade_;
  mutable Names kernels_;
  mutable std::vector<const Metadata*> places_;  // by id: who tells scope and line, its own or another's; null: nobody
  mutable std::unique_ptr<CostCounter> costs_;   // null: the module does not verify
};

}  // namespace tessera
