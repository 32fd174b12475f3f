// See query_completion.h. The word at the cursor is read backwards from it, so that what is not finished yet elsewhere
// in the line does not matter.
#include "core/tools/query/query_completion.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/ascii.h"
#include "core/base/sorting.h"
#include "core/base/text_map.h"
#include "core/hlo/source_frames.h"
#include "core/tools/query/query.h"
#include "core/tools/query/scope_words.h"

namespace tessera {
namespace {

constexpr size_t kMostCompletions = 50;

// How many instructions have each text that holds what is typed; of very many texts the first.
class TextCounts {
 public:
  explicit TextCounts(std::string_view typed) : typed_(typed) {}

  void add(std::string_view text) {
    constexpr size_t kMostTexts = 10'000;
    if (text.empty() || std::ranges::search(text, typed_, {}, asciiLower, asciiLower).empty() != typed_.empty()) return;
    if (const auto known = counts_.find(text); known != counts_.end())
      ++known->second;
    else if (counts_.size() < kMostTexts)
      counts_.emplace(text, 1);
  }
  const auto& counts() const { return counts_; }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return hashText(text); }
  };
  std::string_view typed_;
  std::unordered_map<std::string, size_t, TextHash, std::equal_to<>> counts_;
};

// The word that ends at the cursor; nothing where it is in quotes or a regular expression.
struct WordAtCursor {
  size_t from = 0;                       // of what a completion replaces
  const QueryFieldRow* field = nullptr;  // null: the word itself
  std::string typed;                     // up to the cursor
};

std::optional<WordAtCursor> wordAt(std::string_view before) {
  if (std::ranges::count(before, '"') % 2 == 1) return std::nullopt;
  size_t start = before.find_last_of(" \t(");
  start = start == std::string_view::npos ? 0 : start + 1;
  while (start < before.size() && before[start] == '-') ++start;
  const std::string_view word = before.substr(start);
  const size_t sign = word.find_first_of(":=<>");
  if (sign == std::string_view::npos) {
    const size_t bar = word.rfind('|');
    const size_t skipped = bar == std::string_view::npos ? 0 : bar + 1;
    return WordAtCursor{start + skipped, nullptr, std::string(word.substr(skipped))};
  }
  const QueryFieldRow* field = findQueryField(word.substr(0, sign));
  if (!field) return std::nullopt;
  size_t value = std::min(word.find_first_not_of(":=<>", sign), word.size());
  if (const size_t bar = word.rfind('|'); bar != std::string_view::npos && bar >= value) value = bar + 1;
  if (word.substr(value).starts_with('/') || word.substr(value).starts_with('"')) return std::nullopt;
  return WordAtCursor{start + value, field, std::string(word.substr(value))};
}

std::string loweredWord(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), asciiLower);
  return out;
}

std::string instructionsText(size_t count) {
  return count == 1 ? std::string("1 instruction") : fmt::format("{} instructions", count);
}

void countTypes(const Shape& shape, TextCounts& out) {
  for (const Shape& element : shape.elements) countTypes(element, out);
  if (shape.isArray()) out.add(nameOf(shape.type));
}

// Each opcode among them, once.
void countOpcodes(const Module& module, std::span<const InstructionId> instructions, TextCounts& out) {
  std::vector<std::string_view> names;
  for (InstructionId id : instructions)
    if (id.valid()) names.push_back(module.at(id).opcodeName());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  for (std::string_view name : names) out.add(name);
}

// What an instruction has of a field: adds each to `out` once.
void countFacts(const Module& module, const Instruction& in, QueryField field, TextCounts& out) {
  const auto add = [&](std::string_view text) { out.add(text); };
  switch (field) {
    case QueryField::Op: return add(in.opcodeName());
    case QueryField::Operand: return countOpcodes(module, in.operands, out);
    case QueryField::Name:
    case QueryField::From:
    case QueryField::Feeds:
    case QueryField::Near:
    case QueryField::Trace: return add(in.name);
    case QueryField::Dtype: return countTypes(*in.shape, out);
    case QueryField::Shape: return add(in.shape->isArray() ? toString(*in.shape, false) : std::string());
    case QueryField::In: return add(module.at(in.computation).name);
    case QueryField::Attribute:
      for (const Attribute& attribute : in.attributes->items()) add(nameOf(attribute.name));
      return add(in.metadata ? "metadata" : "");
    case QueryField::Calls:
      for (ComputationId id : module.callees(in)) add(module.contains(id) ? module.at(id).name : "");
      return;
    default: break;
  }
  if (!in.metadata) return;
  const Metadata& metadata = *in.metadata;
  if (field == QueryField::OpName) add(metadata.opName);
  if (field == QueryField::File) add(sourceOf(module, metadata).file);
  if (field == QueryField::Function || field == QueryField::Stack) add(sourceOf(module, metadata).function);
  if (field != QueryField::Under) return;
  std::vector<std::string_view> scopes = scopeWordsOfOpName(metadata.opName);
  std::ranges::sort(scopes);
  scopes.erase(std::ranges::unique(scopes).begin(), scopes.end());
  for (std::string_view scope : scopes) add(scope);
}

