// The parser of queries, by recursive descent:
//   query = all { '|' all }, all = { ['-'] (terms | '(' query ')') }, terms = term { '|' term },
//   term = [FIELD (':' | '=' | '<' …)] value { '|' value }
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "core/hlo/element_type.h"
#include "core/tools/find_instruction.h"
#include "core/tools/query/query.h"

namespace tessera {
namespace {

using Form = QueryValueText::Form;

bool isQueryBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The values of a term as alternatives: what one value alone makes is that one.
QueryNode anyOf(std::vector<QueryNode> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {QueryNode::Kind::Any, std::move(parts)};
}

class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : text_(text) {}

  Result<QueryNode> whole() {
    TESSERA_ASSIGN_OR_RETURN(QueryNode root, any());
    if (!atEnd()) return queryError(at_, ") closes nothing", {}, {});
    return root;
  }

 private:
  static constexpr int kDeepest = 100;

  bool atEnd() const { return at_ == text_.size(); }
  char here() const { return atEnd() ? '\0' : text_[at_]; }
  void skipBlanks() {
    while (!atEnd() && isQueryBlank(here())) ++at_;
  }
  bool take(char c) {
    if (here() != c) return false;
    ++at_;
    return true;
  }
  // What is at the place, for messages.
  std::string found() const {
    constexpr size_t kMostFound = 40;
    size_t start = at_;
    while (start < text_.size() && isQueryBlank(text_[start])) ++start;
    size_t end = start;
    while (end < text_.size() && !isQueryBlank(text_[end])) ++end;
    return start == end ? "the end" : std::string(text_.substr(start, std::min(end - start, kMostFound)));
  }

  Result<QueryNode> any() {
    std::vector<QueryNode> parts;
    skipBlanks();
    const bool mayBeEmpty = atEnd() && depth_ == 0;
    do {
      skipBlanks();
      TESSERA_ASSIGN_OR_RETURN(QueryNode part, all());
      if (part.parts.empty() && !mayBeEmpty)
        return queryError(at_, "a word or a field is missing", "one such as op:copy", found());
      parts.push_back(std::move(part));
    } while (take('|'));
    return anyOf(std::move(parts));
  }

  Result<QueryNode> all() {
    QueryNode out;
    for (skipBlanks(); !atEnd() && here() != '|' && here() != ')'; skipBlanks()) {
      TESSERA_ASSIGN_OR_RETURN(QueryNode part, clause());
      out.parts.push_back(std::move(part));
    }
    return out;
  }

  Result<QueryNode> clause() {
    if (++depth_ > kDeepest) return queryError(at_, fmt::format("more than {} levels of ( and -", kDeepest));
    auto out = here() == '-' ? negated() : here() == '(' ? group() : term();
    --depth_;
    return out;
  }

  Result<QueryNode> negated() {
    ++at_;
    if (atEnd() || isQueryBlank(here()) || here() == '|' || here() == ')')
      return queryError(at_, "nothing stands behind -", "what must not match, such as -op:copy", found());
    TESSERA_ASSIGN_OR_RETURN(QueryNode part, clause());
    QueryNode out{QueryNode::Kind::Not, {}};
    out.parts.push_back(std::move(part));
    return out;
  }

  Result<QueryNode> group() {
    const size_t open = at_++;
    TESSERA_ASSIGN_OR_RETURN(QueryNode out, any());
    if (!take(')')) return queryError(open, "( is not closed", ")", found());
    return out;
  }

