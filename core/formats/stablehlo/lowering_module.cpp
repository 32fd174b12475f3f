// The module around the functions: its facts, the entry's arguments and results, meshes; and the public reader.

#include "core/base/sorting.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/formats/stablehlo.h"
#include "core/formats/stablehlo/lowering.h"
#include "core/formats/stablehlo/mlir_parser.h"

namespace tessera::mlir {
namespace {

// What a parameter's or result's attributes say in HLO's words.
AttributeSet factsOf(const Dictionary& attributes) {
  AttributeSet out;
  std::vector<std::pair<std::string, std::string>> frontend;
  for (const auto& [name, value] : attributes) {
    if (name == "mhlo.sharding") out.set(Attr::sharding, RawText{value.text, false});
    if (name == "sdy.sharding") frontend.emplace_back("xla.sdy.sharding", "#" + value.dialect + "<" + value.text + ">");
    if (name == "mhlo.frontend_attributes")
      for (const auto& [key, text] : value.entries) frontend.emplace_back(key, text.text);
  }
  if (!frontend.empty()) out.set(Attr::frontend_attributes, RawText{frontendText(std::move(frontend)), false});
  return out;
}

std::optional<int64_t> integerOf(const Dictionary& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes)
    if (key == name && value.kind == Attribute::Kind::Int) return value.integer;
  return std::nullopt;
}

}  // namespace

// Callees precede their callers because they are lowered while their callers are: the order is set afterwards.
void Lowering::setConfig() {
  std::vector<ComputationId> order;
  std::vector<bool> seen(module_.computationSlots());
  auto visit = [&](auto&& self, ComputationId id) -> void {
    if (seen[id.value]) return;
    seen[id.value] = true;
    for (InstructionId i : module_.at(id).instructions)
      for (ComputationId callee : module_.callees(module_.at(i))) self(self, callee);
    order.push_back(id);
  };
  visit(visit, module_.entry());
  for (ComputationId id : std::vector<ComputationId>(module_.order()))
    if (!seen[id.value]) module_.remove(id);
  module_.setOrder(std::move(order));
  ModuleConfig config = module_.config();
  const Computation& entry = module_.entryComputation();
  for (InstructionId parameter : entry.parameters) config.entryParameterLayouts.push_back(module_.shapeOf(parameter));
  config.entryResultLayout = module_.shapeOf(entry.root);
  const auto partitions = integerOf(file_.module.attributes, "mhlo.num_partitions");
  const auto replicas = integerOf(file_.module.attributes, "mhlo.num_replicas");
  if (partitions.value_or(1) != 1) config.numPartitions = partitions;
  if (replicas.value_or(1) != 1) config.replicaCount = replicas;
  std::vector<std::pair<std::string, std::string>> frontend;
  if (!meshes_.empty()) {
    std::string text = "{";
    for (const auto& [name, mesh] : meshes_) text += (text.size() > 1 ? ", " : "") + name + " = #sdy.mesh" + mesh;
    frontend.emplace_back("xla.sdy.meshes", text + "}");
  }
  for (const auto& [key, value] : file_.module.attributes)
    if (key == "mhlo.frontend_attributes")
      for (const auto& [name, text] : value.entries) frontend.emplace_back(name, text.text);
  if (!frontend.empty()) config.frontendAttributes = frontendText(std::move(frontend));
  module_.setConfig(std::move(config));
}

