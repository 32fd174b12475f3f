// The reason of a copy, transpose or pad that a pass inserted: which instruction needs it, and why. For people, who
// read it in the optimised module, in `explain` and in the studio; it says nothing about values, so that equal
// instructions stay equal whatever they were inserted for. Used by the passes that insert copies and by common
// subexpressions.
#pragma once

#include <string_view>

#include "core/hlo/attributes.h"

namespace tessera {

// frontend_attributes={inserted_for="user",reason="why"}
void setCopyReason(AttributeSet& attributes, std::string_view user, std::string_view reason);
// Such an attribute, and none of the source's.
bool isCopyReason(const Attribute& attribute);

}  // namespace tessera
