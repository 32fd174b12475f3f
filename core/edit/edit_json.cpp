// Edits as one line of JSON each, for the journal: {"title":…,"actions":[{"do":"rename","instruction":3,…}]}. Shapes
// and attribute values stand as HLO text.
#include <nlohmann/json.hpp>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"
#include "core/formats/padding.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

struct ToJson {
  Json operator()(const SetParameterShape& a) const {
    return {{"do", "set-parameter-shape"},
            {"instruction", a.instruction.value},
            {"shape", toString(a.shape)},
            {"padding", paddingText(a.shape)}};
  }
  Json operator()(const SetAttribute& a) const {
    return {{"do", "set-attribute"},
            {"instruction", a.instruction.value},
            {"name", std::string(nameOf(a.name))},
            {"text", a.text}};
  }
  Json operator()(const Rename& a) const {
    return {{"do", "rename"}, {"instruction", a.instruction.value}, {"name", a.name}};
  }
  Json operator()(const SetOperand& a) const {
    return {
        {"do", "set-operand"}, {"instruction", a.instruction.value}, {"operand", a.operand}, {"value", a.value.value}};
  }
  Json operator()(const SetNote& a) const {
    return {{"do", "set-note"}, {"instruction", a.instruction.value}, {"note", a.note}};
  }
  Json operator()(const SetShape& a) const {
    return {{"do", "set-shape"}, {"instruction", a.instruction.value}, {"shape", toString(a.shape)}};
  }
  Json operator()(const SetRoot& a) const { return {{"do", "set-root"}, {"instruction", a.instruction.value}}; }
  Json operator()(const RemoveInstruction& a) const { return {{"do", "remove"}, {"instruction", a.instruction.value}}; }
  Json operator()(const AddReducer& a) const {
    return {{"do", "add-reducer"},
            {"name", a.name},
            {"opcode", std::string(nameOf(a.opcode))},
            {"type", std::string(nameOf(a.type))}};
  }
  Json operator()(const AddComputations& a) const { return {{"do", "add-computations"}, {"text", a.text}}; }
  Json operator()(const SetLiteral& a) const {
    return {{"do", "set-literal"}, {"instruction", a.instruction.value}, {"literal", a.literal}};
  }
  Json operator()(const GroupInstructions& a) const {
    Json ids = Json::array();
    for (InstructionId id : a.instructions) ids.push_back(id.value);
    return {{"do", "group"},
            {"instructions", std::move(ids)},
            {"name", a.name},
            {"opcode", std::string(nameOf(a.caller))},
            {"kind", a.kind}};
  }
  Json operator()(const InlineCall& a) const { return {{"do", "inline"}, {"instruction", a.instruction.value}}; }
  Json operator()(const PromoteConstant& a) const { return {{"do", "promote"}, {"instruction", a.instruction.value}}; }
  Json operator()(const AddInstruction& a) const {
    Json operands = Json::array(), attributes = Json::object();
    for (InstructionId operand : a.operands) operands.push_back(operand.value);
    for (const NewAttribute& each : a.attributes) attributes[std::string(nameOf(each.name))] = each.text;
    Json out{{"do", "add"},         {"computation", a.computation.value}, {"opcode", std::string(nameOf(a.opcode))},
             {"name", a.name},      {"operands", std::move(operands)},    {"attributes", std::move(attributes)},
             {"literal", a.literal}};
    if (a.shape) out["shape"] = toString(*a.shape);
    return out;
  }
};

Result<Opcode> opcodeAt(const Json& json) {
  const auto opcode = opcodeFromName(json.at("opcode").get<std::string>());
  if (!opcode) return fail("the journal names an operation that is not known");
  return *opcode;
}

Result<EditAction> additionFrom(const Json& json) {
  AddInstruction out;
  out.computation = ComputationId(json.at("computation").get<uint32_t>());
  TESSERA_ASSIGN_OR_RETURN(out.opcode, opcodeAt(json));
  out.name = json.at("name").get<std::string>();
  for (const Json& operand : json.at("operands")) out.operands.push_back(InstructionId(operand.get<uint32_t>()));
  for (const auto& [name, text] : json.at("attributes").items()) {
    const auto attribute = attrFromName(name);
    if (!attribute) return fail("the journal names an attribute that is not known");
    out.attributes.push_back({*attribute, text.get<std::string>()});
  }
  if (json.contains("shape")) {
    TESSERA_ASSIGN_OR_RETURN(out.shape, parseShape(json.at("shape").get<std::string>()));
  }
  out.literal = json.at("literal").get<std::string>();
  return out;
}

