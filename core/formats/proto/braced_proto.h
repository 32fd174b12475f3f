// Attributes that the IR keeps as text in braces (sharding, frontend_attributes, origin, aliasing …) to and from
// their messages: one row each. Stands between attribute_proto and the messages.
#pragma once

#include <string>
#include <string_view>

#include "core/hlo/attributes.h"

namespace tessera::pb {
class HloInstructionProto;
class FrontendAttributes;
}  // namespace tessera::pb

namespace tessera::proto {

struct BracedRow {
  Attr attr;
  // Appends the text and clears the field; nothing when the message does not have it.
  void (*take)(pb::HloInstructionProto& message, const Shape& shape, std::string& out);
  // False: the message cannot represent the text.
  bool (*put)(std::string_view text, pb::HloInstructionProto& out);
};
const BracedRow* bracedRowOf(Attr attr);

void appendFrontendAttributes(std::string& out, const pb::FrontendAttributes& message);
bool readFrontendAttributes(std::string_view text, pb::FrontendAttributes& out);
// Is this one {…} and nothing else, as a JSON dictionary in HLO text must be?
bool isOneDictionary(std::string_view text);

}  // namespace tessera::proto
