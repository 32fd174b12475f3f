// HloModuleProto into a Module. Computations first, so that calls may go anywhere; then each computation's
// instructions, then their operands and attributes, which may name any of them. Wrong references, cycles and damaged
// values are errors; a file with one has no Module.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/diagnostic_limit.h"
#include "core/base/name_counter.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/proto/foreign_fields.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/module_proto.h"
#include "core/formats/proto/shape_proto.h"
#include "core/ops/inference/callgraph.h"

namespace tessera::proto {
std::string wordOf(const std::string& name, std::string_view otherwise) {
  return text::asName(name.empty() ? otherwise : name);
}

namespace {

constexpr int64_t kMaxParameters = 1 << 20;

// Names that are given once.
class Names {
 public:
  std::string unique(const std::string& base) {
    std::string name = made_.unique(base, [&](const std::string& other) { return taken_.contains(other); });
    taken_.insert(name);
    return name;
  }

 private:
  std::unordered_set<std::string> taken_;
  NameCounter made_;
};

// Of what was read, only the unknown fields stay: the message's own and those of its single sub-messages. Are there
// any?
bool keepUnknownOnly(google::protobuf::Message& message) {
  const auto& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const auto* field : set) {
    const bool one = field->message_type() && !field->is_repeated();
    if (!one || !keepUnknownOnly(*reflection.MutableMessage(&message, field))) reflection.ClearField(&message, field);
  }
  return message.ByteSizeLong() != 0;
}

class MessageReader : private text::NameScope {
 public:
  MessageReader(pb::HloModuleProto& message, std::string fileName, ForeignFields& foreign)
      : message_(message), fileName_(std::move(fileName)), module_(""), foreign_(foreign) {}
  ReadResult read();

 private:
  void readComputations();
  void readComputation(pb::HloComputationProto& message, ComputationId id);
  void readInstruction(pb::HloInstructionProto& message, ComputationId computation, Names& names);
  Status readFacts(pb::HloInstructionProto& message, Instruction& instruction, Shape& shape);
  Status readConstant(pb::HloInstructionProto& message, Instruction& instruction, const Shape& shape);
  Status readUses(pb::HloInstructionProto& message, InstructionId id);
  Result<AttributeSet> exactAttributes(const pb::TesseraInstruction& facts);
  void keepRest(pb::HloInstructionProto& message, InstructionId id);
  void setOrder(ComputationId id);
  void setSchedule(ComputationId id, int64_t fileId);
  void setComputationOrder();
  void setAsyncSugar();
  void checkRoot(pb::HloComputationProto& message, ComputationId id);
  void report(Diagnostic d, std::string_view instruction = {});

  bool computation(text::Lexer& lexer, ComputationId& out) override;
  bool instruction(text::Lexer& lexer, InstructionId& out) override;

