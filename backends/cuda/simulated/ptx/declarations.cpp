#include "backends/cuda/simulated/ptx/declarations.h"

#include <bit>
#include <cstring>

namespace tessera::cuda::simulated {

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 40;  // of a variable
constexpr size_t kMostInitialBytes = size_t{1} << 28;

// ".align 16", ".v4", ".ptr .global" and the type itself, in any order; the vector's length.
int parseTypeWords(TokenReader& reader, Variable& variable) {
  int lanes = 1;
  while (reader.now().kind == Token::Kind::Word && reader.now().text.starts_with('.')) {
    const Token token = reader.take();
    const std::string_view word = token.text.substr(1);
    if (word == "align") {
      variable.alignment = reader.expectInteger("an alignment");
      if (variable.alignment < 1 || !std::has_single_bit(static_cast<uint64_t>(variable.alignment)))
        reader.failAt(token, "an alignment is a power of two");
    } else if (word == "v2" || word == "v4") {
      lanes = word[1] - '0';
    } else if (word == "reg") {
      variable.isRegister = true;
    } else if (word == "attribute") {
      reader.expect('(');
      while (!reader.failed() && !reader.accept(')')) reader.take();
    } else if (word == "ptr" || spaceNamed(word)) {  // what a parameter points to
    } else if (const auto type = typeNamed(word)) {
      variable.type = *type;
    } else {
      reader.failAt(token, "a declaration has a word that is no type");
    }
  }
  return lanes;
}

void appendNumber(Variable& variable, uint64_t bits) {
  const int bytes = bytesOf(variable.type);
  for (int i = 0; i < bytes; ++i) variable.initial.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

// A number as an element of the variable's type; a float written as 0f… in one of 64 bits is widened.
uint64_t elementBits(const Token& token, Type type, bool isNegative) {
  double value = token.kind == Token::Kind::Float32
                     ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(token.bits)))
                     : std::bit_cast<double>(token.bits);
  if (isNegative) value = -value;
  if (token.kind == Token::Kind::Integer) {
    const auto bits = isNegative ? 0 - token.bits : token.bits;
    if (type == Type::F64) return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(bits)));
    if (type == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(bits)));
    return bits;
  }
  return type == Type::F64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
}

// "name", "name+4", "generic(name)+4", or "0xff00(name)", of which one byte is taken (as LLVM writes packed addresses).
void parseAddressValue(TokenReader& reader, Variable& variable) {
  AddressPatch patch{.at = variable.initial.size(), .bytes = bytesOf(variable.type)};
  patch.name = reader.expectName("the name of a variable");
  if (patch.name == "generic" && reader.accept('(')) {
    patch.name = reader.expectName("the name of a variable");
    reader.expect(')');
  }
  if (reader.now().is('+') || reader.now().is('-')) patch.addend = reader.expectInteger("a distance in bytes");
  variable.patches.push_back(patch);
  appendNumber(variable, 0);
}

void parseInitialValue(TokenReader& reader, Variable& variable) {
  if (reader.accept('{')) {
    while (!reader.failed() && !reader.accept('}')) {
      parseInitialValue(reader, variable);
      if (!reader.accept(',') && !reader.now().is('}')) reader.expect('}');
    }
    return;
  }
  const bool isNegative = reader.accept('-');
  if (variable.initial.size() > kMostInitialBytes) return reader.fail("an initial value is too long");
  switch (reader.now().kind) {
    case Token::Kind::Integer:
    case Token::Kind::Float32:
    case Token::Kind::Float64: return appendNumber(variable, elementBits(reader.take(), variable.type, isNegative));
    default: return parseAddressValue(reader, variable);
  }
}

// "[4][8]" behind a name; the number of elements.
int64_t parseSizes(TokenReader& reader, Variable& variable) {
  int64_t elements = 1;
  while (reader.accept('[')) {
    if (reader.accept(']')) {
      variable.hasOpenSize = true;
      elements = 0;
      continue;
    }
    const Token place = reader.now();
    const int64_t size = reader.expectInteger("a size");
    int64_t product = 0;
    if (size < 0 || __builtin_mul_overflow(elements, size, &product) || product > kMostBytes)
      reader.failAt(place, "the size of a variable is out of range");
    elements = product;
    reader.expect(']');
  }
  return elements;
}

void parseNamedVariable(TokenReader& reader, Variable& variable, int lanes) {
  const Token name = reader.now();
  variable.line = name.position.line;
  variable.name = reader.expectName("the name of a variable");
  const int64_t elements = parseSizes(reader, variable);
  if (reader.accept('=')) parseInitialValue(reader, variable);
  const int64_t element = int64_t{lanes} * bytesOf(variable.type);
  if (variable.hasOpenSize && !variable.initial.empty()) {
    variable.bytes = static_cast<int64_t>(variable.initial.size());
    variable.hasOpenSize = false;
  } else {
    variable.bytes = elements * element;
  }
  if (static_cast<int64_t>(variable.initial.size()) > variable.bytes)
    reader.failAt(name, "a variable has more initial values than elements");
  variable.alignment = std::max(variable.alignment, element);
}

}  // namespace

std::vector<Variable> parseVariables(TokenReader& reader, Space space, bool isExternal) {
  Variable common{.space = space, .isExternal = isExternal};
  const int lanes = parseTypeWords(reader, common);
  std::vector<Variable> variables;
  do {
    variables.push_back(common);
    parseNamedVariable(reader, variables.back(), lanes);
  } while (reader.accept(','));
  reader.expect(';');
  return variables;
}

std::vector<Variable> parseParameters(TokenReader& reader) {
  std::vector<Variable> parameters;
  if (!reader.accept('(')) return parameters;
  while (!reader.failed() && !reader.accept(')')) {
    Variable parameter{.space = Space::Param};
    const int lanes = parseTypeWords(reader, parameter);
    parseNamedVariable(reader, parameter, lanes);
    parameters.push_back(std::move(parameter));
    if (!reader.accept(',') && !reader.now().is(')')) reader.expect(')');
  }
  return parameters;
}

std::vector<RegisterRange> parseRegisters(TokenReader& reader) {
  Variable common;
  if (parseTypeWords(reader, common) != 1) reader.fail("registers that are vectors are not supported");
  std::vector<RegisterRange> ranges;
  do {
    RegisterRange range{.prefix = reader.expectName("the name of a register"), .type = common.type};
    if (reader.accept('<')) {
      range.count = static_cast<uint64_t>(reader.expectInteger("how many registers"));
      reader.expect('>');
    }
    ranges.push_back(range);
  } while (reader.accept(','));
  reader.expect(';');
  return ranges;
}

}  // namespace tessera::cuda::simulated
