#include "backends/cuda/simulated/ptx/statements.h"

#include "backends/cuda/simulated/ptx/declarations.h"

namespace tessera::cuda::simulated {

namespace {

constexpr int kDeepestScope = 200;
constexpr size_t kMostParts = 128;  // of a vector: the sums of the widest wgmma

class BodyParser {
 public:
  BodyParser(TokenReader& reader, Function& function) : reader_(reader), function_(function) {}

  void parse() {
    function_.hasBody = true;
    reader_.expect('{');
    parseScope(-1, 0);
  }

 private:
  Scope& scope() { return function_.scopes[current_]; }

  // From behind the brace that opens to behind the one that closes.
  void parseScope(int parent, int depth) {
    if (depth > kDeepestScope) return reader_.fail("scopes are nested too deep");
    current_ = function_.scopes.size();
    const size_t own = current_;
    function_.scopes.push_back({.parent = parent});
    while (!reader_.failed() && !reader_.accept('}')) {
      if (reader_.now().kind == Token::Kind::End) return reader_.expect('}');
      if (reader_.accept('{')) {
        parseScope(static_cast<int>(own), depth + 1);
        current_ = own;
      } else {
        parseItem();
      }
    }
  }

  void parseItem() {
    const Token token = reader_.now();
    if (token.kind != Token::Kind::Word) return parseStatement();
    if (token.text == ".reg") return parseRegisterNames();
    if (token.text == ".loc" || token.text == ".file") return reader_.skipLine();
    if (token.text == ".pragma") return skipPragma();
    if (token.text.starts_with('.')) return parseScopeVariables();
    if (reader_.following().is(':')) return parseLabel();
    parseStatement();
  }

  void skipPragma() {
    while (!reader_.failed() && !reader_.now().is(';') && reader_.now().kind != Token::Kind::End) reader_.take();
    reader_.expect(';');
  }

  void parseRegisterNames() {
    reader_.take();
    for (const RegisterRange& range : parseRegisters(reader_))
      if (range.count)
        scope().ranges.push_back(range);
      else
        scope().registers[range.prefix] = range.type;
  }

  void parseScopeVariables() {
    const Token token = reader_.take();
    const bool isExternal = token.text == ".extern";
    const std::string_view word = isExternal ? reader_.take().text : token.text;
    const auto space = word.starts_with('.') ? spaceNamed(word.substr(1)) : std::nullopt;
    if (!space) return reader_.failAt(token, "a function has an unknown directive");
    for (Variable& variable : parseVariables(reader_, *space, isExternal))
      scope().variables[variable.name] = std::move(variable);
  }

  void parseLabel() {
    const Token name = reader_.take();
    reader_.expect(':');
    if (reader_.now().isWord(".branchtargets")) return parseBranchTable(name.text);
    if (reader_.now().isWord(".callprototype") || reader_.now().isWord(".calltargets"))
      return reader_.fail("calls through a register are not supported");
    if (scope().labels.contains(name.text)) return reader_.failAt(name, "a label is there twice");
    scope().labels[name.text] = static_cast<uint32_t>(function_.statements.size());
    function_.statements.push_back(
        {.line = name.position.line, .scope = static_cast<uint32_t>(current_), .text = name.text, .label = name.text});
  }

  void parseBranchTable(std::string_view name) {
    reader_.take();
    std::vector<std::string_view>& labels = scope().branchTables[name];
    do labels.push_back(reader_.expectName("a label"));
    while (reader_.accept(','));
    reader_.expect(';');
  }

  void parseStatement() {
    const Token first = reader_.now();
    Statement statement{.line = first.position.line, .scope = static_cast<uint32_t>(current_)};
    if (reader_.accept('@')) {
      statement.isGuardNegated = reader_.accept('!');
      statement.guard = reader_.expectName("a predicate");
    }
    statement.opcode = reader_.expectName("an instruction");
    if (statement.opcode == "call" || statement.opcode.starts_with("call."))
      parseCall(statement);
    else if (!reader_.now().is(';'))
      parseOperands(statement.operands, ';');
    if (reader_.failed()) return;
    statement.text = reader_.textSince(first);
    reader_.expect(';');
    function_.statements.push_back(std::move(statement));
  }

