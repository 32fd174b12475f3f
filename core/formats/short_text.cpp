// The short text form: what a person pastes into a bug report. It reads back to the same graph without its notes of
// origin.
#include "core/formats/short_text.h"

#include "core/formats/hlo_text.h"
#include "core/formats/padding.h"

namespace tessera {
namespace {

// A shape's text without its "/*index=5*/" comments.
std::string plainShape(const Shape& shape) {
  std::string text = toString(shape);
  for (size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at))
    text.erase(at, text.find("*/", at) + 2 - at);
  return text;
}

std::string attributeText(const Module& module, const Attribute& attribute) {
  if (const auto* one = std::get_if<ComputationId>(&attribute.value))
    return module.contains(*one) ? module.at(*one).name : "?";
  if (const auto* many = std::get_if<std::vector<ComputationId>>(&attribute.value)) {
    std::string out = "{";
    for (size_t i = 0; i < many->size(); ++i)
      out += (i ? ", " : "") + (module.contains((*many)[i]) ? module.at((*many)[i]).name : "?");
    return out + '}';
  }
  return printAttributeValue(module, attribute.value, kindOf(attribute.name));
}

void appendAttributes(std::string& out, const Module& module, const Instruction& instruction) {
  for (const Attribute& attribute : instruction.attributes->items()) {
    if (attribute.name == Attr::control_predecessors || attribute.name == Attr::frontend_attributes) continue;
    out += ", ";
    out += nameOf(attribute.name);
    out += '=' + attributeText(module, attribute);
  }
  const auto* written = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  const std::string frontend = withFrontendAttribute(written ? std::string_view(written->text) : std::string_view(),
                                                     "tessera.padding", paddingText(*instruction.shape));
  if (!frontend.empty()) out += ", frontend_attributes=" + frontend;
  for (const UnknownAttribute& unknown : instruction.attributes->unknown)
    out += ", " + unknown.name + '=' + (unknown.value.quoted ? '"' + unknown.value.text + '"' : unknown.value.text);
}

void appendInstruction(std::string& out, const Module& module, const Instruction& instruction, bool isRoot) {
  out += isRoot ? "  ROOT " : "  ";
  out += instruction.name;
  out += " = " + plainShape(*instruction.shape) + ' ';
  out += instruction.opcodeName();
  out += '(';
  if (instruction.opcode == Opcode::Parameter) out += std::to_string(instruction.parameterNumber);
  if (instruction.literal) out += printLiteral(*instruction.literal);
  bool first = true;
  for (InstructionId operand : instruction.operands) {
    if (!std::exchange(first, false)) out += ", ";
    if (operand.valid()) out += module.at(operand).name;
  }
  out += ')';
  appendAttributes(out, module, instruction);
  out += '\n';
}

// The first line end outside of strings and braces.
size_t endOfHeader(std::string_view text) {
  bool quoted = false;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quoted)
      ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '{' || c == '}'))
      depth += c == '{' ? 1 : depth > 0 ? -1 : 0;
    else if (!quoted && depth == 0 && c == '\n')
      return at;
  }
  return text.size();
}

// The header as the long form prints it; attributes with strings may run over several lines.
std::string headerOf(const Module& module) {
  Module empty(module.name);
  empty.setConfig(module.config());
  const std::string text = printHloText(empty);
  return text.substr(0, endOfHeader(text));
}

}  // namespace

std::string printShortText(const Module& module) {
  std::string out = headerOf(module) + "\n\n";
  for (ComputationId id : module.order()) {
    const Computation& computation = module.at(id);
    if (id == module.entry()) out += "ENTRY ";
    out += computation.name + " {\n";
    for (InstructionId i : computation.instructions)
      appendInstruction(out, module, module.at(i), i == computation.root);
    out += '}';
    if (!computation.executionThread.empty()) out += ", execution_thread=\"" + computation.executionThread + '"';
    out += "\n\n";
  }
  return out;
}

}  // namespace tessera
