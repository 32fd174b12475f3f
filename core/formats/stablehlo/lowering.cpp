// The frame of the lowering: blocks, values by name, captures, attributes with a choice of words, metadata. Rows do the
// rest; regions and functions as computations are in lowering_computations.cpp.
#include "core/formats/stablehlo/lowering.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/stablehlo/lowering_rows.h"
#include "core/ops/op.h"

namespace tessera::mlir {
namespace {

// "stablehlo.add" is found as "add"; func.call and call are one.
std::string_view rowName(std::string_view name) {
  for (std::string_view dialect : {"stablehlo.", "mhlo.", "func."})
    if (name.starts_with(dialect)) return name.substr(dialect.size());
  return name;
}

bool isDictionary(std::string_view text) {
  text::Lexer lexer(text);
  std::string_view braces;
  return text.starts_with('{') && lexer.braces(braces, "a dictionary") && braces.size() == text.size();
}

}  // namespace

std::string frontendText(std::vector<std::pair<std::string, std::string>> entries) {
  std::ranges::sort(entries);
  std::string out = "{";
  for (const auto& [name, value] : entries) {
    if (out.size() > 1) out += ',';
    out += name + '=';
    if (isDictionary(value)) {
      out += value;
      continue;
    }
    out += '"';
    text::appendEscaped(out, value);
    out += '"';
  }
  return out + '}';
}

const LoweringRow* findRow(std::string_view name) {
  static const auto rows = [] {
    std::unordered_map<std::string_view, const LoweringRow*> all;
    for (auto part :
         {elementwiseRows(), movementRows(), contractionRows(), controlRows(), effectRows(), chloRows(), dynamicRows()})
      for (const LoweringRow& row : part) all.emplace(row.name, &row);
    return all;
  }();
  auto found = rows.find(rowName(name));
  return found == rows.end() ? nullptr : found->second;
}

std::unexpected<Diagnostic> Lowering::fault(const Operation& op, std::string message, std::string expected,
                                            std::string found) const {
  return fail({.message = std::string(op.name) + ": " + std::move(message),
               .expected = std::move(expected),
               .found = std::move(found),
               .file = fileName_,
               .position = text::LineCounter(text_).at(op.offset)});
}

Result<std::string> Lowering::choice(const Operation& op, Names names, std::string_view choices,
                                     std::string_view otherwise) const {
  const Attribute* given = findAny(op, names);
  if (given) return oneOf(op, wordOf(given), given->offset, *names.begin(), choices);
  if (otherwise.empty())
    return fault(op, std::string(*names.begin()) + " is missing", "one of " + std::string(choices));
  return std::string(otherwise);
}

Result<std::string> Lowering::oneOf(const Operation& op, std::string_view word, size_t offset, std::string_view name,
                                    std::string_view choices) const {
  const std::string spaced = " " + std::string(choices) + " ";
  if (!word.empty() && spaced.find(" " + std::string(word) + " ") != std::string::npos) return std::string(word);
  Diagnostic d =
      fault(op, std::string(name) + " has an unknown value", "one of " + std::string(choices), std::string(word))
          .error();
  if (offset != 0) d.position = text::LineCounter(text_).at(offset);
  return std::unexpected(std::move(d));
}

Result<std::string> Lowering::wordChoice(const Operation& op, size_t index, std::string_view name,
                                         std::string_view choices) const {
  const std::string_view word = op.words[index];
  return oneOf(op, word, static_cast<size_t>(word.data() - text_.data()), name, choices);
}

Status Lowering::need(const Operation& op, size_t count) const {
  if (op.operands.size() < count)
    return fault(op, "too few operands", "at least " + std::to_string(count), std::to_string(op.operands.size()));
  int64_t results = 0;
  for (const auto& result : op.results) results += result.count;
  if (!op.results.empty() && static_cast<size_t>(results) != op.types.size())
    return fault(op, "the number of result types is wrong", std::to_string(results), std::to_string(op.types.size()));
  return {};
}

Result<InstructionId> Lowering::valueNamed(const Operation& op, std::string_view name, size_t offset) {
  std::string key(name);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (auto found = frame_->values.find(key); found != frame_->values.end()) return found->second;
    for (Frame* outer = frame_->outer; outer; outer = outer->outer) {
      auto found = outer->values.find(key);
      if (found == outer->values.end()) continue;
      const Instruction& instruction = module_.at(found->second);
      if (!instruction.literal) return fault(op, "a region of this operation may not use the outer value " + key);
      const InstructionId copy = addConstant(*instruction.literal);
      frame_->values.emplace(key, copy);
      return copy;
    }
    // "%0#0" of a single result.
    if (!key.ends_with("#0")) break;
    key.resize(key.size() - 2);
  }
  Diagnostic d = fault(op, "the value " + std::string(name) + " is not defined before its use").error();
  if (offset != 0) d.position = text::LineCounter(text_).at(offset);
  return std::unexpected(std::move(d));
}