  // A name with a sign behind it, which precede the value; the place stays before it where there is none.
  std::optional<std::string_view> fieldName() {
    size_t end = at_;
    while (end < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    if (end == at_ || end == text_.size() || std::string_view(":=<>").find(text_[end]) == std::string_view::npos)
      return std::nullopt;
    return text_.substr(std::exchange(at_, end), end - at_);
  }

  // "dtype:f64|c128", also "dtype:f64|bytes>1MB".
  Result<QueryNode> term() {
    std::vector<QueryNode> parts;
    do {
      const size_t start = at_;
      const auto name = fieldName();
      if (!name) return word();
      const QueryFieldRow* field = findQueryField(*name);
      if (!field) return unknownField(start, *name);
      TESSERA_ASSIGN_OR_RETURN(QueryNode part, termOf(*field));
      parts.push_back(std::move(part));
    } while (take('|'));
    return anyOf(std::move(parts));
  }
  Result<QueryNode> termOf(const QueryFieldRow& field) {
    TESSERA_ASSIGN_OR_RETURN(const Sign sign, this->sign(field));
    QueryNode out{QueryNode::Kind::Term, {}, {field.field, sign.comparison, {}}};
    do {
      TESSERA_ASSIGN_OR_RETURN(const QueryValueText text, valueText(&field));
      TESSERA_ASSIGN_OR_RETURN(QueryValue value, readQueryValue(field, text, sign.exact));
      if (sign.comparison != QueryComparison::Equal && !out.term.values.empty())
        return queryError(text.column, "a comparison takes one number", "the end of the term", "|");
      out.term.values.push_back(std::move(value));
    } while (!isFieldBehindBar() && take('|'));
    return out;
  }
  bool isFieldBehindBar() {
    const size_t start = at_;
    if (!take('|')) return false;
    const auto name = fieldName();
    at_ = start;
    return name && findQueryField(*name);
  }

  std::unexpected<Diagnostic> unknownField(size_t start, std::string_view name) const {
    std::vector<std::string_view> names;
    for (const QueryFieldRow& row : queryFields()) names.push_back(row.name);
    std::string near = nearMisses(name, names);
    if (near.empty()) near = fmt::format("; the fields are {}", fmt::join(names, ", "));
    return queryError(
        start, fmt::format("no field is named {}{}; a text that holds such a sign stands in quotes", name, near));
  }

  struct Sign {
    QueryComparison comparison = QueryComparison::Equal;
    bool exact = false;
  };
  Result<Sign> sign(const QueryFieldRow& field) {
    const size_t start = at_;
    Sign out;
    const bool colon = take(':');
    if ((here() == '<' || here() == '>') && (!colon || takesNumber(field.kind))) {  // else of the value: under:<lambda>
      const bool less = here() == '<';
      ++at_;
      const bool orEqual = take('=');
      out.comparison = less      ? orEqual ? QueryComparison::LessEqual : QueryComparison::Less
                       : orEqual ? QueryComparison::GreaterEqual
                                 : QueryComparison::Greater;
      if (!takesNumber(field.kind))
        return queryError(start, fmt::format("{} is no number", field.name),
                          ": or =", std::string(text_.substr(start, at_ - start)));
    } else if (!colon) {
      out.exact = take('=');
      take('=');
    }
    return out;
  }

  // A value as it is written. field: it is one of this field; null: a word.
  Result<QueryValueText> valueText(const QueryFieldRow* field) {
    QueryValueText out{.column = at_};
    if (here() == '"') {
      TESSERA_TRY(quoted(out));
    } else if (here() == '/') {
      TESSERA_TRY(regex(out));
    } else {
      out.text = bare();
      if (out.text.empty())
        return queryError(at_, field ? fmt::format("{} has no value", field->name) : "a word is missing",
                          field ? fmt::format("one as in {}", field->example) : "one behind |", found());
    }
    return out;
  }

  Status quoted(QueryValueText& out) {
    const size_t open = at_++;
    out.form = Form::Quoted;
    for (; here() != '"'; ++at_) {
      if (here() == '\\' && at_ + 1 < text_.size()) ++at_;
      if (atEnd()) return queryError(open, "the quotes are not closed", "\"", "the end");
      out.text += here();
    }
    ++at_;
    return nothingBehind("the quotes", {});
  }

  Status regex(QueryValueText& out) {
    const size_t open = at_++;
    out.form = Form::Regex;
    for (; here() != '/'; ++at_) {
      if (atEnd())
        return queryError(open, "the regular expression is not closed; a text that begins with / stands in quotes", "/",
                          "the end");
      if (here() == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != '/') out.text += here();
        ++at_;
      }
      out.text += here();
    }
    ++at_;
    return nothingBehind("the regular expression", "; within it / is written \\/, and a text with / stands in quotes");
  }

  Status nothingBehind(std::string_view what, std::string_view advice) const {
    if (atEnd() || isQueryBlank(here()) || here() == '|' || here() == ')') return {};
    return queryError(at_, fmt::format("something follows {}{}", what, advice), "a blank", found());
  }

