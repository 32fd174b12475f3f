// What the nodes of one gradient share: the module, free names, ready-made reducers, and the gradients of called
// computations, each of which is made once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/result.h"
#include "core/gradient/pullback.h"
#include "core/hlo/module.h"

namespace tessera::gradient {

class Session {
 public:
  explicit Session(Module& module);

  Module& module;
  // "add", "add.1", "add.2" …: one of a kind in the module.
  std::string freeName(const std::string& stem);
  std::string freeComputationName(const std::string& stem);
  // A computation of two scalars of a type and their combination; one of the module's own where there is one.
  ComputationId reducer(Opcode opcode, ElementType type);
  // (a, b) -> a DIRECTION b.
  ComputationId comparison(std::string_view direction, ElementType type);
  // (a, b) -> b, which replaces.
  ComputationId second(ElementType type);
  Result<const Pullback*> pullbackOf(ComputationId callee, const std::vector<bool>& wanted,
                                     const std::vector<bool>& given, bool ofBranch = false);
  // The original of a copy, which messages name: the user knows that one.
  void noteCopy(InstructionId copy, InstructionId of) { originals_[copy.value] = of; }
  InstructionId originalOf(InstructionId id) const;
  // The first failure of a node; nodes are made by formulas, which have no place for it.
  Status status;

 private:
  ComputationId scalarProgram(std::string_view stem, Opcode opcode, ElementType type, AttributeSet attributes);

  std::unordered_set<std::string> names_, computationNames_;
  std::unordered_map<std::string, size_t> nextNumber_;
  std::unordered_map<uint32_t, InstructionId> originals_;
  std::map<std::string, ComputationId> programs_;
  std::map<std::tuple<uint32_t, std::vector<bool>, std::vector<bool>, bool>, std::unique_ptr<Pullback>> pullbacks_;
};

}  // namespace tessera::gradient
