// See wire_fit.h. Names of inputs are those of the ports.
#include "editor/controllers/wire_fit.h"

#include <algorithm>

#include "core/arrange/view_items.h"
#include "core/edit/wiring/wiring.h"
#include "editor/document/document.h"

namespace tessera {

QString inputName(const Module& module, InstructionId user, size_t operand) {
  const Instruction& instruction = module.at(user);
  return QString::fromStdString(portName(module, instruction, operand, module.callees(instruction)));
}

std::vector<CanvasInput> canvasInputsOf(const Document& document, InstructionId id) {
  std::vector<CanvasInput> out;
  if (!document.isOpen() || !document.module().contains(id)) return out;
  const Instruction& instruction = document.module().at(id);
  for (size_t k = 0; k < instruction.operands.size(); ++k)
    out.push_back({inputName(document.module(), id, k), instruction.operands[k], false});
  const bool isWhole = std::ranges::all_of(
      instruction.operands, [](InstructionId operand) { return operand.valid(); });  // open inputs come first
  const bool variadic = instruction.opcode != Opcode::Unknown && arityOf(instruction.opcode) < 0;
  if (isWhole && variadic && document.module().callees(instruction).empty())  // a callee takes what it takes
    out.push_back({QStringLiteral("+"), {}, true});
  return out;
}

WireVerdict verdictOn(const Document& document, InstructionId value, InstructionId user, int32_t operand) {
  const Module& module = document.module();
  if (!module.contains(value) || !module.contains(user)) return {};
  if (value == user) return {false, QObject::tr("a value cannot feed itself")};
  if (module.at(value).computation != module.at(user).computation)
    return {false, QObject::tr("this is in another computation")};
  const ConnectionCheck fit = fitOf(module, value, user, operand);
  if (!fit.fits()) return {false, QString::fromStdString(fit.reason)};
  constexpr size_t kMost = 60;  // characters of a shape
  QString text = QStringLiteral("→ ") + QString::fromStdString(toString(fit.ways[0].result, false).substr(0, kMost));
  if (fit.ways.size() > 1)
    text += QObject::tr(" · %1 ways").arg(fit.ways.size());
  else if (fit.ways[0].title != "as it is")
    text = QString::fromStdString(fit.ways[0].title) + QLatin1Char(' ') + text;
  return {true, text};
}

}  // namespace tessera