  pb::HloModuleProto& message_;
  std::string fileName_;
  Module module_;
  Diagnostics diagnostics_;
  ForeignFields& foreign_;
  std::unordered_map<int64_t, ComputationId> computations_;
  std::unordered_map<int64_t, InstructionId> instructions_;            // of the computation being read
  std::unordered_map<std::string, InstructionId> instructionsByName_;  // the same, when exact attributes ask
  std::unordered_set<int32_t> parameterNumbers_;                       // of the same
  std::unordered_map<std::string, ComputationId> computationsByName_;
  size_t unlisted_ = 0;  // errors beyond the limit
  ComputationId current_;
};

void MessageReader::report(Diagnostic d, std::string_view instruction) {
  if (diagnostics_.items().size() >= kMaxDiagnostics) {
    ++unlisted_;
    return;
  }
  d.file = fileName_;
  if (d.instructionName.empty()) d.instructionName = std::string(instruction);
  diagnostics_.add(std::move(d));
}

// What Instruction has members for, but for uses.
Status MessageReader::readFacts(pb::HloInstructionProto& message, Instruction& instruction, Shape& shape) {
  if (!message.has_shape()) return fail("an instruction has no shape");
  TESSERA_ASSIGN_OR_RETURN(shape, readShape(message.shape()));
  if (!keepUnknownOnly(*message.mutable_shape())) message.clear_shape();
  if (auto opcode = opcodeFromName(message.opcode()))
    instruction.opcode = *opcode;
  else
    instruction.unknownOpcode = module_.tables().intern(wordOf(message.opcode(), "unknown"));
  if (instruction.opcode == Opcode::Parameter) {
    if (message.parameter_number() < 0 || message.parameter_number() >= kMaxParameters)
      return fail("the parameter number " + std::to_string(message.parameter_number()) + " is out of range");
    instruction.parameterNumber = static_cast<int32_t>(message.parameter_number());
    message.clear_parameter_number();
  }
  if (message.has_metadata()) {
    Metadata metadata = takeMetadata(*message.mutable_metadata());
    if (!(metadata == Metadata())) instruction.metadata = module_.tables().intern(metadata);
  }
  instruction.note = module_.tables().intern(message.tessera().note());
  return instruction.opcode == Opcode::Constant ? readConstant(message, instruction, shape) : Status();
}

Status MessageReader::readConstant(pb::HloInstructionProto& message, Instruction& instruction, const Shape& shape) {
  if (!message.has_literal()) return fail("a constant has no literal");
  TESSERA_ASSIGN_OR_RETURN(Literal literal, readLiteral(message.literal()));
  if (!compatible(literal.shape(), shape))
    return fail("a constant of shape " + toString(shape, false) + " has a literal of shape " +
                toString(literal.shape(), false));
  if (shape.isArray()) literal.setLayout(shape.layout);
  literal.setElided(message.tessera().elided());
  instruction.literal = std::make_shared<const Literal>(std::move(literal));
  if (!keepUnknownOnly(*message.mutable_literal())) message.clear_literal();
  return {};
}

void MessageReader::readInstruction(pb::HloInstructionProto& message, ComputationId computation, Names& names) {
  Instruction instruction;
  Shape shape = Shape::token();
  const std::string name = names.unique(wordOf(message.name(), wordOf(message.opcode(), "instruction")));
  instruction.name = name;
  if (Status status = readFacts(message, instruction, shape); !status) report(std::move(status).error(), name);
  const bool isParameter = instruction.opcode == Opcode::Parameter;
  const InstructionId id = module_.add(computation, std::move(instruction), shape);
  if (isParameter && !parameterNumbers_.insert(module_.at(id).parameterNumber).second)
    report(fail("the parameter number " + std::to_string(module_.at(id).parameterNumber) + " appears twice").error(),
           name);
  foreign_.instructionIds.resize(id.value + 1, -1);
  foreign_.instructionIds[id.value] = message.id();
  if (!instructions_.emplace(message.id(), id).second)
    report(fail("the instruction id " + std::to_string(message.id()) + " appears twice").error(), name);
}

Result<AttributeSet> MessageReader::exactAttributes(const pb::TesseraInstruction& facts) {
  AttributeSet out;
  for (const pb::TesseraAttribute& attribute : facts.attributes()) {
    auto attr = attrFromName(attribute.name());
    if (!attr) {
      out.unknown.push_back({wordOf(attribute.name(), "unknown"), {attribute.text(), false}});
      continue;
    }
    text::Lexer lexer(attribute.text());
    AttributeValue value;
    if (!text::readAttributeValue(lexer, *attr, *this, value) || !lexer.atEnd())
      return fail("the attribute " + attribute.name() + " is damaged");
    out.set(*attr, std::move(value));
  }
  return out;
}

bool MessageReader::computation(text::Lexer& lexer, ComputationId& out) {
  std::string_view name;
  if (!lexer.name(name, "a computation's name")) return false;
  auto found = computationsByName_.find(std::string(name));
  if (found == computationsByName_.end()) return lexer.fail("there is no such computation");
  out = found->second;
  return true;
}

bool MessageReader::instruction(text::Lexer& lexer, InstructionId& out) {
  std::string_view name;
  if (!lexer.name(name, "an instruction's name")) return false;
  if (instructionsByName_.empty())
    for (InstructionId id : module_.at(current_).instructions) instructionsByName_.emplace(module_.at(id).name, id);
  auto found = instructionsByName_.find(std::string(name));
  if (found == instructionsByName_.end()) return lexer.fail("there is no such instruction");
  out = found->second;
  return true;
}

Status MessageReader::readUses(pb::HloInstructionProto& message, InstructionId id) {
  std::vector<InstructionId> operands;
  for (int64_t number : message.operand_ids()) {
    auto found = instructions_.find(number);
    if (found == instructions_.end())
      return fail("there is no instruction with the id " + std::to_string(number) + " in this computation");
    operands.push_back(found->second);
  }
  module_.setOperands(id, operands);
  const ReadScope scope{module_,
                        [&](int64_t number) -> std::optional<ComputationId> {
                          auto found = computations_.find(number);
                          return found == computations_.end() ? std::nullopt : std::optional(found->second);
                        },
                        [&](int64_t number) -> std::optional<InstructionId> {
                          auto found = instructions_.find(number);
                          return found == instructions_.end() ? std::nullopt : std::optional(found->second);
                        }};
  const Instruction& instruction = module_.at(id);
  TESSERA_ASSIGN_OR_RETURN(AttributeSet attributes, takeAttributes(message, instruction, scope));
  if (message.tessera().exact()) {
    TESSERA_ASSIGN_OR_RETURN(attributes, exactAttributes(message.tessera()));
  }
  if (!attributes.empty()) module_.setAttributes(id, std::move(attributes));
  return {};
}

// Whatever is left of the message has no place in the IR.
void MessageReader::keepRest(pb::HloInstructionProto& message, InstructionId id) {
  message.clear_name();
  message.clear_opcode();
  message.clear_id();
  message.clear_operand_ids();
  message.clear_tessera();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  const auto& reflection = *message.GetReflection();
  reflection.ListFields(message, &set);
  for (const auto* field : set) {
    const bool one = field->message_type() && !field->is_repeated();
    if (one && reflection.GetMessage(message, field).ByteSizeLong() == 0) reflection.ClearField(&message, field);
  }
  if (message.ByteSizeLong() != 0) foreign_.instructions.emplace(id.value, message.SerializeAsString());
}

// Users never precede their operands.
void MessageReader::setOrder(ComputationId id) {
  std::unordered_set<InstructionId> seen;
  bool ordered = true;
  for (InstructionId instruction : module_.at(id).instructions) {
    for (InstructionId operand : module_.at(instruction).operands) ordered = ordered && seen.contains(operand);
    seen.insert(instruction);
  }
  if (ordered) return;
  auto order = topologicalOrder(module_, id);
  if (!order) return report(std::move(order).error());
  module_.edit(id).instructions = std::move(*order);
}

// The order of the schedule, when it names each instruction once and respects operands.
void MessageReader::setSchedule(ComputationId id, int64_t fileId) {
  if (!message_.has_schedule()) return;
  auto found = message_.schedule().sequences().find(fileId);
  if (found == message_.schedule().sequences().end()) return;
  std::vector<InstructionId> order;
  std::unordered_set<InstructionId> seen;
  bool good = true;
  for (int64_t number : found->second.instruction_ids()) {
    auto instruction = instructions_.find(number);
    good = good && instruction != instructions_.end() && seen.insert(instruction->second).second;
    if (!good) break;
    for (InstructionId operand : module_.at(instruction->second).operands) good = good && seen.contains(operand);
    order.push_back(instruction->second);
  }
  if (!good || order.size() != module_.at(id).instructions.size())
    return report(
        fail("the schedule of computation " + module_.at(id).name + " is no order of its instructions").error());
  module_.edit(id).instructions = std::move(order);
}

void MessageReader::checkRoot(pb::HloComputationProto& message, ComputationId id) {
  auto root = instructions_.find(message.root_id());
  if (root != instructions_.end())
    module_.setRoot(id, root->second);
  else
    report(fail("computation " + module_.at(id).name + " has no instruction with its root's id " +
                std::to_string(message.root_id()))
               .error());
}

void MessageReader::readComputation(pb::HloComputationProto& message, ComputationId id) {
  instructions_.clear();
  instructionsByName_.clear();
  parameterNumbers_.clear();
  current_ = id;
  Names names;
  const auto first = static_cast<uint32_t>(module_.instructionSlots());
  if (message.instructions_size() == 0)
    report(fail("computation " + module_.at(id).name + " has no instructions").error());
  for (pb::HloInstructionProto& instruction : *message.mutable_instructions()) readInstruction(instruction, id, names);
  for (int i = 0; i < message.instructions_size(); ++i) {
    const InstructionId instruction(first + static_cast<uint32_t>(i));
    if (Status status = readUses(*message.mutable_instructions(i), instruction); !status)
      report(std::move(status).error(), module_.at(instruction).name);
    keepRest(*message.mutable_instructions(i), instruction);
  }
  setOrder(id);
  if (!diagnostics_.hasErrors()) setSchedule(id, message.id());
  checkRoot(message, id);
  Computation& computation = module_.edit(id);
  computation.executionThread = message.execution_thread() == "main" ? "" : message.execution_thread();
  computation.asyncSugar = message.tessera().async_sugar();
  computation.hasSignature = !message.tessera().no_signature();
  message.clear_name();
  message.clear_instructions();
  message.clear_program_shape();
  message.clear_id();
  message.clear_root_id();
  message.clear_is_fusion_computation();
  message.clear_execution_thread();
  message.clear_tessera();
  if (message.ByteSizeLong() != 0) foreign_.computations.emplace(id.value, message.SerializeAsString());
}

void MessageReader::readComputations() {
  Names names;
  for (const pb::HloComputationProto& computation : message_.computations()) {
    const ComputationId id = module_.addComputation(names.unique(wordOf(computation.name(), "computation")));
    computationsByName_.emplace(module_.at(id).name, id);
    foreign_.computationIds.push_back(computation.id());
    if (!computations_.emplace(computation.id(), id).second)
      report(fail("the computation id " + std::to_string(computation.id()) + " appears twice").error());
  }
  for (int i = 0; i < message_.computations_size(); ++i)
    readComputation(*message_.mutable_computations(i), ComputationId(static_cast<uint32_t>(i)));
}

// Callees before their callers; the file's order where that holds.
void MessageReader::setComputationOrder() {
  const CallGraph graph(module_);
  if (!graph.recursiveCalls().empty()) {
    const std::string& name = module_.at(module_.at(graph.recursiveCalls().front()).computation).name;
    return report(fail("computation " + name + " calls itself, directly or through others").error());
  }
  module_.setOrder(graph.calleesFirst());
}

// XLA prints an async op as OP-start when its computation holds that OP over its own parameters and is called by it
// alone.
void MessageReader::setAsyncSugar() {
  std::unordered_map<uint32_t, int> calls;
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions)
      for (ComputationId callee : module_.callees(module_.at(id)))
        calls[callee.value] += module_.at(id).opcode == Opcode::AsyncStart ? 1 : 2;
  for (auto [number, count] : calls) {
    const ComputationId id(number);
    const Computation& computation = module_.at(id);
    const bool onlyOne =
        count == 1 && computation.instructions.size() == computation.parameters.size() + 1 && computation.root.valid();
    if (!onlyOne || module_.at(computation.root).opcode == Opcode::Parameter) continue;
    const auto operands = module_.at(computation.root).operands;
    if (std::ranges::equal(operands, computation.parameters)) module_.edit(id).asyncSugar = true;
  }
}

ReadResult MessageReader::read() {
  const bool ours = message_.has_tessera();
  if (Status status = takeConfig(message_, module_); !status) report(std::move(status).error());
  readComputations();
  if (!diagnostics_.hasErrors()) setComputationOrder();
  if (auto entry = computations_.find(message_.entry_computation_id()); entry != computations_.end())
    module_.setEntry(entry->second);
  else
    report(fail("the module has no computation with its entry's id " + std::to_string(message_.entry_computation_id()))
               .error());
  if (unlisted_) diagnostics_.add(andMore(unlisted_));
  ReadResult out;
  out.diagnostics = std::move(diagnostics_);
  if (out.diagnostics.hasErrors()) return out;
  if (!ours) setAsyncSugar();
  message_.clear_computations();
  message_.clear_entry_computation_id();
  message_.clear_entry_computation_name();
  message_.clear_schedule();
  foreign_.module = message_.SerializeAsString();
  out.module = std::move(module_);
  return out;
}

}  // namespace

ReadResult readModuleMessage(pb::HloModuleProto& message, const std::string& fileName, ForeignFields& foreign) {
  return MessageReader(message, fileName, foreign).read();
}

}  // namespace tessera::proto
