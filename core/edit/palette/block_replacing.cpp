// A block in the place of the instructions that it was made of: its call reads what they read, and what read them reads
// the call.
#include <algorithm>

#include "core/edit/palette/block_writer.h"
#include "core/edit/palette/blocks.h"

namespace tessera {
namespace {

// The call of a block in the place of what it was made of.
class Replacing {
 public:
  Replacing(const Module& module, std::span<const InstructionId> ids, const Module& body)
      : module_(module), home_(module.at(ids.front()).computation), body_(body), users_(module) {
    for (InstructionId id : ids)
      if (module.contains(id) && module.at(id).computation == home_ && module.at(id).opcode != Opcode::Parameter)
        members_.push_back(id);
  }

  Result<Edit> make(const Block& block) {
    std::vector<InstructionId> sources;
    for (InstructionId parameter : body_.entryComputation().parameters) {
      const InstructionId source = named(body_.at(parameter).name);
      if (!source.valid()) return fail("an input of the block is not there any more");
      sources.push_back(source);
    }
    TESSERA_ASSIGN_OR_RETURN(edit_, placingBlock(module_, home_, block, sources));
    std::erase_if(edit_.actions, [](const EditAction& action) { return std::holds_alternative<SetRoot>(action); });
    edit_.title = "Save as a block";
    added_ = static_cast<uint32_t>(std::ranges::count_if(
        edit_.actions, [](const EditAction& action) { return std::holds_alternative<AddInstruction>(action); }));
    TESSERA_TRY(rewire(newInstruction(added_ - 1)));
    removeMembers();
    return std::move(edit_);
  }

 private:
  InstructionId named(std::string_view name) const {
    for (InstructionId id : module_.at(home_).instructions)
      if (module_.at(id).name == name) return id;
    return {};
  }
  bool isMember(InstructionId id) const { return std::ranges::find(members_, id) != members_.end(); }
  bool isReadOutside(InstructionId id) const {
    return module_.at(home_).root == id ||
           std::ranges::any_of(users_.users(id), [&](InstructionId user) { return !isMember(user); });
  }

  // Results by their names in the block's text; of several each is an element.
  Status rewire(InstructionId call) {
    const Instruction& root = body_.at(body_.entryComputation().root);
    const bool several = root.opcode == Opcode::Tuple && !named(root.name).valid();
    std::vector<InstructionId> results;
    if (several)
      for (InstructionId id : root.operands) results.push_back(named(body_.at(id).name));
    else
      results = {named(root.name)};
    for (InstructionId id : members_)
      if (isReadOutside(id) && std::ranges::find(results, id) == results.end())
        return fail(module_.at(id).reference() + " is read inside and outside of the block, so it stays as it is");
    for (size_t k = 0; k < results.size(); ++k) {
      if (!results[k].valid()) return fail("a result of the block is not there any more");
      InstructionId value = call;
      if (several) {
        edit_.actions.push_back(AddInstruction{home_,
                                               Opcode::GetTupleElement,
                                               "",
                                               {call},
                                               {{Attr::index, std::to_string(k)}},
                                               module_.shapeOf(results[k]),
                                               ""});
        value = newInstruction(added_++);
      }
      readInstead(results[k], value);
    }
    return {};
  }
  void readInstead(InstructionId old, InstructionId value) {
    for (InstructionId user : users_.users(old)) {
      if (isMember(user)) continue;
      const auto operands = module_.at(user).operands;
      for (size_t k = 0; k < operands.size(); ++k)
        if (operands[k] == old) edit_.actions.push_back(SetOperand{user, static_cast<int32_t>(k), value});
    }
    if (module_.at(home_).root == old) edit_.actions.push_back(SetRoot{value});
  }
  bool isConstant(InstructionId id) const {
    const Instruction& each = module_.at(id);
    if (each.opcode == Opcode::Broadcast)
      return module_.contains(each.operands[0]) && module_.at(each.operands[0]).opcode == Opcode::Constant;
    return each.opcode == Opcode::Constant || each.opcode == Opcode::Iota;
  }
  // With the constants, spread ones too, that only they read; readers first.
  void removeMembers() {
    std::vector<InstructionId> gone = members_;
    for (bool more = true; more;) {
      more = false;
      for (InstructionId id : module_.at(home_).instructions) {
        const auto isGone = [&](InstructionId user) { return std::ranges::find(gone, user) != gone.end(); };
        if (!isConstant(id) || isGone(id) || users_.users(id).empty() || module_.at(home_).root == id ||
            !std::ranges::all_of(users_.users(id), isGone))
          continue;
        gone.push_back(id);
        more = true;
      }
    }
    const auto& order = module_.at(home_).instructions;
    for (auto id = order.rbegin(); id != order.rend(); ++id)
      if (std::ranges::find(gone, *id) != gone.end()) edit_.actions.push_back(RemoveInstruction{*id});
  }

  const Module& module_;
  const ComputationId home_;
  const Module& body_;
  const UserTable users_;
  std::vector<InstructionId> members_;
  Edit edit_;
  uint32_t added_ = 0;
};

}  // namespace

Result<Edit> replacingByBlock(const Module& module, std::span<const InstructionId> ids, const Block& block) {
  if (ids.empty() || !module.contains(ids.front())) return fail("nothing is selected");
  TESSERA_ASSIGN_OR_RETURN(const Module body, readBlock(block.text));
  return Replacing(module, ids, body).make(block);
}

}  // namespace tessera
