// Operations with a syntax of their own around regions: functions, while, reduce, manual computations.
#include "core/formats/stablehlo/mlir_parser.h"

namespace tessera::mlir {

// func.func public @main(%arg0: T {…}) -> (T {…}, T) attributes {…} {…}
bool Parser::function(Operation& out, int depth) {
  for (const char* visibility : {"public", "private", "nested"}) lexer_.acceptWord(visibility);
  if (!lexer_.expect('@', "before the function's name")) return false;
  out.symbol = symbolName();
  Region body;
  if (!argumentList(body.arguments)) return false;
  if (lexer_.accept("->")) {
    const bool list = lexer_.accept('(');
    while (!list || !lexer_.accept(')')) {
      if (!out.types.empty() && !lexer_.expect(',', "between results")) return false;
      if (!type(out.types.emplace_back())) return false;
      Dictionary& attributes = out.resultAttributes.emplace_back();
      if (list && lexer_.accept('{') && !entries(attributes, '}', 0)) return false;
      if (!list) break;
    }
  }
  if (lexer_.acceptWord("attributes") && (!lexer_.expect('{', "after attributes") || !entries(out.attributes, '}', 0)))
    return false;
  if (lexer_.peek() != '{') return lexer_.fail("the function " + std::string(out.symbol) + " has no body", "{");
  if (!region(body, depth + 1)) return false;
  out.regions.push_back(std::move(body));
  return true;
}

// stablehlo.while(%iter = %0, …) : T, … [attributes {…}] cond {…} do {…}
bool Parser::whileLoop(Operation& out, int depth) {
  std::vector<BlockArgument> arguments;
  if (!lexer_.expect('(', "after while")) return false;
  while (!lexer_.accept(')')) {
    if (!arguments.empty() && !lexer_.expect(',', "between carried values")) return false;
    Operation name;
    if (!operandName(name) || !lexer_.expect('=', "after the carried value's name") || !operandName(out)) return false;
    arguments.emplace_back().name = name.operands[0];
  }
  if (lexer_.accept(':') && !typeList(out.types)) return false;
  if (out.types.size() != arguments.size())
    return lexer_.fail("while carries " + std::to_string(arguments.size()) + " values and has " +
                       std::to_string(out.types.size()) + " types");
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = out.types[i];
  if (lexer_.acceptWord("attributes") && (!lexer_.expect('{', "after attributes") || !entries(out.attributes, '}', 0)))
    return false;
  for (const char* word : {"cond", "do"}) {
    if (!lexer_.acceptWord(word)) return lexer_.failExpected(word, "in while");
    Region& part = out.regions.emplace_back();
    if (!region(part, depth + 1)) return false;
    part.arguments = arguments;
  }
  return true;
}

// stablehlo.reduce(%0 init: %1), (…) [applies stablehlo.add] across dimensions = [0] : (T, T) -> T
//     [reducer(…) (…) {…}]
bool Parser::reduce(Operation& out, int depth) {
  std::vector<std::string_view> inits;
  std::vector<size_t> initOffsets;
  do {
    Operation init;
    if (!lexer_.expect('(', "after reduce") || !operandName(out)) return false;
    if (!lexer_.acceptWord("init") || !lexer_.expect(':', "after init") || !operandName(init))
      return lexer_.failExpected("init: and an operand", "in reduce");
    inits.push_back(init.operands[0]);
    initOffsets.push_back(init.operandOffsets[0]);
    if (!lexer_.expect(')', "after the initial value")) return false;
  } while (lexer_.accept(','));
  out.operands.insert(out.operands.end(), inits.begin(), inits.end());
  out.operandOffsets.insert(out.operandOffsets.end(), initOffsets.begin(), initOffsets.end());
  if (lexer_.acceptWord("applies")) out.words.push_back(identifier());
  if (!lexer_.acceptWord("across") || identifier() != "dimensions" || !lexer_.expect('=', "after dimensions"))
    return lexer_.failExpected("across dimensions = […]", "in reduce");
  if (!attribute(out.attributes.emplace_back("dimensions", Attribute()).second, false)) return false;
  if (lexer_.accept('{') && !entries(out.attributes, '}', 0)) return false;
  if (!lexer_.expect(':', "before the types of reduce") || !operationTypes(out)) return false;
  return !out.words.empty() || reducer(out, depth);
}

// reducer(%a: T, %b: T) (%c: T, %d: T) {…}: a pair an input; the block takes all first ones, then all second ones.
bool Parser::reducer(Operation& out, int depth) {
  if (!lexer_.acceptWord("reducer")) return lexer_.failExpected("reducer", "after the types of reduce");
  std::vector<BlockArgument> firsts, seconds;
  while (lexer_.peek() == '(') {
    std::vector<BlockArgument> pair;
    if (!argumentList(pair)) return false;
    if (pair.size() != 2) return lexer_.fail("a reducer takes pairs of arguments");
    firsts.push_back(std::move(pair[0]));
    seconds.push_back(std::move(pair[1]));
  }
  Region& body = out.regions.emplace_back();
  if (!region(body, depth + 1)) return false;
  body.arguments = std::move(firsts);
  body.arguments.insert(body.arguments.end(), seconds.begin(), seconds.end());
  return true;
}

// sdy.manual_computation(%0) in_shardings=[…] out_shardings=[…] manual_axes={…} (%arg: T) {…} : (T) -> T
bool Parser::manualComputation(Operation& out, int depth) {
  if (!lexer_.expect('(', "after manual_computation") || !operandList(out)) return false;
  while (text::isNameStart(lexer_.peek())) {
    std::string_view name = identifier();
    if (!lexer_.expect('=', "after a part of manual_computation") || !clause(out, name, depth)) return false;
  }
  Region body;
  if (!argumentList(body.arguments) || !region(body, depth + 1)) return false;
  out.regions.push_back(std::move(body));
  return lexer_.expect(':', "before the types") && operationTypes(out);
}

}  // namespace tessera::mlir
