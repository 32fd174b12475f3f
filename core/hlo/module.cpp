// Module: adding, editing and removing instructions and computations.
#include "core/hlo/module.h"

#include <algorithm>
#include <unordered_set>

namespace tessera {
namespace {

const AttributeSetPtr& emptyAttributes() {
  static const AttributeSetPtr empty = std::make_shared<const AttributeSet>();
  return empty;
}

void registerParameter(Computation& computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::Parameter || instruction.parameterNumber < 0) return;
  auto number = static_cast<size_t>(instruction.parameterNumber);
  constexpr size_t kMaxParameters = 1u << 20;
  if (number >= kMaxParameters) return;  // the verifier reports the gap
  if (computation.parameters.size() <= number) computation.parameters.resize(number + 1);
  computation.parameters[number] = instruction.id;
}

void unregisterParameter(Computation& computation, InstructionId id) {
  for (InstructionId& parameter : computation.parameters)
    if (parameter == id) parameter = {};
  while (!computation.parameters.empty() && !computation.parameters.back().valid()) computation.parameters.pop_back();
}

}  // namespace

template class ChunkedVector<Instruction>;

ModuleConfig::ModuleConfig() = default;
ModuleConfig::~ModuleConfig() = default;
ModuleConfig::ModuleConfig(const ModuleConfig& other) = default;
ModuleConfig::ModuleConfig(ModuleConfig&& other) noexcept = default;
ModuleConfig& ModuleConfig::operator=(const ModuleConfig& other) = default;
ModuleConfig& ModuleConfig::operator=(ModuleConfig&& other) noexcept = default;

Module::~Module() = default;
Module::Module(const Module& other) = default;
Module::Module(Module&& other) noexcept = default;
Module& Module::operator=(const Module& other) = default;
Module& Module::operator=(Module&& other) noexcept = default;

void Module::setConfig(ModuleConfig config) { config_ = std::make_shared<const ModuleConfig>(std::move(config)); }

Module::Module(std::string moduleName)
    : name(std::move(moduleName)),
      tables_(std::make_shared<Tables>()),
      config_(std::make_shared<const ModuleConfig>()) {}

Module Module::derivedFrom(const Module& source) {
  Module out(source.name);
  out.tables_ = source.tables_;
  out.config_ = source.config_;
  out.stackFrames = source.stackFrames;
  return out;
}

ComputationId Module::addComputation(std::string computationName) {
  ComputationId id(static_cast<uint32_t>(computations_.size()));
  auto computation = std::make_shared<Computation>();
  computation->id = id;
  computation->name = std::move(computationName);
  computations_.push_back(std::move(computation));
  order_.push_back(id);
  return id;
}

Computation& Module::edit(ComputationId id) {
  auto& slot = computations_[id.value];
  if (slot.use_count() > 1) slot = std::make_shared<Computation>(*slot);
  return *slot;
}

InstructionId Module::addInterned(ComputationId computation, Instruction instruction, const Shape* shape) {
  instruction.id = InstructionId(static_cast<uint32_t>(instructions_.size()));
  instruction.computation = computation;
  instruction.shape = shape;
  instruction.name = tables_->intern(instruction.name);
  instruction.note = tables_->intern(instruction.note);
  instruction.unknownOpcode = tables_->intern(instruction.unknownOpcode);
  instruction.operands = tables_->store(instruction.operands);
  if (!instruction.attributes) instruction.attributes = emptyAttributes();
  InstructionId id = instruction.id;
  Computation& owner = edit(computation);
  owner.instructions.push_back(id);
  registerParameter(owner, instruction);
  instructions_.push_back(std::move(instruction));
  ++live_;
  return id;
}

InstructionId Module::add(ComputationId computation, Opcode opcode, const Shape& shape,
                          std::span<const InstructionId> operands, AttributeSet attributes, ProvenancePtr provenance) {
  Instruction instruction;
  instruction.opcode = opcode;
  // Ids are unique in the document, and names of files end in ".N" only by convention: ".t" keeps ours apart.
  std::string uniqueName = std::string(nameOf(opcode)) + ".t" + std::to_string(instructions_.size());
  instruction.name = uniqueName;
  instruction.operands = operands;
  instruction.shapeWritten = false;
  if (!attributes.empty()) instruction.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  instruction.provenance = std::move(provenance);
  return add(computation, std::move(instruction), shape);
}

void Module::setOperands(InstructionId id, std::span<const InstructionId> operands) {
  edit(id).operands = tables_->store(operands);
}

void Module::setAttributes(InstructionId id, AttributeSet attributes) {
  edit(id).attributes =
      attributes.empty() ? emptyAttributes() : std::make_shared<const AttributeSet>(std::move(attributes));
}

void Module::remove(InstructionId id) {
  Instruction& instruction = edit(id);
  if (instruction.removed) return;
  instruction.removed = true;
  --live_;
  Computation& owner = edit(instruction.computation);
  std::erase(owner.instructions, id);
  if (instruction.opcode == Opcode::Parameter) unregisterParameter(owner, id);
  if (owner.root == id) owner.root = {};
}

