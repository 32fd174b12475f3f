// One instruction: name, shape, opcode, operands (names, nested instructions, tuple accesses such as t#1#0) and the
// async sugar OP-start / OP-update / OP-done, which is read as an async op around a computation of its own.
#include <algorithm>

#include "core/formats/hlo_text/literal_text.h"
#include "core/formats/hlo_text/module_reader.h"
#include "core/formats/hlo_text/shape_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"

namespace tessera::text {
namespace {

// "exponential" of "exponential-start": an opcode that is no async op itself.
std::optional<Opcode> wrappedOpcode(std::string_view word, std::string_view suffix) {
  if (!word.ends_with(suffix)) return std::nullopt;
  auto opcode = opcodeFromName(word.substr(0, word.size() - suffix.size()));
  if (!opcode || *opcode == Opcode::Parameter || *opcode == Opcode::Constant) return std::nullopt;
  return opcode;
}

// A word that opens a shape: it cannot be a bare name.
bool isTypeWord(std::string_view word) {
  const auto type = elementTypeFromName(word);
  return type && *type != ElementType::Tuple && *type != ElementType::Buffer;
}

}  // namespace

bool ModuleReader::readInstruction(Scope& scope) {
  Draft draft;
  currentName_ = {};
  const std::string note = lexer_.takeNotes();
  const bool isRoot = lexer_.acceptWord("ROOT");
  lexer_.skipBlanks();
  draft.nameOffset = lexer_.offset();
  const bool percent = lexer_.raw() == '%';
  if (!lexer_.name(draft.instruction.name, "an instruction's name")) return false;
  if (!percent && isTypeWord(draft.instruction.name))
    return lexer_.failAt(draft.nameOffset, std::string(draft.instruction.name) + " is a type, no name",
                         draft.instruction.reference());
  const std::string_view name = currentName_ = draft.instruction.name;
  draft.instruction.note = note;
  if (!lexer_.expect('=', "after the instruction's name") || !readRightSide(scope, draft)) {
    scope.broken.insert(name);
    currentName_ = name;
    return false;
  }
  addInstruction(scope, draft, isRoot);
  return true;
}

bool ModuleReader::readRightSide(Scope& scope, Draft& draft) {
  draft.openShape = lexer_.accept('?');
  const bool alone = draft.openShape && isBlank(lexer_.raw());  // nothing is known of the shape
  if (!alone && shapeStartsHere(lexer_) && !readShapeCached(draft.shape)) return false;
  return readOpcode(draft) && readOperands(scope, draft, 0) && readAttributes(draft) &&
         (!draft.sugar || wrapInAsyncComputation(draft));
}

bool ModuleReader::readShapeCached(const Shape*& out) {
  lexer_.skipBlanks();
  std::string_view text = lexer_.text();
  const size_t begin = lexer_.offset();
  const size_t end = shapeTextEnd(text, begin);
  // "f32[2] {0}": a layout behind a blank is part of the shape.
  const bool whole =
      end != std::string_view::npos && !(end + 2 < text.size() && text[end] == ' ' && text[end + 1] == '{');
  const std::string_view raw = whole ? text.substr(begin, end - begin) : std::string_view();
  if (whole) {
    if (const Shape* const* known = shapes_.find(raw)) {
      out = *known;
      lexer_.seek(end);
      return true;
    }
  }
  Shape shape;
  if (!readShape(lexer_, shape)) return false;
  out = module_.tables().intern(shape);
  if (whole && lexer_.offset() == end) shapes_.emplace(raw, out);
  return true;
}

bool ModuleReader::readOpcode(Draft& draft) {
  lexer_.skipBlanks();
  draft.opcodeOffset = lexer_.offset();
  std::string_view word = lexer_.word();
  if (word.empty()) return lexer_.failExpected(draft.shape ? "an opcode" : "a shape or an opcode");
  Instruction& instruction = draft.instruction;
  if (auto opcode = opcodeFromName(word)) return instruction.opcode = *opcode, true;
  struct Sugar {
    std::string_view suffix;
    Opcode opcode;
  };
  for (const Sugar& s :
       {Sugar{"-start", Opcode::AsyncStart}, {"-update", Opcode::AsyncUpdate}, {"-done", Opcode::AsyncDone}}) {
    auto wrapped = wrappedOpcode(word, s.suffix);
    if (!wrapped) continue;
    instruction.opcode = s.opcode;
    draft.wrapped = *wrapped;
    draft.sugar = s.opcode == Opcode::AsyncStart;
    return true;
  }
  instruction.opcode = Opcode::Unknown;
  instruction.unknownOpcode = word;
  if (lexer_.peek() == '(') report(draft.opcodeOffset, "unknown opcode " + std::string(word), false);
  return true;
}

bool ModuleReader::readOperands(Scope& scope, Draft& draft, int depth) {
  if (depth > kMaxDepth) return lexer_.fail("operands are nested too deeply");
  if (!lexer_.expect('(', "after the opcode")) return false;
  if (draft.instruction.opcode == Opcode::Parameter && draft.openShape && !draft.shape)
    return lexer_.failAt(draft.opcodeOffset, "a parameter needs its shape written", "a shape before parameter");
  if (draft.instruction.opcode == Opcode::Parameter) return readParameterNumber(draft);
  if (draft.instruction.opcode == Opcode::Constant) return readConstant(draft);
  const int arity = arityOf(draft.instruction.opcode);
  if (!lexer_.accept(')') && !readOperandList(scope, draft, arity, depth)) return false;
  if (arity >= 0 && draft.operands.size() != static_cast<size_t>(arity) && !fatal_)
    report(draft.opcodeOffset, std::string(draft.instruction.opcodeName()) + " has the wrong number of operands", false,
           std::to_string(arity), std::to_string(draft.operands.size()));
  return true;
}

// XLA's reader passes over a place between commas that is empty or holds a shape alone. That is an error where an
// operand is lacking for it, else a warning.
bool ModuleReader::readOperandList(Scope& scope, Draft& draft, int arity, int depth) {
  std::vector<size_t> empty;
  int count = 0;
  do {
    bool isEmpty = false;
    if (!readOperand(scope, draft, depth, isEmpty)) return false;
    if (isEmpty)
      empty.push_back(lexer_.offset());
    else
      ++count;
  } while (lexer_.accept(',') && lexer_.peek() != ')');
  if (!lexer_.expect(')', "after the operands")) return false;
  if (empty.empty()) return true;
  if (count < arity) return lexer_.seek(empty.front()), lexer_.failExpected("an operand");
  for (size_t at : empty) lexer_.warn(at, "no operand stands here; the place is left out", "an operand");
  reportWarnings();
  return true;
}

bool ModuleReader::readParameterNumber(Draft& draft) {
  const size_t at = lexer_.offset();
  int64_t number = 0;
  if (!lexer_.integer(number, "a parameter number")) return lexer_.labelled("parameter.C2");
  if (number < 0 || number > INT32_MAX) {
    lexer_.failAt(at, "the parameter number is out of range");
    return lexer_.labelled("parameter.C2");
  }
  draft.instruction.parameterNumber = static_cast<int32_t>(number);
  return lexer_.expect(')', "after the parameter number");
}

bool ModuleReader::readConstant(Draft& draft) {
  if (!draft.shape)
    return lexer_.failAt(draft.opcodeOffset, "a constant needs its shape written", "a shape before constant");
  Literal literal;
  const bool empty = lexer_.peek() == ')';
  if (!readLiteral(lexer_, *draft.shape, literal)) return lexer_.labelled(empty ? "constant.C1" : "constant.C2");
  draft.instruction.literal = std::make_shared<const Literal>(std::move(literal));
  reportWarnings();
  return lexer_.expect(')', "after the constant");
}

bool ModuleReader::readOperand(Scope& scope, Draft& draft, int depth, bool& isEmpty) {
  const Shape* written = nullptr;
  if (lexer_.peek() != '%' && shapeStartsHere(lexer_) && !readShapeCached(written)) return false;
  lexer_.skipBlanks();
  const size_t at = lexer_.offset();
  const bool percent = lexer_.raw() == '%';
  if (lexer_.raw() == '?') {  // an open input of an unfinished graph; inference says so
    lexer_.seek(at + 1);
    draft.operands.push_back({});
    return true;
  }
  if (lexer_.raw() == ',' || lexer_.raw() == ')') {
    isEmpty = !scope.freeOperands || !written;
    if (!isEmpty) draft.operands.push_back(freeParameter(scope, {}, *written));
    return true;
  }
  std::string_view name;
  if (!lexer_.name(name, "an operand")) return false;
  if (!percent && lexer_.peek() == '(') {
    lexer_.seek(at);
    return readNested(scope, draft, written, depth);
  }
  return readNamedOperand(scope, draft, name, at, written);
}

bool ModuleReader::readNamedOperand(Scope& scope, Draft& draft, std::string_view name, size_t at,
                                    const Shape* written) {
  InstructionId id;
  if (const InstructionId* known = scope.names.find(name)) {
    id = *known;
  } else if (scope.freeOperands && written) {
    id = freeParameter(scope, name, *written);
  } else {
    scope.unresolved.push_back({name, currentName_, at});  // a nested instruction has no name yet
    fatal_ = true;
  }
  if (lexer_.raw() == '#' && !(id = tupleElement(scope, id, name, at)).valid() && lexer_.error()) return false;
  if (!id.valid()) return true;
  if (written && !compatible(*written, module_.shapeOf(id)))
    report(at, "the shape written for operand %" + std::string(name) + " is not the operand's", false,
           toString(module_.shapeOf(id), false), toString(*written, false));
  draft.operands.push_back(id);
  return true;
}

// "#1#0" behind a name: a get-tuple-element for each step, shared by all that name the same path.
InstructionId ModuleReader::tupleElement(Scope& scope, InstructionId tuple, std::string_view name, size_t at) {
  std::string path(name), elementName(name);
  while (lexer_.raw() == '#') {
    lexer_.bump();
    int64_t index = 0;
    if (!lexer_.integer(index, "a tuple index")) return {};
    path += '#' + std::to_string(index);
    elementName += '_' + std::to_string(index);
    if (!tuple.valid()) continue;
    if (auto it = scope.tuplePaths.find(path); it != scope.tuplePaths.end()) {
      tuple = it->second;
      continue;
    }
    const Shape shape = module_.shapeOf(tuple);
    if (!shape.isTuple() || index < 0 || static_cast<size_t>(index) >= shape.elements.size())
      return lexer_.failAt(at, "%" + path + " is no element of " + toString(shape, false)), InstructionId();
    Instruction element;
    element.opcode = Opcode::GetTupleElement;
    element.name = uniqueName(scope, elementName);
    element.operands = {&tuple, 1};
    element.position = lines_.at(at);
    AttributeSet attributes;
    attributes.set(Attr::index, index);
    element.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
    const std::string_view key = element.name;
    tuple = module_.add(scope.id, std::move(element), shape.elements[static_cast<size_t>(index)]);
    scope.names.emplace(key, tuple);  // uniqueName gave an interned text
    scope.tuplePaths.emplace(path, tuple);
  }
  return tuple;
}

bool ModuleReader::readNested(Scope& scope, Draft& draft, const Shape* shape, int depth) {
  Draft nested;
  nested.nameOffset = lexer_.offset();
  nested.shape = shape;
  if (!readOpcode(nested)) return false;
  if (!readOperands(scope, nested, depth + 1)) return false;
  // Named behind its own operands: they may be nested too, and of the same opcode.
  nested.instruction.name = uniqueName(scope, std::string(nested.instruction.opcodeName()) + ".anon");
  if (nested.sugar && !wrapInAsyncComputation(nested)) return false;
  draft.operands.push_back(addInstruction(scope, nested, false));
  return true;
}

InstructionId ModuleReader::freeParameter(Scope& scope, std::string_view name, const Shape& shape) {
  Instruction parameter;
  parameter.opcode = Opcode::Parameter;
  parameter.parameterNumber = static_cast<int32_t>(module_.at(scope.id).parameters.size());
  parameter.name = name.empty() ? uniqueName(scope, "p" + std::to_string(parameter.parameterNumber)) : name;
  InstructionId id = module_.add(scope.id, std::move(parameter), shape);
  scope.names.emplace(module_.at(id).name, id);
  return id;
}

InstructionId ModuleReader::addInstruction(Scope& scope, Draft& draft, bool isRoot) {
  static const Shape kLeftOut;
  Instruction& instruction = draft.instruction;
  instruction.position = lines_.at(draft.nameOffset);
  instruction.shapeWritten = draft.shape != nullptr && !draft.openShape;
  instruction.operands = draft.operands;
  if (draft.openShape && !draft.shape) draft.shape = module_.tables().intern(standInShape(module_, draft.operands));
  const std::string_view name = instruction.name;
  InstructionId id = draft.shape ? module_.addInterned(scope.id, std::move(instruction), draft.shape)
                                 : module_.add(scope.id, std::move(instruction), kLeftOut);
  nameLacking(draft, id);
  auto [known, fresh] = scope.names.emplace(module_.at(id).name, id);
  if (!fresh) {
    const SourcePosition first = module_.at(*known).position;
    report(draft.nameOffset,
           "%" + std::string(name) + " is defined twice in computation %" + module_.at(scope.id).name +
               "; first at line " + std::to_string(first.line),
           true);
  }
  if (isRoot) {
    if (scope.rootSeen)
      report(draft.nameOffset, "computation %" + module_.at(scope.id).name + " has two ROOT instructions", true);
    scope.rootSeen = true;
    module_.setRoot(scope.id, id);
  }
  if (!draft.shape && !fatal_) inferLeftOutShape(id);
  if (draft.openShape && !fatal_) inferOpenShape(id);
  const Opcode opcode = module_.at(id).opcode;
  if (opcode == Opcode::AsyncStart || opcode == Opcode::AsyncUpdate || opcode == Opcode::AsyncDone) noteStarted(id);
  if (draft.wrapped != Opcode::Unknown) checkSugar(draft, id);
  return id;
}

// What was said before the instruction had its id is about it.
void ModuleReader::nameLacking(Draft& draft, InstructionId id) {
  for (size_t diagnostic : draft.lacks) diagnostics_.items()[diagnostic].instruction = id;
  draft.lacks.clear();
}

void ModuleReader::inferLeftOutShape(InstructionId id) {
  const Instruction& instruction = module_.at(id);
  auto inferred = inferInstruction(module_, id);
  if (inferred && inferred->type != ElementType::Invalid) {
    fillDefaultLayouts(*inferred);
    module_.setShape(id, *inferred);
    return;
  }
  Diagnostic d = inferred ? Diagnostic() : std::move(inferred).error();
  const std::string reason = d.message.empty() ? std::string() : ": " + d.message;
  d.message = "the shape of %" + std::string(instruction.name) + " is left out and cannot be inferred" + reason;
  d.file = fileName_;
  d.position = instruction.position;
  d.instructionName = std::string(instruction.name);
  d.kind = ErrorKind::Invalid;
  fatal_ = true;
  diagnostics_.add(std::move(d));
}

// What was open may have been connected by hand since; if not, the verifier says what is missing.
void ModuleReader::inferOpenShape(InstructionId id) {
  auto inferred = inferInstruction(module_, id);
  if (!inferred || inferred->type == ElementType::Invalid) return;
  fillDefaultLayouts(*inferred);
  if (!sameIgnoringLayout(*inferred, module_.shapeOf(id))) module_.setShape(id, *inferred);
}

std::string_view ModuleReader::uniqueName(Scope& scope, const std::string& base) {
  return module_.tables().intern(
      scope.made.unique(base, [&](const std::string& name) { return scope.names.contains(name); }));
}

std::string ModuleReader::uniqueComputationName(const std::string& base) {
  return madeComputations_.unique(base, [&](const std::string& name) { return computations_.contains(name); });
}

}  // namespace tessera::text
