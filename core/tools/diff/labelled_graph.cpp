// Labels of instructions, then two sweeps over each computation, callees first: hashes of what an instruction is
// computed from go down the order of execution, hashes of its use go up.
#include "core/tools/diff/labelled_graph.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/base/text_map.h"
#include "core/element/scalar_functions.h"
#include "core/tools/diff/attribute_diff.h"

namespace tessera {
namespace {

constexpr uint64_t kRootMark = 0x726f6f74, kNoOperand = 0x6e6f6e65;
constexpr int kRefinements = 2;

uint64_t literalHash(const Literal& literal) {
  const auto bytes = literal.bytes();
  uint64_t out = mixedHash(literal.elided(), hashText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  for (const Literal& element : literal.elements()) out = mixedHash(out, literalHash(element));
  return out;
}

// Summed over edges, so it is mixed twice.
uint64_t edgeHash(uint64_t kind, uint64_t beyond) { return mixedHash(mixedHash(kind, beyond), kind); }

std::vector<InstructionId> orderOf(const Module& module, ComputationId id) {
  auto order = topologicalOrder(module, id);
  return order ? std::move(*order) : module.at(id).instructions;
}

}  // namespace

bool ignoresOperandOrder(const Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  if (isCommutative(instruction.opcode)) return true;
  const std::string_view direction = instruction.attributes->textOr(Attr::direction, "");
  return instruction.opcode == Opcode::Compare && (direction == "EQ" || direction == "NE");
}

bool bindsParameters(const Module& module, const Instruction& instruction) {
  const bool calls = instruction.opcode == Opcode::Call || instruction.opcode == Opcode::Fusion ||
                     instruction.opcode == Opcode::AsyncStart;
  return calls && module.callees(instruction).size() == 1;
}

LabelledGraph::LabelledGraph(const Module& module)
    : module_(module),
      label_(module.instructionSlots()),
      loose_(module.instructionSlots()),
      meaning_(module.instructionSlots()),
      hashes_(emptyHashes()),
      computationHash_(module.computationSlots()),
      free_(module.computationSlots(), true),
      place_(module.instructionSlots()) {
  orderComputations();
  findFreeParameters();
  findUsers();
  for (ComputationId id : calleesFirst_) {
    label(id);
    hash(
        id, [this](const Instruction& in) { return label_[in.id.value]; }, hashes_);
    uint64_t sum = 0;
    for (InstructionId in : module_.at(id).instructions) sum += hashes_.exact[in.value];
    computationHash_[id.value] = mixedHash(hashText(module_.at(id).executionThread), sum);
  }
}

GraphHashes LabelledGraph::emptyHashes() const {
  const size_t slots = module_.instructionSlots();
  return {std::vector<uint64_t>(slots), std::vector<uint64_t>(slots), std::vector<uint64_t>(slots)};
}

const GraphHashes& LabelledGraph::withoutLayouts() const {
  if (!withoutLayouts_.exact.empty()) return withoutLayouts_;
  withoutLayouts_ = emptyHashes();
  for (ComputationId id : calleesFirst_)
    hash(
        id, [this](const Instruction& in) { return meaning_[in.id.value]; }, withoutLayouts_);
  return withoutLayouts_;
}

const GraphHashes& LabelledGraph::outline() const {
  if (!outline_.exact.empty()) return outline_;
  outline_ = emptyHashes();
  for (ComputationId id : calleesFirst_)
    hash(
        id, [](const Instruction& in) { return hashText(in.opcodeName()); }, outline_);
  return outline_;
}

// A chain of calls may be longer than the stack.
void LabelledGraph::orderComputations() {
  std::vector<uint8_t> seen(module_.computationSlots());  // 1: entered, 2: done
  std::vector<ComputationId> open(module_.order().rbegin(), module_.order().rend());
  while (!open.empty()) {
    const ComputationId id = open.back();
    if (!module_.contains(id) || seen[id.value] == 2) {
      open.pop_back();
    } else if (seen[id.value] == 1) {
      open.pop_back();
      seen[id.value] = 2;
      calleesFirst_.push_back(id);
    } else {
      seen[id.value] = 1;
      for (InstructionId in : module_.at(id).instructions)
        for (ComputationId callee : module_.callees(module_.at(in)))
          if (module_.contains(callee) && seen[callee.value] == 0) open.push_back(callee);
    }
  }
}

void LabelledGraph::findFreeParameters() {
  for (ComputationId id : calleesFirst_)
    for (InstructionId in : module_.at(id).instructions)
      if (const Instruction& caller = module_.at(in); !bindsParameters(module_, caller))
        for (ComputationId callee : module_.callees(caller)) free_[callee.value] = false;
}

void LabelledGraph::findUsers() {
  firstUser_.assign(module_.instructionSlots() + 1, 0);
  const auto eachEdge = [this](const auto& visit) {
    for (ComputationId id : calleesFirst_)
      for (InstructionId in : module_.at(id).instructions)
        for (uint32_t i = 0; i < module_.at(in).operands.size(); ++i)
          if (const InstructionId operand = module_.at(in).operands[i]; module_.contains(operand))
            visit(operand, UserEdge{in, i});
  };
  eachEdge([this](InstructionId operand, UserEdge) { ++firstUser_[operand.value + 1]; });
  for (size_t i = 1; i < firstUser_.size(); ++i) firstUser_[i] += firstUser_[i - 1];
  users_.resize(firstUser_.back());
  std::vector<uint32_t> next = firstUser_;
  eachEdge([&](InstructionId operand, UserEdge edge) { users_[next[operand.value]++] = edge; });
}

std::span<const UserEdge> LabelledGraph::users(InstructionId id) const {
  return std::span(users_).subspan(firstUser_[id.value], firstUser_[id.value + 1] - firstUser_[id.value]);
}

void LabelledGraph::label(ComputationId id) {
  uint32_t place = 0;
  for (InstructionId in : module_.at(id).instructions) {
    const Instruction& instruction = module_.at(in);
    place_[in.value] = place++;
    loose_[in.value] = mixedHash(hashText(instruction.opcodeName()), hashValue(withoutLayout(*instruction.shape)));
    meaning_[in.value] = meaningOf(instruction);
    label_[in.value] = mixedHash(meaning_[in.value], hashValue(*instruction.shape));
  }
}

uint64_t LabelledGraph::meaningOf(const Instruction& instruction) const {
  uint64_t out = mixedHash(loose_[instruction.id.value], attributesHash(module_, instruction));
  if (instruction.literal) out = mixedHash(out, literalHash(*instruction.literal));
  if (instruction.parameterNumber >= 0 && !free_[instruction.computation.value])
    out = mixedHash(out, static_cast<uint64_t>(instruction.parameterNumber));
  for (ComputationId callee : module_.callees(instruction))
    out = mixedHash(out, module_.contains(callee) ? computationHash_[callee.value] : 0);
  return out;
}

uint64_t LabelledGraph::edgeKind(const Instruction& instruction, size_t position) const {
  if (ignoresOperandOrder(instruction)) return 0;
  if (!bindsParameters(module_, instruction)) return position + 1;
  const ComputationId callee = module_.callees(instruction)[0];
  if (!module_.contains(callee) || !free_[callee.value]) return position + 1;
  const auto& parameters = module_.at(callee).parameters;
  return position < parameters.size() ? hashes_.up[parameters[position].value] : position + 1;
}

template <class Label>
void LabelledGraph::hash(ComputationId id, const Label& labelled, GraphHashes& out) const {
  const std::vector<InstructionId> order = orderOf(module_, id);
  for (InstructionId in : order) {
    const Instruction& instruction = module_.at(in);
    uint64_t sum = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const InstructionId operand = instruction.operands[i];
      const uint64_t below = module_.contains(operand) ? out.down[operand.value] : kNoOperand;
      sum += edgeHash(edgeKind(instruction, i), below);
    }
    out.down[in.value] = mixedHash(labelled(instruction), sum);
  }
  const InstructionId root = module_.at(id).root;
  for (size_t k = order.size(); k-- > 0;) {
    uint64_t sum = order[k] == root ? kRootMark : 0;
    for (const UserEdge& edge : users(order[k]))
      sum += edgeHash(edgeKind(module_.at(edge.user), edge.position), out.up[edge.user.value]);
    out.up[order[k].value] = mixedHash(labelled(module_.at(order[k])), sum);
  }
  for (InstructionId in : order) out.exact[in.value] = mixedHash(out.down[in.value], out.up[in.value]);
  for (int i = 0; i < kRefinements; ++i) refine(id, out);
}

void LabelledGraph::refine(ComputationId id, GraphHashes& out) const {
  std::vector<uint64_t> next;
  for (InstructionId in : module_.at(id).instructions) {
    const Instruction& instruction = module_.at(in);
    uint64_t sum = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      if (const InstructionId operand = instruction.operands[i]; module_.contains(operand))
        sum += edgeHash(edgeKind(instruction, i), out.exact[operand.value]);
    for (const UserEdge& edge : users(in))
      sum += edgeHash(~edgeKind(module_.at(edge.user), edge.position), out.exact[edge.user.value]);
    next.push_back(mixedHash(out.exact[in.value], sum));
  }
  size_t i = 0;
  for (InstructionId in : module_.at(id).instructions) out.exact[in.value] = next[i++];
}

}  // namespace tessera
