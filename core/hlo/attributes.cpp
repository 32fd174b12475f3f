// The attribute table and AttributeSet.
#include "core/hlo/attributes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tessera {
namespace {

struct AttributeName {
  std::string_view name;
  AttributeKind kind;
};

constexpr auto kAttributes = std::to_array<AttributeName>({
#define TESSERA_ATTRIBUTE(name, kind) {#name, AttributeKind::kind},
#include "core/hlo/attributes.inc"
#undef TESSERA_ATTRIBUTE
});

// The one name that C++ cannot spell.
constexpr std::string_view kControlPredecessors = "control-predecessors";

}  // namespace

std::string_view nameOf(Attr attr) {
  return attr == Attr::control_predecessors ? kControlPredecessors : kAttributes[static_cast<size_t>(attr)].name;
}

AttributeKind kindOf(Attr attr) { return kAttributes[static_cast<size_t>(attr)].kind; }

std::optional<Attr> attrFromName(std::string_view name) {
  static const auto byName = [] {
    std::unordered_map<std::string_view, Attr> map;
    for (size_t i = 0; i < kAttributes.size(); ++i) map.emplace(nameOf(static_cast<Attr>(i)), static_cast<Attr>(i));
    return map;
  }();
  auto it = byName.find(name);
  if (it == byName.end()) return std::nullopt;
  return it->second;
}

AttributeSet::AttributeSet() = default;
AttributeSet::~AttributeSet() = default;
AttributeSet::AttributeSet(const AttributeSet& other) = default;
AttributeSet::AttributeSet(AttributeSet&& other) noexcept = default;
AttributeSet& AttributeSet::operator=(const AttributeSet& other) = default;
AttributeSet& AttributeSet::operator=(AttributeSet&& other) noexcept = default;

const AttributeValue* AttributeSet::find(Attr name) const {
  auto it = std::ranges::find(items_, name, &Attribute::name);
  return it == items_.end() ? nullptr : &it->value;
}

int64_t AttributeSet::intOr(Attr name, int64_t otherwise) const {
  const auto* value = get<int64_t>(name);
  return value ? *value : otherwise;
}

bool AttributeSet::boolOr(Attr name, bool otherwise) const {
  const auto* value = get<bool>(name);
  return value ? *value : otherwise;
}

const std::vector<int64_t>& AttributeSet::ints(Attr name) const {
  static const std::vector<int64_t> none;
  const auto* value = get<std::vector<int64_t>>(name);
  return value ? *value : none;
}

std::string_view AttributeSet::textOr(Attr name, std::string_view otherwise) const {
  const auto* value = get<std::string>(name);
  return value ? std::string_view(*value) : otherwise;
}

void AttributeSet::set(Attr name, AttributeValue value) {
  auto it = std::ranges::find(items_, name, &Attribute::name);
  if (it != items_.end())
    it->value = std::move(value);
  else
    items_.push_back({name, std::move(value)});
}

void AttributeSet::remove(Attr name) {
  std::erase_if(items_, [&](const Attribute& a) { return a.name == name; });
}

}  // namespace tessera
