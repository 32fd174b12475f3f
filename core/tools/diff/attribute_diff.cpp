// Attributes are compared by meaning: numbers of dimensions and not labels, groups expanded, literals by their bits.
#include "core/tools/diff/attribute_diff.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/text_map.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

// Ids of a document or of nobody's interest; and what the walk over the graph compares.
bool isIgnored(Attr name) {
  switch (kindOf(name)) {
    case AttributeKind::Computation:
    case AttributeKind::Computations:
    case AttributeKind::Instructions: return true;
    default: return name == Attr::origin || name == Attr::channel_id;
  }
}

bool sameGroups(const ReplicaGroups& a, const ReplicaGroups& b) {
  return a.groups.empty() && b.groups.empty() ? a.text == b.text : a.groups == b.groups;
}

bool sameLabels(ConvolutionDimensions a, ConvolutionDimensions b) {
  a.text.clear();
  b.text.clear();
  return a == b;
}

bool sameValue(const AttributeValue& a, const AttributeValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* groups = std::get_if<Boxed<ReplicaGroups>>(&a))
    return sameGroups(*groups->value, *std::get<Boxed<ReplicaGroups>>(b).value);
  if (const auto* labels = std::get_if<Boxed<ConvolutionDimensions>>(&a))
    return sameLabels(*labels->value, *std::get<Boxed<ConvolutionDimensions>>(b).value);
  if (const auto* literal = std::get_if<LiteralPtr>(&a)) {
    const LiteralPtr& other = std::get<LiteralPtr>(b);
    return *literal && other ? (*literal)->identical(*other) : *literal == other;
  }
  return a == b;
}

std::string textOf(const Module& module, const AttributeValue* value, Attr name) {
  return value ? printAttributeValue(module, *value, kindOf(name)) : std::string();
}

bool isDefault(Opcode opcode, Attr name, const std::string& text) {
  const auto rows = attributeRowsOf(opcode);
  const auto row = std::ranges::find(rows, name, &AttributeRow::name);
  if (row == rows.end()) return false;
  return text == row->defaultText || (row->defaultText.empty() && (text == "{}" || text == "false"));
}

std::optional<AttributeDifference> compareKnown(const Module& left, const Instruction& a, const Module& right,
                                                const Instruction& b, Attr name) {
  const AttributeValue* one = a.attributes->find(name);
  const AttributeValue* other = b.attributes->find(name);
  if (one && other && sameValue(*one, *other)) return std::nullopt;
  AttributeDifference out{std::string(nameOf(name)), textOf(left, one, name), textOf(right, other, name)};
  if (!one != !other && isDefault(a.opcode, name, one ? out.inLeft : out.inRight)) return std::nullopt;
  return out;
}

// Equal values have equal texts.
std::string canonicalText(const Module& module, const Attribute& attribute) {
  if (const auto* groups = std::get_if<Boxed<ReplicaGroups>>(&attribute.value)) {
    const auto& lists = groups->value->groups;
    std::string out = lists.empty() ? groups->value->text : std::string();
    for (const std::vector<int64_t>& list : lists) out += fmt::format("[{}]", fmt::join(list, ","));
    return out;
  }
  if (const auto* labels = std::get_if<Boxed<ConvolutionDimensions>>(&attribute.value)) {
    const ConvolutionDimensions& d = *labels->value;
    return fmt::format("{},{},{},{},{},{} {} {} {}", d.inputBatch, d.inputFeature, d.kernelInput, d.kernelOutput,
                       d.outputBatch, d.outputFeature, fmt::join(d.inputSpatial, ","), fmt::join(d.kernelSpatial, ","),
                       fmt::join(d.outputSpatial, ","));
  }
  return printAttributeValue(module, attribute.value, kindOf(attribute.name));
}

std::string unknownText(const AttributeSet& set, const std::string& name) {
  for (const UnknownAttribute& unknown : set.unknown)
    if (unknown.name == name) return unknown.value.text;
  return {};
}

}  // namespace

std::vector<AttributeDifference> attributeDifferences(const Module& left, const Instruction& a, const Module& right,
                                                      const Instruction& b) {
  std::vector<AttributeDifference> out;
  if (a.attributes == b.attributes) return out;
  const auto isNew = [&](std::string_view name) {
    return std::ranges::find(out, name, &AttributeDifference::name) == out.end();
  };
  for (const Instruction* side : {&a, &b})
    for (const Attribute& attribute : side->attributes->items()) {
      if (isIgnored(attribute.name) || !isNew(nameOf(attribute.name))) continue;
      if (auto found = compareKnown(left, a, right, b, attribute.name)) out.push_back(std::move(*found));
    }
  for (const Instruction* side : {&a, &b})
    for (const UnknownAttribute& unknown : side->attributes->unknown) {
      const std::string one = unknownText(*a.attributes, unknown.name),
                        other = unknownText(*b.attributes, unknown.name);
      if (one != other && isNew(unknown.name)) out.push_back({unknown.name, one, other});
    }
  return out;
}

uint64_t attributesHash(const Module& module, const Instruction& instruction) {
  uint64_t sum = 0;
  for (const Attribute& attribute : instruction.attributes->items()) {
    if (isIgnored(attribute.name)) continue;
    const std::string text = canonicalText(module, attribute);
    if (!isDefault(instruction.opcode, attribute.name, text))
      sum += mixedHash(mixedHash(static_cast<uint64_t>(attribute.name), hashText(text)), 1);
  }
  for (const UnknownAttribute& unknown : instruction.attributes->unknown)
    sum += mixedHash(mixedHash(hashText(unknown.name), hashText(unknown.value.text)), 1);
  return sum;
}

}  // namespace tessera
