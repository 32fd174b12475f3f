// Entries and their search: the words of a line against titles, synonyms and categories.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/sorting.h"
#include "core/edit/palette/palette.h"
#include "core/edit/palette/palette_forms.h"
#include "core/edit/palette/palette_scan.h"
#include "core/edit/typed.h"
#include "core/edit/wiring/wiring.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

struct Combination {
  std::string_view title, summary, words;
  Opcode opcode, reducer;
  std::string_view literal;
};
constexpr Combination kCombinations[] = {
    {"reduce sum", "Adds the elements along dimensions", "reduce add total axis=", Opcode::Reduce, Opcode::Add, "0"},
    {"reduce max", "The largest element along dimensions", "reduce maximum axis=", Opcode::Reduce, Opcode::Maximum, ""},
    {"reduce min", "The smallest element along dimensions", "reduce minimum axis=", Opcode::Reduce, Opcode::Minimum,
     ""},
    {"reduce product", "Multiplies the elements along dimensions", "reduce multiply prod axis=", Opcode::Reduce,
     Opcode::Multiply, "1"},
    {"counting loop", "Repeats a body 10 times; what is selected is carried through it", "while for repeat times #",
     Opcode::While, Opcode::Unknown, "10"},
    {kScanTitle, "Walks the rows of an array with a body that carries a value on; the carried values, stacked",
     "scan loop map fold recurrence rnn while for", Opcode::While, Opcode::Unknown, "1"},
    {"reduce-window sum", "Adds what lies in a window that slides over the array",
     "pool average window stencil neighbours", Opcode::ReduceWindow, Opcode::Add, "0"},
    {"reduce-window max", "The largest in a window that slides over the array", "max pool window", Opcode::ReduceWindow,
     Opcode::Maximum, ""},
    {"relu", "The larger of a value and 0", "rectified maximum", Opcode::Maximum, Opcode::Unknown, "0"},
};

