// The printer: XLA's long form with constants in full. Header, stack-frame tables, computations in the file's order;
// operands with an index comment before every fifth, attributes in the order they were set, metadata before
// backend_config. Stands behind everything that makes or changes a Module.
#include <charconv>
#include <unordered_map>

#include "core/formats/hlo_text.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/literal_text.h"
#include "core/formats/padding.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, std::string& out) : module_(module), out_(out) {}

  void header();
  void stackFrames();
  void computation(ComputationId id, std::vector<PrintedRange>* ranges);
  void instruction(const Instruction& instruction, bool isRoot);

 private:
  void integer(int64_t value) {
    char buffer[24];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
  void name(std::string_view text) { out_ += '%', out_ += text; }
  void quoted(std::string_view text) { out_ += '"', text::appendEscaped(out_, text), out_ += '"'; }
  void index(const std::vector<int64_t>& values);
  void aliases(const ModuleConfig& config);
  void donors(const ModuleConfig& config);
  void entryLayout(const ModuleConfig& config);
  void braced(std::string_view attribute, const std::string& value);
  void flag(std::string_view attribute, const std::optional<bool>& value);
  void number(std::string_view attribute, const std::optional<int64_t>& value);
  void signature(const Computation& computation);
  void shape(const Instruction& instruction);
  const std::string& text(const Shape* shape, bool withLayout);
  const std::string& padding(const Shape* shape);
  void note(std::string_view text);
  void opcode(const Instruction& instruction);
  void operands(const Instruction& instruction);
  void attributes(const AttributeSet& set, bool afterMetadata, bool sugar, std::string_view padding = {});
  void attribute(const Attribute& attribute);
  void openPlaces(const Instruction& instruction);
  void metadata(const Metadata& metadata);
  const Computation* sugarOf(const Instruction& instruction) const;

  const Module& module_;
  std::string& out_;
  std::unordered_map<const Shape*, std::string> shapes_[2], paddings_;
};

const std::string& ModulePrinter::text(const Shape* shape, bool withLayout) {
  auto [it, fresh] = shapes_[withLayout].try_emplace(shape);
  if (fresh) it->second = toString(*shape, withLayout);
  return it->second;
}

const std::string& ModulePrinter::padding(const Shape* shape) {
  const auto [it, fresh] = paddings_.try_emplace(shape);
  if (fresh) it->second = paddingText(*shape);
  return it->second;
}

void ModulePrinter::index(const std::vector<int64_t>& values) {
  out_ += '{';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out_ += ',';
    integer(values[i]);
  }
  out_ += '}';
}

void ModulePrinter::aliases(const ModuleConfig& config) {
  if (config.inputOutputAlias.empty()) return;
  out_ += ", input_output_alias={ ";
  for (size_t i = 0; i < config.inputOutputAlias.size(); ++i) {
    const AliasEntry& entry = config.inputOutputAlias[i];
    if (i) out_ += ", ";
    index(entry.outputIndex);
    out_ += ": (";
    integer(entry.parameter);
    out_ += ", ";
    index(entry.parameterIndex);
    out_ += entry.must ? ", must-alias)" : ", may-alias)";
  }
  out_ += " }";
}

void ModulePrinter::donors(const ModuleConfig& config) {
  if (config.bufferDonor.empty()) return;
  out_ += ", buffer_donor={ ";
  for (size_t i = 0; i < config.bufferDonor.size(); ++i) {
    if (i) out_ += ", ";
    out_ += '(';
    integer(config.bufferDonor[i].parameter);
    out_ += ", ";
    index(config.bufferDonor[i].parameterIndex);
    out_ += ')';
  }
  out_ += " }";
}

