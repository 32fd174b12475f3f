// Reads and writes attributes by the rows of field_rows.h. For each opcode a plan is made once: its attributes in print
// order, each with the descriptors of its field; values then go by kind through protobuf's reflection.
#include "core/formats/proto/attribute_proto.h"

#include <algorithm>
#include <array>

#include "core/formats/proto/braced_proto.h"
#include "core/formats/proto/field_rows.h"
#include "core/formats/proto/hlo.pb.h"
#include "core/formats/proto/shape_proto.h"
#include "core/formats/proto/structured_proto.h"
#include "core/ops/op.h"

namespace tessera::proto {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using pb::HloInstructionProto;
using Taken = std::optional<AttributeValue>;

// One attribute of one opcode with its field.
struct Step {
  const FieldRow* row = nullptr;
  AttributeKind kind = AttributeKind::Unknown;
  std::vector<const FieldDescriptor*> path;  // empty: a braced attribute, or computed
  const BracedRow* braced = nullptr;
  bool always = false;
  Attr attr{};
};

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

void addStep(std::vector<Step>& plan, Opcode opcode, Attr attr, bool required) {
  Step step;
  step.attr = attr;
  step.kind = kindOf(attr);
  step.braced = bracedRowOf(attr);
  step.row = rowOf(opcode, attr);
  if (!step.braced && (!step.row || step.row->presence == Presence::Never)) return;
  if (step.row) step.path = resolve(step.row->path);
  step.always = required || (step.row && step.row->presence == Presence::Always);
  plan.push_back(std::move(step));
}

std::vector<Step> makePlan(Opcode opcode) {
  std::vector<Step> plan;
  for (const AttributeRow& row : attributeRowsOf(opcode))
    if (row.name < Attr::sharding) addStep(plan, opcode, row.name, row.required);
  for (Attr common : {Attr::parameter_replication, Attr::sharding, Attr::frontend_attributes,
                      Attr::control_predecessors, Attr::statistics, Attr::origin, Attr::backend_config})
    addStep(plan, opcode, common, false);
  return plan;
}

const std::vector<Step>& planOf(Opcode opcode) {
  static const auto plans = [] {
    std::array<std::vector<Step>, kOpcodeCount + 1> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = makePlan(static_cast<Opcode>(i));
    return all;
  }();
  return plans[static_cast<size_t>(opcode)];
}

// --- words of enums

std::string wordOf(const FieldRow& row, std::string_view name) {
  if (name.starts_with(row.prefix)) name.remove_prefix(row.prefix.size());
  std::string out(name);
  if (row.lower)
    for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

const EnumValueDescriptor* enumValueOf(const FieldRow& row, const FieldDescriptor* field, const std::string& word) {
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    const EnumValueDescriptor* value = field->enum_type()->value(i);
    if (wordOf(row, value->name()) == word) return value;
  }
  return nullptr;
}

// --- the field at the end of a path

struct FieldRef {
  Message* message = nullptr;
  const FieldDescriptor* field = nullptr;
  const Reflection& reflection() const { return *message->GetReflection(); }
};

// For reading: null when a message on the way is absent.
FieldRef find(HloInstructionProto& root, const Step& step) {
  Message* message = &root;
  for (size_t i = 0; i + 1 < step.path.size(); ++i) {
    if (!message->GetReflection()->HasField(*message, step.path[i])) return {};
    message = message->GetReflection()->MutableMessage(message, step.path[i]);
  }
  return {message, step.path.back()};
}

FieldRef make(HloInstructionProto& root, const Step& step) {
  Message* message = &root;
  for (size_t i = 0; i + 1 < step.path.size(); ++i)
    message = message->GetReflection()->MutableMessage(message, step.path[i]);
  return {message, step.path.back()};
}

int64_t integerAt(const FieldRef& at) {
  const Reflection& r = at.reflection();
  if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) return r.GetInt32(*at.message, at.field);
  if (at.field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) return r.GetEnumValue(*at.message, at.field);
  return r.GetInt64(*at.message, at.field);
}

// --- reading by kind

Taken takeBool(const FieldRef& at, const Step& step) {
  const bool value = at.message && at.reflection().GetBool(*at.message, at.field);
  return value || step.always ? Taken(value) : Taken();
}

Taken takeInt(const FieldRef& at, const Step& step) {
  if (!at.message) return step.always ? Taken(int64_t{0}) : Taken();
  if (at.field->is_repeated()) {
    if (at.reflection().FieldSize(*at.message, at.field) == 0) return step.always ? Taken(int64_t{0}) : Taken();
    return at.reflection().GetRepeatedInt64(*at.message, at.field, 0);
  }
  const bool set = at.reflection().HasField(*at.message, at.field);
  const int64_t value = integerAt(at);
  return step.always || (set && (value != step.row->quiet || at.field->has_presence())) ? Taken(value) : Taken();
}

