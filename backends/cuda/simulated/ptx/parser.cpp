#include "backends/cuda/simulated/ptx/parser.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "backends/cuda/simulated/ptx/declarations.h"
#include "backends/cuda/simulated/ptx/statements.h"
#include "backends/cuda/simulated/ptx/token_reader.h"

namespace tessera::cuda::simulated {

namespace {

class ModuleParser {
 public:
  ModuleParser(TokenReader& reader, PtxModule& module) : reader_(reader), module_(module) {}

  void parse() {
    while (!reader_.failed() && reader_.now().kind != Token::Kind::End) parseDirective();
  }

 private:
  void parseDirective() {
    const Token token = reader_.now();
    const std::string_view word = token.text;
    if (word == ".version") return parseVersion();
    if (word == ".target") return parseTarget();
    if (word == ".address_size") return parseAddressSize();
    if (word == ".file" || word == ".loc") return reader_.skipLine();
    if (word == ".section") return skipSection();
    if (word == ".pragma" || word == ".alias") return skipToSemicolon();
    parseDeclaration();
  }

  void parseVersion() {
    reader_.take();
    const Token number = reader_.take();
    double version = 0;
    if (number.kind == Token::Kind::Float64) version = std::bit_cast<double>(number.bits);
    if (version < 1 || version > 99) return reader_.failAt(number, "the version of the PTX is missing", "such as 7.0");
    module_.version = static_cast<int>(version * 10 + 0.5);
  }

  void parseTarget() {
    reader_.take();
    module_.target = reader_.expectName("such as sm_80");
    while (reader_.accept(',')) reader_.expectName("an option of the target");
  }

  void parseAddressSize() {
    reader_.take();
    const Token number = reader_.now();
    if (reader_.expectInteger("64") != 64) reader_.failAt(number, "only PTX with addresses of 64 bits is read", "64");
  }

  void skipSection() {
    while (!reader_.failed() && !reader_.now().is('{') && reader_.now().kind != Token::Kind::End) reader_.take();
    reader_.expect('{');
    while (!reader_.failed() && !reader_.accept('}')) {
      if (reader_.now().kind == Token::Kind::End) reader_.expect('}');
      reader_.take();
    }
  }

  void skipToSemicolon() {
    while (!reader_.failed() && !reader_.now().is(';') && reader_.now().kind != Token::Kind::End) reader_.take();
    reader_.expect(';');
  }

  // A variable or a function, with what precedes it (.visible, .weak, .extern, .common).
  void parseDeclaration() {
    bool isExternal = false;
    while (reader_.now().kind == Token::Kind::Word) {
      const Token token = reader_.take();
      const std::string_view word = token.text;
      if (word == ".visible" || word == ".weak" || word == ".common") continue;
      if (word == ".extern")
        isExternal = true;
      else if (word == ".entry" || word == ".func")
        return parseFunction(word == ".entry");
      else if (const auto space = word.starts_with('.') ? spaceNamed(word.substr(1)) : std::nullopt)
        return parseModuleVariables(*space, isExternal);
      else
        return reader_.failAt(token, "the PTX has an unknown directive");
    }
    if (!reader_.failed()) reader_.fail("the PTX does not go on as it should", "a variable or a function");
  }

  void parseModuleVariables(Space space, bool isExternal) {
    auto variables = parseVariables(reader_, space, isExternal);
    module_.variables.insert(module_.variables.end(), std::move_iterator(variables.begin()),
                             std::move_iterator(variables.end()));
  }

  void parseFunction(bool isEntry) {
    Function function{.isEntry = isEntry};
    function.line = reader_.now().position.line;
    if (!isEntry) function.returns = parseParameters(reader_);
    function.name = reader_.expectName("the name of a function");
    function.parameters = parseParameters(reader_);
    parseFunctionDirectives(function);
    if (!reader_.accept(';')) parseBody(reader_, function);
    if (reader_.failed()) return;
    for (Function& known : module_.functions)
      if (known.name == function.name && !known.hasBody) return void(known = std::move(function));
    module_.functions.push_back(std::move(function));
  }

  // ".maxntid 256, 1, 1 .minnctapersm 2 .noreturn" and the like.
  void parseFunctionDirectives(Function& function) {
    while (reader_.now().kind == Token::Kind::Word && reader_.now().text.starts_with('.')) {
      const std::string_view word = reader_.take().text;
      if (word == ".pragma" || word == ".abi_preserve") {
        skipToSemicolon();
        continue;
      }
      int64_t product = 1;
      bool hasNumbers = false;
      while (reader_.now().kind == Token::Kind::Integer) {
        const int64_t number = reader_.expectInteger("a number");
        product = number > 0 && number <= 1024 ? std::min<int64_t>(product * number, 1024) : product;
        hasNumbers = true;
        if (!reader_.accept(',')) break;
      }
      if (hasNumbers && (word == ".maxntid" || word == ".reqntid")) function.maxThreads = static_cast<int>(product);
    }
  }

  TokenReader& reader_;
  PtxModule& module_;
};

}  // namespace

Result<PtxModule> parsePtx(std::string text) {
  PtxModule module{.text = std::make_shared<const std::string>(std::move(text))};
  TokenReader reader(*module.text);
  ModuleParser(reader, module).parse();
  if (reader.failed()) return std::unexpected(reader.error());
  if (!module.version) return fail({.message = "this is no PTX", .expected = ".version", .position = {1, 1}});
  return module;
}

}  // namespace tessera::cuda::simulated
