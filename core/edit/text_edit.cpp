// The text is read in its place in the whole module, so that it may name other computations. The edit that is found is
// tried, and what it gives is compared with what was read: what edits cannot say is refused, not half done.
#include "core/edit/text_edit.h"

#include <algorithm>
#include <map>

#include "core/formats/hlo_text.h"
#include "core/hlo/module.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

struct Place {
  size_t begin = 0, end = 0;
};

// An empty body has no instruction's range: it is found by its head, "%NAME (…) -> ? {".
Place emptyPlaceOf(const std::string& name, const std::string& text) {
  for (const std::string& head : {"\nENTRY %" + name + " ", "\n%" + name + " "}) {
    const size_t line = text.find(head);
    const size_t close = line == std::string::npos ? line : text.find("{\n}\n", line);
    if (close != std::string::npos) return {line + 1, close + std::string_view("{\n}\n").size()};
  }
  return {};
}

// Where the computation is in the printed module.
Place placeOf(const Module& module, ComputationId id, const std::string& text,
              const std::vector<PrintedRange>& ranges) {
  Place out{std::string::npos, 0};
  for (const PrintedRange& range : ranges)
    if (module.contains(range.instruction) && module.at(range.instruction).computation == id) {
      out.begin = std::min(out.begin, range.begin);
      out.end = std::max(out.end, range.end);
    }
  if (out.begin == std::string::npos) return emptyPlaceOf(module.at(id).name, text);
  const size_t brace = text.rfind("{\n", out.begin);
  const size_t line = brace == std::string::npos ? std::string::npos : text.rfind('\n', brace);
  out.begin = line == std::string::npos ? 0 : line + 1;
  out.end = std::min(text.find("\n}", out.end), text.size() - 2) + 2;
  if (out.end < text.size() && text[out.end] == '\n') ++out.end;
  return out;
}

std::map<std::string, std::string> attributesOf(const Module& module, const Instruction& instruction) {
  std::map<std::string, std::string> out;
  for (const Attribute& each : instruction.attributes->items())
    out[std::string(nameOf(each.name))] = printAttributeValue(module, each.value, kindOf(each.name));
  return out;
}

// What an instruction is, with its operands by name; shape only where it is not inferred alone.
std::string contentOf(const Module& module, InstructionId id, bool named) {
  const Instruction& i = module.at(id);
  std::string out = named ? std::string(i.name) + " = " : std::string();
  out += std::string(i.opcodeName()) + "(";
  for (InstructionId operand : i.operands)
    out += (operand.valid() && module.contains(operand) ? std::string(module.at(operand).name) : "?") + ",";
  out += ") " + std::to_string(i.parameterNumber);
  if (i.literal) out += " " + toString(*i.shape, false) + printLiteral(*i.literal);
  for (const auto& [name, value] : attributesOf(module, i)) out += " " + name + "=" + value;
  return out;
}

