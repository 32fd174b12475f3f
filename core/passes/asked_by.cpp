// See asked_by.h.
#include "core/passes/asked_by.h"

#include <fmt/format.h>

namespace tessera {

void setAskedBy(AttributeSet& attributes, std::string_view name, std::string_view reason) {
  attributes.set(Attr::frontend_attributes,
                 RawText{fmt::format("{{asked_by=\"{}\",because=\"{}\"}}", name, reason), false});
}

bool tellsWhoAsked(const Attribute& attribute) {
  if (attribute.name != Attr::frontend_attributes) return false;
  const auto* text = std::get_if<RawText>(&attribute.value);
  return text && text->text.starts_with("{asked_by=");
}

}  // namespace tessera
