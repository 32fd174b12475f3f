// One overload per action: changes the module or fails with the reason. Used by apply.cpp, which infers and verifies
// afterwards.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

class Performer {
 public:
  explicit Performer(Module& module) : module_(module) {}

  Status operator()(const SetParameterShape& action);
  Status operator()(const SetShape& action);
  Status operator()(const SetAttribute& action);
  Status operator()(const Rename& action);
  Status operator()(const SetOperand& action);
  Status operator()(const SetNote& action);
  Status operator()(const SetRoot& action);
  Status operator()(const AddInstruction& action);
  Status operator()(const RemoveInstruction& action);
  Status operator()(const AddReducer& action);
  Status operator()(const AddComputations& action);
  Status operator()(const SetLiteral& action);
  Status operator()(const GroupInstructions& action);
  Status operator()(const InlineCall& action);
  Status operator()(const ReplaceGroup& action);
  Status operator()(const PromoteConstant& action);
  Status operator()(const AddGradient& action);

  const std::vector<InstructionId>& added() const { return added_; }
  // Whose shape or users may be other now.
  const std::vector<InstructionId>& seeds() const { return seeds_; }
  const std::vector<InstructionId>& changed() const { return changed_; }

 private:
  Result<InstructionId> resolve(InstructionId id) const;
  Result<InstructionId> operandIn(ComputationId computation, InstructionId id) const;
  Status readAttributes(InstructionId id, const std::vector<NewAttribute>& attributes);
  Status setShape(InstructionId id, const Shape& shape);
  Status refuseRecursion(InstructionId id) const;
  Result<Instruction> newInstructionFrom(const AddInstruction& action) const;
  const Metadata* scopeOf(const AddInstruction& action, std::vector<InstructionId> operands) const;
  void takeOwnShape(InstructionId id, Shape standIn);
  void fillAttributes(InstructionId id);
  void orderOperandsFirst(ComputationId id);
  void heal(InstructionId removed, InstructionId by);
  void renumberParametersBehind(InstructionId removed);
  void giveBeside(InstructionId caller, InstructionId constant);
  void touch(InstructionId id) { changed_.push_back(id); }
  void seed(InstructionId id) { changed_.push_back(id), seeds_.push_back(id); }

  std::string renamed(std::string text) const;

  Module& module_;
  std::vector<InstructionId> added_, seeds_, changed_;
  std::unordered_map<std::string, std::string> renamed_;  // computations that came under a taken name
};

bool isInstructionName(const std::string& name);
// "add", "add.1", "add.2" …: names are one of a kind in the whole module, as XLA's are.
std::string freeName(const Module& module, const std::string& stem);

}  // namespace tessera
