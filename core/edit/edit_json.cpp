// Edits as one line of JSON each, for the journal: {"title":…,"actions":[{"do":"rename","instruction":3,…}]}. Shapes and
// attribute values stand as HLO text.
#include <nlohmann/json.hpp>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"
#include "core/formats/padding.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

struct ToJson {
  Json operator()(const SetParameterShape& a) const {
    return {{"do", "set-parameter-shape"}, {"instruction", a.instruction.value}, {"shape", toString(a.shape)}, {"padding", paddingText(a.shape)}};
  }
  Json operator()(const SetAttribute& a) const {
    return {{"do", "set-attribute"}, {"instruction", a.instruction.value}, {"name", std::string(nameOf(a.name))}, {"text", a.text}};
  }
  Json operator()(const Rename& a) const { return {{"do", "rename"}, {"instruction", a.instruction.value}, {"name", a.name}}; }
  Json operator()(const SetOperand& a) const {
    return {{"do", "set-operand"}, {"instruction", a.instruction.value}, {"operand", a.operand}, {"value", a.value.value}};
  }
  Json operator()(const SetNote& a) const { return {{"do", "set-note"}, {"instruction", a.instruction.value}, {"note", a.note}}; }
};

Result<EditAction> actionFrom(const Json& json) {
  const std::string kind = json.at("do").get<std::string>();
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
  if (kind == "set-operand") return SetOperand{id, json.at("operand").get<int32_t>(), InstructionId(json.at("value").get<uint32_t>())};
  if (kind == "set-note") return SetNote{id, json.at("note").get<std::string>()};
  return fail("the journal has an action that is not known: " + kind);
}

Result<Edit> editFrom(const Json& json) {
  Edit out;
  out.title = json.at("title").get<std::string>();
  for (const Json& action : json.at("actions")) {
    TESSERA_ASSIGN_OR_RETURN(EditAction parsed, actionFrom(action));
    out.actions.push_back(std::move(parsed));
  }
  return out;
}

}  // namespace

std::string toJson(const Edit& edit) {
  Json actions = Json::array();
  for (const EditAction& action : edit.actions) actions.push_back(std::visit(ToJson(), action));
  return Json{{"title", edit.title}, {"actions", std::move(actions)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
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