void ModulePrinter::entryLayout(const ModuleConfig& config) {
  if (!config.entryResultLayout) return;
  out_ += ", entry_computation_layout={(";
  for (size_t i = 0; i < config.entryParameterLayouts.size(); ++i) {
    if (i) out_ += ", ";
    if (i && i % 5 == 0) out_ += "/*index=", integer(static_cast<int64_t>(i)), out_ += "*/";
    out_ += toString(config.entryParameterLayouts[i]);
  }
  out_ += ")->" + toString(*config.entryResultLayout) + '}';
}

void ModulePrinter::braced(std::string_view attribute, const std::string& value) {
  if (value.empty()) return;
  out_ += ", ";
  out_ += attribute;
  out_ += '=';
  out_ += value;
}

void ModulePrinter::flag(std::string_view attribute, const std::optional<bool>& value) {
  if (value) braced(attribute, *value ? "true" : "false");
}

void ModulePrinter::number(std::string_view attribute, const std::optional<int64_t>& value) {
  if (value) braced(attribute, std::to_string(*value));
}

void ModulePrinter::header() {
  const ModuleConfig& config = module_.config();
  out_ += "HloModule ";
  out_ += module_.name;
  flag("is_scheduled", config.isScheduled);
  aliases(config);
  donors(config);
  flag("alias_passthrough_params", config.aliasPassthroughParams);
  entryLayout(config);
  braced("allow_spmd_sharding_propagation_to_parameters", config.allowShardingPropagationToParameters);
  braced("allow_spmd_sharding_propagation_to_output", config.allowShardingPropagationToOutput);
  number("replica_count", config.replicaCount);
  number("num_partitions", config.numPartitions);
  braced("frontend_attributes",
         withFrontendAttribute(config.frontendAttributes, "tessera.entry_padding", entryPaddingText(config)));
  braced("origin_recovery_table", config.originRecoveryTable);
  braced("debug_attributes", config.debugAttributes);
  out_ += "\n\n";
}

void ModulePrinter::stackFrames() {
  if (!module_.stackFrames) return;
  const StackFrameTables& tables = *module_.stackFrames;
  auto table = [&](std::string_view title, const auto& rows, auto&& row) {
    out_ += title;
    out_ += '\n';
    for (size_t i = 0; i < rows.size(); ++i) {
      integer(static_cast<int64_t>(i) + 1);
      out_ += ' ';
      row(rows[i]);
      out_ += '\n';
    }
    out_ += '\n';
  };
  auto field = [&](std::string_view fieldName, int64_t value) { out_ += fieldName, integer(value); };
  table("FileNames", tables.fileNames, [&](const std::string& file) { quoted(file); });
  table("FunctionNames", tables.functionNames, [&](const std::string& function) { quoted(function); });
  table("FileLocations", tables.fileLocations, [&](const StackFrameTables::FileLocation& l) {
    field("{file_name_id=", l.fileNameId);
    field(" function_name_id=", l.functionNameId);
    field(" line=", l.line);
    field(" end_line=", l.endLine);
    field(" column=", l.column);
    field(" end_column=", l.endColumn);
    out_ += '}';
  });
  table("StackFrames", tables.stackFrames, [&](const StackFrameTables::StackFrame& f) {
    field("{file_location_id=", f.fileLocationId);
    field(" parent_frame_id=", f.parentFrameId);
    out_ += '}';
  });
  out_ += '\n';
}

void ModulePrinter::signature(const Computation& computation) {
  for (InstructionId parameter : computation.parameters)
    if (!parameter.valid()) return;  // a number that no parameter has: the text does without
  out_ += " (";
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    if (i) out_ += ", ";
    const Instruction& parameter = module_.at(computation.parameters[i]);
    out_ += parameter.name;
    out_ += ": ";
    out_ += text(parameter.shape, false);
  }
  out_ += ") -> ";
  if (!computation.root.valid() || lacksShape(module_, computation.root))
    out_ += '?';
  else
    out_ += text(module_.at(computation.root).shape, false);
}

