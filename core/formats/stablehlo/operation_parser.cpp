// Operations: the generic form, the pretty forms with a shape of their own (module, func, while, reduce,
// manual_computation), and one loose reader for all others, which takes operands, name = value clauses, bare words and
// types in any order.
#include "core/formats/stablehlo/mlir_parser.h"

namespace tessera::mlir {

using text::kMaxDepth;

bool Parser::location(Operation& out) {
  const size_t before = lexer_.offset();
  if (identifier() != "loc" || lexer_.peek() != '(') return lexer_.seek(before), true;
  std::string_view raw;
  if (!rawBrackets(raw)) return false;
  out.location = raw.substr(1, raw.size() - 2);
  return true;
}

// %0, %0#1
bool Parser::operandName(Operation& out) {
  if (lexer_.peek() != '%') return lexer_.failExpected("an operand");
  const size_t begin = lexer_.offset();
  lexer_.bump();
  while (text::isNameStart(lexer_.raw()) || text::isDigit(lexer_.raw()) || lexer_.raw() == '$' || lexer_.raw() == '.' ||
         (lexer_.raw() == '-' && lexer_.raw(1) != '>') || lexer_.raw() == '#')
    lexer_.bump();
  out.operands.push_back(lexer_.text().substr(begin, lexer_.offset() - begin));
  out.operandOffsets.push_back(begin);
  return true;
}

// (%a, %b) behind the '('; "%x = %y" binds a block argument, which the caller reads by itself.
bool Parser::operandList(Operation& out) {
  while (!lexer_.accept(')')) {
    if (!out.operands.empty()) lexer_.accept(',');
    if (!operandName(out)) return false;
  }
  return true;
}

bool Parser::resultNames(Operation& out) {
  if (lexer_.peek() != '%') return true;
  do {
    Operation name;
    if (!operandName(name)) return false;
    Operation::Result& result = out.results.emplace_back(Operation::Result{name.operands[0], 1});
    constexpr int64_t kMaxResults = 1 << 20;
    if (lexer_.accept(':') &&
        (!lexer_.integer(result.count, "a number of results") || result.count < 0 || result.count > kMaxResults))
      return lexer_.fail("the number of results is out of range");
  } while (lexer_.accept(','));
  return lexer_.expect('=', "after the results");
}

// T | T, T | (T) -> T | T, T -> (T, T)
bool Parser::operationTypes(Operation& out) {
  std::vector<Shape> types;
  if (!typeList(types)) return false;
  out.functional = lexer_.accept("->");
  if (out.functional) {
    types.clear();
    if (!typeList(types)) return false;
  }
  // "select %0, %1, %2 : T, U" names operands too; the last type is the result's.
  const bool one = out.results.size() == 1 && out.results[0].count == 1;
  if (!out.functional && one && types.size() > 1) types.erase(types.begin(), types.end() - 1);
  out.types = std::move(types);
  return true;
}

bool Parser::argumentList(std::vector<BlockArgument>& out) {
  if (!lexer_.expect('(', "before the arguments")) return false;
  while (!lexer_.accept(')')) {
    if (!out.empty() && !lexer_.expect(',', "between arguments")) return false;
    Operation name, located;
    if (!operandName(name)) return false;
    BlockArgument& argument = out.emplace_back();
    argument.name = name.operands[0];
    if (!lexer_.expect(':', "after the argument") || !type(argument.type)) return false;
    if (lexer_.accept('{') && !entries(argument.attributes, '}', 0)) return false;
    if (!location(located)) return false;
    argument.location = located.location;
  }
  return true;
}

// { [^bb0(%a: T):] operations }
bool Parser::region(Region& out, int depth) {
  if (depth > kMaxDepth) return lexer_.fail("regions are nested too deeply");
  if (!lexer_.expect('{', "before a region")) return false;
  if (lexer_.accept('^')) {
    identifier();
    if (lexer_.peek() == '(' && !argumentList(out.arguments)) return false;
    if (!lexer_.expect(':', "after the block's arguments")) return false;
  }
  while (!lexer_.accept('}')) {
    if (lexer_.peek() == '^') return lexer_.fail("regions of more than one block have no HLO form");
    if (!operation(out.operations.emplace_back(), depth)) return false;
  }
  return true;
}

bool Parser::operation(Operation& out, int depth) {
  if (depth > kMaxDepth) return lexer_.fail("operations are nested too deeply");
  if (!resultNames(out)) return false;
  lexer_.skipBlanks();
  out.offset = lexer_.offset();
  if (lexer_.raw() == '"' ? !generic(out, depth) : !pretty(out, depth)) return false;
  return location(out);
}

// "name"(operands) <{properties}> ({region}, …) {attributes} : (T) -> T
bool Parser::generic(Operation& out, int depth) {
  lexer_.accept('"');
  out.name = identifier();
  if (!lexer_.expect('"', "after the operation's name") || !lexer_.expect('(', "before the operands") ||
      !operandList(out))
    return false;
  if (lexer_.accept("<{") && (!entries(out.attributes, '}', 0) || !lexer_.expect('>', "after the properties")))
    return false;
  if (lexer_.accept('(')) {
    do {
      if (!region(out.regions.emplace_back(), depth + 1)) return false;
    } while (lexer_.accept(','));
    if (!lexer_.expect(')', "after the regions")) return false;
  }
  if (lexer_.accept('{') && !entries(out.attributes, '}', 0)) return false;
  for (const char* key : {"sym_name", "callee"})
    if (const Attribute* symbol = out.find(key)) {
      // The text of the attribute is a copy; the name is in the source right behind its quote or '@'.
      out.symbol = lexer_.text().substr(symbol->offset + 1, symbol->text.size());
      if (out.symbol.starts_with('"')) out.symbol = lexer_.text().substr(symbol->offset + 2, symbol->text.size());
    }
  if (const Attribute* results = out.find("res_attrs"))
    for (const Attribute& one : results->items) out.resultAttributes.push_back(one.entries);
  if (const Attribute* arguments = out.find("arg_attrs"); arguments && !out.regions.empty())
    for (size_t i = 0; i < arguments->items.size() && i < out.regions[0].arguments.size(); ++i)
      out.regions[0].arguments[i].attributes = arguments->items[i].entries;
  return lexer_.expect(':', "before the operation's types") && operationTypes(out);
}

bool Parser::pretty(Operation& out, int depth) {
  out.name = identifier();
  if (out.name.empty()) return lexer_.failExpected("an operation");
  if (out.name == "module" || out.name == "builtin.module") return moduleOperation(out, depth);
  if (out.name == "func.func") return function(out, depth);
  if (out.name == "stablehlo.while") return whileLoop(out, depth);
  if (out.name == "stablehlo.reduce") return reduce(out, depth);
  if (out.name == "sdy.manual_computation") return manualComputation(out, depth);
  if (out.name.find('.') == std::string_view::npos && out.name != "call" && out.name != "return")
    return lexer_.failAt(out.offset, "unknown operation " + std::string(out.name),
                         "an operation such as stablehlo.add");
  for (bool done = false; !done;)
    if (!prettyItem(out, done, depth)) return false;
  return true;
}

bool Parser::clause(Operation& out, std::string_view name, int depth) {
  Attribute& value = out.attributes.emplace_back(std::string(name), Attribute()).second;
  if (out.name.starts_with("sdy.")) {
    std::string_view raw;
    value.kind = Attribute::Kind::Raw;
    if (!rawBrackets(raw)) return false;
    value.text = std::string(raw);
    return true;
  }
  if (!attribute(value, false, depth)) return false;
  // [1] x [0], [b, f]x[i, o]->[b, f]
  while (value.kind == Attribute::Kind::Array && (lexer_.peek() == 'x' || lexer_.peek() == '-')) {
    const size_t before = lexer_.offset();
    if (!lexer_.accept("->")) lexer_.bump();
    if (lexer_.peek() != '[') return lexer_.seek(before), true;
    if (value.text.empty()) {
      Attribute first = std::move(value);
      value = Attribute();
      value.kind = Attribute::Kind::Array;
      value.text = "lists";
      value.items.push_back(std::move(first));
    }
    if (!attribute(value.items.emplace_back(), false, depth)) return false;
  }
  return true;
}

bool Parser::prettyItem(Operation& out, bool& done, int depth) {
  const char c = lexer_.peek();
  switch (c) {
    case ',': return lexer_.accept(',');
    case '%': return operandName(out);
    case '(': return lexer_.accept('(');
    case ')': return lexer_.accept(')');
    case '{': return lexer_.accept('{'), entries(out.attributes, '}', depth);
    case ':': return done = true, lexer_.accept(':'), operationTypes(out);
    case '@':
      lexer_.accept('@');
      out.symbol = symbolName();
      return true;
    case '=':
    case '<':
    case '[': return bracketItem(out, done);
    default: break;
  }
  if (c == '"' || c == '#' || c == '-' || text::isDigit(c))
    return attribute(out.attributes.emplace_back("value", Attribute()).second, false, depth);
  if (!text::isNameStart(c)) return done = true;
  return wordItem(out, done, depth);
}

// sdy.mesh @name = <…>
bool Parser::bracketItem(Operation& out, bool& done) {
  lexer_.accept('=');
  Attribute& value = out.attributes.emplace_back("value", Attribute()).second;
  std::string_view raw;
  value.kind = Attribute::Kind::Raw;
  if (!rawBrackets(raw)) return false;
  value.text = std::string(raw);
  // A symbol that defines something has no types.
  done = !out.symbol.empty() && out.name == "sdy.mesh" && lexer_.peek() != '{';
  return true;
}

bool Parser::wordItem(Operation& out, bool& done, int depth) {
  const size_t before = lexer_.offset();
  std::string_view name = identifier();
  if (lexer_.peek() == '=') return lexer_.accept('='), clause(out, name, depth);
  if (name == "dense" || name == "dense_resource") {
    lexer_.seek(before);
    return attribute(out.attributes.emplace_back("value", Attribute()).second, false, depth);
  }
  // "return" without operands is followed by the end of its block; a word behind it belongs to another operation.
  if (name.find('.') != std::string_view::npos || (out.operands.empty() && out.name.ends_with("return"))) {
    lexer_.seek(before);
    return done = true;
  }
  if (name == "loc" && lexer_.peek() == '(') return lexer_.seek(before), done = true;
  out.words.push_back(name);
  return true;
}

// module @name attributes {…} {…}
bool Parser::moduleOperation(Operation& out, int depth) {
  out.name = "builtin.module";
  if (lexer_.accept('@')) out.symbol = symbolName();
  if (lexer_.acceptWord("attributes") && (!lexer_.expect('{', "after attributes") || !entries(out.attributes, '}', 0)))
    return false;
  return region(out.regions.emplace_back(), depth + 1);
}

// #loc1 = loc(…), #map = …
bool Parser::alias(File& out) {
  lexer_.accept('#');
  std::string name(identifier());
  if (name.empty() || !lexer_.expect('=', "after an alias")) return lexer_.failExpected("an alias");
  const size_t before = lexer_.offset();
  if (identifier() == "loc" && lexer_.peek() == '(') {
    std::string_view raw;
    if (!rawBrackets(raw)) return false;
    out.locations[name] = std::string(raw.substr(1, raw.size() - 2));
    return true;
  }
  lexer_.seek(before);
  Attribute ignored;
  return attribute(ignored, true);
}

// {-# dialect_resources: { builtin: { name: "0x…", … } } #-}
bool Parser::resources(File& out) {
  if (!lexer_.expect("{-#", "before the resources")) return false;
  while (!lexer_.accept("#-}")) {
    if (lexer_.atEnd()) return lexer_.fail("the resources do not end", "#-}");
    if (lexer_.accept('{') || lexer_.accept('}') || lexer_.accept(',')) continue;
    std::string name(identifier());
    if (name.empty() || !lexer_.expect(':', "after a resource's name")) return lexer_.failExpected("a resource");
    if (lexer_.peek() == '"' && !string(out.resources[name])) return false;
  }
  return true;
}

bool Parser::topLevel(File& out) {
  if (lexer_.peek() == '#') return alias(out);
  if (lexer_.text().substr(lexer_.offset()).starts_with("{-#")) return resources(out);
  if (lexer_.peek() == '!') return lexer_.fail("type aliases are not part of StableHLO text");
  Operation one;
  if (!operation(one, 0)) return false;
  if (one.name == "builtin.module") {
    if (!out.module.name.empty()) return lexer_.failAt(one.offset, "there is more than one module");
    out.module = std::move(one);
    return true;
  }
  // Functions without a module around them.
  if (out.module.name.empty()) {
    out.module.name = "builtin.module";
    out.module.regions.emplace_back();
  }
  out.module.regions[0].operations.push_back(std::move(one));
  return true;
}

bool Parser::parse(File& out) {
  while (!lexer_.atEnd())
    if (!topLevel(out)) return false;
  if (lexer_.error()) return false;
  if (out.module.name.empty() || out.module.regions.empty()) return lexer_.fail("the text holds no module", "module");
  return true;
}

}  // namespace tessera::mlir