std::string contentOf(const Module& module, ComputationId id) {
  std::vector<std::string> lines;
  for (InstructionId each : module.at(id).instructions)
    lines.push_back(contentOf(module, each, true) + " " + toString(module.shapeOf(each), false) +
                    (module.at(id).root == each ? " root" : ""));
  std::ranges::sort(lines);
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class Difference {
 public:
  Difference(const Module& from, ComputationId was, const Module& to, ComputationId is)
      : from_(from), to_(to), was_(was), is_(is) {}

  Result<Edit> find() {
    match();
    TESSERA_ASSIGN_OR_RETURN(const std::vector<InstructionId> order, topologicalOrder(to_, is_));
    edit_.title = "Edit the text";
    for (InstructionId id : order)
      if (!kept_.contains(id)) add(id);
    for (InstructionId id : order)
      if (kept_.contains(id)) TESSERA_TRY(change(id));
    if (const InstructionId root = to_.at(is_).root; root.valid() && idOf(root) != from_.at(was_).root)
      edit_.actions.push_back(SetRoot{idOf(root)});
    remove();
    for (const auto& [id, name] : names_) edit_.actions.push_back(Rename{id, name});
    return std::move(edit_);
  }

 private:
  // By name and operation; then what is gone and what is new with the same content is the same under another name.
  void match() {
    std::map<std::string_view, InstructionId> byName;
    for (InstructionId id : from_.at(was_).instructions) byName[from_.at(id).name] = id;
    std::vector<InstructionId> fresh;
    for (InstructionId id : to_.at(is_).instructions) {
      const auto found = byName.find(to_.at(id).name);
      if (found != byName.end() && sameKind(from_.at(found->second), to_.at(id))) {
        kept_[id] = found->second;
        byName.erase(found);
      } else {
        fresh.push_back(id);
      }
    }
    for (InstructionId id : fresh)
      for (auto old = byName.begin(); old != byName.end(); ++old)
        if (contentOf(from_, old->second, false) == contentOf(to_, id, false)) {
          kept_[id] = old->second;
          names_.emplace_back(old->second, std::string(to_.at(id).name));
          byName.erase(old);
          break;
        }
    for (const auto& [name, id] : byName) gone_.push_back(id);
  }

  // What edits can turn into each other.
  static bool sameKind(const Instruction& a, const Instruction& b) {
    if (a.opcode != b.opcode || a.parameterNumber != b.parameterNumber || a.operands.size() > b.operands.size())
      return false;
    return a.opcode != Opcode::Constant ||
           (a.shape->type == b.shape->type && a.shape->dimensions == b.shape->dimensions);
  }

  InstructionId idOf(InstructionId id) const {
    if (!id.valid()) return {};
    if (const auto kept = kept_.find(id); kept != kept_.end()) return kept->second;
    const auto added = added_.find(id);
    return added == added_.end() ? InstructionId() : added->second;
  }

  void add(InstructionId id) {
    const Instruction& i = to_.at(id);
    AddInstruction action{was_, i.opcode, "", {}, {}, {}, ""};
    const bool taken = std::ranges::any_of(from_.at(was_).instructions,
                                           [&](InstructionId each) { return from_.at(each).name == i.name; });
    if (taken)
      names_.emplace_back(newInstruction(static_cast<uint32_t>(added_.size())), std::string(i.name));
    else
      action.name = i.name;
    for (InstructionId operand : i.operands) action.operands.push_back(idOf(operand));
    for (const auto& [name, value] : attributesOf(to_, i)) action.attributes.push_back({*attrFromName(name), value});
    action.shape = *i.shape;
    if (i.literal) action.literal = printLiteral(*i.literal);
    edit_.actions.push_back(std::move(action));
    added_[id] = newInstruction(static_cast<uint32_t>(added_.size()));
  }

  Status change(InstructionId id) {
    const InstructionId old = kept_.at(id);
    const Instruction &before = from_.at(old), &after = to_.at(id);
    for (size_t k = 0; k < after.operands.size(); ++k) {
      const InstructionId wanted = idOf(after.operands[k]);
      if (k >= before.operands.size() || before.operands[k] != wanted)
        edit_.actions.push_back(SetOperand{old, static_cast<int32_t>(k), wanted});
    }
    const auto had = attributesOf(from_, before), has = attributesOf(to_, after);
    for (const auto& [name, value] : has)
      if (const auto found = had.find(name); found == had.end() || found->second != value)
        edit_.actions.push_back(SetAttribute{old, *attrFromName(name), value});
    for (const auto& [name, value] : had)
      if (!has.contains(name)) edit_.actions.push_back(SetAttribute{old, *attrFromName(name), ""});
    if (after.literal && before.literal && !after.literal->identical(*before.literal))
      edit_.actions.push_back(SetLiteral{old, printLiteral(*after.literal)});
    const bool derived =
        !after.shapeWritten && after.opcode != Opcode::Parameter;  // left out or `?`: inference says it
    if (toString(*before.shape) != toString(*after.shape) && !after.literal && !derived) {
      if (after.opcode == Opcode::Parameter)
        edit_.actions.push_back(SetParameterShape{old, *after.shape});
      else
        edit_.actions.push_back(SetShape{old, *after.shape});
    }
    return {};
  }

  void remove() {
    for (InstructionId id : gone_) edit_.actions.push_back(RemoveInstruction{id});
  }

  const Module &from_, &to_;
  const ComputationId was_, is_;
  Edit edit_;
  std::map<InstructionId, InstructionId> kept_;  // of the text -> of the module
  std::map<InstructionId, InstructionId> added_;
  std::vector<InstructionId> gone_;
  std::vector<std::pair<InstructionId, std::string>> names_;
};

Diagnostic inText(Diagnostic d, uint32_t above) {
  if (d.position.line > above) d.position.line -= above;
  d.file.clear();
  return d;
}

// The whole module with what was typed in the computation's place.
struct Typed {
  ReadResult read;
  uint32_t above = 0;  // lines in front of the computation
};
Result<Typed> readTyped(const Module& module, ComputationId computation, const std::string& typed) {
  std::vector<PrintedRange> ranges;
  std::string text = printHloText(module, &ranges);
  const Place place = placeOf(module, computation, text, ranges);
  if (place.end == 0) return fail("this computation has no text of its own to edit");
  const auto above = static_cast<uint32_t>(std::ranges::count(std::string_view(text).substr(0, place.begin), '\n'));
  text.replace(place.begin, place.end - place.begin, typed.ends_with('\n') ? typed : typed + "\n");
  return Typed{readHloText(text), above};
}

bool leavesAttributesOpen(const Module& module, ComputationId id) {
  return std::ranges::any_of(module.at(id).instructions,
                             [&](InstructionId each) { return !openAttributes(module.at(each)).empty(); });
}

bool counts(const Typed& typed, const Diagnostic& d) {
  return d.severity == Severity::Error && (!typed.read.module || d.position.line > typed.above);
}

}  // namespace

