// The module as a whole: which of the three forms the text has, errors, and the public functions that read text.
#include "core/formats/hlo_text/module_reader.h"
#include "core/base/sorting.h"
#include "core/formats/padding.h"

#include "core/base/diagnostic_limit.h"
#include "core/formats/hlo_text/literal_text.h"
#include "core/formats/hlo_text/shape_text.h"

namespace tessera::text {

namespace {

Diagnostic restIsUnread(SourcePosition position, const std::string& file) {
  Diagnostic out;
  out.severity = Severity::Note;
  out.message = "the text behind this place is not read: there are too many errors";
  out.file = file;
  out.position = position;
  return out;
}

}  // namespace

ModuleReader::ModuleReader(std::string_view text, std::string fileName)
    : lexer_(text), lines_(text), errorLines_(text), fileName_(std::move(fileName)), module_("") {}

ReadResult ModuleReader::read() {
  lexer_.collectNotes(true);
  readModule();
  takeError();
  finish();
  sortWith(diagnostics_.items(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
  });
  tellRest();
  ReadResult out;
  out.diagnostics = std::move(diagnostics_);
  if (!fatal_) out.module = std::move(module_);
  return out;
}

void ModuleReader::readModule() {
  if (lexer_.text().starts_with("\xEF\xBB\xBF")) lexer_.bump(3);
  if (lexer_.atEnd()) {
    report(0, lexer_.text().empty() ? "the text is empty" : "the text holds no module", true, "HloModule");
    return;
  }
  if (lexer_.acceptWord("HloModule")) {
    readHeader();
    readComputations();
    return;
  }
  ModuleConfig config;
  config.hasHeader = false;
  if (startsComputation()) {
    module_.setConfig(config);
    readComputations();
    if (!order_.empty()) module_.name = "module_" + module_.at(entry_.valid() ? entry_ : order_.back()).name;
    return;
  }
  config.isScheduled = true;
  module_.setConfig(config);
  readSingleInstruction();
}

// ENTRY, or a name and '{', or %name and '('.
bool ModuleReader::startsComputation() {
  const size_t before = lexer_.offset();
  bool starts = lexer_.acceptWord("ENTRY");
  if (!starts) {
    const bool percent = lexer_.peek() == '%';
    if (percent) lexer_.bump();
    starts = !lexer_.word().empty() && (lexer_.peek() == '{' || (percent && lexer_.peek() == '('));
  }
  lexer_.seek(before);
  return starts;
}

void ModuleReader::readSingleInstruction() {
  Scope scope;
  scope.freeOperands = true;
  scope.id = beginComputation("entry", lexer_.offset());
  scopes_.push_back(&scope);
  // "[NAME =] shape opcode(operands), attributes": without a name the opcode names it.
  const size_t before = lexer_.offset();
  std::string_view name;
  const bool named = lexer_.peek() != '(' && (lexer_.acceptWord("ROOT") || true) &&
                     lexer_.name(name, "an instruction") && lexer_.peek() == '=';
  lexer_.clearError();
  lexer_.seek(before);
  Draft draft;
  bool ok = false;
  if (named) {
    ok = readInstruction(scope);
  } else {
    draft.nameOffset = before;
    ok = readRightSide(scope, draft);
    if (ok) {
      if (draft.instruction.name.empty())
        draft.instruction.name = uniqueName(scope, std::string(draft.instruction.opcodeName()));
      addInstruction(scope, draft, true);
    }
  }
  scopes_.pop_back();
  if (!ok) return takeError();
  reportUnresolved(scope);
  order_.push_back(scope.id);
  entry_ = scope.id;
  const Computation& computation = module_.at(scope.id);
  if (!computation.instructions.empty()) {
    module_.setRoot(scope.id, computation.instructions.back());
    module_.name = "module_" + std::string(module_.at(computation.instructions.back()).name);
  }
  if (!lexer_.atEnd()) lexer_.fail("there is text behind the single instruction", "the end of the text");
}

void ModuleReader::finish() {
  reportUnresolvedComputations();
  if (order_.empty() && !fatal_) report(lexer_.offset(), "the module has no computation", true, "a computation");
  if (fatal_) return;
  module_.setOrder(order_);
  module_.setEntry(entry_.valid() ? entry_ : order_.back());
  if (lexer_.text().find("tessera.") != std::string_view::npos) adoptPadding(module_, diagnostics_);
  for (Diagnostic& d : diagnostics_.items())
    if (d.file.empty()) d.file = fileName_;
}

Diagnostic& ModuleReader::report(size_t offset, std::string message, bool fatal, std::string expected,
                                 std::string found) {
  fatal_ |= fatal;
  ++reported_;
  if (diagnostics_.items().size() >= kMaxDiagnostics) return unlisted_ = Diagnostic();
  diagnostics_.add({.message = std::move(message),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .file = fileName_,
                    .position = errorLines_.at(offset),
                    .instructionName = std::string(currentName_)});
  return diagnostics_.items().back();
}

void ModuleReader::takeError() {
  if (!lexer_.error()) return;
  const SyntaxError error = *lexer_.error();
  lexer_.clearError();
  report(error.offset, error.message, true, error.expected, error.found).label = error.label;
}

void ModuleReader::reportWarnings() {
  for (SyntaxError& warning : lexer_.takeWarnings())
    report(warning.offset, std::move(warning.message), false, std::move(warning.expected), std::move(warning.found))
        .severity = Severity::Warning;
}

bool ModuleReader::goesOn(size_t offset) {
  if (!fatal_ || reported_ < kMaxDiagnostics) return true;
  if (!stoppedAt_) stoppedAt_ = offset;
  return false;
}

void ModuleReader::tellRest() {
  const size_t listed = diagnostics_.items().size();
  if (stoppedAt_)
    diagnostics_.add(restIsUnread(errorLines_.at(*stoppedAt_), fileName_));
  else if (reported_ > listed)
    diagnostics_.add(andMore(reported_ - listed));
}

}  // namespace tessera::text

