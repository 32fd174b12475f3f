// Every way is tried by inference itself, so that no rule of an op is written twice.
#include "core/edit/wiring/wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/edit/performer.h"
#include "core/edit/wiring/implied_broadcast.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kMaxPlacements = 8;

std::string nameOfValue(const Module& module, InstructionId id) { return std::string(module.at(id).name); }

bool hasOpenInput(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](InstructionId id) { return !id.valid(); });
}

// Collects the actions of one way; new instructions are numbered in their order.
class ConnectionOptionMaker {
 public:
  ConnectionOptionMaker(const Module& module, InstructionId value, InstructionId user, int32_t operand)
      : module_(module), computation_(module.at(user).computation), value_(value), user_(user), operand_(operand) {}

  InstructionId add(Opcode opcode, std::vector<InstructionId> operands, std::vector<NewAttribute> attributes,
                    const Shape& shape, std::string literal = {}) {
    edit_.actions.push_back(AddInstruction{computation_, opcode, "", std::move(operands), std::move(attributes), shape,
                                           std::move(literal)});
    return newInstruction(added_++);
  }
  InstructionId broadcast(InstructionId from, const std::vector<int64_t>& dimensions, const Shape& to) {
    return add(Opcode::Broadcast, {from}, {{Attr::dimensions, listOf(dimensions)}}, withoutLayout(to));
  }
  void wire(int32_t operand, InstructionId value) { edit_.actions.push_back(SetOperand{user_, operand, value}); }

  Result<ConnectionOption> make(std::string title, InstructionId wired) {
    wire(operand_, wired);
    edit_.title = "Wire " + nameOfValue(module_, value_) + " to " + nameOfValue(module_, user_);
    TESSERA_ASSIGN_OR_RETURN(Shape result, tried(module_, edit_, user_));
    return ConnectionOption{std::move(title), std::move(edit_), std::move(result)};
  }

 private:
  const Module& module_;
  const ComputationId computation_;
  const InstructionId value_, user_;
  const int32_t operand_;
  Edit edit_;
  uint32_t added_ = 0;
};

// What the other operands of an elementwise user have in common; null: nothing is connected yet.
const Shape* largestOther(const Module& module, const Instruction& user, int32_t operand) {
  const Shape* largest = nullptr;
  const auto shapes = operandShapes(module, user);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (static_cast<int32_t>(i) != operand && shapes[i] && shapes[i]->isArray() &&
        (!largest || shapes[i]->dimensions.size() > largest->dimensions.size()))
      largest = shapes[i];
  return largest;
}

std::string placementTitle(const std::vector<int64_t>& dimensions) {
  if (dimensions.empty()) return "fill with it";
  return fmt::format("broadcast to dimension{} {}", dimensions.size() > 1 ? "s" : "", fmt::join(dimensions, ", "));
}

void keep(std::vector<ConnectionOption>& ways, Result<ConnectionOption> way) {
  if (way) ways.push_back(std::move(*way));
}

// How the value's dimensions are those of another operand, if both are computed of one value; empty: unknown.
std::vector<int64_t> derivedFromOthers(const Module& module, InstructionId value, InstructionId user, int32_t operand) {
  const auto& operands = module.at(user).operands;
  for (size_t i = 0; i < operands.size(); ++i)
    if (static_cast<int32_t>(i) != operand)
      if (auto found = derivedPlacement(module, value, operands[i]); !found.empty()) return found;
  return {};
}

// The value is laid along the dimensions of what is there, first as it is derived from that.
void addPlacements(const Module& module, InstructionId value, InstructionId user, int32_t operand, const Shape& there,
                   std::vector<ConnectionOption>& ways) {
  const Shape& own = module.shapeOf(value);
  Shape to = there;
  to.type = own.type;
  auto placements = broadcastPlacements(own, to, kMaxPlacements);
  if (placements.size() > 1)
    std::ranges::stable_partition(placements, [derived = derivedFromOthers(module, value, user, operand)](
                                                  const auto& each) { return each == derived; });
  for (const auto& dimensions : placements) {
    ConnectionOptionMaker maker(module, value, user, operand);
    const InstructionId wide = maker.broadcast(value, dimensions, to);
    keep(ways, maker.make(placementTitle(dimensions), wide));
  }
}

