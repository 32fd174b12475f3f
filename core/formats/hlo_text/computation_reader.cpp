// Computations: head, signature, body, and what can only be said when a body is complete: undefined names told from
// names that are defined later, and the place to go on after an error.
#include <algorithm>

#include "core/formats/hlo_text/module_reader.h"
#include "core/formats/hlo_text/shape_text.h"

namespace tessera::text {
namespace {

// Does an instruction, or the end of a body, start on this line? ("ROOT …", "name =", "%name =", "}")
bool startsInstruction(std::string_view line) {
  size_t i = line.find_first_not_of(" \t\r");
  if (i == std::string_view::npos) return false;
  if (line[i] == '}') return true;
  if (line.substr(i).starts_with("ROOT ")) return true;
  if (line[i] == '%') ++i;
  if (i >= line.size() || !isNameStart(line[i])) return false;
  while (i < line.size() && isNameChar(line[i])) ++i;
  while (i < line.size() && line[i] == ' ') ++i;
  return i < line.size() && line[i] == '=';
}

}  // namespace

void ModuleReader::readComputations() {
  while (!lexer_.atEnd() && goesOn(lexer_.offset())) {
    if (readComputation()) continue;
    takeError();
    // Go on behind the next line that closes a body.
    std::string_view text = lexer_.text();
    size_t close = text.find("\n}", lexer_.offset());
    if (close == std::string_view::npos) return;
    lexer_.seek(close + 2);
  }
}

ComputationId ModuleReader::beginComputation(std::string_view name, size_t at) {
  ComputationId id = module_.addComputation(std::string(name));
  if (!computations_.emplace(module_.tables().intern(name), id).second)
    report(at, "computation %" + std::string(name) + " is defined twice", true);
  return id;
}

bool ModuleReader::readComputation() {
  lexer_.skipBlanks();
  const size_t at = lexer_.offset();
  const bool isEntry = lexer_.acceptWord("ENTRY");
  lexer_.skipBlanks();
  const size_t nameAt = lexer_.offset();
  std::string_view name;
  if (!lexer_.name(name, "a computation's name")) return false;
  const Shape* result = nullptr;
  bool open = false;
  if (lexer_.peek() == '(' && !readSignature(result, open)) return false;
  if (!lexer_.expect('{', "before the body of computation %" + std::string(name))) return false;
  Scope scope;
  scope.id = beginComputation(name, nameAt);
  scope.unfinished = open;
  module_.edit(scope.id).hasSignature = result != nullptr || open;
  if (!readBody(scope)) return false;
  if (isEntry) {
    if (entry_.valid()) report(at, "the module has two ENTRY computations", true);
    entry_ = scope.id;
  }
  if (lexer_.accept(',')) {
    if (!lexer_.acceptWord("execution_thread")) return lexer_.failExpected("execution_thread");
    std::string thread;
    if (!lexer_.expect('=', "after execution_thread") || !lexer_.quoted(thread, "a thread's name")) return false;
    module_.edit(scope.id).executionThread = thread == "main" ? std::string() : thread;
  }
  checkResult(scope, nameAt, result);
  order_.push_back(scope.id);
  return true;
}

bool ModuleReader::readSignature(const Shape*& result, bool& open) {
  lexer_.bump();  // '('
  if (!lexer_.accept(')')) {
    do {
      std::string_view name;
      const Shape* shape = nullptr;
      if (!lexer_.name(name, "a parameter's name")) return false;
      lexer_.accept(':');
      if (!readShapeCached(shape)) return false;
    } while (lexer_.accept(','));
    if (!lexer_.expect(')', "after the parameters")) return false;
  }
  if (!lexer_.expect("->", "before the result's shape")) return false;
  open = lexer_.accept('?');
  return open || readShapeCached(result);
}

bool ModuleReader::readBody(Scope& scope) {
  if (++depth_ > kMaxDepth) return lexer_.fail("computations are nested too deeply");
  scopes_.push_back(&scope);
  lexer_.takeNotes();  // of what precedes the body
  lexer_.skipBlanks();
  const size_t bodyAt = lexer_.offset();
  bool ok = true;
  while (ok && !lexer_.accept('}')) {
    if (lexer_.atEnd()) {
      takeError();
      ok = false;
      report(lexer_.offset(), "the text ends inside computation %" + module_.at(scope.id).name, true, "'}'",
             "end of text");
      break;
    }
    const size_t start = lexer_.offset();
    if (readInstruction(scope)) continue;
    takeError();
    ok = goesOn(start) && resynchronise(start);
  }
  scopes_.pop_back();
  --depth_;
  currentName_ = {};
  reportUnresolved(scope);
  const Computation& computation = module_.at(scope.id);
  if (!ok) return false;
  if (computation.instructions.empty()) {
    if (!fatal_ && !scope.unfinished)
      report(bodyAt, "computation %" + computation.name + " has no instructions", false);
  } else if (!scope.rootSeen) {
    module_.setRoot(scope.id, computation.instructions.back());
  }
  return true;
}

// To the next line behind the one where the broken instruction started that starts another; false at the end.
bool ModuleReader::resynchronise(size_t instructionStart) {
  std::string_view text = lexer_.text();
  size_t newline = text.find('\n', instructionStart);
  while (newline != std::string_view::npos) {
    const size_t begin = newline + 1;
    newline = text.find('\n', begin);
    if (startsInstruction(text.substr(begin, newline == std::string_view::npos ? newline : newline - begin))) {
      lexer_.seek(begin);
      return true;
    }
  }
  lexer_.seek(text.size());
  return false;
}

bool ModuleReader::checkResult(const Scope& scope, size_t at, const Shape* signature) {
  const Computation& computation = module_.at(scope.id);
  if (!signature || !computation.root.valid()) return true;
  const Shape& root = module_.shapeOf(computation.root);
  if (compatible(*signature, root) || root.type == ElementType::Invalid) return true;
  report(at, "the result of computation %" + computation.name + " differs from its root's shape", false,
         toString(*signature, false), toString(root, false));
  return false;
}

// The last name of a text that ends too early may be the beginning of one.
void ModuleReader::reportUnresolved(const Scope& scope) {
  const std::string_view text = lexer_.text();
  for (const Scope::Unresolved& use : scope.unresolved) {
    if (use.name.data() + use.name.size() == text.data() + text.size()) continue;
    const std::string name(use.name), user(use.user);
    const InstructionId* later = scope.names.find(use.name);
    std::string message;
    if (!later) {
      if (scope.broken.contains(use.name)) continue;
      message = "undefined name %" + name + " in computation %" + module_.at(scope.id).name;
    } else if (name == user) {
      message = "cycle: %" + name + " uses itself";
    } else {
      message = "cycle or use before definition: %" + user + " uses %" + name + ", which is defined later, at line " +
                std::to_string(module_.at(*later).position.line);
    }
    report(use.offset, std::move(message), true).instructionName = user;
  }
}

void ModuleReader::reportUnresolvedComputations() {
  for (const Scope::Unresolved& use : unresolvedComputations_) {
    const std::string name(use.name);
    const bool later = computations_.contains(use.name);
    report(use.offset,
           later ? "computation %" + name + " is used before its definition" : "undefined computation %" + name, true)
        .instructionName = std::string(use.user);
  }
}

bool ModuleReader::computation(Lexer& lexer, ComputationId& out) {
  if (lexer.peek() == '{') return inlineComputation(out);
  const size_t at = lexer.offset();
  std::string_view name;
  if (!lexer.name(name, "a computation's name")) return false;
  const ComputationId* known = computations_.find(name);
  // A computation whose body is still open is not defined yet.
  const bool open = known && std::ranges::any_of(scopes_, [&](const Scope* scope) { return scope->id == *known; });
  if (known && !open)
    out = *known;
  else
    unresolvedComputations_.push_back({name, currentName_, at}), fatal_ = true;
  return true;
}

bool ModuleReader::inlineComputation(ComputationId& out) {
  lexer_.bump();  // '{'
  const std::string_view outer = currentName_;
  const std::string name = uniqueComputationName((outer.empty() ? "" : std::string(outer) + ".") + "computation");
  Scope scope;
  scope.id = beginComputation(name, lexer_.offset());
  if (!readBody(scope)) return false;
  currentName_ = outer;
  order_.push_back(scope.id);
  out = scope.id;
  return true;
}

bool ModuleReader::instruction(Lexer& lexer, InstructionId& out) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  std::string_view name;
  if (!lexer.name(name, "an instruction's name")) return false;
  Scope& scope = *scopes_.back();
  if (const InstructionId* known = scope.names.find(name))
    out = *known;
  else
    scope.unresolved.push_back({name, currentName_, at}), fatal_ = true;
  return true;
}

}  // namespace tessera::text
