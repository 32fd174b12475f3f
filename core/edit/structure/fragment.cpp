// Copying cuts the selection out as a module whose root is a tuple of it; pasting says every instruction again.
#include "core/edit/structure/fragment.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/hlo_text.h"
#include "core/tools/cut_out.h"

namespace tessera {
namespace {

constexpr const char* kFragment = "fragment";

// What is selected, gathered by a tuple. Open inputs stay open.
InstructionId gather(Module& copy, std::span<const InstructionId> ids) {
  const ComputationId home = copy.at(ids.front()).computation;
  std::vector<Shape> shapes;
  for (InstructionId id : ids) shapes.push_back(copy.shapeOf(id));
  Instruction tuple;
  tuple.opcode = Opcode::Tuple;
  tuple.name = "selection";
  tuple.operands = ids;
  return copy.add(home, std::move(tuple), Shape::tuple(std::move(shapes)));
}

Result<Module> readText(const std::string& text) {
  ReadResult read = readHloText(text);
  if (!read.module) read = readHloText("HloModule pasted\n\nENTRY pasted {\n" + text + "\n}\n");
  if (!read.module) {
    if (read.diagnostics.empty()) return fail("this is no HLO text");
    Diagnostic why = read.diagnostics.items().front();
    why.message = "the text does not paste: " + why.message;
    return std::unexpected(std::move(why));
  }
  return std::move(*read.module);
}

class Pasting {
 public:
  Pasting(const Module& module, ComputationId computation, const Module& from, const std::string& text, bool keepInputs)
      : module_(module), computation_(computation), from_(from), text_(text), keepInputs_(keepInputs) {}

  Result<Edit> make() {
    const Computation& entry = from_.entryComputation();
    const bool isFragment =
        from_.name == kFragment && entry.root.valid() && from_.at(entry.root).opcode == Opcode::Tuple;
    if (isFragment)
      for (InstructionId id : from_.at(entry.root).operands) selected_.insert(id);
    if (from_.order().size() > 1) edit_.actions.push_back(AddComputations{text_});
    TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> order, topologicalOrder(from_, from_.entry()));
    for (InstructionId id : order) {
      if (isFragment && id == entry.root) continue;
      const Instruction& instruction = from_.at(id);
      if (instruction.opcode == Opcode::Parameter &&
          ((isFragment && !selected_.contains(id)) || computation_ != module_.entry()))
        placed_[id] = outside(instruction);
      else if (instruction.opcode != Opcode::Unknown)
        place(instruction);
    }
    if (added_ == 0) return fail("the text has nothing to paste");
    return std::move(edit_);
  }

 private:
  InstructionId outside(const Instruction& input) const {
    if (!keepInputs_) return {};
    for (InstructionId id : module_.at(computation_).instructions)
      if (module_.at(id).name == input.name && sameIgnoringLayout(module_.shapeOf(id), *input.shape)) return id;
    return {};
  }
  void place(const Instruction& instruction) {
    AddInstruction out{computation_, instruction.opcode, std::string(instruction.name), {}, {}, *instruction.shape, ""};
    if (instruction.literal) out.literal = printLiteral(*instruction.literal);
    for (InstructionId operand : instruction.operands)
      out.operands.push_back(operand.valid() ? placed_[operand] : operand);
    for (const Attribute& each : instruction.attributes->items())
      if (kindOf(each.name) != AttributeKind::Instructions)
        out.attributes.push_back({each.name, printAttributeValue(from_, each.value, kindOf(each.name))});
    placed_[instruction.id] = newInstruction(added_++);
    edit_.actions.push_back(std::move(out));
  }

  const Module& module_;
  const ComputationId computation_;
  const Module& from_;
  const std::string& text_;
  const bool keepInputs_;
  Edit edit_{"Paste", {}};
  uint32_t added_ = 0;
  std::unordered_set<InstructionId> selected_;
  std::unordered_map<InstructionId, InstructionId> placed_;
};

}  // namespace

std::string fragmentText(const Module& module, std::span<const InstructionId> ids) {
  std::vector<InstructionId> selected;
  for (InstructionId id : ids)
    if (module.contains(id) && module.at(id).computation == module.at(ids.front()).computation) selected.push_back(id);
  if (selected.empty()) return {};
  Module copy = module;
  copy.name = kFragment;
  const InstructionId tuple = gather(copy, selected);
  const std::unordered_set<InstructionId> inside(selected.begin(), selected.end());
  auto cut = cutOut(copy, tuple, [&](InstructionId id) {
    return id != tuple && !inside.contains(id) && copy.at(id).opcode != Opcode::Constant;
  });
  if (!cut) return {};
  cut->name = kFragment;
  return printHloText(*cut);
}

Result<Edit> pasting(const Module& module, ComputationId computation, const std::string& text, bool keepInputs) {
  TESSERA_ASSIGN_OR_RETURN(const Module from, readText(text));
  return Pasting(module, computation, from, text, keepInputs).make();
}

}  // namespace tessera
