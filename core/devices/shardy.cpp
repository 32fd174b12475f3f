// See shardy.h. A recursive-descent reader over the attribute's text; what it does not know is refused.
#include "core/devices/shardy.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/base/checked_math.h"

namespace tessera {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;

// A mesh axis or a part of one: "x":(2)4 is the part of size 4 behind a major part of size 2.
struct AxisReference {
  std::string name;
  int64_t preSize = 1, size = 0;  // size 0: the whole axis
};
struct ValueSharding {
  std::string mesh;
  std::vector<std::vector<AxisReference>> dimensions;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(std::string_view token) {
    skipBlanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool atEnd() {
    skipBlanks();
    return at_ == text_.size();
  }
  bool number(int64_t& out) {
    skipBlanks();
    const auto [next, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc()) return false;
    at_ = static_cast<size_t>(next - text_.data());
    return true;
  }
  bool quoted(std::string& out) {
    if (!take("\"")) return false;
    const size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  bool word(std::string& out) {
    skipBlanks();
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || std::string_view("_.-$").contains(text_[at_])))
      ++at_;
    out = text_.substr(from, at_ - from);
    return at_ > from;
  }
  // Items between what has been taken and `close`, with commas between them.
  template <class Item>
  bool list(std::string_view close, Item item) {
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(","));
    return take(close);
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

std::unexpected<Diagnostic> refuse(std::string_view what, std::string_view text) {
  return fail(ErrorKind::Unsupported, "the " + std::string(what) + " " + std::string(text) + " cannot be followed");
}

// Behind "<": ["x"=2, "y"=4], device_ids=[1, 0, …]>. A mesh of no axes has one device.
bool readMesh(Reader& reader, Mesh& mesh) {
  const auto axis = [&] {
    auto& [name, size] = mesh.axes.emplace_back();
    return reader.quoted(name) && reader.take("=") && reader.number(size) && size > 0;
  };
  if (!reader.take("[") || !reader.list("]", axis)) return false;
  if (reader.take(",")) {
    const auto device = [&] { return reader.number(mesh.devices.emplace_back()); };
    if (!reader.take("device_ids") || !reader.take("=") || !reader.take("[") || !reader.list("]", device)) return false;
  }
  if (!reader.take(">")) return false;
  int64_t count = 1;
  for (const auto& [name, size] : mesh.axes) {
    const auto next = checkedMul(count, size);
    if (!next || *next > kMaxDevices) return false;
    count = *next;
  }
  if (mesh.devices.empty()) {
    mesh.devices.resize(static_cast<size_t>(count));
    std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
  }
  return static_cast<int64_t>(mesh.devices.size()) == count;
}

bool readAxis(Reader& reader, AxisReference& axis) {
  if (!reader.quoted(axis.name)) return false;
  if (!reader.take(":")) return true;
  return reader.take("(") && reader.number(axis.preSize) && reader.take(")") && reader.number(axis.size) &&
         axis.size > 0 && axis.preSize > 0;
}

// {"x", "y":(1)2, ?}p1
bool readDimension(Reader& reader, std::vector<AxisReference>& axes) {
  if (!reader.take("{")) return false;
  const auto item = [&] { return reader.take("?") || readAxis(reader, axes.emplace_back()); };
  if (!reader.list("}", item)) return false;
  int64_t priority = 0;
  return !reader.take("p") || reader.number(priority);
}

// Axes that are said to be replicated or unreduced cut nothing.
bool readRemark(Reader& reader) {
  AxisReference axis;
  if (!reader.take("replicated") && !reader.take("unreduced")) return false;
  return reader.take("=") && reader.take("{") && reader.list("}", [&] { return readAxis(reader, axis = {}); });
}

// <@mesh, [{"x"}, {}], replicated={"y"}>
bool readSharding(Reader& reader, ValueSharding& sharding) {
  if (!reader.take("<") || !reader.take("@") || !reader.word(sharding.mesh) || !reader.take(",") || !reader.take("["))
    return false;
  if (!reader.list("]", [&] { return readDimension(reader, sharding.dimensions.emplace_back()); })) return false;
  while (reader.take(","))
    if (!readRemark(reader)) return false;
  return reader.take(">");
}

// Where a device is along an axis reference, out of its number in the mesh.
struct AxisCoordinate {
  int64_t stride = 1, size = 1;
  int64_t of(int64_t number) const { return number / stride % size; }
};

Result<AxisCoordinate> coordinateOf(const Mesh& mesh, const AxisReference& axis) {
  int64_t stride = 1;
  for (size_t i = mesh.axes.size(); i-- > 0;) {
    const auto& [name, size] = mesh.axes[i];
    if (name != axis.name) {
      stride *= size;
      continue;
    }
    const int64_t part = axis.size == 0 ? size : axis.size;
    const auto upTo = checkedMul(axis.preSize, part);
    if (!upTo || size % *upTo != 0) return refuse("part of the mesh axis", name);
    return AxisCoordinate{stride * (size / *upTo), part};
  }
  return refuse("mesh axis", "\"" + axis.name + "\"");
}

Result<Tiling> tilingOf(const ValueSharding& sharding, const Meshes& meshes, const std::vector<std::string>& axes) {
  const auto found = meshes.find(sharding.mesh);
  if (found == meshes.end()) return refuse("mesh", "@" + sharding.mesh);
  const Mesh& mesh = found->second;
  Tiling out;
  std::vector<std::vector<AxisCoordinate>> places;
  int64_t tiles = 1;
  for (const auto& dimension : sharding.dimensions) {
    places.emplace_back();
    int64_t cuts = 1;
    for (const AxisReference& axis : dimension) {
      if (std::ranges::find(axes, axis.name) == axes.end()) continue;
      TESSERA_ASSIGN_OR_RETURN(const AxisCoordinate place, coordinateOf(mesh, axis));
      places.back().push_back(place);
      cuts *= place.size;
    }
    out.tiles.push_back(cuts);
    tiles *= cuts;
    if (static_cast<int64_t>(mesh.devices.size()) % tiles != 0) return refuse("sharding over", "@" + sharding.mesh);
  }
  std::vector<std::vector<int64_t>> holders(static_cast<size_t>(tiles));
  for (size_t n = 0; n < mesh.devices.size(); ++n) {
    int64_t tile = 0;
    for (const auto& dimension : places)
      for (const AxisCoordinate& place : dimension) tile = tile * place.size + place.of(static_cast<int64_t>(n));
    holders[static_cast<size_t>(tile)].push_back(mesh.devices[n]);
  }
  out.copies = static_cast<int64_t>(mesh.devices.size()) / tiles;
  for (const auto& devices : holders) {
    if (static_cast<int64_t>(devices.size()) != out.copies)
      return refuse("sharding over", "@" + sharding.mesh + " (it names an axis twice)");
    out.devices.insert(out.devices.end(), devices.begin(), devices.end());
  }
  return out;
}

}  // namespace

std::string frontendAttribute(std::string_view attributes, std::string_view key) {
  const std::string start = std::string(key) + "=";
  size_t at = attributes.find(start);
  while (at != std::string_view::npos && at > 0 && !std::string_view("{, ").contains(attributes[at - 1]))
    at = attributes.find(start, at + 1);
  if (at == std::string_view::npos) return {};
  at += start.size();
  std::string out;
  if (at < attributes.size() && attributes[at] == '"') {
    for (++at; at < attributes.size() && attributes[at] != '"'; ++at) {
      if (attributes[at] == '\\' && at + 1 < attributes.size()) ++at;
      out += attributes[at];
    }
    return out;
  }
  int depth = 0;
  for (; at < attributes.size(); ++at) {
    const char c = attributes[at];
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0 || (depth == 0 && c == ',')) break;
    out += c;
    if (depth == 0 && c == '}') break;
  }
  return out;
}