  // Up to a blank, | or the ) of a group; blanks within [ ] belong to it.
  std::string bare() {
    const size_t start = at_;
    int open = 0;
    for (; !atEnd() && !isQueryBlank(here()) && here() != '|'; ++at_) {
      if (here() == ')' && --open < 0) break;
      if (here() == '(') ++open;
      if (here() != '[') continue;
      const size_t bracket = text_.find_first_of("[]", at_ + 1);
      if (bracket != std::string_view::npos && text_[bracket] == ']') at_ = bracket;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  Result<QueryNode> word() {
    std::vector<QueryNode> parts;
    do {
      const size_t start = at_;
      if (const auto name = fieldName(); name && findQueryField(*name))
        return queryError(start, "a field stands behind a word's |", "blanks round | to choose between terms", found());
      at_ = start;
      TESSERA_ASSIGN_OR_RETURN(const QueryValueText text, valueText(nullptr));
      TESSERA_ASSIGN_OR_RETURN(QueryTerm term, termOfWord(text));
      parts.push_back({QueryNode::Kind::Term, {}, std::move(term)});
    } while (take('|'));
    return anyOf(std::move(parts));
  }

  // "f64" is the type, "f32[2,*]" the shape: neither is a part of some other text.
  static Result<QueryTerm> termOfWord(const QueryValueText& word) {
    QueryTerm out;
    const auto type = elementTypeFromName(word.text);
    if (word.form == Form::Bare && type && isArrayElement(*type)) {
      out.field = QueryField::Dtype;
    } else if (word.form == Form::Bare && word.text.ends_with(']') && ShapePattern::parse(word.text)) {
      out.field = QueryField::Shape;
    } else {
      TESSERA_ASSIGN_OR_RETURN(QueryValue value, readQueryValue(rowOf(QueryField::Name), word, false));
      out.values.push_back(std::move(value));
      return out;
    }
    TESSERA_ASSIGN_OR_RETURN(QueryValue value, readQueryValue(rowOf(out.field), word, false));
    out.values.push_back(std::move(value));
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

bool hasOnlyWords(const QueryNode& node) {
  if (node.kind == QueryNode::Kind::Term) return node.term.field == QueryField::Anything;
  return node.kind != QueryNode::Kind::Not && std::ranges::all_of(node.parts, hasOnlyWords);
}

// As users count: from 1, letters and not bytes.
uint32_t columnOf(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<uint32_t>(
                 std::ranges::count_if(before, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::unexpected<Diagnostic> queryError(size_t column, std::string what, std::string expected, std::string found) {
  return fail({.kind = ErrorKind::Usage,
               .message = std::move(what),
               .expected = std::move(expected),
               .found = std::move(found),
               .position = {0, static_cast<uint32_t>(column)}});
}

Result<Query> Query::parse(std::string_view text) {
  constexpr size_t kLongestQuery = 10'000;
  if (text.size() > kLongestQuery)
    return fail({.kind = ErrorKind::Usage,
                 .message = "the query is too long",
                 .expected = fmt::format("at most {} letters", kLongestQuery),
                 .found = std::to_string(text.size())});
  auto root = QueryParser(text).whole();
  if (!root) {
    Diagnostic error = std::move(root).error();
    error.position.column = columnOf(text, error.position.column);
    error.message = fmt::format("column {}: {}", error.position.column, error.message);
    return std::unexpected(std::move(error));
  }
  Query out;
  out.root_ = std::move(*root);
  return out;
}

Result<Query> Query::of(QueryField field, std::string_view text) {
  TESSERA_ASSIGN_OR_RETURN(QueryValue value, readQueryValue(rowOf(field), {std::string(text)}, false));
  Query out;
  out.root_ = {QueryNode::Kind::Term, {}, {field}};
  out.root_.term.values.push_back(std::move(value));
  return out;
}

bool Query::isWords() const { return hasOnlyWords(root_); }

void Query::add(Query other) {
  QueryNode both;
  both.parts.push_back(std::move(root_));
  both.parts.push_back(std::move(other.root_));
  root_ = std::move(both);
}

std::string quotedForQuery(std::string_view text, const QueryFieldRow* field) {
  const bool isShape = field && field->kind == QueryValueKind::Shape;
  const bool plain = !text.empty() && text[0] != '/' && std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_.-:/").find(c) != std::string_view::npos ||
           (isShape && std::string_view("[],<=").find(c) != std::string_view::npos);
  });
  if (plain) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace tessera
