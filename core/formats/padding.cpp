// See padding.h. The frontend attributes are kept as text in the IR, so that they are taken apart here, quotes and
// inner braces as units.
#include "core/formats/padding.h"

#include <charconv>

namespace tessera {
namespace {

constexpr std::string_view kInstructionName = "tessera.padding", kEntryName = "tessera.entry_padding";

std::string joined(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t value : values) out += (out.empty() ? "" : ",") + std::to_string(value);
  return out;
}

std::string layoutPadding(const Layout& layout) {
  std::string out = joined(layout.paddedDimensions);
  if (!layout.paddingValue) return out;
  char buffer[40];
  return out + '=' + std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, *layout.paddingValue).ptr);
}

bool hasPadding(const Shape& shape) {
  return shape.layout && (!shape.layout->paddedDimensions.empty() || shape.layout->paddingValue);
}

// What precedes `separator`; `text` becomes what follows it.
std::string_view cutAt(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

template <class T>
bool parse(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool parseList(std::string_view text, std::vector<int64_t>& out) {
  while (!text.empty())
    if (!parse(cutAt(text, ','), out.emplace_back())) return false;
  return true;
}

Shape* leafAt(Shape& shape, const std::vector<int64_t>& index) {
  Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->isTuple() || i < 0 || static_cast<size_t>(i) >= at->elements.size()) return nullptr;
    at = &at->elements[static_cast<size_t>(i)];
  }
  return at->isArray() ? at : nullptr;
}

// "8,128=0" onto one array.
bool padLeaf(Shape& leaf, std::string_view text) {
  const size_t equals = text.find('=');
  std::vector<int64_t> sizes;
  if (!parseList(text.substr(0, equals), sizes)) return false;
  if (!sizes.empty() && sizes.size() != leaf.dimensions.size()) return false;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] < leaf.dimensions[d]) return false;
  if (!leaf.layout) leaf.layout = Layout::rowMajor(leaf.rank());
  leaf.layout->paddedDimensions = std::move(sizes);
  if (equals == std::string_view::npos) return true;
  return parse(text.substr(equals + 1), leaf.layout->paddingValue.emplace());
}

std::unexpected<Diagnostic> doesNotFit(const Shape& shape, std::string_view text) {
  return fail("the padding \"" + std::string(text) + "\" does not fit " + toString(shape, false));
}

// One NAME=VALUE of frontend attributes, as offsets of their text.
struct ConfigEntry {
  size_t begin = 0, valueBegin = 0, end = 0;
};

