// Bodies of fusions: every instruction but the root has a use. And buffers that a fusion, custom call or async start
// shares between an operand and a result: both are there and have one shape, and nothing is shared twice.
#include <charconv>
#include <set>

#include "core/ops/inference/instruction_checks.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

using Index = std::vector<int64_t>;

struct SharedBuffer {
  Index output;
  int64_t operand = 0;
  Index operandIndex;
};

// Numbers of "{…}" at `at`.
bool readIndex(std::string_view text, size_t& at, Index& out) {
  const auto skip = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == ',')) ++at;
  };
  skip();
  if (at >= text.size() || text[at++] != '{') return false;
  for (skip(); at < text.size() && text[at] != '}'; skip()) {
    const auto [next, error] = std::from_chars(text.data() + at, text.data() + text.size(), out.emplace_back());
    if (error != std::errc()) return false;
    at = static_cast<size_t>(next - text.data());
  }
  return at++ < text.size();
}

// "{{0}: (1, {}), {1}: (0, {2}, must-alias)}"; nothing when it reads otherwise.
std::optional<std::vector<SharedBuffer>> sharedBuffers(std::string_view text) {
  std::vector<SharedBuffer> out;
  size_t at = text.find('{');
  if (at == std::string_view::npos) return std::nullopt;
  for (++at; at < text.size() && text.find_first_not_of(" ,}", at) != std::string_view::npos;) {
    SharedBuffer& shared = out.emplace_back();
    if (!readIndex(text, at, shared.output)) return std::nullopt;
    at = text.find('(', at);
    if (at == std::string_view::npos) return std::nullopt;
    const auto [next, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), shared.operand);
    if (error != std::errc()) return std::nullopt;
    at = static_cast<size_t>(next - text.data());
    if (!readIndex(text, at, shared.operandIndex)) return std::nullopt;
    at = text.find(')', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  return out;
}

const Shape* partOf(const Shape& shape, const Index& index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->isTuple() || i < 0 || i >= static_cast<int64_t>(at->elements.size())) return nullptr;
    at = &at->elements[static_cast<size_t>(i)];
  }
  return at;
}

void checkSharedBuffers(const Module& module, const Instruction& instruction, Diagnostics& out) {
  const auto* text = instruction.attributes->get<RawText>(Attr::output_to_operand_aliasing);
  if (!text) return;
  const auto refuse = [&](std::string message, std::string expected = {}, std::string found = {}) {
    out.add(diagnosticAt(instruction, instruction.reference() + " " + std::move(message), "output_to_operand_aliasing",
                         std::move(expected), std::move(found)));
  };
  const auto shared = sharedBuffers(text->text);
  if (!shared) return refuse("has an aliasing that cannot be read", "{{0}: (0, {})}", text->text);
  std::set<Index> outputs;
  for (const SharedBuffer& each : *shared) {
    const Shape* output = partOf(*instruction.shape, each.output);
    const bool there = each.operand >= 0 && each.operand < static_cast<int64_t>(instruction.operands.size());
    const InstructionId operand = there ? instruction.operands[static_cast<size_t>(each.operand)] : InstructionId();
    if (there && (!operand.valid() || !module.contains(operand))) continue;  // reported with the operands
    const Shape* input = there ? partOf(module.shapeOf(operand), each.operandIndex) : nullptr;
    if (!output)
      refuse("shares a result that is not there", {}, toString(*instruction.shape, false));
    else if (!input)
      refuse("shares an operand that is not there", {}, "operand " + std::to_string(each.operand));
    else if (!compatible(*output, *input))
      refuse("shares a result and an operand of different shape", toString(*input, false), toString(*output, false));
    if (!outputs.insert(each.output).second) refuse("shares a result twice");
  }
}

void checkFusedUses(const Module& module, const UserTable& users, const Instruction& fusion, Diagnostics& out) {
  for (ComputationId callee : module.callees(fusion)) {
    if (!module.contains(callee)) continue;
    const Computation& body = module.at(callee);
    for (InstructionId id : body.instructions)
      if (id != body.root && users.users(id).empty())
        out.add(diagnosticAt(module.at(id),
                             module.at(id).reference() + " is not used in the fusion " + fusion.reference(), "fusion"));
  }
}

}  // namespace

void verifyFusions(const Module& module, const UserTable& users, Diagnostics& out) {
  std::set<ComputationId> seen;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& instruction = module.at(id);
      checkSharedBuffers(module, instruction, out);
      if (instruction.opcode != Opcode::Fusion) continue;
      const std::vector<ComputationId> callees = module.callees(instruction);
      if (!callees.empty() && seen.insert(callees[0]).second) checkFusedUses(module, users, instruction, out);
    }
}

}  // namespace tessera