Result<Meshes> meshesOf(const Module& module) {
  const std::string text = frontendAttribute(module.config().frontendAttributes, "xla.sdy.meshes");
  Meshes out;
  if (text.empty()) return out;
  Reader reader(text);
  const auto entry = [&] {
    std::string name;
    Mesh mesh;
    const bool read = reader.word(name) && reader.take("=") && reader.take("#sdy.mesh<") && readMesh(reader, mesh);
    out[name] = std::move(mesh);
    return read;
  };
  if (!reader.take("{") || !reader.list("}", entry) || !reader.atEnd()) return refuse("list of meshes", text);
  return out;
}

Result<std::vector<std::string>> manualAxesOf(std::string_view text) {
  std::vector<std::string> out;
  Reader reader(text);
  const auto axis = [&] { return reader.quoted(out.emplace_back()); };
  if (!reader.take("#sdy<manual_axes{") || !reader.list("}", axis) || !reader.take(">") || !reader.atEnd())
    return refuse("list of manual axes", text);
  return out;
}

Result<std::vector<Tiling>> shardyTilings(std::string_view text, const Meshes& meshes,
                                          const std::vector<std::string>& axes) {
  std::vector<ValueSharding> shardings;
  Reader reader(text);
  const auto one = [&] { return readSharding(reader, shardings.emplace_back()); };
  const bool read = reader.take("#sdy.sharding_per_value<[") ? reader.list("]", one) && reader.take(">")
                                                             : reader.take("#sdy.sharding") && one();
  if (!read || !reader.atEnd()) return refuse("sharding", text);
  std::vector<Tiling> out;
  for (const ValueSharding& sharding : shardings) {
    TESSERA_ASSIGN_OR_RETURN(Tiling tiling, tilingOf(sharding, meshes, axes));
    out.push_back(std::move(tiling));
  }
  return out;
}

}  // namespace tessera
