// See copy_reason.h.
#include "core/passes/copy_reason.h"

#include <fmt/format.h>

namespace tessera {

void setCopyReason(AttributeSet& attributes, std::string_view user, std::string_view reason) {
  attributes.set(Attr::frontend_attributes,
                 RawText{fmt::format("{{inserted_for=\"{}\",reason=\"{}\"}}", user, reason), false});
}

bool isCopyReason(const Attribute& attribute) {
  if (attribute.name != Attr::frontend_attributes) return false;
  const auto* text = std::get_if<RawText>(&attribute.value);
  return text && text->text.starts_with("{inserted_for=");
}

}  // namespace tessera