void Module::removeAll(ComputationId computation, std::span<const InstructionId> ids) {
  Computation& owner = edit(computation);
  for (InstructionId id : ids) {
    Instruction& instruction = edit(id);
    if (instruction.removed) continue;
    instruction.removed = true;
    --live_;
    if (instruction.opcode == Opcode::Parameter) unregisterParameter(owner, id);
    if (owner.root == id) owner.root = {};
  }
  std::erase_if(owner.instructions, [&](InstructionId id) { return at(id).removed; });
}

void Module::remove(ComputationId id) {
  for (InstructionId instruction : at(id).instructions) {
    edit(instruction).removed = true;
    --live_;
  }
  computations_[id.value] = nullptr;
  std::erase(order_, id);
  if (entry_ == id) entry_ = {};
}

void Module::restore(InstructionId id, size_t place) {
  Instruction& instruction = edit(id);
  if (!instruction.removed) return;
  instruction.removed = false;
  ++live_;
  Computation& owner = edit(instruction.computation);
  place = std::min(place, owner.instructions.size());
  owner.instructions.insert(owner.instructions.begin() + static_cast<std::ptrdiff_t>(place), id);
  registerParameter(owner, instruction);
}

std::optional<ComputationId> Module::findComputation(std::string_view computationName) const {
  for (ComputationId id : order_)
    if (at(id).name == computationName) return id;
  return std::nullopt;
}

std::optional<InstructionId> Module::findInstruction(std::string_view instructionName) const {
  auto search = [&](ComputationId computation) -> std::optional<InstructionId> {
    for (InstructionId id : at(computation).instructions)
      if (at(id).name == instructionName) return id;
    return std::nullopt;
  };
  if (entry_.valid())
    if (auto found = search(entry_)) return found;
  for (ComputationId id : order_)
    if (auto found = search(id)) return found;
  return std::nullopt;
}

std::vector<ComputationId> Module::callees(const Instruction& instruction) const {
  std::vector<ComputationId> out;
  for (const Attribute& attribute : instruction.attributes->items()) {
    if (const auto* one = std::get_if<ComputationId>(&attribute.value)) out.push_back(*one);
    if (const auto* many = std::get_if<std::vector<ComputationId>>(&attribute.value))
      out.insert(out.end(), many->begin(), many->end());
  }
  return out;
}

UserTable::UserTable(const Module& module) : begin_(module.instructionSlots() + 1, 0) {
  auto eachUse = [&](auto&& use) {
    for (ComputationId computation : module.order())
      for (InstructionId user : module.at(computation).instructions) {
        std::span<const InstructionId> operands = module.at(user).operands;
        for (size_t i = 0; i < operands.size(); ++i)
          if (operands[i].valid() &&
              std::ranges::find(operands.first(i), operands[i]) == operands.begin() + static_cast<std::ptrdiff_t>(i))
            use(operands[i], user);
      }
  };
  eachUse([&](InstructionId value, InstructionId) { ++begin_[value.value + 1]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  users_.resize(begin_.back());
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  eachUse([&](InstructionId value, InstructionId user) { users_[next[value.value]++] = user; });
}

std::span<const InstructionId> UserTable::users(InstructionId id) const {
  if (id.value + 1 >= begin_.size()) return {};
  return {users_.data() + begin_[id.value], begin_[id.value + 1] - begin_[id.value]};
}

Result<std::vector<InstructionId>> topologicalOrder(const Module& module, ComputationId computation) {
  enum : uint8_t { Unseen, Open, Done };
  const auto& instructions = module.at(computation).instructions;
  if (instructions.empty()) return std::vector<InstructionId>();
  // Ids of one computation are close together: one byte for each id between the smallest and the largest.
  auto [first, last] = std::ranges::minmax_element(instructions);
  const uint32_t base = first->value;
  std::vector<uint8_t> states(last->value - base + 1, Unseen);
  auto state = [&](InstructionId id) -> uint8_t& { return states[id.value - base]; };
  std::vector<InstructionId> out;
  struct Frame {
    InstructionId id;
    size_t next;
  };
  std::vector<Frame> stack;
  for (InstructionId start : instructions) {
    if (state(start) == Unseen) stack.push_back({start, 0}), state(start) = Open;
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const Instruction& instruction = module.at(id);
      if (next == instruction.operands.size()) {
        state(id) = Done;
        out.push_back(id);
        stack.pop_back();
        continue;
      }
      InstructionId operand = instruction.operands[next++];
      if (!operand.valid() || module.at(operand).computation != computation || state(operand) == Done) continue;
      if (state(operand) == Open)
        return fail("cycle: %" + std::string(module.at(operand).name) + " needs itself through %" +
                    std::string(instruction.name));
      state(operand) = Open;
      stack.push_back({operand, 0});
    }
  }
  return out;
}

Diagnostic placedAt(const Instruction& instruction, Diagnostic d) {
  if (!d.instruction.valid()) d.instruction = instruction.id;
  if (d.instructionName.empty()) d.instructionName = instruction.name;
  if (d.position.line == 0) d.position = instruction.position;
  return d;
}

}  // namespace tessera