void ModulePrinter::computation(ComputationId id, std::vector<PrintedRange>* ranges) {
  const Computation& computation = module_.at(id);
  if (id == module_.entry()) out_ += "ENTRY ";
  name(computation.name);
  signature(computation);
  out_ += " {\n";
  for (InstructionId instructionId : computation.instructions) {
    const Instruction& i = module_.at(instructionId);
    note(i.note);
    const size_t begin = out_.size();
    out_ += "  ";
    instruction(i, instructionId == computation.root);
    if (ranges) ranges->push_back({instructionId, begin, out_.size()});
    out_ += '\n';
  }
  out_ += '}';
  if (!computation.executionThread.empty()) out_ += ", execution_thread=", quoted(computation.executionThread);
  out_ += "\n\n";
}

void ModulePrinter::note(std::string_view text) {
  if (text.empty()) return;
  out_ += "  ";
  for (char c : text) {
    out_ += c;
    if (c == '\n') out_ += "  ";
  }
  out_ += '\n';
}

// The computation that holds the OP of an async op written as OP-start, OP-update or OP-done; null for others.
const Computation* ModulePrinter::sugarOf(const Instruction& instruction) const {
  const Instruction* i = &instruction;
  for (size_t steps = 0; steps < module_.instructionSlots(); ++steps) {
    if (i->opcode == Opcode::AsyncStart) {
      const auto* calls = i->attributes->get<ComputationId>(Attr::calls);
      if (!calls || !module_.contains(*calls) || !module_.at(*calls).asyncSugar) return nullptr;
      return module_.at(*calls).root.valid() ? &module_.at(*calls) : nullptr;
    }
    if ((i->opcode != Opcode::AsyncUpdate && i->opcode != Opcode::AsyncDone) || i->operands.empty()) return nullptr;
    if (!module_.contains(i->operands[0])) return nullptr;  // an open input
    i = &module_.at(i->operands[0]);
  }
  return nullptr;
}

void ModulePrinter::opcode(const Instruction& instruction) {
  const bool async = instruction.opcode == Opcode::AsyncStart || instruction.opcode == Opcode::AsyncUpdate ||
                     instruction.opcode == Opcode::AsyncDone;
  const Computation* sugar = async ? sugarOf(instruction) : nullptr;
  if (!sugar) {
    out_ += instruction.opcodeName();
    return;
  }
  out_ += module_.at(sugar->root).opcodeName();
  out_ += instruction.opcodeName().substr(std::string_view("async").size());
}

void ModulePrinter::operands(const Instruction& instruction) {
  out_ += '(';
  if (instruction.opcode == Opcode::Parameter) integer(instruction.parameterNumber);
  if (instruction.literal) text::appendLiteral(out_, *instruction.literal);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (i) out_ += ", ";
    if (i && i % 5 == 0) out_ += "/*index=", integer(static_cast<int64_t>(i)), out_ += "*/";
    if (module_.contains(instruction.operands[i]))
      name(module_.at(instruction.operands[i]).name);
    else
      out_ += '?';  // an open input
  }
  out_ += ')';
}

// A shape that cannot be derived is `?`, with the last that was known behind it where that says more to who reads it.
void ModulePrinter::shape(const Instruction& instruction) {
  if (!lacksShape(module_, instruction.id)) {
    out_ += text(instruction.shape, true);
    return;
  }
  out_ += '?';
  Shape known = *instruction.shape;
  fillDefaultLayouts(known);
  if (const std::string words = toString(known, true);
      words != toString(standInShape(module_, instruction.operands), true))
    out_ += words;
}

void ModulePrinter::openPlaces(const Instruction& instruction) {
  for (Attr name : openAttributes(instruction)) braced(nameOf(name), "?");
}

void ModulePrinter::attribute(const Attribute& attribute) {
  out_ += ", ";
  out_ += nameOf(attribute.name);
  out_ += '=';
  text::appendAttributeValue(out_, module_, attribute.value, kindOf(attribute.name));
}

