// Which fields of HloInstructionProto an attribute has, by the rows of field_rows.h: for each opcode a plan, made once,
// of its attributes in print order with the descriptors of their fields. Used by attribute_proto.cpp, which reads, and
// attribute_writer.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/formats/proto/braced_proto.h"
#include "core/formats/proto/field_rows.h"
#include "core/hlo/module.h"

namespace google::protobuf {
class EnumValueDescriptor;
class FieldDescriptor;
class Message;
class Reflection;
}  // namespace google::protobuf

namespace tessera::proto {

// One attribute of one opcode with its field.
struct AttributeStep {
  const FieldRow* row = nullptr;
  AttributeKind kind = AttributeKind::Unknown;
  std::vector<const google::protobuf::FieldDescriptor*> path;  // empty: a braced attribute, or computed
  const BracedRow* braced = nullptr;
  bool always = false;
  Attr attr{};
};
const std::vector<AttributeStep>& planOf(Opcode opcode);

// The field at the end of a step's path, in a message.
struct FieldRef {
  google::protobuf::Message* message = nullptr;
  const google::protobuf::FieldDescriptor* field = nullptr;
  const google::protobuf::Reflection& reflection() const;
};
// For reading: null when a message on the way is absent.
FieldRef findField(pb::HloInstructionProto& root, const AttributeStep& step);
// For writing: makes the messages on the way.
FieldRef makeField(pb::HloInstructionProto& root, const AttributeStep& step);

// The word in HLO text of an enum's value.
std::string wordOf(const FieldRow& row, std::string_view name);
// nullptr: the enum has no such word.
const google::protobuf::EnumValueDescriptor* enumValueOf(const FieldRow& row,
                                                         const google::protobuf::FieldDescriptor* field,
                                                         const std::string& word);
// The comparison type that a compare of this element type has by itself.
std::string_view defaultComparison(const Instruction& instruction, const Module& module);
// Index of a callee in called_computation_ids.
size_t calleeIndex(Attr attr);

}  // namespace tessera::proto