Status Lowering::argumentFacts(const Operation& function) {
  const std::vector<BlockArgument>& arguments = function.regions[0].arguments;
  const std::vector<InstructionId> parameters = module_.entryComputation().parameters;
  ModuleConfig config = module_.config();
  const bool tuple = module_.shapeOf(module_.entryComputation().root).isTuple();
  for (size_t i = 0; i < arguments.size(); ++i) {
    TESSERA_TRY(checkSharding(function, arguments[i].attributes));
    if (AttributeSet facts = factsOf(arguments[i].attributes); !facts.empty())
      module_.setAttributes(parameters[i], std::move(facts));
    if (!arguments[i].location.empty())  // its path in the program's arguments
      if (const Metadata* metadata = metadataOf(arguments[i].location)) module_.edit(parameters[i]).metadata = metadata;
    const auto parameter = static_cast<int64_t>(i);
    if (auto output = integerOf(arguments[i].attributes, "tf.aliasing_output"))
      config.inputOutputAlias.push_back(
          {tuple ? std::vector<int64_t>{*output} : std::vector<int64_t>{}, parameter, {}, false});
    for (const auto& [name, value] : arguments[i].attributes)
      if (name == "jax.buffer_donor" && value.boolean) config.bufferDonor.push_back({parameter, {}});
  }
  sortBy(config.inputOutputAlias, &AliasEntry::outputIndex);
  module_.setConfig(std::move(config));
  return {};
}

Status Lowering::lowerEntry(const Operation& function) {
  TESSERA_ASSIGN_OR_RETURN(ComputationId id, functionNamed(function, function.symbol));
  module_.setEntry(id);
  return argumentFacts(function);
}

Status Lowering::lowerModule() {
  const Operation* entry = nullptr;
  for (const Operation& op : file_.module.regions[0].operations) {
    if (op.name == "sdy.mesh") {
      const Attribute* value = op.find("value");
      if (!value) value = op.find("mesh");
      meshes_.emplace_back(op.symbol, value ? value->text : "<[]>");
      continue;
    }
    if (op.name != "func.func") return fault(op, "a module holds functions and meshes only", "func.func");
    if (!functions_.emplace(op.symbol, &op).second)
      return fault(op, "the function @" + std::string(op.symbol) + " is defined twice");
    if (op.symbol == "main" || (!entry && file_.module.regions[0].operations.size() == 1)) entry = &op;
  }
  if (!entry) return fault(file_.module, "the module has no function @main");
  TESSERA_TRY(lowerEntry(*entry));
  setConfig();
  return {};
}

ReadResult Lowering::run() {
  module_ = Module(file_.module.symbol.empty() ? "module" : text::asName(file_.module.symbol));
  ReadResult out;
  if (Status status = lowerModule(); !status) {
    out.diagnostics.add(std::move(status).error());
    return out;
  }
  out.module = std::move(module_);
  return out;
}

}  // namespace tessera::mlir

namespace tessera {

bool looksLikeStableHlo(std::string_view content) {
  text::Lexer lexer(content);
  if (content.starts_with("\xEF\xBB\xBF")) lexer.bump(3);
  if (lexer.peek() == '#') {
    lexer.bump();
    return !lexer.word().empty() && lexer.peek() == '=';
  }
  if (lexer.peek() == '"') return lexer.accept("\"builtin.module\"") || lexer.accept("\"func.func\"");
  std::string_view first = lexer.word();
  if (first == "builtin.module" || first == "func.func") return true;
  if (first != "module") return false;
  if (lexer.peek() == '@' || lexer.acceptWord("attributes")) return true;
  if (!lexer.accept('{')) return false;
  if (lexer.peek() == '"' || lexer.peek() == '}') return true;
  first = lexer.word();
  return first.starts_with("func.") || first.starts_with("sdy.");
}

ReadResult readStableHlo(std::string_view text, const std::string& fileName) {
  mlir::Parser parser(text);
  mlir::File file;
  if (parser.parse(file)) return mlir::Lowering(file, text, fileName).run();
  ReadResult out;
  if (const auto& error = parser.lexer().error())
    out.diagnostics.add({.message = error->message,
                         .expected = error->expected,
                         .found = error->found,
                         .file = fileName,
                         .position = text::LineCounter(text).at(error->offset)});
  else
    out.diagnostics.add({.message = "the text is no StableHLO", .file = fileName});
  return out;
}

}  // namespace tessera
