// What calls ask beyond the shapes of their arguments: a composite call has a name and a version, loops and
// conditionals are on devices like their bodies, a started computation is one operation (or a group of sends and
// receives), and the custom calls that make and take buffers (CreateBuffer, Pin, Unpin) have one of them.
#include <algorithm>
#include <charconv>

#include "core/devices/sharding.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

// The value of NAME="value" or NAME={…} among frontend attributes.
std::optional<std::string_view> frontendValue(std::string_view braces, std::string_view name) {
  for (size_t at = braces.find(name); at != std::string_view::npos; at = braces.find(name, at + 1)) {
    const bool starts = at > 0 && (braces[at - 1] == '{' || braces[at - 1] == ',' || braces[at - 1] == ' ');
    const size_t value = at + name.size() + 1;
    if (!starts || value >= braces.size() || braces[value - 1] != '=') continue;
    if (braces[value] != '"') return braces.substr(value);
    return braces.substr(value + 1, std::min(braces.find('"', value + 1), braces.size()) - value - 1);
  }
  return std::nullopt;
}

bool isVersion(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

class CallChecks {
 public:
  CallChecks(const Module& module, Diagnostics& out) : module_(module), out_(out) {}

  void check(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Call: return checkComposite(instruction);
      case Opcode::While: return checkLoopSharding(instruction);
      case Opcode::Conditional: return checkBranches(instruction);
      case Opcode::Parameter: return checkReplication(instruction);
      case Opcode::AsyncStart: return checkStarted(instruction);
      case Opcode::CustomCall: return checkBufferTarget(instruction);
      default: return;
    }
  }

 private:
  void refuse(const Instruction& instruction, std::string message, std::string label, std::string expected = {},
              std::string found = {}) {
    out_.add(diagnosticAt(instruction, instruction.reference() + " " + std::move(message), std::move(label),
                          std::move(expected), std::move(found)));
  }

  void checkComposite(const Instruction& call) {
    if (!call.attributes->boolOr(Attr::is_composite, false)) return;
    const auto* text = call.attributes->get<RawText>(Attr::frontend_attributes);
    const std::string_view braces = text ? std::string_view(text->text) : "{}";
    const auto name = frontendValue(braces, "composite.name"), facts = frontendValue(braces, "composite.attributes"),
               version = frontendValue(braces, "composite.version");
    if (!name || name->empty())
      refuse(call, "is a composite without a name", "composite", "composite.name=\"…\" in frontend_attributes",
             std::string(braces));
    if (facts && facts->empty())
      refuse(call, "is a composite with empty attributes", "composite", "composite.attributes={…}", "\"\"");
    if (version && !isVersion(*version))
      refuse(call, "is a composite with a bad version", "composite", "a number from 0", std::string(*version));
  }

  const Instruction* rootOf(ComputationId id) const {
    if (!module_.contains(id) || !module_.at(id).root.valid() || !module_.contains(module_.at(id).root)) return nullptr;
    return &module_.at(module_.at(id).root);
  }
  const Instruction* parameterOf(ComputationId id) const {
    if (!module_.contains(id) || module_.at(id).parameters.empty() || !module_.at(id).parameters[0].valid())
      return nullptr;
    return &module_.at(module_.at(id).parameters[0]);
  }

  void checkLoopSharding(const Instruction& loop) {
    std::vector<const Instruction*> places{&loop};
    if (const auto* body = loop.attributes->get<ComputationId>(Attr::body))
      places.insert(places.end(), {rootOf(*body), parameterOf(*body)});
    if (const auto* condition = loop.attributes->get<ComputationId>(Attr::condition))
      places.push_back(parameterOf(*condition));
    checkSameSharding(loop, places);
  }
  // A flag chooses between true_computation and false_computation.
  void checkBranches(const Instruction& conditional) {
    const bool flag = !conditional.operands.empty() && conditional.operands[0].valid() &&
                      module_.contains(conditional.operands[0]) &&
                      module_.shapeOf(conditional.operands[0]).type == ElementType::Pred;
    const char* const pair = "true_computation=…, false_computation=…";
    if (flag && conditional.attributes->has(Attr::branch_computations))
      refuse(conditional, "has a flag and a list of branches", "attribute", pair, "branch_computations");
    checkBranchSharding(conditional);
  }
  // parameter_replication={true,false}: one for each array.
  void checkReplication(const Instruction& parameter) {
    const auto* text = parameter.attributes->get<RawText>(Attr::parameter_replication);
    if (!text || text->text == "{}") return;
    const auto given = static_cast<size_t>(std::ranges::count(text->text, ',')) + 1,
               arrays = leavesOf(*parameter.shape).size();
    if (given != arrays)
      refuse(parameter, "has parameter_replication for another number of arrays", "attribute", std::to_string(arrays),
             std::to_string(given));
  }

  void checkBranchSharding(const Instruction& conditional) {
    std::vector<const Instruction*> places{&conditional};
    for (ComputationId branch : module_.callees(conditional)) places.push_back(rootOf(branch));
    checkSameSharding(conditional, places);
  }

  // Where shardings are written, they say the same. Shardings that only differ in writing are not told apart from
  // others, so that only those that are read here are compared.
  void checkSameSharding(const Instruction& caller, const std::vector<const Instruction*>& places) {
    const Instruction* first = nullptr;
    for (const Instruction* place : places) {
      if (!place || !place->attributes->has(Attr::sharding)) continue;
      if (!first) first = place;
      const std::string &one = place->attributes->get<RawText>(Attr::sharding)->text,
                        &other = first->attributes->get<RawText>(Attr::sharding)->text;
      if (surelyDiffer(one, other))
        refuse(
            *place,
            "lies on devices otherwise than " + first->reference() + " of the same " + std::string(caller.opcodeName()),
            "sharding", other, one);
    }
  }
  static bool surelyDiffer(std::string_view a, std::string_view b) {
    if (a == b) return false;
    if (a.starts_with("{{") && b.starts_with("{{")) {
      const auto left = shardingsOf(a), right = shardingsOf(b);
      if (left.size() != right.size()) return true;
      for (size_t i = 0; i < left.size(); ++i)
        if (surelyDiffer(left[i], right[i])) return true;
      return false;
    }
    const auto one = tilingOf(a), other = tilingOf(b);
    if (!one || !other) return false;
    const auto isCut = [](const Tiling& tiling) {
      return std::ranges::any_of(tiling.tiles, [](int64_t tiles) { return tiles > 1; });
    };
    if (isCut(*one) != isCut(*other)) return (isCut(*one) ? b : a) == "{replicated}";
    return isCut(*one) && (one->tiles != other->tiles || one->devices != other->devices);
  }

  void checkStarted(const Instruction& start) {
    for (ComputationId callee : module_.callees(start)) {
      if (!module_.contains(callee)) continue;
      const auto& instructions = module_.at(callee).instructions;
      const auto isOf = [&](InstructionId id, std::initializer_list<Opcode> opcodes) {
        return std::ranges::find(opcodes, module_.at(id).opcode) != opcodes.end();
      };
      const auto others = std::ranges::count_if(instructions, [&](InstructionId id) {
        return !isOf(id, {Opcode::Parameter, Opcode::Tuple, Opcode::GetTupleElement, Opcode::Bitcast});
      });
      const bool onlyMessages = std::ranges::all_of(instructions, [&](InstructionId id) {
        return isOf(id, {Opcode::Parameter, Opcode::Send, Opcode::SendDone, Opcode::Recv, Opcode::RecvDone,
                         Opcode::Tuple, Opcode::GetTupleElement, Opcode::AfterAll});
      });
      if (others > 1 && !onlyMessages)
        refuse(start, "starts %" + module_.at(callee).name + ", which is more than one operation", "async-pair",
               "parameters and one operation", std::to_string(others) + " operations");
    }
  }

  void checkBufferTarget(const Instruction& call) {
    const std::string target(call.attributes->textOr(Attr::custom_call_target, ""));
    const bool makes = target == "CreateBuffer" || target == "Pin", takes = target == "Unpin",
               creates = target == "CreateBuffer";
    if (!makes && !takes) return;
    const bool resultFits = makes ? call.shape->type == ElementType::Buffer : call.shape->isArray();
    if (!resultFits)
      refuse(call, "has a result that " + target + " does not give", "buffer", makes ? "a buffer" : "an array",
             toString(*call.shape, false));
    if (call.operands.size() != (creates ? 0u : 1u))
      return refuse(call, "has operands that " + target + " does not take", "buffer", creates ? "none" : "one",
                    std::to_string(call.operands.size()));
    if (creates || !call.operands[0].valid() || !module_.contains(call.operands[0])) return;
    const Shape& operand = module_.shapeOf(call.operands[0]);
    const bool operandFits = takes ? operand.type == ElementType::Buffer : operand.isArray();
    if (!operandFits)
      return refuse(call, "has an operand that " + target + " does not take", "buffer", takes ? "a buffer" : "an array",
                    toString(operand, false));
    const Shape &array = makes ? operand : *call.shape, &buffer = makes ? *call.shape : operand;
    if (resultFits && !compatible(array, buffer.elements.at(0)))
      refuse(call, "has a buffer of another shape", "buffer", toString(array, false), toString(buffer, false));
  }

  const Module& module_;
  Diagnostics& out_;
};

}  // namespace

void verifyCalls(const Module& module, Diagnostics& out) {
  CallChecks checks(module, out);
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) checks.check(module.at(id));
}

}  // namespace tessera
