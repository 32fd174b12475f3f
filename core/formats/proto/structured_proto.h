// Attribute kinds that are messages of their own: slices, window, padding, dim labels, replica groups, source-target
// pairs. Stands between attribute_proto and the messages; each function has a sentence where its rule is not plain.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/hlo/attributes.h"

namespace tessera::pb {
class HloInstructionProto;
}

namespace tessera::proto {

// nullopt: the message does not have it. What was read is cleared there.
Result<std::optional<AttributeValue>> takeStructured(pb::HloInstructionProto& message, AttributeKind kind);
// False: not one of these kinds, or the message cannot say it.
bool putStructured(const AttributeValue& value, AttributeKind kind, pb::HloInstructionProto& out);

}  // namespace tessera::proto