void ModulePrinter::attributes(const AttributeSet& set, bool afterMetadata, bool sugar, std::string_view padding) {
  for (const Attribute& a : set.items()) {
    if ((a.name == Attr::backend_config) != afterMetadata || (sugar && a.name == Attr::calls)) continue;
    if (a.name == Attr::frontend_attributes && !padding.empty()) continue;
    attribute(a);
  }
  if (!padding.empty()) {
    const auto* others = set.get<RawText>(Attr::frontend_attributes);
    braced("frontend_attributes", withFrontendAttribute(others ? std::string_view(others->text) : std::string_view(),
                                                        "tessera.padding", padding));
  }
  if (afterMetadata) return;
  for (const UnknownAttribute& unknown : set.unknown) {
    out_ += ", " + unknown.name + '=';
    if (unknown.value.quoted)
      quoted(unknown.value.text);
    else
      out_ += unknown.value.text;
  }
}

void ModulePrinter::metadata(const Metadata& m) {
  out_ += ", metadata={";
  bool first = true;
  auto field = [&](std::string_view fieldName) {
    if (!first) out_ += ' ';
    first = false;
    out_ += fieldName;
    out_ += '=';
  };
  auto textField = [&](std::string_view fieldName, const std::string& value) {
    if (!value.empty()) field(fieldName), quoted(value);
  };
  auto intField = [&](std::string_view fieldName, int32_t value) {
    if (value != 0) field(fieldName), integer(value);
  };
  textField("op_type", m.opType);
  textField("op_name", m.opName);
  textField("source_file", m.sourceFile);
  intField("source_line", m.sourceLine);
  intField("source_end_line", m.sourceEndLine);
  intField("source_column", m.sourceColumn);
  intField("source_end_column", m.sourceEndColumn);
  if (!m.profileType.empty()) field("profile_type"), index(m.profileType);
  textField("deduplicated_name", m.deduplicatedName);
  const bool plainName = m.schedulingName.find_first_of("\"\\\n\r\t") == std::string::npos;  // XLA prints it as it is
  if (plainName && !m.schedulingName.empty()) field("scheduling_name"), out_ += '"' + m.schedulingName + '"';
  if (!plainName) textField("scheduling_name", m.schedulingName);
  intField("stack_frame_id", m.stackFrameId);
  textField("metadata_payload", m.payload);
  out_ += '}';
}

void ModulePrinter::instruction(const Instruction& instruction, bool isRoot) {
  if (isRoot) out_ += "ROOT ";
  name(instruction.name);
  out_ += " = ";
  shape(instruction);
  out_ += ' ';
  opcode(instruction);
  operands(instruction);
  const Computation* sugar = instruction.opcode == Opcode::AsyncStart ? sugarOf(instruction) : nullptr;
  if (sugar) {
    attributes(*module_.at(sugar->root).attributes, false, false);
    openPlaces(module_.at(sugar->root));
  }
  attributes(*instruction.attributes, false, sugar != nullptr, padding(instruction.shape));
  openPlaces(instruction);
  if (instruction.metadata) metadata(*instruction.metadata);
  attributes(*instruction.attributes, true, false);
}

}  // namespace

std::string printHloText(const Module& module, std::vector<PrintedRange>* ranges) {
  std::string out;
  constexpr size_t kTypicalLine = 160;
  out.reserve(module.instructionCount() * kTypicalLine);
  ModulePrinter printer(module, out);
  printer.header();
  printer.stackFrames();
  for (ComputationId id : module.order())
    if (!module.at(id).asyncSugar) printer.computation(id, ranges);
  return out;
}

std::string printInstruction(const Module& module, InstructionId id) {
  std::string out;
  const Instruction& instruction = module.at(id);
  ModulePrinter(module, out).instruction(instruction, module.at(instruction.computation).root == id);
  return out;
}

}  // namespace tessera
