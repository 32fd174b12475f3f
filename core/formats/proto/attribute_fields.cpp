// See attribute_fields.h.
#include "core/formats/proto/attribute_fields.h"

#include <algorithm>
#include <array>

#include "core/base/ascii.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/ops/op.h"

namespace tessera::proto {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using pb::HloInstructionProto;

namespace {

const FieldRow* rowOf(Opcode opcode, Attr attr) {
  for (const OpcodeFieldRow& row : kOpcodeRows)
    if (row.opcode == opcode && row.row.attr == attr) return &row.row;
  for (const FieldRow& row : kRows)
    if (row.attr == attr) return &row;
  return nullptr;
}

std::vector<const FieldDescriptor*> resolve(std::string_view path) {
  std::vector<const FieldDescriptor*> out;
  const Descriptor* message = HloInstructionProto::descriptor();
  while (!path.empty() && message) {
    const size_t dot = std::min(path.find('.'), path.size());
    const FieldDescriptor* field = message->FindFieldByName(std::string(path.substr(0, dot)));
    if (!field) return {};
    out.push_back(field);
    message = field->message_type();
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return out;
}

void addStep(std::vector<AttributeStep>& plan, Opcode opcode, Attr attr, bool required) {
  AttributeStep step;
  step.attr = attr;
  step.kind = kindOf(attr);
  step.braced = bracedRowOf(attr);
  step.row = rowOf(opcode, attr);
  if (!step.braced && (!step.row || step.row->presence == Presence::Never)) return;
  if (step.row) step.path = resolve(step.row->path);
  step.always = required || (step.row && step.row->presence == Presence::Always);
  plan.push_back(std::move(step));
}

std::vector<AttributeStep> makePlan(Opcode opcode) {
  std::vector<AttributeStep> plan;
  for (const AttributeRow& row : attributeRowsOf(opcode))
    if (row.name < Attr::sharding) addStep(plan, opcode, row.name, row.required);
  for (Attr common : {Attr::parameter_replication, Attr::sharding, Attr::frontend_attributes,
                      Attr::control_predecessors, Attr::statistics, Attr::origin, Attr::backend_config})
    addStep(plan, opcode, common, false);
  return plan;
}

}  // namespace

const std::vector<AttributeStep>& planOf(Opcode opcode) {
  static const auto plans = [] {
    std::array<std::vector<AttributeStep>, kOpcodeCount + 1> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = makePlan(static_cast<Opcode>(i));
    return all;
  }();
  return plans[static_cast<size_t>(opcode)];
}

std::string wordOf(const FieldRow& row, std::string_view name) {
  if (name.starts_with(row.prefix)) name.remove_prefix(row.prefix.size());
  std::string out(name);
  if (row.lower)
    for (char& c : out) c = asciiLower(c);
  return out;
}

const EnumValueDescriptor* enumValueOf(const FieldRow& row, const FieldDescriptor* field, const std::string& word) {
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    const EnumValueDescriptor* value = field->enum_type()->value(i);
    if (wordOf(row, value->name()) == word) return value;
  }
  return nullptr;
}

FieldRef findField(HloInstructionProto& root, const AttributeStep& step) {
  Message* message = &root;
  for (size_t i = 0; i + 1 < step.path.size(); ++i) {
    if (!message->GetReflection()->HasField(*message, step.path[i])) return {};
    message = message->GetReflection()->MutableMessage(message, step.path[i]);
  }
  return {message, step.path.back()};
}

FieldRef makeField(HloInstructionProto& root, const AttributeStep& step) {
  Message* message = &root;
  for (size_t i = 0; i + 1 < step.path.size(); ++i)
    message = message->GetReflection()->MutableMessage(message, step.path[i]);
  return {message, step.path.back()};
}

std::string_view defaultComparison(const Instruction& instruction, const Module& module) {
  if (instruction.operands.empty() || !instruction.operands[0].valid()) return "";
  const ElementType type = module.shapeOf(instruction.operands[0]).type;
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSigned(type) ? "SIGNED" : "UNSIGNED";
}

size_t calleeIndex(Attr attr) {
  return attr == Attr::condition || attr == Attr::scatter || attr == Attr::false_computation ? 1 : 0;
}

const google::protobuf::Reflection& FieldRef::reflection() const { return *message->GetReflection(); }

}  // namespace tessera::proto
