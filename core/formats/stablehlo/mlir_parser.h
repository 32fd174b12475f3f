// MlirParser: StableHLO text into mlir::File. A recursive descent over the lexer of HLO text, whose words and comments
// are the same; one .cpp for types, one for attributes, one for operations. The first error ends the parse.
#pragma once

#include "core/formats/hlo_text/lexer.h"
#include "core/formats/stablehlo/mlir.h"

namespace tessera::mlir {

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  // False: lexer().error() has the reason.
  bool parse(File& out);
  const text::Lexer& lexer() const { return lexer_; }

 private:
  // Names and types (type_parser.cpp).
  std::string_view identifier();
  std::string_view symbolName();
  bool string(std::string& out);
  static bool startsType(std::string_view word);
  bool type(Shape& out, int depth = 0);
  bool tensorType(Shape& out);
  bool tensorDimensions(Shape& out);
  bool elementType(ElementType& out);
  bool bounds(Shape& out);
  bool typeList(std::vector<Shape>& out);

  // Attributes (attribute_parser.cpp).
  bool attribute(Attribute& out, bool withType, int depth = 0);
  bool word(Attribute& out, bool withType, int depth);
  bool number(Attribute& out, bool withType);
  bool dense(Attribute& out, bool withType);
  bool array(Attribute& out, int depth);
  bool typedArray(Attribute& out);
  bool hash(Attribute& out, int depth);
  bool angles(Attribute& out, int depth);
  bool entries(Dictionary& out, char close, int depth);
  bool rawAngles(std::string_view& out);
  bool rawBrackets(std::string_view& out);
  bool functionTypeAttribute(Attribute& out);

  // Operations (operation_parser.cpp).
  bool topLevel(File& out);
  bool alias(File& out);
  bool resources(File& out);
  bool operation(Operation& out, int depth);
  bool resultNames(Operation& out);
  bool generic(Operation& out, int depth);
  bool pretty(Operation& out, int depth);
  bool prettyItem(Operation& out, bool& done, int depth);
  bool bracketItem(Operation& out, bool& done);
  bool wordItem(Operation& out, bool& done, int depth);
  bool clause(Operation& out, std::string_view name, int depth);
  bool operandName(Operation& out);
  bool operandList(Operation& out);
  bool operationTypes(Operation& out);
  bool function(Operation& out, int depth);
  bool moduleOperation(Operation& out, int depth);
  bool whileLoop(Operation& out, int depth);
  bool reduce(Operation& out, int depth);
  bool reducer(Operation& out, int depth);
  bool manualComputation(Operation& out, int depth);
  bool argumentList(std::vector<BlockArgument>& out);
  bool region(Region& out, int depth);
  bool location(Operation& out);

  text::Lexer lexer_;
};

}  // namespace tessera::mlir