  void parseOperands(std::vector<Operand>& operands, char end) {
    if (reader_.now().is(end)) return;
    do operands.push_back(parseOperand());
    while (reader_.accept(','));
  }

  // call (results), name, (arguments), prototype;
  void parseCall(Statement& statement) {
    if (reader_.accept('(')) {
      parseOperands(statement.returns, ')');
      reader_.expect(')');
      reader_.expect(',');
    }
    statement.operands.push_back(parseOperand());
    while (reader_.accept(',')) {
      if (!reader_.accept('(')) {
        statement.operands.push_back(parseOperand());
        continue;
      }
      parseOperands(statement.arguments, ')');
      reader_.expect(')');
    }
  }

  Operand parseOperand() {
    Operand operand = parsePlainOperand();
    if (!reader_.accept('|')) return operand;
    Operand pair{.kind = Operand::Kind::Pair};
    pair.parts.push_back(std::move(operand));
    pair.parts.push_back(parsePlainOperand());
    return pair;
  }

  Operand parsePlainOperand() {
    if (reader_.accept('[')) return parseAddress();
    if (reader_.accept('{')) return parseVector();
    if (reader_.accept('!'))
      return {.kind = Operand::Kind::Name, .name = reader_.expectName("a predicate"), .isNegated = true};
    if (reader_.now().is('-') || reader_.now().is('+')) return parseSigned();
    const Token token = reader_.take();
    switch (token.kind) {
      case Token::Kind::Integer: return {.kind = Operand::Kind::Integer, .bits = token.bits};
      case Token::Kind::Float32: return {.kind = Operand::Kind::Float32, .bits = token.bits};
      case Token::Kind::Float64: return {.kind = Operand::Kind::Float64, .bits = token.bits};
      case Token::Kind::Word: return parseNamed(token.text);
      default: reader_.failAt(token, "an operand is missing", "a register, a number, an address or a name"); return {};
    }
  }

  Operand parseNamed(std::string_view name) {
    if (name == "_") return {};
    Operand operand{.kind = Operand::Kind::Name, .name = name};
    if (reader_.now().is('+') || reader_.now().is('-')) operand.offset = parseOffset();
    return operand;
  }

  // "+4", "-4", "+-4".
  int64_t parseOffset() {
    const bool isMinus = reader_.take().is('-');
    const int64_t value = reader_.expectInteger("a distance in bytes");
    return isMinus ? static_cast<int64_t>(0 - static_cast<uint64_t>(value)) : value;
  }

  Operand parseSigned() {
    const bool isNegative = reader_.take().is('-');
    const Token token = reader_.take();
    const uint64_t sign = isNegative ? 1 : 0;
    switch (token.kind) {
      case Token::Kind::Integer:
        return {.kind = Operand::Kind::Integer, .bits = isNegative ? 0 - token.bits : token.bits};
      case Token::Kind::Float32: return {.kind = Operand::Kind::Float32, .bits = token.bits ^ (sign << 31)};
      case Token::Kind::Float64: return {.kind = Operand::Kind::Float64, .bits = token.bits ^ (sign << 63)};
      default: reader_.failAt(token, "a number is missing behind its sign"); return {};
    }
  }

  Operand parseAddress() {
    Operand operand{.kind = Operand::Kind::Address};
    if (reader_.now().kind == Token::Kind::Word) operand.name = reader_.take().text;
    if (operand.name.empty())
      operand.offset = reader_.expectInteger("an address");
    else if (reader_.now().is('+') || reader_.now().is('-'))
      operand.offset = parseOffset();
    reader_.expect(']');
    return operand;
  }

  Operand parseVector() {
    Operand operand{.kind = Operand::Kind::Vector};
    do operand.parts.push_back(parsePlainOperand());
    while (!reader_.failed() && reader_.accept(',') && operand.parts.size() < kMostParts);
    reader_.expect('}');
    return operand;
  }

  TokenReader& reader_;
  Function& function_;
  size_t current_ = 0;
};

}  // namespace

void parseBody(TokenReader& reader, Function& function) { BodyParser(reader, function).parse(); }

}  // namespace tessera::cuda::simulated
