// See evaluated_step.h.
#include "backends/aot/evaluated_step.h"

#include <cstring>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/infer.h"
#include "core/tools/cut_out.h"

namespace tessera::aot {

bool isPure(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::Cholesky: case Opcode::Fft: case Opcode::RngBitGenerator: case Opcode::StochasticConvert: case Opcode::Topk:
      return true;
    default: return false;
  }
}

Result<std::string> textOf(const Module& module, InstructionId instruction) {
  TESSERA_ASSIGN_OR_RETURN(const Module alone, isolate(module, instruction));
  return printHloText(alone);
}

Status EvaluatedStep::run(cpu::RunState& state) {
  std::vector<Literal> operands;
  const std::vector<Shape> shapes = entryArgumentShapes(module_);
  for (size_t i = 0; i < shapes.size() && i < operands_.size(); ++i) {
    const std::byte* data = state.pointers[static_cast<size_t>(operands_[i])];
    TESSERA_ASSIGN_OR_RETURN(Literal operand, Literal::fromBytes(shapes[i], {data, static_cast<size_t>(shapes[i].denseBytes().value_or(0))}));
    operands.push_back(std::move(operand));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> results, evaluateModule(module_, operands, state.cancel));
  if (results.size() != outputs_.size()) return fail("the evaluated step gives another number of arrays");
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].bytes().empty()) std::memcpy(state.pointers[static_cast<size_t>(outputs_[i])], results[i].bytes().data(), results[i].bytes().size());
  return {};
}

}  // namespace tessera::aot

extern "C" tessera::cpu::Step* tessera_core_evaluate(tessera::cpu::FieldReader& in) {
  using namespace tessera;
  std::vector<char> text;
  std::vector<int> operands, outputs;
  in(text, operands, outputs);
  if (!in.good()) return nullptr;
  ReadResult read = readHloText({text.data(), text.size()});
  if (!read.module || inferModule(*read.module).hasErrors()) return nullptr;
  return new aot::EvaluatedStep(std::move(*read.module), std::move(operands), std::move(outputs));
}
