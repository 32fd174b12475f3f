// Replica groups in their three forms (lists, iota, mesh axes): the text is kept and, where it says so, expanded.
// iota: the devices 0…n-1 reshaped, transposed and cut into groups. mesh: the named axes vary within a group.
#include <algorithm>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/hlo/index_math.h"

namespace tessera::text {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;

std::optional<int64_t> product(const std::vector<int64_t>& sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) {
    auto next = size < 0 ? std::nullopt : checkedMul(out, size);
    if (!next || *next > kMaxDevices) return std::nullopt;
    out = *next;
  }
  return out;
}

// `base` (row-major over `sizes`) in the order of the transposed dimensions.
std::vector<int64_t> transposed(const std::vector<int64_t>& base, const std::vector<int64_t>& sizes,
                                const std::vector<int64_t>& permutation) {
  const IndexVector strides = pickDims(rowMajorStrides(sizes), permutation);
  std::vector<int64_t> out;
  out.reserve(base.size());
  forEachIndex(pickDims(sizes, permutation), [&](const IndexVector& index) {
    out.push_back(base[static_cast<size_t>(linearIndexOf(index, strides))]);
  });
  return out;
}

std::vector<std::vector<int64_t>> cut(const std::vector<int64_t>& devices, size_t size) {
  std::vector<std::vector<int64_t>> out;
  for (size_t i = 0; size > 0 && i + size <= devices.size(); i += size)
    out.emplace_back(devices.begin() + static_cast<std::ptrdiff_t>(i),
                     devices.begin() + static_cast<std::ptrdiff_t>(i + size));
  return out;
}

bool readSequence(Lexer& lexer, char open, char close, std::vector<int64_t>& out) {
  if (!lexer.expect(open, "in the replica groups")) return false;
  if (lexer.accept(close)) return true;
  do {
    if (!lexer.integer(out.emplace_back(), "an integer")) return false;
  } while (lexer.accept(','));
  return lexer.expect(close, "in the replica groups");
}

// [2,2]T(1,0): device ids in reshaped and transposed order.
bool readIotaTail(Lexer& lexer, std::vector<int64_t>& devices) {
  std::vector<int64_t> sizes, permutation;
  const size_t at = lexer.offset();
  if (!readSequence(lexer, '[', ']', sizes)) return false;
  const bool hasOrder = lexer.acceptHere('T');
  if (hasOrder && !readSequence(lexer, '(', ')', permutation)) return false;
  if (!hasOrder && sizes.size() > 1)
    return lexer.failAt(at, "device ids in several dimensions need their transposition", "T(…)");
  auto count = product(sizes);
  if (!count)
    return lexer.failAt(at, "the replica groups name too many devices", "at most " + std::to_string(kMaxDevices));
  std::vector<int64_t> sorted = permutation, identity(sizes.size());
  std::iota(identity.begin(), identity.end(), 0);
  std::ranges::sort(sorted);
  if (!permutation.empty() && sorted != identity)
    return lexer.failAt(at, "the transposition of the replica groups is no permutation of their dimensions");
  devices.resize(static_cast<size_t>(*count));
  std::iota(devices.begin(), devices.end(), 0);
  if (!permutation.empty()) devices = transposed(devices, sizes, permutation);
  return true;
}

bool readIota(Lexer& lexer, ReplicaGroups& out) {
  const size_t at = lexer.offset();
  std::vector<int64_t> tiles, devices;
  if (!readSequence(lexer, '[', ']', tiles) || !lexer.expect("<=", "in the replica groups") ||
      !readIotaTail(lexer, devices))
    return false;
  if (tiles.size() != 2 || product(tiles) != static_cast<int64_t>(devices.size()))
    return lexer.failAt(
        at, "iota replica groups need two sizes, groups and group size, whose product is the number of devices");
  out.groups = cut(devices, static_cast<size_t>(tiles[1]));
  return true;
}

struct MeshAxis {
  std::string name;
  int64_t size = 1;
};

struct AxisRef {
  size_t axis = 0;
  int64_t pre = 1, size = 0;  // size 0: the whole axis
};

bool readMeshAxes(Lexer& lexer, std::vector<MeshAxis>& axes) {
  if (!lexer.expect('[', "after mesh")) return false;
  if (lexer.accept(']')) return true;
  do {
    MeshAxis& axis = axes.emplace_back();
    if (!lexer.quoted(axis.name, "a quoted axis name") || !lexer.expect('=', "after the axis name") ||
        !lexer.integer(axis.size, "an axis size"))
      return false;
  } while (lexer.accept(','));
  return lexer.expect(']', "after the mesh");
}

bool readDeviceIds(Lexer& lexer, std::vector<int64_t>& devices) {
  const size_t before = lexer.offset();
  if (!lexer.accept(',') || !lexer.accept("device_ids=")) return lexer.seek(before), true;
  devices.clear();
  const size_t list = lexer.offset();
  if (!lexer.expect('(', "before the device ids")) return false;
  if (lexer.peek() == '[') return readIotaTail(lexer, devices) && lexer.expect(')', "after the device ids");
  lexer.seek(list);
  return readSequence(lexer, '(', ')', devices);
}

