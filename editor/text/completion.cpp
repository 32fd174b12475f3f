// The line up to the cursor is walked through once to find which part of an instruction is being typed.
#include "editor/text/completion.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/hlo/element_type.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kMaxItems = 200;

enum class Part { None, ShapeOrOpcode, Opcode, Operand, AttributeName, AttributeValue };

// Where in an instruction a line ends.
struct Spot {
  Part part = Part::None;
  std::string_view opcode, attribute;
  std::vector<std::string_view> written;  // attributes that stand before
  size_t word = 0;                        // begin of the word that is being typed
};

bool inName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '%';
}

class Walk {
 public:
  explicit Walk(std::string_view line) : line_(line) {}

  Spot spot() {
    out_.word = line_.size();
    while (out_.word > 0 && inName(line_[out_.word - 1])) --out_.word;
    if (inQuotesOrComment()) return out_;
    const size_t equals = line_.find('=');
    if (equals == std::string_view::npos || line_.substr(0, equals).find_first_of("({") != std::string_view::npos)
      return out_;
    at_ = equals + 1;
    rightSide();
    return out_;
  }

 private:
  bool ended() const { return at_ >= line_.size(); }
  void blanks() {
    while (!ended() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }
  std::string_view word() {
    const size_t begin = at_;
    while (!ended() && inName(line_[at_])) ++at_;
    return line_.substr(begin, at_ - begin);
  }
  bool inQuotesOrComment() const {
    bool quoted = false;
    for (size_t i = 0; i < line_.size(); ++i) {
      if (line_[i] == '"' && (i == 0 || line_[i - 1] != '\\')) quoted = !quoted;
      if (!quoted && line_.substr(i).starts_with("//")) return true;
      if (!quoted && line_.substr(i).starts_with("/*") && line_.find("*/", i) == std::string_view::npos) return true;
    }
    return quoted;
  }
  // Past the bracket that closes the one here; false when the line ends before.
  bool brackets() {
    int depth = 0;
    bool quoted = false;
    for (; !ended(); ++at_) {
      const char c = line_[at_];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(' || c == '{' || c == '[') ++depth;
      if ((c == ')' || c == '}' || c == ']') && --depth == 0) return ++at_, true;
    }
    return false;
  }

  void rightSide() {
    blanks();
    if (!ended() && line_[at_] == '?') ++at_;
    blanks();
    const bool tuple = !ended() && line_[at_] == '(';
    if (tuple && !brackets()) return set(Part::ShapeOrOpcode);
    std::string_view first = tuple ? std::string_view() : word();
    if (!tuple && ended()) return set(Part::ShapeOrOpcode);
    const bool shape = tuple || line_[at_] == '[';
    if (shape && !afterShape()) return;
    out_.opcode = shape ? word() : first;
    if (ended()) return set(Part::Opcode);
    operands();
  }
  // Sizes, layout and the blank behind them; false when the line ends in them.
  bool afterShape() {
    if (!ended() && line_[at_] == '[' && !brackets()) return false;
    if (!ended() && line_[at_] == '{' && !brackets()) return false;
    if (ended()) return false;
    blanks();
    return true;
  }
  void operands() {
    blanks();
    if (ended() || line_[at_] != '(') return;
    if (!brackets()) return set(out_.opcode == "constant" || out_.opcode == "parameter" ? Part::None : Part::Operand);
    attributes();
  }
  void attributes() {
    for (blanks(); !ended() && line_[at_] == ','; blanks()) {
      ++at_;
      blanks();
      const std::string_view name = word();
      if (ended()) return set(Part::AttributeName);
      if (line_[at_] != '=') return;
      ++at_;
      out_.attribute = name;
      if (!value()) return set(Part::AttributeValue);
      out_.written.push_back(name);
    }
  }
  // To the comma behind a value; false when the line ends in it.
  bool value() {
    while (!ended() && line_[at_] != ',')
      if (line_[at_] == '{' || line_[at_] == '(' || line_[at_] == '[' ? !brackets() : (++at_, false)) return false;
    return !ended();
  }
  void set(Part part) { out_.part = part; }

  std::string_view line_;
  size_t at_ = 0;
  Spot out_;
};

class Finder {
 public:
  Finder(const Module& module, std::string_view above, std::string_view typed)
      : module_(module), above_(above), typed_(typed) {}

  std::vector<Completion> find(const Spot& spot) {
    switch (spot.part) {
      case Part::None: break;
      case Part::ShapeOrOpcode: types(), opcodes(); break;
      case Part::Opcode: opcodes(); break;
      case Part::Operand: instructions(), offer("?", "an open input"); break;
      case Part::AttributeName: attributes(spot); break;
      case Part::AttributeValue: values(spot); break;
    }
    std::vector<Completion> out = std::move(begins_);
    out.insert(out.end(), std::make_move_iterator(holds_.begin()), std::make_move_iterator(holds_.end()));
    if (out.size() > kMaxItems) out.resize(kMaxItems);
    return out;
  }

 private:
  void offer(std::string text, std::string hint) {
    const std::string_view bare =
        typed_.starts_with('%') && !text.starts_with('%') ? std::string_view() : std::string_view(text);
    const std::string_view sought = text.starts_with('%') && !typed_.starts_with('%') ? bare.substr(1) : bare;
    if (bare.empty()) return;
    if (sought.starts_with(typed_))
      begins_.push_back({std::move(text), std::move(hint)});
    else if (typed_.size() > 1 && sought.find(typed_) != std::string_view::npos)
      holds_.push_back({std::move(text), std::move(hint)});
  }

  void types() {
    for (const char* name : {
#define TESSERA_ELEMENT_TYPE(enumerator, name, proto, bits, klass) name,
#include "core/hlo/element_types.inc"
#undef TESSERA_ELEMENT_TYPE
         })
      if (const auto type = elementTypeFromName(name); type && isArrayElement(*type))
        offer(std::string(name) + "[", "element type");
  }
  void opcodes() {
    for (const OpDef* op : allOps()) offer(std::string(nameOf(op->opcode)) + "(", std::string(op->summary));
  }

  // Defined above in the text, the nearest first.
  void instructions() {
    size_t end = above_.size();
    while (end > 0) {
      const size_t newline = above_.rfind('\n', end - 1);
      const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      definition(above_.substr(begin, end - begin));
      if (newline == std::string_view::npos) break;
      end = newline;
    }
  }
  void definition(std::string_view line) {
    const size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return;
    std::string_view name = line.substr(0, equals);
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    if (name.starts_with("ROOT ")) name.remove_prefix(5);
    if (name.starts_with('%')) name.remove_prefix(1);
    if (name.empty() || !std::ranges::all_of(name, inName)) return;
    constexpr size_t kHint = 48;
    const std::string_view what = line.substr(equals + 3);
    offer("%" + std::string(name), std::string(what.substr(0, std::min(what.find('('), kHint))));
  }

  void attributes(const Spot& spot) {
    const auto opcode = opcodeFromName(spot.opcode);
    if (!opcode) return;
    for (bool required : {true, false})
      for (const AttributeRow& row : attributeRowsOf(*opcode)) {
        const std::string_view name = nameOf(row.name);
        if (row.required != required || std::ranges::find(spot.written, name) != spot.written.end()) continue;
        offer(std::string(name) + "=", (required ? "required. " : "") + std::string(row.doc));
      }
  }

  void values(const Spot& spot) {
    const auto attr = attrFromName(spot.attribute);
    const auto opcode = opcodeFromName(spot.opcode);
    if (!attr || !opcode) return;
    const auto rows = attributeRowsOf(*opcode);
    const auto row = std::ranges::find(rows, *attr, &AttributeRow::name);
    switch (kindOf(*attr)) {
      case AttributeKind::Bool: offer("true", ""), offer("false", ""); break;
      case AttributeKind::Computation:
      case AttributeKind::Computations: computations(); break;
      case AttributeKind::Instructions: instructions(); break;
      case AttributeKind::Enum:
      case AttributeKind::Enums:
        if (row != rows.end()) words(row->choices);
        break;
      default: break;
    }
    if (row != rows.end() && row->required) offer("?", "open");
  }
  void words(std::string_view choices) {
    while (!choices.empty()) {
      const size_t end = std::min(choices.find(' '), choices.size());
      offer(std::string(choices.substr(0, end)), "");
      choices.remove_prefix(std::min(end + 1, choices.size()));
    }
  }
  void computations() {
    for (ComputationId id : module_.order())
      if (id != module_.entry() && !module_.at(id).asyncSugar)
        offer("%" + module_.at(id).name, signatureOf(module_.at(id)));
  }
  std::string signatureOf(const Computation& computation) const {
    std::string out = "(";
    for (InstructionId parameter : computation.parameters)
      out += (out.size() > 1 ? ", " : "") +
             (parameter.valid() ? toString(module_.shapeOf(parameter), false) : std::string("?"));
    return out + ") -> " +
           (computation.root.valid() ? toString(module_.shapeOf(computation.root), false) : std::string("?"));
  }

  const Module& module_;
  std::string_view above_, typed_;
  std::vector<Completion> begins_, holds_;
};

}  // namespace

Completions completionsAt(const Module& module, std::string_view text, size_t cursor) {
  cursor = std::min(cursor, text.size());
  const size_t newline = cursor == 0 ? std::string_view::npos : text.rfind('\n', cursor - 1);
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view line = text.substr(begin, cursor - begin);
  const Spot spot = Walk(line).spot();
  const std::string_view above = begin > 0 ? text.substr(0, begin - 1) : std::string_view();
  return {begin + spot.word, Finder(module, above, line.substr(spot.word)).find(spot)};
}

}  // namespace tessera
