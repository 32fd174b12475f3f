// A module as a Graphviz file. Labels say what a node does and its shape; constants of one element show their value.
#include "core/formats/dot_words.h"
#include "core/formats/hlo_text.h"
#include "core/formats/short_text.h"

namespace tessera {
namespace {

using dot::quoted;

std::string nodeOf(InstructionId id) { return "i" + std::to_string(id.value); }

std::string labelOf(const Instruction& instruction) {
  std::string out(instruction.opcodeName());
  if (instruction.opcode == Opcode::Parameter) out += ' ' + std::to_string(instruction.parameterNumber);
  const bool scalar = instruction.literal && instruction.shape->isScalar();
  if (scalar) out += ' ' + printLiteral(*instruction.literal);
  return std::string(instruction.name) + "\n" + out + "\n" + toString(*instruction.shape);
}

void appendComputation(std::string& out, const Module& module, const Computation& computation) {
  out += "  subgraph " + quoted("cluster_" + computation.name) + " {\n    label=" + quoted(computation.name) + ";\n";
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = module.at(id);
    out += "    " + nodeOf(id) + " [label=" + quoted(labelOf(instruction)) +
           (id == computation.root ? ", peripheries=2" : "") + "];\n";
  }
  for (InstructionId id : computation.instructions) {
    const auto operands = module.at(id).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].valid()) continue;
      out += "    " + nodeOf(operands[i]) + " -> " + nodeOf(id);
      if (operands.size() > 1) out += " [headlabel=\"" + std::to_string(i) + "\"]";
      out += ";\n";
    }
  }
  out += "  }\n";
}

void appendCalls(std::string& out, const Module& module, const Computation& computation) {
  for (InstructionId id : computation.instructions)
    for (ComputationId callee : module.callees(module.at(id)))
      if (module.contains(callee) && module.at(callee).root.valid())
        out += "  " + nodeOf(module.at(callee).root) + " -> " + nodeOf(id) + " [style=dashed];\n";
}

}  // namespace

std::string printDot(const Module& module) {
  std::string out = "digraph " + quoted(module.name) + " {\n  node [shape=box];\n";
  for (ComputationId id : module.order()) appendComputation(out, module, module.at(id));
  for (ComputationId id : module.order()) appendCalls(out, module, module.at(id));
  return out + "}\n";
}

}  // namespace tessera
