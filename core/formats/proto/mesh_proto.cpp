// Meshes and their axes, as named shardings and mesh replica groups write them.
#include <numeric>

#include "core/formats/proto/hlo_data.pb.h"
#include "core/formats/proto/number_list.h"
#include "core/formats/proto/repeated.h"
#include "core/formats/proto/sharding_proto.h"

namespace tessera::proto {
namespace {

using text::Lexer;

// (0,1,2) or ([2,4]T(1,0)), behind "device_ids=".
bool readDeviceIds(Lexer& lexer, pb::MeshProto& out) {
  if (!lexer.expect('(', "before the device ids")) return false;
  if (!lexer.accept('[')) return readNumbers(lexer, ')', [&](int64_t id) { out.add_device_ids(id); });
  auto& iota = *out.mutable_iota_transform();
  if (!readNumbers(lexer, ']', [&](int64_t size) { iota.add_reshape_dims(size); })) return false;
  if (lexer.accept('T')) {
    if (!lexer.expect('(', "after T")) return false;
    if (!readNumbers(lexer, ')', [&](int64_t d) { iota.add_transpose_perm(d); })) return false;
  } else {
    for (int i = 0; i < iota.reshape_dims_size(); ++i) iota.add_transpose_perm(i);
  }
  return lexer.expect(')', "after the device ids");
}

}  // namespace

bool readMesh(Lexer& lexer, pb::MeshProto& out) {
  if (lexer.accept("maximal_mesh")) {
    int64_t device = 0;
    if (!lexer.expect("[device_id=", "after maximal_mesh") || !lexer.integer(device, "a device")) return false;
    out.add_device_ids(device);
    return lexer.expect(']', "after the device");
  }
  if (!lexer.expect("mesh", "before a mesh") || !lexer.expect('[', "after mesh")) return false;
  while (!lexer.accept(']')) {
    if (out.axes_size() && !lexer.expect(',', "between mesh axes")) return false;
    std::string name;
    int64_t size = 0;
    if (!lexer.quoted(name, "an axis name") || !lexer.expect('=', "after the axis name") ||
        !lexer.integer(size, "an axis size"))
      return false;
    auto& axis = *out.add_axes();
    axis.set_name(name);
    axis.set_size(size);
  }
  const size_t before = lexer.offset();
  if (lexer.accept(',') && lexer.acceptWord("device_ids"))
    return lexer.expect('=', "after device_ids") && readDeviceIds(lexer, out);
  lexer.seek(before);
  return true;
}

void appendMesh(std::string& out, const pb::MeshProto& mesh) {
  if (mesh.axes_size() == 0 && mesh.device_ids_size() == 1) {
    out += "maximal_mesh[device_id=" + std::to_string(mesh.device_ids(0)) + ']';
    return;
  }
  out += "mesh[";
  for (int i = 0; i < mesh.axes_size(); ++i) {
    if (i) out += ',';
    out += '\'' + mesh.axes(i).name() + "'=" + std::to_string(mesh.axes(i).size());
  }
  out += ']';
  if (mesh.has_iota_transform() && mesh.iota_transform().reshape_dims_size() != 0) {
    const auto& iota = mesh.iota_transform();
    out += ", device_ids=([";
    appendNumbers(out, iota.reshape_dims());
    out += ']';
    if (iota.transpose_perm_size() > 1) out += "T(", appendNumbers(out, iota.transpose_perm()), out += ')';
    out += ')';
  } else if (mesh.device_ids_size() != 0) {
    out += ", device_ids=(";
    appendNumbers(out, mesh.device_ids());
    out += ')';
  }
}

bool readAxis(Lexer& lexer, const pb::MeshProto& mesh, pb::AxisRefProto& out) {
  int64_t index = -1;
  const size_t at = lexer.offset();
  if (lexer.peek() == '\'' || lexer.peek() == '"') {
    std::string name;
    if (!lexer.quoted(name, "an axis name")) return false;
    for (int i = 0; i < mesh.axes_size(); ++i)
      if (mesh.axes(i).name() == name) index = i;
  } else if (!lexer.integer(index, "a mesh axis")) {
    return false;
  }
  if (index < 0 || index >= mesh.axes_size()) return lexer.failAt(at, "the mesh has no such axis");
  out.set_mesh_axis_index(index);
  if (!lexer.accept(':')) return true;
  int64_t pre = 0, size = 0;
  if (!lexer.expect('(', "in the sub-axis") || !lexer.integer(pre, "a pre-size") ||
      !lexer.expect(')', "in the sub-axis") || !lexer.integer(size, "a size"))
    return false;
  out.mutable_sub_axis_info()->set_pre_size(pre);
  out.mutable_sub_axis_info()->set_size(size);
  return true;
}

void appendAxis(std::string& out, const pb::MeshProto& mesh, const pb::AxisRefProto& axis) {
  const int64_t index = axis.mesh_axis_index();
  if (index >= 0 && index < mesh.axes_size())
    out += '\'' + mesh.axes(static_cast<int>(index)).name() + '\'';
  else
    out += std::to_string(index);
  if (!axis.has_sub_axis_info()) return;
  out += ":(" + std::to_string(axis.sub_axis_info().pre_size()) + ')' + std::to_string(axis.sub_axis_info().size());
}

}  // namespace tessera::proto