namespace tessera {
namespace {

Diagnostic toDiagnostic(const text::Lexer& lexer, std::string fallback) {
  if (!lexer.error()) return {.message = std::move(fallback)};
  return {.message = lexer.error()->message,
          .expected = lexer.error()->expected,
          .found = lexer.error()->found,
          .position = text::LineCounter(lexer.text()).at(lexer.error()->offset)};
}

bool atEnd(text::Lexer& lexer) {
  return lexer.atEnd() ? !lexer.error() : lexer.fail("there is more text than the value", "the end of the text");
}

// Names as the finished module knows them.
class ModuleNames : public text::NameScope {
 public:
  explicit ModuleNames(const Module& module) : module_(module) {}
  bool computation(text::Lexer& lexer, ComputationId& out) override {
    const size_t at = lexer.offset();
    std::string_view name;
    if (!lexer.name(name, "a computation's name")) return false;
    auto found = module_.findComputation(name);
    if (!found) return lexer.failAt(at, "there is no computation %" + std::string(name));
    out = *found;
    return true;
  }
  bool instruction(text::Lexer& lexer, InstructionId& out) override {
    const size_t at = lexer.offset();
    std::string_view name;
    if (!lexer.name(name, "an instruction's name")) return false;
    auto found = module_.findInstruction(name);
    if (!found) return lexer.failAt(at, "there is no instruction %" + std::string(name));
    out = *found;
    return true;
  }

 private:
  const Module& module_;
};

}  // namespace

ReadResult readHloText(std::string_view text, const std::string& fileName) {
  return text::ModuleReader(text, fileName).read();
}

Result<Shape> parseShape(std::string_view text) {
  text::Lexer lexer(text);
  Shape shape;
  if (!text::readShape(lexer, shape) || !atEnd(lexer)) return fail(toDiagnostic(lexer, "not a shape"));
  return shape;
}

Result<Literal> parseLiteral(std::string_view text, const Shape& shape) {
  text::Lexer lexer(text);
  Literal literal;
  bool good = text::readLiteral(lexer, shape, literal) && atEnd(lexer);
  for (const text::SyntaxError& doubtful : lexer.takeWarnings())  // in a file it stands; here it can be typed again
    good = good && lexer.failAt(doubtful.offset, doubtful.message, doubtful.expected);
  if (!good) return fail(toDiagnostic(lexer, "not a literal"));
  return literal;
}

Result<AttributeValue> parseAttributeValue(const Module& module, Attr name, std::string_view text) {
  text::Lexer lexer(text);
  ModuleNames names(module);
  AttributeValue value;
  if (!text::readAttributeValue(lexer, name, names, value) || !atEnd(lexer))
    return fail(toDiagnostic(lexer, "not a value of " + std::string(nameOf(name))));
  return value;
}

}  // namespace tessera