// Those that hold what is typed; those that begin with it first, then the most frequent.
std::vector<QueryCompletion> factsOf(const Module& module, const WordAtCursor& word) {
  TextCounts counts(word.typed);
  const bool ofUsers = word.field->field == QueryField::User;
  const std::optional<UserTable> users = ofUsers ? std::optional<UserTable>(module) : std::nullopt;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (users)
        countOpcodes(module, users->users(id), counts);
      else
        countFacts(module, module.at(id), word.field->field, counts);
  struct Ranked {
    bool inner;
    size_t count;
    const std::string* text;
  };
  std::vector<Ranked> found;
  for (const auto& [text, count] : counts.counts())
    found.push_back(
        {!loweredWord(std::string_view(text).substr(0, word.typed.size())).starts_with(loweredWord(word.typed)), count,
         &text});
  sortWith(found, [](const Ranked& a, const Ranked& b) {
    return std::tuple(a.inner, b.count, std::string_view(*a.text)) <
           std::tuple(b.inner, a.count, std::string_view(*b.text));
  });
  std::vector<QueryCompletion> out;
  for (const Ranked& each : std::span(found).first(std::min(found.size(), kMostCompletions)))
    out.push_back({quotedForQuery(*each.text, word.field), word.from, 0, instructionsText(each.count)});
  return out;
}

std::vector<QueryCompletion> choicesOf(const WordAtCursor& word) {
  std::vector<QueryCompletion> out;
  for (const QueryChoice& choice : queryChoices())
    if (choice.name.starts_with(word.typed))
      out.push_back({std::string(choice.name), word.from, 0, std::string(choice.meaning)});
  return out;
}

// The units behind the digits that are there.
std::vector<QueryCompletion> numbersOf(const WordAtCursor& word) {
  const size_t digits = std::min(word.typed.find_first_not_of("0123456789."), word.typed.size());
  const std::string number = digits ? word.typed.substr(0, digits) : "1";
  const std::string unit = loweredWord(std::string_view(word.typed).substr(digits));
  std::vector<QueryCompletion> out;
  for (const QueryUnit& known : queryUnits(word.field->kind)) {
    const bool isShort = word.field->kind == QueryValueKind::Bytes && !known.name.ends_with('B');
    if (!isShort && loweredWord(known.name).starts_with(unit))
      out.push_back({number + std::string(known.name), word.from, 0,
                     fmt::format("{} · {:.0f}", word.field->meaning, known.factor)});
  }
  return out;
}

std::vector<QueryCompletion> fieldsFor(const WordAtCursor& word) {
  std::vector<QueryCompletion> out;
  for (const QueryFieldRow& row : queryFields())
    if (row.name.starts_with(loweredWord(word.typed)))
      out.push_back({fmt::format("{}{}", row.name, takesNumber(row.kind) ? ">" : ":"), word.from, 0,
                     fmt::format("{}; {}", row.meaning, row.example)});
  return out;
}

// Where the word ends behind the cursor, so that it is replaced whole.
size_t wordEnd(std::string_view query, size_t cursor) {
  return std::min(query.find_first_of(" \t)|", cursor), query.size());
}

}  // namespace

std::vector<QueryCompletion> completeQuery(const Module& module, std::string_view query, size_t cursor) {
  cursor = std::min(cursor, query.size());
  const auto word = wordAt(query.substr(0, cursor));
  if (!word) return {};
  std::vector<QueryCompletion> out = !word->field                                  ? fieldsFor(*word)
                                     : takesNumber(word->field->kind)              ? numbersOf(*word)
                                     : word->field->kind == QueryValueKind::Choice ? choicesOf(*word)
                                                                                   : factsOf(module, *word);
  for (QueryCompletion& each : out) each.to = wordEnd(query, cursor);
  return out;
}

}  // namespace tessera
