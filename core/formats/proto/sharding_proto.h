// Shardings: the text of sharding={…} (tile, iota and named-mesh forms) to and from OpSharding; and mesh axes, which
// replica groups share. False when the other form cannot represent the text or the message.
#pragma once

#include <string>
#include <string_view>

namespace tessera::text {
class Lexer;
}
namespace tessera::pb {
class OpSharding;
class MeshProto;
class AxisRefProto;
class OpMetadata;
}  // namespace tessera::pb

namespace tessera::proto {

bool readSharding(std::string_view text, pb::OpSharding& out);
void appendSharding(std::string& out, const pb::OpSharding& message);

// "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))" or "maximal_mesh[device_id=3]".
bool readMesh(text::Lexer& lexer, pb::MeshProto& out);
void appendMesh(std::string& out, const pb::MeshProto& mesh);
// "'x'" or "'y':(1)2"; an axis is named or numbered.
bool readAxis(text::Lexer& lexer, const pb::MeshProto& mesh, pb::AxisRefProto& out);
void appendAxis(std::string& out, const pb::MeshProto& mesh, const pb::AxisRefProto& axis);

}  // namespace tessera::proto