bool readAxisRef(Lexer& lexer, const std::vector<MeshAxis>& axes, AxisRef& out) {
  const size_t at = lexer.offset();
  if (isDigit(lexer.peek())) {
    int64_t index = 0;
    if (!lexer.integer(index, "an axis")) return false;
    out.axis = index >= 0 ? static_cast<size_t>(index) : axes.size();
  } else {
    std::string name;
    if (!lexer.quoted(name, "a quoted axis name")) return false;
    out.axis = static_cast<size_t>(std::ranges::find(axes, name, &MeshAxis::name) - axes.begin());
  }
  if (out.axis >= axes.size()) return lexer.failAt(at, "the mesh has no such axis");
  if (!lexer.accept(':')) return true;
  if (!lexer.expect('(', "before the sub-axis") || !lexer.integer(out.pre, "a size") ||
      !lexer.expect(')', "in the sub-axis") || !lexer.integer(out.size, "a size"))
    return false;
  const int64_t whole = axes[out.axis].size;
  if (out.pre <= 0 || out.size <= 0 || out.pre > whole || out.size > whole || whole % (out.pre * out.size) != 0)
    return lexer.failAt(at, "the sub-axis does not divide its axis");
  return true;
}

// Splits axes at sub-axes, then groups: the named pieces vary fastest, in the order in which they are named.
std::vector<std::vector<int64_t>> expandMesh(const std::vector<MeshAxis>& axes, const std::vector<AxisRef>& refs,
                                             const std::vector<int64_t>& devices) {
  std::vector<int64_t> sizes, permutation, chosen(refs.size(), -1);
  for (size_t a = 0; a < axes.size(); ++a) {
    std::vector<int64_t> cuts = {1, axes[a].size};
    for (const AxisRef& ref : refs)
      if (ref.axis == a && ref.size != 0) cuts.insert(cuts.end(), {ref.pre, ref.pre * ref.size});
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() == 1) cuts.push_back(1);
    for (size_t c = 0; c + 1 < cuts.size(); ++c) {
      if (cuts[c + 1] % cuts[c] != 0) return {};
      for (size_t r = 0; r < refs.size(); ++r)
        if (refs[r].axis == a && (refs[r].size == 0 || refs[r].pre == cuts[c]))
          chosen[r] = static_cast<int64_t>(sizes.size());
      sizes.push_back(cuts[c + 1] / cuts[c]);
    }
  }
  size_t groupSize = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (std::ranges::find(chosen, d) == chosen.end()) permutation.push_back(d);
  for (int64_t d : chosen) {
    if (d < 0 || std::ranges::find(permutation, d) != permutation.end()) return {};
    permutation.push_back(d);
    groupSize *= static_cast<size_t>(sizes[static_cast<size_t>(d)]);
  }
  return cut(transposed(devices, sizes, permutation), groupSize);
}

bool readMesh(Lexer& lexer, ReplicaGroups& out) {
  const size_t at = lexer.offset();
  std::vector<MeshAxis> axes;
  std::vector<AxisRef> refs;
  std::vector<int64_t> sizes;
  if (!readMeshAxes(lexer, axes)) return false;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  auto count = product(sizes);
  if (!count || *count == 0)
    return lexer.failAt(at, "the mesh's size is not between 1 and " + std::to_string(kMaxDevices));
  std::vector<int64_t> devices(static_cast<size_t>(*count));
  std::iota(devices.begin(), devices.end(), 0);
  if (!readDeviceIds(lexer, devices)) return false;
  if (static_cast<int64_t>(devices.size()) != *count)
    return lexer.failAt(
        at, "the mesh has " + std::to_string(*count) + " places and " + std::to_string(devices.size()) + " device ids");
  if (!lexer.expect('{', "before the mesh axes")) return false;
  while (!lexer.accept('}'))
    if ((!refs.empty() && !lexer.expect(',', "between mesh axes")) || !readAxisRef(lexer, axes, refs.emplace_back()))
      return false;
  out.groups = expandMesh(axes, refs, devices);
  return true;
}

bool readLists(Lexer& lexer, ReplicaGroups& out) {
  lexer.bump();
  while (!lexer.accept('}'))
    if ((!out.groups.empty() && !lexer.expect(',', "between replica groups")) ||
        !readSequence(lexer, '{', '}', out.groups.emplace_back()))
      return false;
  return true;
}

bool readMaximalMesh(Lexer& lexer, ReplicaGroups& out) {
  int64_t device = 0;
  if (!lexer.expect("[device_id=", "after maximal_mesh") || !lexer.integer(device, "a device") ||
      !lexer.expect(']', "after the device"))
    return false;
  if (lexer.accept('{') && !lexer.expect('}', "after maximal_mesh")) return false;
  out.groups = {{device}};
  return true;
}

}  // namespace

bool readReplicaGroups(Lexer& lexer, ReplicaGroups& out) {
  lexer.skipBlanks();
  const size_t begin = lexer.offset();
  bool ok = false;
  if (lexer.peek() == '{')
    ok = readLists(lexer, out);
  else if (lexer.peek() == '[')
    ok = readIota(lexer, out);
  else if (lexer.accept("mesh"))
    ok = readMesh(lexer, out);
  else if (lexer.accept("maximal_mesh"))
    ok = readMaximalMesh(lexer, out);
  else
    return lexer.failExpected("replica groups");
  out.text = std::string(lexer.text().substr(begin, lexer.offset() - begin));
  return ok;
}

}  // namespace tessera::text
