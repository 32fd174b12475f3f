// Unknown fields in protobuf text: `123: 4`, `5 { 1: "x" }`, as protobuf prints what a binary message held beside its
// fields. Its own parser refuses them. They are cut out of the text here, with where they stood, and put into the
// parsed message.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace tessera::proto {

struct UnknownFields {
  // The message that holds them: a field and which of its values, from the outermost message inwards.
  std::vector<std::pair<const google::protobuf::FieldDescriptor*, int>> path;
  std::string fields;  // as bytes on the wire
};

// Blanks what it cuts, so that lines and columns stay. What is not well formed stays for protobuf's parser to refuse,
// and so does what nests deeper than `maxNesting`.
std::vector<UnknownFields> cutUnknownFields(std::string& text, const google::protobuf::Descriptor* message,
                                            int maxNesting);
// False when a path leads nowhere.
bool putUnknownFields(const std::vector<UnknownFields>& unknown, google::protobuf::Message& message);

}  // namespace tessera::proto
