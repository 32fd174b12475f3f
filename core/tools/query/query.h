// Query: one line that describes instructions: words, fields, negation, alternatives. Parsed here, run
// by search.h, completed by query_completion.h; the grammar is in README.md of this folder.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/tools/query/query_fields.h"
#include "core/tools/query/shape_pattern.h"
#include "core/tools/query/text_pattern.h"

namespace tessera {

enum class QueryComparison : uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual };

struct AttributePattern {
  TextPattern name;
  std::vector<TextPattern> text;  // none: whatever it is set to
};

struct AroundPattern {
  static constexpr int64_t kUsual = 2;
  TextPattern centre;
  int64_t steps = kUsual;
};

// By the kind of the field: texts and choices, paths (a pattern a scope) and routes (one an instruction), shapes and
// types, numbers, attributes, surroundings.
using QueryValue =
    std::variant<TextPattern, std::vector<TextPattern>, ShapePattern, double, AttributePattern, AroundPattern>;

struct QueryTerm {
  QueryField field = QueryField::Anything;
  QueryComparison comparison = QueryComparison::Equal;
  std::vector<QueryValue> values;  // one of them must match
};

struct QueryNode {
  enum class Kind : uint8_t { Term, All, Any, Not };
  Kind kind = Kind::All;
  std::vector<QueryNode> parts;  // All, Any; Not has one
  QueryTerm term = {};
};

class Query {
 public:
  // ErrorKind::Usage: "column 5: …", with what was expected and found; the column is Diagnostic::position's, counted
  // in letters from 1, at line 0. Nothing but blanks makes a query that every instruction matches.
  static Result<Query> parse(std::string_view text);

  const QueryNode& root() const { return root_; }
  bool isEmpty() const { return root_.kind == QueryNode::Kind::All && root_.parts.empty(); }
  // Nothing but words that are parts of some text: no field, type, shape or negation.
  bool isWords() const;
  // One term, of a field that has a name, with TEXT as its value.
  static Result<Query> of(QueryField field, std::string_view text);
  // Both must match.
  void add(Query other);

 private:
  QueryNode root_;
};

// TEXT as a literal value of a field: quoted if necessary.
std::string quotedForQuery(std::string_view text, const QueryFieldRow* field);

// What a value's reader needs: the value's text, and its position for messages.
struct QueryValueText {
  std::string text;  // without quotes or slashes
  enum class Form : uint8_t { Bare, Quoted, Regex } form = Form::Bare;
  size_t column = 0;  // of its first letter in the query, from 0
};
// One value of a field, by its kind. exact: "name=…" instead of "name:…". In query_values.cpp.
Result<QueryValue> readQueryValue(const QueryFieldRow& field, const QueryValueText& value, bool exact);
// An error at a column of the query, from 0.
std::unexpected<Diagnostic> queryError(size_t column, std::string what, std::string expected = {},
                                       std::string found = {});

}  // namespace tessera