struct Known {
  PaletteEntry entry;
  std::string words;      // what else finds it, in lower case; "axis=", "#": what it takes beside its name
  std::string name = {};  // as good as the title: "linear" for "linear block"
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<Known> makeEntries() {
  std::vector<Known> out;
  for (const Combination& c : kCombinations) {
    const OpDef* op = findOp(c.opcode);
    out.push_back({{std::string(c.title),
                    std::string(nameOf(op->category.category)),
                    std::string(c.summary),
                    c.opcode,
                    c.reducer,
                    std::string(c.literal),
                    {},
                    {}},
                   std::string(c.words)});
  }
  constexpr std::string_view kBlock = " block";
  for (const PaletteForm& form : paletteForms()) {
    const std::string& title = form.entry.title;
    out.push_back({form.entry, form.words,
                   title.ends_with(kBlock) ? title.substr(0, title.size() - kBlock.size()) : std::string()});
  }
  for (const OpDef* op : allOps()) {
    std::string words = lower(std::string(nameOf(op->category.category)));
    if (!op->synonyms.empty()) words += " " + std::string(op->synonyms);
    if (isElementwiseOp(op->opcode) && arityOf(op->opcode) == 2) words += " broadcast_dimensions=";
    if (op->opcode == Opcode::Convert || op->opcode == Opcode::BitcastConvert) words += " type=";
    if (op->opcode == Opcode::Constant || arityOf(op->opcode) >= 2) words += " #";
    out.push_back({{std::string(nameOf(op->opcode)),
                    std::string(nameOf(op->category.category)),
                    std::string(op->summary),
                    op->opcode,
                    Opcode::Unknown,
                    {},
                    {},
                    {}},
                   std::move(words)});
  }
  return out;
}

const std::vector<Known>& entries() {
  static const std::vector<Known> all = makeEntries();
  return all;
}

// What is used every day stands first where nothing is typed.
size_t placeOf(const std::string& category) {
  constexpr std::string_view kDaily[] = {"Elementwise",   "Reduction", "Linear algebra",
                                         "Data movement", "Structure", "Control"};
  return static_cast<size_t>(std::ranges::find(kDaily, category) - std::begin(kDaily));
}

// What most graphs are made of comes before the rest of its category.
size_t placeOf(const PaletteEntry& entry) {
  constexpr std::string_view kDaily[] = {"add",         "subtract",   "multiply",    "divide",      "maximum",
                                         "exponential", "negate",     "relu",        "compare",     "select",
                                         "reduce sum",  "reduce max", "dot",         "convolution", "reshape",
                                         "transpose",   "broadcast",  "concatenate", "slice",       "parameter",
                                         "constant",    "tuple",      "while",       "conditional", "call"};
  return static_cast<size_t>(std::ranges::find(kDaily, entry.title) - std::begin(kDaily));
}

bool hasKey(const Known& known, std::string_view key) {
  return (" " + known.words).find(" " + std::string(key)) != std::string::npos;
}

// Letters in order, not side by side.
bool scattered(std::string_view word, std::string_view in) {
  size_t at = 0;
  for (char c : in)
    if (at < word.size() && c == word[at]) ++at;
  return at == word.size();
}

// 0: no match; more is better.
int wordScore(const std::string& word, const std::string& title, const std::string& words) {
  if (title == word) return 100;
  const std::string all = " " + words + " ";
  if ((" " + title + " ").find(" " + word + " ") != std::string::npos) return 95;
  if (all.find(" " + word + " ") != std::string::npos) return 90;
  if (title.starts_with(word)) return 80;
  if (title.find(word) != std::string::npos) return 50;
  if (all.find(" " + word) != std::string::npos) return 40;
  return word.size() > 1 && scattered(word, title) ? 10 : 0;
}

// Whether an entry's words name what is said: "stride=" of "stride=2", "->" of an equation; flags are words themselves.
bool understands(const Known& known, const std::vector<std::string>& said) {
  return std::ranges::all_of(said, [&](const std::string& each) {
    const size_t equals = each.find('=');
    const bool letters = equals == std::string::npos && each.find(',') != std::string::npos;
    const std::string key = each.find("->") != std::string::npos ? "->" : letters ? "," : each.substr(0, equals + 1);
    return (equals == std::string::npos && !letters && each.find("->") == std::string::npos) || hasKey(known, key);
  });
}

// Whether the operation has the inputs that are named.
bool hasInputs(const PaletteEntry& entry, const std::vector<std::string>& inputs) {
  const OpDef* op = findOp(entry.opcode);
  return std::ranges::all_of(inputs, [&](const std::string& each) {
    return entry.form.empty() && op && std::ranges::any_of(op->operands, [&](const OperandDoc& doc) {
             return each.starts_with(doc.name) && each[doc.name.size()] == '=';
           });
  });
}

bool isNamed(const Known& known, const std::vector<std::string>& words) {
  const std::string whole = fmt::format("{}", fmt::join(words, " "));
  return whole == known.entry.title || (whole == known.name && !whole.empty());
}

int scoreOf(const Known& known, const std::vector<std::string>& words) {
  int total = isNamed(known, words) ? 201 : 1;
  for (const std::string& word : words) {
    const int score = word == known.name ? 100 : wordScore(word, known.entry.title, known.words);
    if (!score) return 0;
    total += score;
  }
  return total;
}

// What the line says beside the operation.
struct Line {
  std::vector<std::string> words;
  std::optional<Shape> shape;
  std::vector<NewAttribute> attributes;
  std::string value;  // the number or list behind the words: "multiply 2", "transpose 1,0"
  std::vector<std::string> said;
  std::vector<std::string> inputs;
};

// Said of a form, and no attribute of HLO.
bool isOption(const std::string& key) {
  constexpr std::string_view kKeys[] = {"stride", "dilation", "kernel", "features", "axis", "broadcast_dimensions",
                                        "wrt"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}
constexpr std::string_view kFlags[] = {"nchw", "nhwc", "same", "valid"};

void readWord(const std::string& word, Line& line) {
  if (auto shape = parseShape(word); shape && !word.empty() && word.find('[') != std::string::npos) {
    line.shape = std::move(*shape);
    return;
  }
  if (const size_t equals = word.find('='); equals != std::string::npos && equals > 0)
    if (const auto name = attrFromName(word.substr(0, equals))) {
      line.attributes.push_back({*name, inBraces(*name, word.substr(equals + 1))});
      return;
    }
  if (const size_t equals = word.find('='); equals != std::string::npos && isOption(word.substr(0, equals)))
    return line.said.push_back(word);
  if (const size_t equals = word.find('='); equals != std::string::npos && equals > 0 && !line.words.empty())
    return line.inputs.push_back(word);
  if (word.find("->") != std::string::npos) {
    if (line.words.empty()) line.words.push_back("einsum");
    return line.said.push_back(word);
  }
  if (word.find(',') != std::string::npos && !line.words.empty() && line.words[0] == "einsum")
    return line.said.push_back(word);
  if (const auto type = elementTypeFromName(word); type && isArrayElement(*type) && !line.words.empty())
    return line.said.push_back("type=" + word);
  if (std::ranges::find(kFlags, lower(word)) != std::end(kFlags)) line.said.push_back(lower(word));
  line.words.push_back(lower(word));
}

// "2", "-1", "0.5", and lists: "1,0".
bool isNumber(const std::string& word) {
  return word.find_first_of("0123456789") != std::string::npos &&
         word.find_first_not_of("0123456789.e+-,") == std::string::npos;
}

// Blanks inside brackets belong to the word.
Line readLine(const std::string& text) {
  Line line;
  std::string word;
  int depth = 0;
  for (char c : text + " ") {
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c != ' ' || depth > 0) {
      word += c;
      continue;
    }
    if (!word.empty()) readWord(word, line);
    word.clear();
  }
  if (line.words.size() > 1 && isNumber(line.words.back())) {
    line.value = line.words.back();
    line.words.pop_back();
  }
  return line;
}

bool hasDimensions(Opcode opcode) {
  const OpDef* op = findOp(opcode);
  return op && std::ranges::find(op->attributes, Attr::dimensions, &AttributeRow::name) != op->attributes.end();
}

// The entry with the number or list behind its name: a value ("multiply 2", "linear 64"), an axis ("reduce max 1"), its
// dimensions ("transpose 1,0"), the place in a tuple ("element 1"), the size of an iota. nullopt: it takes none.
std::optional<PaletteEntry> withNumber(const Known& known, const std::string& value) {
  PaletteEntry entry = known.entry;
  const bool single = value.find(',') == std::string::npos;
  const bool whole = value.find_first_not_of("0123456789-,") == std::string::npos;
  if (value.empty()) return entry;
  if (single && hasKey(known, "#")) {
    entry.literal = value;
  } else if (single && whole && hasKey(known, "axis=")) {
    entry.said.push_back("axis=" + value);
  } else if (whole && (hasKey(known, "dimensions=") || (entry.form.empty() && hasDimensions(entry.opcode)))) {
    entry.attributes.push_back({Attr::dimensions, "{" + value + "}"});
  } else if (single && whole && entry.opcode == Opcode::GetTupleElement) {
    entry.attributes.push_back({Attr::index, value});
  } else if (auto shape = parseShape("s32[" + value + "]"); entry.opcode == Opcode::Iota && whole && shape) {
    entry.shape = std::move(*shape);
  } else {
    return std::nullopt;
  }
  return entry;
}

std::optional<PaletteEntry> constantOf(const std::string& text, const std::optional<Shape>& said) {
  const bool fraction = text.find_first_of(".eE") != std::string::npos || text.find("inf") != std::string::npos ||
                        text.find("nan") != std::string::npos;
  const bool braced = text.starts_with("{");
  if (!said && !fraction && !braced && text.find_first_not_of("0123456789-") != std::string::npos) return std::nullopt;
  Shape shape = said ? *said : Shape::array(ElementType::F32, {});
  fillDefaultLayouts(shape);
  if (!parseLiteral(text, braced ? shape : Shape::array(shape.type, {}))) return std::nullopt;
  return PaletteEntry{"constant " + text,
                      "Structure",
                      "The value " + text + " as " + toString(shape, false),
                      Opcode::Constant,
                      Opcode::Unknown,
                      text,
                      shape,
                      {}};
}

// What the words name, best first.
std::vector<std::pair<int, const Known*>> knownBy(const Line& line) {
  std::vector<std::pair<int, const Known*>> out;
  if (line.words.empty() && line.shape) return out;
  for (const Known& known : entries())
    if (const int score = scoreOf(known, line.words)) out.emplace_back(score, &known);
  sortWith(out, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->entry.title.size() < b.second->entry.title.size();
  });
  if (line.words.empty())
    sortBy(out, [](const auto& each) {
      const PaletteEntry& entry = each.second->entry;
      return std::tuple(placeOf(entry.category), entry.category, placeOf(entry), entry.title);
    });
  return out;
}