size_t endOfString(std::string_view text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::optional<ConfigEntry> findEntry(std::string_view braces, std::string_view name) {
  int depth = 0;
  for (size_t at = 0; at < braces.size();) {
    const char c = braces[at];
    if (c == '"') {
      at = endOfString(braces, at);
      continue;
    }
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    const bool starts = depth == 1 && (c == '{' || c == ',' || c == ' ') && braces.substr(at + 1).starts_with(name);
    const size_t value = at + 1 + name.size() + 1;
    if (starts && value < braces.size() && braces[value - 1] == '=' && braces[value] == '"')
      return ConfigEntry{at + 1, value, endOfString(braces, value)};
    ++at;
  }
  return std::nullopt;
}

// Takes NAME="value" out and gives the value; the text becomes empty when nothing else is in it.
std::optional<std::string> takeFrontendAttribute(std::string& braces, std::string_view name) {
  const auto entry = findEntry(braces, name);
  if (!entry) return std::nullopt;
  std::string value = braces.substr(entry->valueBegin + 1, entry->end - entry->valueBegin - 2);
  size_t begin = entry->begin, end = entry->end;
  const auto isSeparator = [&](size_t at) { return braces[at] == ',' || braces[at] == ' '; };
  if (end < braces.size() && isSeparator(end)) {
    while (end < braces.size() && isSeparator(end)) ++end;
  } else {
    while (begin > 1 && isSeparator(begin - 1)) --begin;
  }
  braces.erase(begin, end - begin);
  if (trimmed(std::string_view(braces).substr(1, braces.size() - 2)).empty()) braces.clear();
  return value;
}

Status adoptOf(Module& module, const Instruction& instruction) {
  const auto* text = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  if (!text || text->text.find(kInstructionName) == std::string::npos) return {};
  std::string braces = text->text;
  const auto value = takeFrontendAttribute(braces, kInstructionName);
  if (!value) return {};
  Shape shape = *instruction.shape;
  TESSERA_TRY(applyPadding(shape, *value));
  AttributeSet set = *instruction.attributes;
  if (braces.empty())
    set.remove(Attr::frontend_attributes);
  else
    set.set(Attr::frontend_attributes, RawText{std::move(braces), false});
  module.setAttributes(instruction.id, std::move(set));
  module.setShape(instruction.id, shape);
  return {};
}

Status adoptEntry(ModuleConfig& config) {
  const auto value = takeFrontendAttribute(config.frontendAttributes, kEntryName);
  if (!value) return {};
  std::string_view rest = *value;
  while (!rest.empty()) {
    std::string_view entry = cutAt(rest, ';');
    const std::string_view place = trimmed(cutAt(entry, ':'));
    size_t number = 0;
    Shape* shape = nullptr;
    if (place == "result")
      shape = config.entryResultLayout ? &*config.entryResultLayout : nullptr;
    else if (parse(place, number) && number < config.entryParameterLayouts.size())
      shape = &config.entryParameterLayouts[number];
    if (!shape) return fail("the entry's padding names \"" + std::string(place) + "\", which its layout does not have");
    TESSERA_TRY(applyPadding(*shape, trimmed(entry)));
  }
  return {};
}

class Losses {
 public:
  explicit Losses(PaddingCarrier carrier) : carrier_(carrier) {}

  void look(const Shape& shape, const std::string& where, bool hasForm) {
    for (const ShapeLeaf& leaf : leavesOf(shape)) {
      constexpr size_t kMaxLeaves = 100;
      if (!hasPadding(*leaf.shape) || (hasForm && carried()) || found_.size() == kMaxLeaves) continue;
      found_.push_back("the padding of " + where + " (" + layoutPadding(*leaf.shape->layout) + ")");
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

  // HLO text says the padding of an instruction's own shape; protobuf that of every shape.
  bool carried() const { return carrier_ != PaddingCarrier::None; }

 private:
  PaddingCarrier carrier_;
  std::vector<std::string> found_;
};

void lookAtAttributes(const Instruction& instruction, bool hasForm, Losses& losses) {
  for (const Attribute& attribute : instruction.attributes->items()) {
    const std::string where = std::string(nameOf(attribute.name)) + " of %" + std::string(instruction.name);
    if (const auto* one = instruction.attributes->get<Shape>(attribute.name)) losses.look(*one, where, hasForm);
    if (const auto* many = std::get_if<std::vector<Shape>>(&attribute.value))
      for (const Shape& shape : *many) losses.look(shape, where, hasForm);
  }
}

}  // namespace

std::string paddingText(const Shape& shape) {
  if (shape.isArray()) return hasPadding(shape) ? layoutPadding(*shape.layout) : std::string();
  std::string out;
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (hasPadding(*leaf.shape))
      out += (out.empty() ? "{" : " {") + joined(leaf.index) + '}' + layoutPadding(*leaf.shape->layout);
  return out;
}

Status applyPadding(Shape& shape, std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view entry = cutAt(rest, ' ');
    if (entry.empty()) continue;
    std::vector<int64_t> index;
    if (entry.starts_with('{')) {
      const std::string_view inner = cutAt(entry, '}').substr(1);
      if (!parseList(inner, index)) return doesNotFit(shape, text);
    }
    Shape* leaf = leafAt(shape, index);
    if (!leaf || !padLeaf(*leaf, entry)) return doesNotFit(shape, text);
  }
  return {};
}

std::string entryPaddingText(const ModuleConfig& config) {
  std::string out;
  const auto add = [&](const std::string& place, const Shape& shape) {
    if (const std::string padding = paddingText(shape); !padding.empty())
      out += (out.empty() ? "" : "; ") + place + ": " + padding;
  };
  for (size_t i = 0; i < config.entryParameterLayouts.size(); ++i)
    add(std::to_string(i), config.entryParameterLayouts[i]);
  if (config.entryResultLayout) add("result", *config.entryResultLayout);
  return out;
}

std::string withFrontendAttribute(std::string_view braces, std::string_view name, std::string_view value) {
  if (value.empty()) return std::string(braces);
  const std::string entry = std::string(name) + "=\"" + std::string(value) + "\"}";
  if (braces.size() < 2 || trimmed(braces.substr(1, braces.size() - 2)).empty()) return '{' + entry;
  return std::string(braces.substr(0, braces.size() - 1)) + ',' + entry;
}

void adoptPadding(Module& module, Diagnostics& diagnostics) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      auto status = adoptOf(module, module.at(id));
      if (status) continue;
      Diagnostic d = std::move(status).error();
      d.message = module.at(id).reference() + ": " + d.message;
      d.instruction = id;
      d.instructionName = std::string(module.at(id).name);
      d.position = module.at(id).position;
      diagnostics.add(std::move(d));
    }
  if (module.config().frontendAttributes.find(kEntryName) == std::string::npos) return;
  ModuleConfig config = module.config();
  auto status = adoptEntry(config);
  if (!status) return diagnostics.add(std::move(status).error());
  module.setConfig(std::move(config));
}

std::vector<std::string> lostPadding(const Module& module, PaddingCarrier carrier) {
  Losses losses(carrier);
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& instruction = module.at(id);
      losses.look(*instruction.shape, instruction.reference(), true);
      lookAtAttributes(instruction, carrier == PaddingCarrier::Protobuf, losses);
    }
  if (carrier == PaddingCarrier::Protobuf) return losses.take();  // the header's facts travel in a field of ours
  const ModuleConfig& config = module.config();
  for (const Shape& shape : config.entryParameterLayouts) losses.look(shape, "entry_computation_layout", true);
  if (config.entryResultLayout) losses.look(*config.entryResultLayout, "entry_computation_layout", true);
  return losses.take();
}

}  // namespace tessera