std::string computationText(const Module& module, ComputationId computation) {
  std::vector<PrintedRange> ranges;
  const std::string text = printHloText(module, &ranges);
  const Place place = placeOf(module, computation, text, ranges);
  return text.substr(place.begin, place.end - place.begin);
}

Result<Edit> editFromText(const Module& module, ComputationId computation, const std::string& typed) {
  TESSERA_ASSIGN_OR_RETURN(const Typed place, readTyped(module, computation, typed));
  const ReadResult& read = place.read;
  for (const Diagnostic& d : read.diagnostics.items())
    if (counts(place, d)) return std::unexpected(inText(d, place.above));
  if (!read.module) return fail("the text does not read");
  const auto here = read.module->findComputation(module.at(computation).name);
  if (!here || read.module->order().size() != module.order().size())
    return fail("the computation's name and number stay as they are");
  TESSERA_ASSIGN_OR_RETURN(Edit edit, Difference(module, computation, *read.module, *here).find());
  if (edit.actions.empty()) return edit;
  const auto done = apply(module, edit);
  if (!done) return std::unexpected(inText(done.error(), 0));
  if (leavesAttributesOpen(*read.module, *here)) return edit;  // a rule may fill them in
  if (contentOf(done->module, computation) != contentOf(*read.module, *here))
    return fail(
        "this change cannot be taken over as a whole: its shapes do not follow from its operands, or parameters change "
        "their numbers");
  return edit;
}

std::vector<Diagnostic> problemsInText(const Module& module, ComputationId computation, const std::string& typed) {
  std::vector<Diagnostic> out;
  if (const auto place = readTyped(module, computation, typed))
    for (const Diagnostic& d : place->read.diagnostics.items())
      if (counts(*place, d)) out.push_back(inText(d, place->above));
  if (!out.empty()) return out;
  if (const auto edit = editFromText(module, computation, typed); !edit) out.push_back(edit.error());
  return out;
}

}  // namespace tessera