Result<EditAction> reducerFrom(const Json& json) {
  AddReducer out;
  out.name = json.at("name").get<std::string>();
  TESSERA_ASSIGN_OR_RETURN(out.opcode, opcodeAt(json));
  const auto type = elementTypeFromName(json.at("type").get<std::string>());
  if (!type) return fail("the journal names an element type that is not known");
  out.type = *type;
  return out;
}

Result<EditAction> groupFrom(const Json& json) {
  GroupInstructions out;
  for (const Json& id : json.at("instructions")) out.instructions.push_back(InstructionId(id.get<uint32_t>()));
  out.name = json.at("name").get<std::string>();
  TESSERA_ASSIGN_OR_RETURN(out.caller, opcodeAt(json));
  out.kind = json.at("kind").get<std::string>();
  return out;
}

Result<EditAction> actionFrom(const Json& json) {
  const std::string kind = json.at("do").get<std::string>();
  if (kind == "add") return additionFrom(json);
  if (kind == "add-reducer") return reducerFrom(json);
  if (kind == "add-computations") return AddComputations{json.at("text").get<std::string>()};
  if (kind == "group") return groupFrom(json);
  const InstructionId id(json.at("instruction").get<uint32_t>());
  if (kind == "set-parameter-shape") {
    TESSERA_ASSIGN_OR_RETURN(Shape shape, parseShape(json.at("shape").get<std::string>()));
    TESSERA_TRY(applyPadding(shape, json.value("padding", "")));
    return SetParameterShape{id, std::move(shape)};
  }
  if (kind == "set-attribute") {
    auto name = attrFromName(json.at("name").get<std::string>());
    if (!name) return fail("the journal names an attribute that is not known");
    return SetAttribute{id, *name, json.at("text").get<std::string>()};
  }
  if (kind == "rename") return Rename{id, json.at("name").get<std::string>()};
  if (kind == "set-operand")
    return SetOperand{id, json.at("operand").get<int32_t>(), InstructionId(json.at("value").get<uint32_t>())};
  if (kind == "set-note") return SetNote{id, json.at("note").get<std::string>()};
  if (kind == "set-literal") return SetLiteral{id, json.at("literal").get<std::string>()};
  if (kind == "set-root") return SetRoot{id};
  if (kind == "inline") return InlineCall{id};
  if (kind == "promote") return PromoteConstant{id};
  if (kind == "remove") return RemoveInstruction{id};
  if (kind == "set-shape") {
    TESSERA_ASSIGN_OR_RETURN(Shape shape, parseShape(json.at("shape").get<std::string>()));
    return SetShape{id, std::move(shape)};
  }
  return fail("the journal has an action that is not known: " + kind);
}

Result<Edit> editFrom(const Json& json) {
  Edit out;
  out.title = json.at("title").get<std::string>();
  for (const Json& action : json.at("actions")) {
    TESSERA_ASSIGN_OR_RETURN(EditAction parsed, actionFrom(action));
    out.actions.push_back(std::move(parsed));
  }
  for (const Json& place : json.value("places", Json::array()))
    out.places.push_back({InstructionId(place.at("instruction").get<uint32_t>()),
                          {place.at("x").get<double>(), place.at("y").get<double>()}});
  return out;
}

}  // namespace

std::string toJson(const Edit& edit) {
  Json actions = Json::array();
  for (const EditAction& action : edit.actions) actions.push_back(std::visit(ToJson(), action));
  Json json{{"title", edit.title}, {"actions", std::move(actions)}};
  for (const PlaceInstruction& place : edit.places)
    json["places"].push_back(Json{{"instruction", place.instruction.value}, {"x", place.at.x}, {"y", place.at.y}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Edit> editFromJson(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return fail("the journal's line is no JSON object");
  try {
    return editFrom(json);
  } catch (const Json::exception& error) {
    return fail(std::string("the journal's line does not read: ") + error.what());
  }
}

}  // namespace tessera