Result<InstructionId> Lowering::operand(const Operation& op, size_t index) {
  if (index >= op.operands.size()) return fault(op, "operand " + std::to_string(index) + " is missing");
  return valueNamed(op, op.operands[index], index < op.operandOffsets.size() ? op.operandOffsets[index] : 0);
}

Result<std::vector<InstructionId>> Lowering::operands(const Operation& op) {
  std::vector<InstructionId> out;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(InstructionId id, operand(op, i));
    out.push_back(id);
  }
  return out;
}

InstructionId Lowering::add(Opcode opcode, const Shape& shape, const std::vector<InstructionId>& operands,
                            AttributeSet attributes) {
  Instruction instruction;
  instruction.opcode = opcode;
  const std::string name = std::string(nameOf(opcode)) + "." + std::to_string(++count_);
  instruction.name = name;
  instruction.operands = operands;
  if (!attributes.empty()) instruction.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  const InstructionId id = module_.add(frame_->id, std::move(instruction), shape);
  if (isOpen(shape)) settle(id);
  return id;
}

InstructionId Lowering::addConstant(Literal literal) {
  Instruction instruction;
  instruction.opcode = Opcode::Constant;
  const std::string name = "constant." + std::to_string(++count_);
  instruction.name = name;
  const Shape shape = literal.shape();
  instruction.literal = std::make_shared<const Literal>(std::move(literal));
  return module_.add(frame_->id, std::move(instruction), shape);
}

Shape Lowering::resultShape(const Operation& op) const {
  return op.types.size() == 1 ? op.types[0] : Shape::tuple(op.types);
}

void Lowering::defineResult(const Operation& op, size_t index, InstructionId id) {
  for (const auto& result : op.results) {
    if (index >= static_cast<size_t>(result.count)) {
      index -= static_cast<size_t>(result.count);
      continue;
    }
    std::string name(result.name);
    if (result.count != 1) name += "#" + std::to_string(index);
    frame_->values[name] = id;
    return;
  }
}

InstructionId Lowering::tupleElement(InstructionId tuple, size_t index) {
  AttributeSet attributes;
  attributes.set(Attr::index, static_cast<int64_t>(index));
  const Shape element = shapeOf(tuple).elements[index];
  return add(Opcode::GetTupleElement, element, {tuple}, std::move(attributes));
}

void Lowering::define(const Operation& op, InstructionId id) {
  if (op.types.size() == 1) return defineResult(op, 0, id);
  for (size_t i = 0; i < op.types.size(); ++i) defineResult(op, i, tupleElement(id, i));
}

// #stablehlo.result_accuracy<atol = 1.0e-03, rtol = 1.0e-05, ulps = 2, mode =
// #stablehlo.result_accuracy_mode<TOLERANCE>>
Status Lowering::addAccuracy(const Operation& op, Opcode opcode, AttributeSet& attributes) const {
  const Attribute* accuracy = findAny(op, {"result_accuracy"});
  if (!accuracy || !takesAttribute(opcode, Attr::result_accuracy)) return {};
  std::string mode;
  double atol = 0, rtol = 0, ulps = 0;
  for (const auto& [name, value] : accuracy->entries) {
    if (name == "mode") mode = wordOf(&value);
    for (auto& [part, number] : {std::pair<std::string_view, double*>("atol", &atol), {"rtol", &rtol}, {"ulps", &ulps}})
      if (name == part)
        *number = value.kind == Attribute::Kind::Int ? static_cast<double>(value.integer) : value.number;
  }
  if (mode == "HIGHEST")
    attributes.set(Attr::result_accuracy, RawText{"{mode=highest}", false});
  else if (mode == "TOLERANCE")
    attributes.set(Attr::result_accuracy, RawText{fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", atol, rtol,
                                                              static_cast<int64_t>(ulps)),
                                                  false});
  else if (mode != "DEFAULT")
    return fault(op, "result_accuracy has no such mode", "DEFAULT, HIGHEST or TOLERANCE", mode);
  return {};
}

Status Lowering::emit(const Operation& op, Opcode opcode, const std::vector<InstructionId>& operands,
                      AttributeSet attributes) {
  TESSERA_TRY(addAccuracy(op, opcode, attributes));
  define(op, add(opcode, resultShape(op), operands, std::move(attributes)));
  return {};
}