// With all that the line says beside the name; nullopt: the entry does not take all of it.
std::optional<PaletteEntry> withSaid(const Known& known, const Line& line) {
  if (!understands(known, line.said) || !hasInputs(known.entry, line.inputs)) return std::nullopt;
  auto entry = withNumber(known, line.value);
  if (!entry) return std::nullopt;
  if (line.shape) entry->shape = line.shape;
  entry->attributes.insert(entry->attributes.begin(), line.attributes.begin(), line.attributes.end());
  entry->said.insert(entry->said.begin(), line.said.begin(), line.said.end());
  entry->inputs = line.inputs;
  return entry;
}

}  // namespace

std::vector<PaletteEntry> searchPalette(const std::string& text, size_t most) {
  const Line line = readLine(text);
  std::vector<PaletteEntry> out;
  if (line.words.empty() && line.shape)
    out.push_back({"parameter " + toString(*line.shape, false),
                   "Structure",
                   "An input of this shape",
                   Opcode::Parameter,
                   Opcode::Unknown,
                   {},
                   line.shape,
                   {}});
  if (line.words.size() == 1)
    if (auto constant = constantOf(line.words[0], line.shape)) out.push_back(std::move(*constant));
  for (const auto& [score, known] : knownBy(line)) {
    if (out.size() >= most) break;
    auto entry = withSaid(*known, line);
    if (!entry && !line.value.empty() && isNamed(*known, line.words)) break;  // "relu 6" is no leaky relu
    if (entry) out.push_back(std::move(*entry));
  }
  return out;
}

std::string notTaken(const std::string& text) {
  const Line line = readLine(text);
  const auto found = knownBy(line);
  if (found.empty() || withSaid(*found.front().second, line)) return {};
  const Known& known = *found.front().second;
  std::string what = line.value;
  for (const std::string& each : line.said)
    if (!understands(known, {each})) what = each;
  for (const std::string& each : line.inputs)
    if (!hasInputs(known.entry, {each})) what = each;
  return known.entry.title + " takes no " + what;
}

}  // namespace tessera
