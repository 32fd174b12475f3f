// Module into HloModuleProto. Fields that a file brought and the IR cannot hold go in first, then what the module says;
// each instruction is read back, and where its attributes do not come out as they are, they are written as text too.
#include <unordered_map>
#include <unordered_set>

#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/formats/proto/foreign_fields.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/module_proto.h"
#include "core/formats/proto/shape_proto.h"

namespace tessera::proto {
namespace {

constexpr int kComputationBits = 32;  // an instruction's id is (computation << 32) | local

class MessageWriter {
 public:
  MessageWriter(const Module& module, const ForeignFields* foreign, pb::HloModuleProto& out)
      : module_(module), foreign_(foreign), out_(out) {}
  void write();

 private:
  void giveIds();
  void writeComputation(ComputationId id);
  void writeInstruction(const Instruction& instruction, pb::HloInstructionProto& out);
  void writeSchedule();
  void keepExact(const Instruction& instruction, pb::HloInstructionProto& out);

  const Module& module_;
  const ForeignFields* foreign_;
  pb::HloModuleProto& out_;
  std::vector<int64_t> computationIds_, instructionIds_;
  std::unordered_map<int64_t, ComputationId> computations_;
  std::unordered_map<int64_t, InstructionId> instructions_;
  std::unordered_set<uint32_t> fusions_;
};

void MessageWriter::giveIds() {
  const ForeignFields none;
  const ForeignFields& foreign = foreign_ ? *foreign_ : none;
  computationIds_.assign(module_.computationSlots(), -1);
  instructionIds_.assign(module_.instructionSlots(), -1);
  int64_t next = 1;
  for (int64_t id : foreign.computationIds) next = std::max(next, id < INT32_MAX ? id + 1 : id);
  for (ComputationId c : module_.order()) {
    const bool known = c.value < foreign.computationIds.size();
    const int64_t id = known ? foreign.computationIds[c.value] : next++;
    computationIds_[c.value] = id;
    computations_.emplace(id, c);
    for (InstructionId i : module_.at(c).instructions) {
      if (i.value >= foreign.instructionIds.size() || foreign.instructionIds[i.value] < 0) continue;
      if (instructions_.emplace(foreign.instructionIds[i.value], i).second)
        instructionIds_[i.value] = foreign.instructionIds[i.value];
    }
    int64_t local = 1;
    for (InstructionId i : module_.at(c).instructions) {
      if (instructionIds_[i.value] >= 0) continue;
      const auto high = static_cast<uint64_t>(id) << kComputationBits;
      while (!instructions_.emplace(static_cast<int64_t>(high) | local, i).second) ++local;
      instructionIds_[i.value] = static_cast<int64_t>(high) | local++;
    }
  }
}

std::string exactText(const Module& module, const AttributeSet& set) {
  std::string out;
  for (const Attribute& attribute : set.items()) {
    out += nameOf(attribute.name);
    out += '=';
    text::appendAttributeValue(out, module, attribute.value, kindOf(attribute.name));
    out += '\n';
  }
  return out;
}

void MessageWriter::keepExact(const Instruction& instruction, pb::HloInstructionProto& out) {
  const ReadScope scope{module_,
                        [&](int64_t id) -> std::optional<ComputationId> {
                          auto found = computations_.find(id);
                          return found == computations_.end() ? std::nullopt : std::optional(found->second);
                        },
                        [&](int64_t id) -> std::optional<InstructionId> {
                          auto found = instructions_.find(id);
                          return found == instructions_.end() ? std::nullopt : std::optional(found->second);
                        }};
  pb::HloInstructionProto copy = out;
  auto back = takeAttributes(copy, instruction, scope);
  const AttributeSet& set = *instruction.attributes;
  if (back && set.unknown.empty() && exactText(module_, *back) == exactText(module_, set)) return;
  pb::TesseraInstruction& facts = *out.mutable_tessera();
  facts.set_exact(true);
  auto add = [&](std::string_view name, std::string text) {
    pb::TesseraAttribute& attribute = *facts.add_attributes();
    attribute.set_name(std::string(name));
    attribute.set_text(std::move(text));
  };
  for (const Attribute& attribute : set.items())
    add(nameOf(attribute.name), printAttributeValue(module_, attribute.value, kindOf(attribute.name)));
  for (const UnknownAttribute& unknown : set.unknown) {
    std::string quoted;
    if (unknown.value.quoted) {
      quoted += '"';
      text::appendEscaped(quoted, unknown.value.text);
      quoted += '"';
    } else {
      quoted = unknown.value.text;
    }
    add(unknown.name, std::move(quoted));
  }
}

void MessageWriter::writeInstruction(const Instruction& instruction, pb::HloInstructionProto& out) {
  if (foreign_)
    if (auto rest = foreign_->instructions.find(instruction.id.value); rest != foreign_->instructions.end())
      out.ParseFromString(rest->second);
  out.set_name(std::string(instruction.name));
  out.set_opcode(std::string(instruction.opcodeName()));
  writeShape(*instruction.shape, *out.mutable_shape());
  out.set_id(instructionIds_[instruction.id.value]);
  auto& metadata = *out.mutable_metadata();
  if (instruction.metadata) putMetadata(*instruction.metadata, metadata);
  if (instruction.opcode == Opcode::Parameter) out.set_parameter_number(instruction.parameterNumber);
  if (instruction.literal) writeLiteral(*instruction.literal, *out.mutable_literal());
  for (InstructionId operand : instruction.operands)
    if (operand.valid()) out.add_operand_ids(instructionIds_[operand.value]);
  const WriteScope scope{module_, [&](ComputationId id) { return computationIds_[id.value]; },
                         [&](InstructionId id) { return instructionIds_[id.value]; }};
  putAttributes(instruction, scope, out);
  keepExact(instruction, out);
  if (!instruction.note.empty()) out.mutable_tessera()->set_note(std::string(instruction.note));
  if (instruction.literal && instruction.literal->elided()) out.mutable_tessera()->set_elided(true);
}

void MessageWriter::writeComputation(ComputationId id) {
  const Computation& computation = module_.at(id);
  pb::HloComputationProto& out = *out_.add_computations();
  if (foreign_)
    if (auto rest = foreign_->computations.find(id.value); rest != foreign_->computations.end())
      out.ParseFromString(rest->second);
  out.set_name(computation.name);
  out.set_id(computationIds_[id.value]);
  out.set_is_fusion_computation(fusions_.contains(id.value));
  out.set_execution_thread(computation.executionThread.empty() ? "main" : computation.executionThread);
  if (computation.asyncSugar) out.mutable_tessera()->set_async_sugar(true);
  if (!computation.hasSignature) out.mutable_tessera()->set_no_signature(true);
  for (InstructionId instruction : computation.instructions)
    writeInstruction(module_.at(instruction), *out.add_instructions());
  for (InstructionId parameter : computation.parameters) {
    if (!parameter.valid()) continue;
    writeShape(module_.shapeOf(parameter), *out.mutable_program_shape()->add_parameters());
    out.mutable_program_shape()->add_parameter_names(std::string(module_.at(parameter).name));
  }
  if (!computation.root.valid()) return;
  out.set_root_id(instructionIds_[computation.root.value]);
  writeShape(module_.shapeOf(computation.root), *out.mutable_program_shape()->mutable_result());
}

void MessageWriter::writeSchedule() {
  if (module_.config().isScheduled != true) return;
  auto& sequences = *out_.mutable_schedule()->mutable_sequences();
  for (ComputationId id : module_.order()) {
    if (fusions_.contains(id.value)) continue;
    auto& sequence = sequences[computationIds_[id.value]];
    for (InstructionId instruction : module_.at(id).instructions)
      sequence.add_instruction_ids(instructionIds_[instruction.value]);
  }
}

void MessageWriter::write() {
  if (foreign_) out_.ParseFromString(foreign_->module);
  for (ComputationId computation : module_.order())
    for (InstructionId i : module_.at(computation).instructions)
      if (module_.at(i).opcode == Opcode::Fusion)
        for (ComputationId callee : module_.callees(module_.at(i))) fusions_.insert(callee.value);
  giveIds();
  putConfig(module_, out_);
  out_.mutable_tessera();  // says that async_sugar and exact are to be believed
  out_.set_entry_computation_name(module_.entryComputation().name);
  out_.set_entry_computation_id(computationIds_[module_.entry().value]);
  for (ComputationId id : module_.order()) writeComputation(id);
  writeSchedule();
}

}  // namespace

void writeModuleMessage(const Module& module, const ForeignFields* foreign, pb::HloModuleProto& out) {
  MessageWriter(module, foreign, out).write();
}

}  // namespace tessera::proto
