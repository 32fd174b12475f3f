// Computations that come with a text: all of a module's but its entry. One that is there already with the same content
// is shared; another of the same name gets a number, which attributes of the same edit follow.
#include <algorithm>
#include <unordered_map>

#include "core/edit/performer.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// What a computation does, whatever its instructions are called.
std::string signatureOf(const Module& module, ComputationId id) {
  std::unordered_map<InstructionId, size_t> places;
  std::string out;
  for (InstructionId instruction : module.at(id).instructions) {
    const Instruction& i = module.at(instruction);
    places.emplace(instruction, places.size());
    out += std::string(i.opcodeName()) + " " + toString(*i.shape) + " " + std::to_string(i.parameterNumber);
    for (InstructionId operand : i.operands)
      out += " %" + std::to_string(places.contains(operand) ? places.at(operand) : 0);
    for (const Attribute& each : i.attributes->items())
      if (kindOf(each.name) != AttributeKind::Instructions)
        out += " " + std::string(nameOf(each.name)) + "=" + printAttributeValue(module, each.value, kindOf(each.name));
    if (i.literal) out += printLiteral(*i.literal);
    out += module.at(id).root == instruction ? " root;" : ";";
  }
  return out;
}

class Import {
 public:
  Import(Module& to, const Module& from, std::unordered_map<std::string, std::string>& renamed)
      : to_(to), from_(from), renamed_(renamed) {}

  Status run() {
    for (ComputationId id : from_.order())
      if (id != from_.entry()) TESSERA_TRY(take(id));
    std::vector<ComputationId> order = to_.order();  // before those that will call them
    std::rotate(order.begin(), order.end() - static_cast<std::ptrdiff_t>(made_), order.end());
    to_.setOrder(std::move(order));
    return {};
  }

 private:
  Status take(ComputationId id) {
    const Computation& computation = from_.at(id);
    if (!computation.root.valid()) return fail("the computation " + computation.name + " is empty");
    if (const auto there = to_.findComputation(computation.name);
        there && *there != to_.entry() && signatureOf(to_, *there) == signatureOf(from_, id)) {
      computations_[id] = *there;
      return {};
    }
    std::string name = computation.name;
    for (int k = 1; to_.findComputation(name); ++k) name = computation.name + "." + std::to_string(k);
    if (name != computation.name) renamed_[computation.name] = name;
    const ComputationId made = to_.addComputation(name);
    ++made_;
    computations_[id] = made;
    TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> order, topologicalOrder(from_, id));
    std::unordered_map<InstructionId, InstructionId> map;
    for (InstructionId instruction : order) copy(instruction, made, map);
    to_.setRoot(made, map.at(computation.root));
    return {};
  }
  void copy(InstructionId id, ComputationId into, std::unordered_map<InstructionId, InstructionId>& map) {
    Instruction made = from_.at(id);
    std::vector<InstructionId> operands;
    for (InstructionId operand : made.operands) operands.push_back(operand.valid() ? map.at(operand) : operand);
    made.operands = operands;
    made.unknownOpcode = to_.tables().intern(made.unknownOpcode);
    if (made.metadata) made.metadata = to_.tables().intern(*made.metadata);
    made.provenance = nullptr;
    made.attributes = std::make_shared<const AttributeSet>(mapped(*made.attributes));
    const std::string name = freeName(to_, std::string(made.name));
    made.name = name;
    const Shape shape = *made.shape;
    map[id] = to_.add(into, std::move(made), shape);
  }
  AttributeSet mapped(AttributeSet attributes) const {
    const std::vector<Attribute> items = attributes.items();
    for (const Attribute& each : items) {
      if (const auto* one = std::get_if<ComputationId>(&each.value)) attributes.set(each.name, computations_.at(*one));
      if (const auto* many = std::get_if<std::vector<ComputationId>>(&each.value)) {
        std::vector<ComputationId> others;
        for (ComputationId id : *many) others.push_back(computations_.at(id));
        attributes.set(each.name, std::move(others));
      }
      if (std::holds_alternative<std::vector<InstructionId>>(each.value)) attributes.remove(each.name);
    }
    return attributes;
  }

  Module& to_;
  const Module& from_;
  std::unordered_map<std::string, std::string>& renamed_;
  std::unordered_map<ComputationId, ComputationId> computations_;
  size_t made_ = 0;
};

}  // namespace

Status Performer::operator()(const AddComputations& action) {
  const ReadResult read = readHloText(action.text);
  if (!read.module)
    return fail(read.diagnostics.empty() ? "this is no HLO text" : read.diagnostics.items().front().message);
  return Import(module_, *read.module, renamed_).run();
}

// "%name" of a computation that came with this edit under another name.
std::string Performer::renamed(std::string text) const {
  for (const auto& [from, to] : renamed_) {
    const auto isInner = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
    };
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      const bool whole =
          (at == 0 || !isInner(text[at - 1])) && (at + from.size() >= text.size() || !isInner(text[at + from.size()]));
      if (whole) text.replace(at, from.size(), to);
    }
  }
  return text;
}

}  // namespace tessera
