// Who asked for a copy, a transpose or a pad that a pass made, and why: an attribute for people, who read it in the
// optimised module, in `explain` and in the studio. It says nothing about values, so equal instructions stay equal
// whoever asked.
#pragma once

#include <string_view>

#include "core/hlo/attributes.h"

namespace tessera {

// frontend_attributes={asked_by="name",because="reason"}
void setAskedBy(AttributeSet& attributes, std::string_view name, std::string_view reason);
// Such an attribute, and none of the source's.
bool tellsWhoAsked(const Attribute& attribute);

}  // namespace tessera
