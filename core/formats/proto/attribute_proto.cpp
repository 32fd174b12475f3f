// See attribute_proto.h: reading, by the plan of attribute_fields.h and by kind through protobuf's reflection.
#include "core/formats/proto/attribute_proto.h"

#include <algorithm>

#include "core/formats/proto/attribute_fields.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/shape_proto.h"
#include "core/formats/proto/structured_proto.h"

namespace tessera::proto {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using pb::HloInstructionProto;
using Taken = std::optional<AttributeValue>;

int64_t integerAt(const FieldRef& at) {
  const Reflection& r = at.reflection();
  if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) return r.GetInt32(*at.message, at.field);
  if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) return r.GetEnumValue(*at.message, at.field);
  return r.GetInt64(*at.message, at.field);
}

Taken takeBool(const FieldRef& at, const AttributeStep& step) {
  const bool value = at.message && at.reflection().GetBool(*at.message, at.field);
  return value || step.always ? Taken(value) : Taken();
}

Taken takeInt(const FieldRef& at, const AttributeStep& step) {
  if (!at.message) return step.always ? Taken(int64_t{0}) : Taken();
  if (at.field->is_repeated()) {
    if (at.reflection().FieldSize(*at.message, at.field) == 0) return step.always ? Taken(int64_t{0}) : Taken();
    return at.reflection().GetRepeatedInt64(*at.message, at.field, 0);
  }
  const bool set = at.reflection().HasField(*at.message, at.field);
  const int64_t value = integerAt(at);
  return step.always || (set && (value != step.row->quiet || at.field->has_presence())) ? Taken(value) : Taken();
}

Taken takeFloat(const FieldRef& at, const AttributeStep& step) {
  const double value = at.message ? static_cast<double>(at.reflection().GetFloat(*at.message, at.field)) : 0;
  return value != 0 || step.always ? Taken(value) : Taken();
}

Taken takeText(const FieldRef& at, const AttributeStep& step) {
  if (!at.message) return {};
  if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    const int64_t number = integerAt(at);
    if (!step.always && (number == 0 || number == step.row->quiet)) return {};
    return wordOf(*step.row, at.reflection().GetEnum(*at.message, at.field)->name());
  }
  std::string value = at.reflection().GetString(*at.message, at.field);
  const bool absent = !step.always && (value.empty() || value == step.row->quietText);
  return absent ? Taken() : Taken(std::move(value));
}

Taken takeWords(const FieldRef& at, const AttributeStep& step) {
  if (!at.message) return {};
  std::vector<std::string> words;
  bool any = false;
  for (int i = 0; i < at.reflection().FieldSize(*at.message, at.field); ++i) {
    const EnumValueDescriptor* value = at.reflection().GetRepeatedEnum(*at.message, at.field, i);
    any |= value->number() != 0;
    words.push_back(wordOf(*step.row, value->name()));
  }
  return any ? Taken(std::move(words)) : Taken();
}

std::vector<int64_t> intsAt(const FieldRef& at) {
  std::vector<int64_t> out;
  if (!at.message) return out;
  for (int i = 0; i < at.reflection().FieldSize(*at.message, at.field); ++i)
    out.push_back(at.reflection().GetRepeatedInt64(*at.message, at.field, i));
  return out;
}

Taken takeInts(const FieldRef& at, const AttributeStep& step) {
  std::vector<int64_t> values = intsAt(at);
  return !values.empty() || step.always ? Taken(std::move(values)) : Taken();
}

// Sizes of a collective-permute's slices: one flat list, cut by the ranks of what is sent.
Taken takeSliceLists(const FieldRef& at, const Instruction& instruction, const Module& module) {
  std::vector<int64_t> flat = intsAt(at);
  if (flat.empty() || instruction.operands.empty()) return {};
  std::vector<std::vector<int64_t>> lists;
  size_t next = 0;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(instruction.operands[0]))) {
    const auto rank = std::min(static_cast<size_t>(leaf.shape->rank()), flat.size() - next);
    auto begin = flat.begin() + static_cast<std::ptrdiff_t>(next);
    lists.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(rank));
    next += rank;
  }
  return lists;
}

bool branchesByPredicate(const Instruction& instruction, const Module& module) {
  return !instruction.operands.empty() && instruction.operands[0].valid() &&
         module.shapeOf(instruction.operands[0]).type == ElementType::Pred;
}

Result<Taken> takeCallees(const HloInstructionProto& message, const AttributeStep& step, const Instruction& instruction,
                          const ReadScope& scope) {
  std::vector<ComputationId> ids;
  for (int64_t number : message.called_computation_ids()) {
    auto id = scope.computation(number);
    if (!id) return fail("there is no computation with the id " + std::to_string(number));
    ids.push_back(*id);
  }
  const bool two = step.attr == Attr::true_computation || step.attr == Attr::false_computation;
  if (two || step.attr == Attr::branch_computations) {
    const bool byPredicate = branchesByPredicate(instruction, scope.module) && ids.size() == 2;
    if (two != byPredicate) return Taken();
  }
  if (step.kind == AttributeKind::Computations) return ids.empty() ? Taken() : Taken(std::move(ids));
  const size_t index = calleeIndex(step.attr);
  if (index < ids.size()) return Taken(ids[index]);
  return Taken();
}