// Sizes of 1 are stretched to what is there: a reshape without them and a broadcast.
void addStretch(const Module& module, InstructionId value, InstructionId user, int32_t operand, const Shape& there,
                std::vector<ConnectionOption>& ways) {
  const Shape& own = module.shapeOf(value);
  if (own.dimensions.size() != there.dimensions.size() || own.dimensions == there.dimensions) return;
  std::vector<int64_t> kept, sizes;
  for (size_t d = 0; d < own.dimensions.size(); ++d) {
    if (own.dimensions[d] == there.dimensions[d])
      kept.push_back(static_cast<int64_t>(d)), sizes.push_back(own.dimensions[d]);
    else if (own.dimensions[d] != 1)
      return;
  }
  Shape to = there;
  to.type = own.type;
  ConnectionOptionMaker maker(module, value, user, operand);
  const InstructionId narrow = maker.add(Opcode::Reshape, {value}, {}, Shape::array(own.type, sizes));
  const InstructionId wide = maker.broadcast(narrow, kept, to);
  keep(ways, maker.make("stretch the sizes of 1", wide));
}

// What is there is laid along the value's dimensions, if there is just one way or what both are computed of tells it.
void addWidened(const Module& module, InstructionId value, InstructionId user, int32_t operand,
                std::vector<ConnectionOption>& ways) {
  const Shape& own = module.shapeOf(value);
  const Instruction& instruction = module.at(user);
  ConnectionOptionMaker maker(module, value, user, operand);
  bool any = false;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const InstructionId other = instruction.operands[i];
    if (static_cast<int32_t>(i) == operand || !other.valid()) continue;
    Shape to = own;
    to.type = module.shapeOf(other).type;
    const auto placements = broadcastPlacements(module.shapeOf(other), to, 2);
    if (placements.empty()) continue;
    const auto dimensions = placements.size() == 1 ? placements[0] : derivedPlacement(module, other, value);
    if (placements.size() > 1 && dimensions.empty()) continue;
    maker.wire(static_cast<int32_t>(i), maker.broadcast(other, dimensions, to));
    any = true;
  }
  if (any) keep(ways, maker.make("broadcast what is there", value));
}

std::string reasonAgainst(const Shape& here, const Shape* there, const Diagnostic& found) {
  if (there && here.isArray() && there->isArray()) {
    if (here.type != there->type)
      return fmt::format("this is {}, the other input is {}", nameOf(here.type), nameOf(there->type));
    if (here.dimensions.size() == there->dimensions.size())
      for (size_t d = 0; d < here.dimensions.size(); ++d)
        if (here.dimensions[d] != there->dimensions[d])
          return fmt::format("dimension {} is {} here, {} there", d, here.dimensions[d], there->dimensions[d]);
  }
  std::string out = found.message;
  if (!found.expected.empty()) out += fmt::format(" (expected {}, found {})", found.expected, found.found);
  return out;
}

// Its open inputs have the shapes of their parameters.
Status callTakes(const Module& module, InstructionId value, const Instruction& call, int32_t operand) {
  InferContext context = inferContextOf(module, call);
  if (context.computations.empty() || !context.op || static_cast<size_t>(operand) >= context.operands.size()) return {};
  const auto& parameters = context.computations[0].parameters;
  context.operands[static_cast<size_t>(operand)] = module.at(value).shape;
  for (size_t i = 0; i < std::min(parameters.size(), context.operands.size()); ++i)
    if (!context.operands[i]) context.operands[i] = &parameters[i];
  TESSERA_TRY(context.op->inferShape(context));
  return {};
}

