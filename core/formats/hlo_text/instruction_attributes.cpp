// The attributes behind an instruction's operands. Lists that are in the text again and again ("dimensions={0,1}")
// are parsed once an opcode and shared; so is every metadata={…}.
#include <algorithm>
#include <cstring>

#include "core/formats/hlo_text/braced_grammar.h"
#include "core/formats/hlo_text/module_reader.h"
#include "core/ops/op.h"

namespace tessera::text {
namespace {

// What stands from here to metadata= or the end of the line, when it is worth looking up.
std::string_view sharedHead(std::string_view text, size_t begin) {
  constexpr size_t kLongest = 256;
  std::string_view line = text.substr(begin, kLongest);
  if (size_t newline = line.find('\n'); newline != std::string_view::npos) line = line.substr(0, newline);
  size_t metadata = line.find(", metadata={");
  std::string_view head = line.substr(0, metadata);
  if (metadata == std::string_view::npos && line.size() == kLongest) return {};
  return head.starts_with("metadata=") || head.find('"') != std::string_view::npos ? std::string_view() : head;
}

// `?` alone; labels of dimensions may begin with one.
bool acceptOpen(Lexer& lexer) {
  if (lexer.peek() != '?' || !(lexer.raw(1) == ',' || lexer.raw(1) == '\0' || isBlank(lexer.raw(1)))) return false;
  lexer.bump();
  return true;
}

struct TextField {
  std::string_view name;
  std::string Metadata::*field;
};
constexpr TextField kTextFields[] = {
    {"op_type", &Metadata::opType},
    {"op_name", &Metadata::opName},
    {"source_file", &Metadata::sourceFile},
    {"deduplicated_name", &Metadata::deduplicatedName},
    {"scheduling_name", &Metadata::schedulingName},
    {"metadata_payload", &Metadata::payload},
};

struct IntField {
  std::string_view name;
  int32_t Metadata::*field;
};
constexpr IntField kIntFields[] = {
    {"source_line", &Metadata::sourceLine},      {"source_end_line", &Metadata::sourceEndLine},
    {"source_column", &Metadata::sourceColumn},  {"source_end_column", &Metadata::sourceEndColumn},
    {"stack_frame_id", &Metadata::stackFrameId},
};

}  // namespace

bool ModuleReader::readAttributes(Draft& draft) {
  AttributeSet set;
  bool shareable = true, metadataSeen = false;
  std::string_view head;
  size_t headEnd = 0;
  auto& known = attributes_[static_cast<size_t>(draft.sugar ? Opcode::Unknown : draft.instruction.opcode)];
  auto closeHead = [&] {
    if (head.empty() || lexer_.offset() != headEnd || !shareable) return;
    draft.instruction.attributes = std::make_shared<const AttributeSet>(set);
    known.emplace(head, draft.instruction.attributes);
  };
  bool first = true, found = false;
  while (lexer_.accept(',')) {
    lexer_.skipBlanks();
    const size_t at = lexer_.offset();
    if (first && !draft.sugar && draft.instruction.opcode != Opcode::Unknown) {
      first = false;
      head = sharedHead(lexer_.text(), at);
      headEnd = at + head.size();
      if (const AttributeSetPtr* shared = head.empty() ? nullptr : known.find(head)) {
        draft.instruction.attributes = *shared;
        found = true;
        lexer_.seek(headEnd);
        continue;
      }
    }
    if (lexer_.acceptWord("metadata")) {
      if (std::exchange(metadataSeen, true)) report(at, "the attribute metadata appears twice", false);
      if (!lexer_.expect('=', "after metadata") || !readMetadata(draft.instruction.metadata)) return false;
      continue;
    }
    if (found) set = *draft.instruction.attributes, found = false;
    if (!readAttribute(draft, set, shareable)) return false;
    closeHead();
  }
  if (!found && !set.empty()) {
    const bool shared = draft.instruction.attributes &&
                        draft.instruction.attributes->items().size() == set.items().size() &&
                        draft.instruction.attributes->unknown.size() == set.unknown.size();
    if (!shared) draft.instruction.attributes = std::make_shared<const AttributeSet>(std::move(set));
  }
  if (!found) checkRequired(draft);
  return true;
}

// A comma at the end of a line promises what the next line does not begin with: that one is fine, and is not blamed.
bool ModuleReader::checkComma(size_t name) {
  const size_t comma = lexer_.text().find_last_not_of(" \t\r\n", name == 0 ? 0 : name - 1);
  const bool endsLine = comma < name && lexer_.text().substr(comma, name - comma).find('\n') != std::string_view::npos;
  return lexer_.peek() == '=' || !endsLine ||
         lexer_.failAt(comma, "an attribute is missing after the comma", "NAME=VALUE");
}

bool ModuleReader::readAttribute(Draft& draft, AttributeSet& set, bool& shareable) {
  const size_t at = lexer_.offset();
  std::string_view name = lexer_.word();
  if (!checkComma(at)) return false;
  if (name.empty()) return lexer_.failExpected("an attribute");
  if (!lexer_.expect('=', "after the attribute's name")) return false;
  auto attr = attrFromName(name);
  if (!attr) {
    shareable = false;
    set.unknown.push_back({std::string(name), {std::string(lexer_.rawValue()), false}});
    report(at, "unknown attribute " + std::string(name), false);
    return true;
  }
  if (acceptOpen(lexer_)) {
    draft.open.push_back(*attr);
    shareable = false;
    checkAttribute(draft, *attr, at);
    return true;
  }
  AttributeValue value;
  const AttributeKind kind = kindOf(*attr);
  const size_t reportedBefore = reported_;
  lexer_.skipBlanks();
  if (kind == AttributeKind::Instructions || kind == AttributeKind::ShapedLiteral || lexer_.raw() == '{') {
    const bool names = kind == AttributeKind::Computation || kind == AttributeKind::Computations ||
                       kind == AttributeKind::Instructions;
    if (names) shareable = false;
  }
  const size_t valueAt = lexer_.offset();
  if (!readAttributeValue(lexer_, *attr, *this, value)) return false;
  if (saysNothing(*attr, value)) return true;
  if (kind == AttributeKind::Braced) checkGrammar(*attr, valueAt);
  if (set.has(*attr)) report(at, "the attribute " + std::string(name) + " appears twice", false);
  checkAttribute(draft, *attr, at);
  set.set(*attr, std::move(value));
  if (reported_ != reportedBefore || fatal_) shareable = false;
  return true;
}

// A value whose braces do not hold what belongs there is kept as it is, and reported.
void ModuleReader::checkGrammar(Attr attr, size_t at) {
  const size_t end = lexer_.offset();
  lexer_.seek(at);
  if (!followsGrammar(lexer_, attr)) {
    const SyntaxError error = *lexer_.error();
    lexer_.clearError();
    report(error.offset, std::string(nameOf(attr)) + ": " + error.message, false, error.expected, error.found).label =
        "attribute";
  }
  lexer_.seek(end);
}

void ModuleReader::checkAttribute(const Draft& draft, Attr attr, size_t at) {
  const Opcode opcode = draft.sugar ? draft.wrapped : draft.instruction.opcode;
  if (opcode == Opcode::Unknown || takesAttribute(opcode, attr)) return;
  if (draft.sugar && attr == Attr::async_execution_thread) return;
  report(at, "the attribute " + std::string(nameOf(attr)) + " is none of " + std::string(nameOf(opcode)) + "'s", false);
}

void ModuleReader::checkRequired(Draft& draft) {
  const Opcode opcode = draft.sugar ? draft.wrapped : draft.instruction.opcode;
  for (Attr attr : requiredAttributesOf(opcode)) {
    if (draft.instruction.attributes && draft.instruction.attributes->has(attr)) continue;
    if (std::ranges::find(draft.open, attr) != draft.open.end()) continue;  // the verifier says so
    const size_t next = diagnostics_.items().size();
    report(draft.opcodeOffset, std::string(nameOf(opcode)) + " lacks its attribute " + std::string(nameOf(attr)), false,
           std::string(nameOf(attr)) + "=…")
        .label = "attribute";
    if (diagnostics_.items().size() > next) draft.lacks.push_back(next);
  }
}

bool ModuleReader::readMetadata(const Metadata*& out) {
  std::string_view raw;
  lexer_.skipBlanks();
  const size_t begin = lexer_.offset();
  if (!lexer_.braces(raw, "metadata in braces")) return false;
  if (const Metadata* const* known = metadata_.find(raw)) {
    out = *known;
    return true;
  }
  lexer_.seek(begin + 1);
  Metadata metadata;
  std::vector<std::string_view> seen;
  while (!lexer_.accept('}')) {
    lexer_.accept(',');
    if (!readMetadataField(metadata, seen)) return false;
  }
  out = module_.tables().intern(metadata);
  metadata_.emplace(raw, out);
  return true;
}

bool ModuleReader::readMetadataField(Metadata& out, std::vector<std::string_view>& seen) {
  lexer_.skipBlanks();
  const size_t at = lexer_.offset();
  std::string_view name = lexer_.word();
  if (!checkComma(at)) return false;
  if (name.empty()) return lexer_.failExpected("a metadata field");
  if (!lexer_.expect('=', "after the metadata field")) return false;
  if (std::ranges::count(seen, name) > 0)
    return lexer_.failAt(at, "the metadata field " + std::string(name) + " appears twice");
  seen.push_back(name);
  for (const TextField& field : kTextFields)
    if (field.name == name) return lexer_.quoted(out.*field.field, "a string");
  for (const IntField& field : kIntFields) {
    if (field.name != name) continue;
    int64_t value = 0;
    if (!lexer_.integer(value, "an integer")) return false;
    if (value != static_cast<int32_t>(value)) return lexer_.failAt(at, std::string(name) + " does not fit 32 bits");
    out.*field.field = static_cast<int32_t>(value);
    return true;
  }
  if (name != "profile_type")
    return lexer_.failAt(at, "unknown metadata field " + std::string(name), "op_name, source_file, …");
  if (!lexer_.expect('{', "before the profile types")) return false;
  while (!lexer_.accept('}')) {
    lexer_.accept(',');
    if (!lexer_.integer(out.profileType.emplace_back(), "a profile type")) return false;
  }
  return true;
}

}  // namespace tessera::text