Result<Taken> takePredecessors(const HloInstructionProto& message, const ReadScope& scope) {
  std::vector<InstructionId> ids;
  for (int64_t number : message.control_predecessor_ids()) {
    auto id = scope.instruction(number);
    if (!id) return fail("there is no instruction with the id " + std::to_string(number) + " in this computation");
    ids.push_back(*id);
  }
  return ids.empty() ? Taken() : Taken(std::move(ids));
}

Result<Taken> takeShapes(HloInstructionProto& message, const AttributeStep& step) {
  if (step.kind == AttributeKind::Shape) {
    if (!message.has_outfeed_shape()) return Taken();
    TESSERA_ASSIGN_OR_RETURN(Shape shape, readShape(message.outfeed_shape()));
    return Taken(Boxed<Shape>(std::move(shape)));
  }
  if (!message.constrain_layout() && message.operand_shapes_with_layout_size() == 0) return Taken();
  std::vector<Shape> shapes;
  for (const pb::ShapeProto& one : message.operand_shapes_with_layout()) {
    TESSERA_ASSIGN_OR_RETURN(Shape shape, readShape(one));
    shapes.push_back(std::move(shape));
  }
  message.clear_constrain_layout();
  return Taken(std::move(shapes));
}

Result<Taken> takeLiteral(const HloInstructionProto& message) {
  if (!message.has_literal()) return Taken();
  TESSERA_ASSIGN_OR_RETURN(Literal literal, readLiteral(message.literal()));
  return Taken(std::make_shared<const Literal>(std::move(literal)));
}

Taken takeRaw(const FieldRef& at) {
  std::string value = at.reflection().GetString(*at.message, at.field);
  if (value.empty()) return {};
  const bool quoted = !isOneDictionary(value);
  return RawText{std::move(value), quoted};
}

Taken takeBraced(HloInstructionProto& message, const AttributeStep& step, const Instruction& instruction) {
  std::string text;
  step.braced->take(message, *instruction.shape, text);
  return text.empty() ? Taken() : Taken(RawText{std::move(text), false});
}

Result<Taken> takeOne(HloInstructionProto& message, const AttributeStep& step, const Instruction& instruction,
                      const ReadScope& scope) {
  if (step.braced) return takeBraced(message, step, instruction);
  if (step.path.empty()) return Taken();
  const FieldRef at = findField(message, step);
  switch (step.kind) {
    case AttributeKind::Bool: return takeBool(at, step);
    case AttributeKind::Int: return takeInt(at, step);
    case AttributeKind::Float: return takeFloat(at, step);
    case AttributeKind::String: return takeText(at, step);
    case AttributeKind::Enum: {
      Taken word = takeText(at, step);
      const bool plain = step.attr == Attr::type && word &&
                         std::get<std::string>(*word) == defaultComparison(instruction, scope.module);
      return plain ? Taken() : word;
    }
    case AttributeKind::Enums: return takeWords(at, step);
    case AttributeKind::Ints: return takeInts(at, step);
    case AttributeKind::IntsOrIntLists:
      if (instruction.opcode != Opcode::Gather) return takeSliceLists(at, instruction, scope.module);
      return takeInts(at, step);
    case AttributeKind::Computation:
    case AttributeKind::Computations: return takeCallees(message, step, instruction, scope);
    case AttributeKind::Instructions: return takePredecessors(message, scope);
    case AttributeKind::Shape:
    case AttributeKind::Shapes: return takeShapes(message, step);
    case AttributeKind::ShapedLiteral: return takeLiteral(message);
    case AttributeKind::StringOrJson: return takeRaw(at);
    default: return takeStructured(message, step.kind);
  }
}

}  // namespace

Result<AttributeSet> takeAttributes(HloInstructionProto& message, const Instruction& instruction,
                                    const ReadScope& scope) {
  AttributeSet out;
  const std::vector<AttributeStep>& plan = planOf(instruction.opcode);
  for (const AttributeStep& step : plan) {
    auto taken = takeOne(message, step, instruction, scope);
    if (!taken) return std::unexpected(std::move(taken).error());
    if (*taken) out.set(step.attr, std::move(**taken));
  }
  for (const AttributeStep& step : plan) {
    if (step.path.empty()) continue;
    if (FieldRef at = findField(message, step); at.message) at.reflection().ClearField(at.message, at.field);
  }
  message.clear_called_computation_ids();
  return out;
}

}  // namespace tessera::proto
