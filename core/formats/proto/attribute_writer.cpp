// See attribute_proto.h: writing, by the plan of attribute_fields.h and by kind through protobuf's reflection.
#include "core/formats/proto/attribute_fields.h"
#include "core/formats/proto/attribute_proto.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/shape_proto.h"
#include "core/formats/proto/structured_proto.h"

namespace tessera::proto {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using pb::HloInstructionProto;

bool putInt(const FieldRef& at, int64_t value) {
  const Reflection& r = at.reflection();
  if (at.field->is_repeated())
    r.AddInt64(at.message, at.field, value);
  else if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32)
    r.SetInt32(at.message, at.field, static_cast<int32_t>(value));
  else if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
    r.SetEnumValue(at.message, at.field, static_cast<int>(value));
  else
    r.SetInt64(at.message, at.field, value);
  return true;
}

bool putText(const FieldRef& at, const AttributeStep& step, const std::string& value) {
  if (at.field->cpp_type() != FieldDescriptor::CPPTYPE_ENUM) {
    at.reflection().SetString(at.message, at.field, value);
    return true;
  }
  const EnumValueDescriptor* word = enumValueOf(*step.row, at.field, value);
  if (word) at.reflection().SetEnum(at.message, at.field, word);
  return word != nullptr;
}

// Puts one value into a plain field. Overloads by the value's type; other types have functions of their own.
struct PlainPut {
  const FieldRef& at;
  const AttributeStep& step;
  bool operator()(bool v) const { return at.reflection().SetBool(at.message, at.field, v), true; }
  bool operator()(int64_t v) const { return putInt(at, v); }
  bool operator()(double v) const {
    return at.reflection().SetFloat(at.message, at.field, static_cast<float>(v)), true;
  }
  bool operator()(const std::string& v) const { return putText(at, step, v); }
  bool operator()(const std::vector<std::string>& v) const {
    for (const std::string& word : v) {
      const EnumValueDescriptor* value = enumValueOf(*step.row, at.field, word);
      if (!value) return false;
      at.reflection().AddEnum(at.message, at.field, value);
    }
    return true;
  }
  bool operator()(const std::vector<int64_t>& v) const {
    for (int64_t one : v) at.reflection().AddInt64(at.message, at.field, one);
    return true;
  }
  bool operator()(const std::vector<std::vector<int64_t>>& v) const {
    for (const std::vector<int64_t>& list : v) (*this)(list);
    return true;
  }
  bool operator()(const RawText& v) const { return at.reflection().SetString(at.message, at.field, v.text), true; }
  bool operator()(const auto&) const { return false; }
};

void setCallee(HloInstructionProto& out, size_t index, int64_t id) {
  while (static_cast<size_t>(out.called_computation_ids_size()) <= index) out.add_called_computation_ids(id);
  out.set_called_computation_ids(static_cast<int>(index), id);
}

bool isShapes(const AttributeStep& step) {
  return step.kind == AttributeKind::Shape || step.kind == AttributeKind::Shapes;
}

bool putShapes(const AttributeValue& value, HloInstructionProto& out) {
  if (const auto* one = std::get_if<Boxed<Shape>>(&value))
    return writeShape(*one->value, *out.mutable_outfeed_shape()), true;
  const auto* shapes = std::get_if<std::vector<Shape>>(&value);
  if (!shapes) return false;
  out.set_constrain_layout(true);
  for (const Shape& shape : *shapes) writeShape(shape, *out.add_operand_shapes_with_layout());
  return true;
}

bool putOne(const AttributeValue& value, const AttributeStep& step, const WriteScope& scope, HloInstructionProto& out) {
  if (step.braced) {
    const auto* raw = std::get_if<RawText>(&value);
    return raw && step.braced->put(raw->text, out);
  }
  if (const auto* callee = std::get_if<ComputationId>(&value))
    return setCallee(out, calleeIndex(step.attr), scope.computation(*callee)), true;
  if (const auto* callees = std::get_if<std::vector<ComputationId>>(&value)) {
    for (ComputationId id : *callees) out.add_called_computation_ids(scope.computation(id));
    return true;
  }
  if (const auto* before = std::get_if<std::vector<InstructionId>>(&value)) {
    for (InstructionId id : *before) out.add_control_predecessor_ids(scope.instruction(id));
    return true;
  }
  if (const auto* literal = std::get_if<LiteralPtr>(&value)) {
    if (*literal) writeLiteral(**literal, *out.mutable_literal());
    return true;
  }
  if (isShapes(step)) return putShapes(value, out);
  if (putStructured(value, step.kind, out)) return true;
  return !step.path.empty() && std::visit(PlainPut{makeField(out, step), step}, value);
}

// What an absent attribute is written as: XLA's readers do not know that 0 stands for 1.
void putQuiet(const AttributeStep& step, const Instruction& instruction, const Module& module,
              HloInstructionProto& out) {
  if (step.attr == Attr::type) out.set_comparison_type(std::string(defaultComparison(instruction, module)));
  if (!step.row || step.path.size() != 1) return;
  if (step.row->quiet != 0) putInt(makeField(out, step), step.row->quiet);
  if (!step.row->quietText.empty())
    out.GetReflection()->SetString(&out, step.path[0], std::string(step.row->quietText));
}

}  // namespace

void putAttributes(const Instruction& instruction, const WriteScope& scope, HloInstructionProto& out) {
  for (const AttributeStep& step : planOf(instruction.opcode)) {
    if (const AttributeValue* value = instruction.attributes->find(step.attr))
      putOne(*value, step, scope, out);
    else
      putQuiet(step, instruction, scope.module, out);
  }
}

}  // namespace tessera::proto