Taken takeFloat(const FieldRef& at, const Step& step) {
  const double value = at.message ? static_cast<double>(at.reflection().GetFloat(*at.message, at.field)) : 0;
  return value != 0 || step.always ? Taken(value) : Taken();
}

Taken takeText(const FieldRef& at, const Step& step) {
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

Taken takeWords(const FieldRef& at, const Step& step) {
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

Taken takeInts(const FieldRef& at, const Step& step) {
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

// The comparison type that a compare of this element type has by itself.
std::string_view defaultComparison(const Instruction& instruction, const Module& module) {
  if (instruction.operands.empty() || !instruction.operands[0].valid()) return "";
  const ElementType type = module.shapeOf(instruction.operands[0]).type;
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSigned(type) ? "SIGNED" : "UNSIGNED";
}

// Index of a callee in called_computation_ids.
size_t calleeIndex(Attr attr) {
  return attr == Attr::condition || attr == Attr::scatter || attr == Attr::false_computation ? 1 : 0;
}

bool branchesByPredicate(const Instruction& instruction, const Module& module) {
  return !instruction.operands.empty() && instruction.operands[0].valid() &&
         module.shapeOf(instruction.operands[0]).type == ElementType::Pred;
}

Result<Taken> takeCallees(const HloInstructionProto& message, const Step& step, const Instruction& instruction,
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

Result<Taken> takeShapes(HloInstructionProto& message, const Step& step) {
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

Taken takeBraced(HloInstructionProto& message, const Step& step, const Instruction& instruction) {
  std::string text;
  step.braced->take(message, *instruction.shape, text);
  return text.empty() ? Taken() : Taken(RawText{std::move(text), false});
}

Result<Taken> takeOne(HloInstructionProto& message, const Step& step, const Instruction& instruction,
                      const ReadScope& scope) {
  if (step.braced) return takeBraced(message, step, instruction);
  if (step.path.empty()) return Taken();
  const FieldRef at = find(message, step);
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

// --- writing by kind

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

bool putText(const FieldRef& at, const Step& step, const std::string& value) {
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
  const Step& step;
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

bool isShapes(const Step& step) { return step.kind == AttributeKind::Shape || step.kind == AttributeKind::Shapes; }

bool putShapes(const AttributeValue& value, HloInstructionProto& out) {
  if (const auto* one = std::get_if<Boxed<Shape>>(&value))
    return writeShape(*one->value, *out.mutable_outfeed_shape()), true;
  const auto* shapes = std::get_if<std::vector<Shape>>(&value);
  if (!shapes) return false;
  out.set_constrain_layout(true);
  for (const Shape& shape : *shapes) writeShape(shape, *out.add_operand_shapes_with_layout());
  return true;
}

bool putOne(const AttributeValue& value, const Step& step, const WriteScope& scope, HloInstructionProto& out) {
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
  return !step.path.empty() && std::visit(PlainPut{make(out, step), step}, value);
}

// What an absent attribute is written as: XLA's readers do not know that 0 stands for 1.
void putQuiet(const Step& step, const Instruction& instruction, const Module& module, HloInstructionProto& out) {
  if (step.attr == Attr::type) out.set_comparison_type(std::string(defaultComparison(instruction, module)));
  if (!step.row || step.path.size() != 1) return;
  if (step.row->quiet != 0) putInt(make(out, step), step.row->quiet);
  if (!step.row->quietText.empty())
    out.GetReflection()->SetString(&out, step.path[0], std::string(step.row->quietText));
}

}  // namespace

Result<AttributeSet> takeAttributes(HloInstructionProto& message, const Instruction& instruction,
                                    const ReadScope& scope) {
  AttributeSet out;
  const std::vector<Step>& plan = planOf(instruction.opcode);
  for (const Step& step : plan) {
    auto taken = takeOne(message, step, instruction, scope);
    if (!taken) return std::unexpected(std::move(taken).error());
    if (*taken) out.set(step.attr, std::move(**taken));
  }
  for (const Step& step : plan) {
    if (step.path.empty()) continue;
    if (FieldRef at = find(message, step); at.message) at.reflection().ClearField(at.message, at.field);
  }
  message.clear_called_computation_ids();
  return out;
}

void putAttributes(const Instruction& instruction, const WriteScope& scope, HloInstructionProto& out) {
  for (const Step& step : planOf(instruction.opcode)) {
    if (const AttributeValue* value = instruction.attributes->find(step.attr))
      putOne(*value, step, scope, out);
    else
      putQuiet(step, instruction, scope.module, out);
  }
}

}  // namespace tessera::proto