size_t openOthers(const Instruction& instruction, int32_t operand) {
  size_t open = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    open += static_cast<int32_t>(i) != operand && !instruction.operands[i].valid();
  return open;
}

// With other inputs open inference says nothing. A call is asked for its parameter, a unary or binary elementwise op
// with equal operands.
Status acceptsWhileOpen(const Module& module, InstructionId value, InstructionId user, int32_t operand) {
  const Instruction& instruction = module.at(user);
  const size_t open = openOthers(instruction, operand);
  if (open == 0) return {};
  if (instruction.opcode == Opcode::Call || instruction.opcode == Opcode::Fusion)
    return callTakes(module, value, instruction, operand);
  if (!isElementwiseOp(instruction.opcode) || instruction.operands.size() > 2 || open + 1 < instruction.operands.size())
    return {};
  Module copy = module;
  const std::vector<InstructionId> all(instruction.operands.size(), value);
  copy.setOperands(user, all);
  TESSERA_TRY(inferInstruction(copy, user));
  return {};
}

}  // namespace

std::vector<const Shape*> operandShapes(const Module& module, const Instruction& instruction) {
  std::vector<const Shape*> out;
  for (InstructionId id : instruction.operands)
    out.push_back(id.valid() && module.contains(id) ? module.at(id).shape : nullptr);
  return out;
}

bool isElementwiseOp(Opcode opcode) { return hasTrait(opcode, kElementwise | kReinterprets); }

Result<Shape> tried(const Module& module, const Edit& edit, InstructionId user) {
  Module copy = module;
  Performer performer(copy);
  for (const EditAction& action : edit.actions)
    TESSERA_TRY(std::visit([&](const auto& each) { return performer(each); }, action));
  for (InstructionId id : performer.added()) {
    TESSERA_ASSIGN_OR_RETURN(Shape inferred, inferInstruction(copy, id));
    fillDefaultLayouts(inferred);
    copy.setShape(id, inferred);
  }
  if (hasOpenInput(copy.at(user))) return copy.shapeOf(user);
  return inferInstruction(copy, user);
}

Status performable(const Module& module, const Edit& edit) {
  Module copy = module;
  Performer performer(copy);
  for (const EditAction& action : edit.actions)
    TESSERA_TRY(std::visit([&](const auto& each) { return performer(each); }, action));
  return {};
}

ConnectionCheck fitOf(const Module& module, InstructionId value, InstructionId user, int32_t operand) {
  ConnectionCheck fit;
  const Instruction& instruction = module.at(user);
  const Shape* there = isElementwiseOp(instruction.opcode) ? largestOther(module, instruction, operand) : nullptr;
  ConnectionOptionMaker direct(module, value, user, operand);
  Result<ConnectionOption> way = direct.make("as it is", value);
  if (way)
    if (const Status asked = acceptsWhileOpen(module, value, user, operand); !asked)
      way = std::unexpected(asked.error());
  if (way) {
    fit.ways.push_back(std::move(*way));
    return fit;
  }
  const Shape& own = module.shapeOf(value);
  if (there && own.isArray()) {
    addPlacements(module, value, user, operand, *there, fit.ways);
    addStretch(module, value, user, operand, *there, fit.ways);
    if (fit.ways.empty()) addWidened(module, value, user, operand, fit.ways);
  }
  if (fit.ways.empty()) fit.reason = reasonAgainst(own, there, way.error());
  return fit;
}

int32_t firstFittingInput(const Module& module, InstructionId value, InstructionId user) {
  const Instruction& instruction = module.at(user);
  const auto count = static_cast<int32_t>(instruction.operands.size());
  for (const bool open : {true, false})
    for (int32_t i = 0; i < count; ++i)
      if (instruction.operands[static_cast<size_t>(i)].valid() != open && fitOf(module, value, user, i).fits())
        return i;
  const bool appends = instruction.opcode != Opcode::Unknown && arityOf(instruction.opcode) < 0;
  return appends && fitOf(module, value, user, count).fits() ? count : -1;
}

}  // namespace tessera
