// Strings of a message that are no UTF-8. Protobuf's text form lets any bytes in by escapes; its binary form then
// refuses what was written. Used by protobuf.cpp.
#pragma once

#include <string>

namespace google::protobuf {
class Message;
}

namespace tessera::proto {

// "computations.instructions.name" of the first string field that is no UTF-8; empty: there is none.
std::string firstFieldWithoutUtf8(const google::protobuf::Message& message);

}  // namespace tessera::proto