// HLO's broadcast does not stretch: sizes of 1 are taken away first.
InstructionId Lowering::broadcast(InstructionId id, const Shape& shape, const std::vector<int64_t>& dimensions) {
  const Shape from = shapeOf(id);
  std::vector<int64_t> kept, sizes;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (from.dimensions[d] == 1 && shape.dimensions[static_cast<size_t>(dimensions[d])] != 1) continue;
    kept.push_back(dimensions[d]);
    sizes.push_back(from.dimensions[d]);
  }
  if (sizes.size() != from.dimensions.size()) id = add(Opcode::Reshape, Shape::arrayRowMajor(from.type, sizes), {id});
  AttributeSet attributes;
  attributes.set(Attr::dimensions, kept);
  return add(Opcode::Broadcast, shape, {id}, std::move(attributes));
}

std::string Lowering::uniqueComputationName(const std::string& base) {
  const std::string name = text::asName(base);
  const int count = computationNames_[name]++;
  return count == 0 ? name : uniqueComputationName(name + "." + std::to_string(count));
}

Status Lowering::lowerOperation(const Operation& op) {
  const LoweringRow* row = findRow(op.name);
  if (!row) return fault(op, "this operation is not known", "an operation of StableHLO or chlo");
  TESSERA_TRY(need(op, row->operands));
  TESSERA_TRY(checkSharding(op, op.attributes));
  const size_t before = module_.instructionSlots();
  if (row->lower) {
    TESSERA_TRY(row->lower(*this, op, row->opcode));
  } else {
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> values, operands(op));
    if (op.types.empty()) return fault(op, "the result type is missing");
    TESSERA_TRY(emit(op, row->opcode, values));
  }
  decorate(op, before);
  return {};
}

Status Lowering::checkSharding(const Operation& op, const Dictionary& attributes) const {
  for (const auto& [name, value] : attributes)
    if (name == "mhlo.sharding" && !(value.kind == Attribute::Kind::String && isDictionary(value.text)))
      return fault(op, "the sharding does not read", "mhlo.sharding = \"{...}\"", value.text);
  return {};
}

// Metadata for all instructions that an operation became; shardings and frontend attributes for the one that is the
// operation.
void Lowering::decorate(const Operation& op, size_t firstNew) {
  std::vector<std::pair<std::string, std::string>> frontend;
  std::string sharding;
  if (const Attribute* given = op.find("mhlo.frontend_attributes"))
    for (const auto& [name, value] : given->entries) frontend.emplace_back(name, value.text);
  for (const auto& [name, value] : op.attributes) {
    const bool shardy = value.kind == Attribute::Kind::Raw && value.dialect.starts_with("sdy.");
    if (shardy) frontend.emplace_back("xla." + name, "#" + value.dialect + "<" + value.text + ">");
    if (name == "mhlo.sharding") sharding = value.text;
  }
  const Metadata* metadata = op.location.empty() ? nullptr : metadataOf(op.location);
  if (frontend.empty() && sharding.empty() && !metadata) return;
  bool first = true;
  for (size_t i = module_.instructionSlots(); i-- > firstNew;) {
    const InstructionId id(static_cast<uint32_t>(i));
    if (module_.at(id).computation != frame_->id) continue;
    if (metadata) module_.edit(id).metadata = metadata;
    const bool itself = first && module_.at(id).opcode != Opcode::GetTupleElement;
    if (!itself) continue;
    first = false;
    AttributeSet attributes = *module_.at(id).attributes;
    if (!sharding.empty()) attributes.set(Attr::sharding, RawText{sharding, false});
    if (!frontend.empty()) attributes.set(Attr::frontend_attributes, RawText{frontendText(frontend), false});
    module_.setAttributes(id, std::move(attributes));
  }
}

// "jit(f)/add"("file.py":10:2) or #loc1: the first name is the operation's, a name with a line is a file.
const Metadata* Lowering::metadataOf(std::string_view of) {
  std::string location(of);
  Metadata out;
  for (int steps = 0; steps < kMaxCalls; ++steps) {
    text::Lexer lexer(location);
    if (lexer.accept('#')) {
      auto found = file_.locations.find(lexer.word());
      if (found == file_.locations.end()) break;
      location = std::string(found->second);
      continue;
    }
    std::string name;
    int64_t line = 0, column = 0;
    if (lexer.peek() != '"' || !lexer.quoted(name, "a name")) break;
    if (lexer.accept(':') && lexer.integer(line, "a line")) {
      out.sourceFile = name;
      out.sourceLine = static_cast<int32_t>(line);
      if (lexer.accept(':') && lexer.integer(column, "a column")) out.sourceColumn = static_cast<int32_t>(column);
      break;
    }
    if (out.opName.empty()) out.opName = name;
    if (!lexer.accept('(')) break;
    location = std::string(lexer.text().substr(lexer.offset()));
  }
  return out == Metadata() ? nullptr : module_.tables().intern(out);
}

const std::string* Lowering::resource(const std::string& name) const {
  auto found = file_.resources.find(name);
  return found == file_.resources.end() ? nullptr : &found->second;
}

}  // namespace tessera::mlir
