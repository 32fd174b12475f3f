// OpSharding: {replicated}, {maximal device=3}, {devices=[2,2]<=[4]T(1,0) last_tile_dims={manual}}, tuples of them, and
// the named form {mesh['x'=2], [{'x'}, {?}], replicated={'y'}}. Meshes are in mesh_proto.cpp.
#include "core/formats/proto/sharding_proto.h"

#include "core/formats/proto/hlo_data.pb.h"
#include "core/formats/proto/number_list.h"
#include "core/formats/proto/repeated.h"

namespace tessera::proto {
namespace {

using text::Lexer;
constexpr int kMaxDepth = 100;

struct TypeWord {
  std::string_view word;
  pb::OpSharding::Type type;
};
constexpr TypeWord kTypes[] = {
    {"replicated", pb::OpSharding::REPLICATED}, {"manual", pb::OpSharding::MANUAL},
    {"unknown", pb::OpSharding::UNKNOWN},       {"unreduced", pb::OpSharding::UNREDUCED},
    {"maximal", pb::OpSharding::MAXIMAL},
};

const TypeWord* typeOf(std::string_view word) {
  for (const TypeWord& t : kTypes)
    if (t.word == word) return &t;
  return nullptr;
}

std::string_view wordOf(int type) {
  for (const TypeWord& t : kTypes)
    if (t.type == type) return t.word;
  return "other";
}

// Device lists stand without brackets: digits until something else comes.
bool readDeviceList(Lexer& lexer, pb::OpSharding& out) {
  do {
    int64_t device = 0;
    if (!lexer.integer(device, "a device")) return false;
    out.add_tile_assignment_devices(device);
  } while (lexer.accept(','));
  return true;
}

bool readIota(Lexer& lexer, pb::OpSharding& out) {
  if (!lexer.expect('[', "after <=") ||
      !readNumbers(lexer, ']', [&](int64_t size) { out.add_iota_reshape_dims(size); }))
    return false;
  if (lexer.raw() == 'T') {
    lexer.bump();
    return lexer.expect('(', "after T") &&
           readNumbers(lexer, ')', [&](int64_t d) { out.add_iota_transpose_perm(static_cast<int32_t>(d)); });
  }
  for (int i = 0; i < out.iota_reshape_dims_size(); ++i) out.add_iota_transpose_perm(i);
  return true;
}

bool readDevices(Lexer& lexer, pb::OpSharding& out) {
  out.set_type(pb::OpSharding::OTHER);
  if (!lexer.expect("=[", "after devices") ||
      !readNumbers(lexer, ']', [&](int64_t n) { out.add_tile_assignment_dimensions(n); }))
    return false;
  return lexer.accept("<=") ? readIota(lexer, out) : readDeviceList(lexer, out);
}

bool readLastTileDims(Lexer& lexer, pb::OpSharding& out) {
  if (!lexer.expect("={", "after last_tile_dims")) return false;
  while (!lexer.accept('}')) {
    lexer.accept(',');
    const TypeWord* type = typeOf(lexer.word());
    if (!type) return lexer.failExpected("a sharding type");
    out.add_last_tile_dims(type->type);
  }
  return true;
}

bool readShardGroup(Lexer& lexer, pb::OpSharding& out, pb::OpSharding::ShardGroupType type) {
  int64_t id = 0;
  if (!lexer.integer(id, "a shard group")) return false;
  out.set_is_shard_group(true);
  out.set_shard_group_type(type);
  out.set_shard_group_id(id);
  return true;
}

bool readMaximalDevice(Lexer& lexer, pb::OpSharding& out) {
  int64_t device = 0;
  if (!lexer.expect('=', "after device") || !lexer.integer(device, "a device")) return false;
  out.add_tile_assignment_dimensions(1);
  out.add_tile_assignment_devices(device);
  return true;
}

bool readPlain(Lexer& lexer, pb::OpSharding& out) {
  while (!lexer.accept('}')) {
    lexer.accept(',');
    std::string_view word = lexer.word();
    bool ok = true;
    if (const TypeWord* type = typeOf(word))
      out.set_type(type->type);
    else if (word == "device")
      ok = readMaximalDevice(lexer, out);
    else if (word == "devices")
      ok = readDevices(lexer, out);
    else if (word == "last_tile_dim_replicate")
      out.set_replicate_on_last_tile_dim(true);
    else if (word == "last_tile_dims")
      ok = readLastTileDims(lexer, out);
    else if (word == "shard_as")
      ok = readShardGroup(lexer, out, pb::OpSharding::AS);
    else if (word == "shard_like")
      ok = readShardGroup(lexer, out, pb::OpSharding::LIKE);
    else
      return lexer.failExpected("a word of a sharding");  // metadata={…} has no conversion
    if (!ok) return false;
  }
  return true;
}

template <class Add>
bool readAxes(Lexer& lexer, const pb::MeshProto& mesh, Add&& add, bool* open = nullptr) {
  if (!lexer.expect('{', "before mesh axes")) return false;
  bool first = true;
  while (!lexer.accept('}')) {
    if (!std::exchange(first, false) && !lexer.expect(',', "between mesh axes")) return false;
    if (open && lexer.accept('?')) {
      *open = true;
      continue;
    }
    if (!readAxis(lexer, mesh, *add())) return false;
  }
  return true;
}

bool readReduction(Lexer& lexer, pb::NamedShardingProto& out) {
  if (lexer.peek() == '{') return true;
  pb::NamedShardingProto::ReductionOpProto op{};
  std::string word(lexer.word());
  for (char& c : word) c = static_cast<char>(c - ('a' <= c && c <= 'z' ? 32 : 0));
  if (!pb::NamedShardingProto::ReductionOpProto_Parse(word, &op)) return lexer.failExpected("sum, max or min");
  out.set_reduction_op(op);
  return true;
}

bool readNamedDims(Lexer& lexer, pb::NamedShardingProto& out) {
  bool first = true;
  while (!lexer.accept(']')) {
    if (!std::exchange(first, false) && !lexer.expect(',', "between dimensions")) return false;
    auto& dim = *out.add_dim_shardings();
    bool open = false;
    if (!readAxes(
            lexer, out.mesh(), [&] { return dim.add_axes(); }, &open))
      return false;
    dim.set_is_closed(!open);
  }
  return true;
}

bool readNamed(Lexer& lexer, pb::OpSharding& sharding) {
  sharding.set_type(pb::OpSharding::OTHER);
  auto& out = *sharding.mutable_named_sharding();
  if (!readMesh(lexer, *out.mutable_mesh())) return false;
  while (lexer.accept(',')) {
    if (lexer.accept('[')) {
      if (!readNamedDims(lexer, out)) return false;
      continue;
    }
    std::string_view word = lexer.word();
    if (!lexer.expect('=', "after a part of a named sharding")) return false;
    bool ok = false;
    if (word == "replicated") ok = readAxes(lexer, out.mesh(), [&] { return out.add_replicated_axes(); });
    if (word == "manual") ok = readAxes(lexer, out.mesh(), [&] { return out.add_manual_axes(); });
    if (word == "unreduced")
      ok = readReduction(lexer, out) && readAxes(lexer, out.mesh(), [&] { return out.add_unreduced_axes(); });
    if (!ok) return false;
  }
  return lexer.expect('}', "after the sharding");
}

bool readOne(Lexer& lexer, pb::OpSharding& out, int depth) {
  if (depth > kMaxDepth) return lexer.fail("shardings are nested too deeply");
  if (!lexer.expect('{', "before a sharding")) return false;
  const size_t begin = lexer.offset();
  if (lexer.peek() == '}' || lexer.peek() == '{') {
    out.set_type(pb::OpSharding::TUPLE);
    while (!lexer.accept('}')) {
      if (out.tuple_shardings_size() && !lexer.expect(',', "between shardings")) return false;
      if (!readOne(lexer, *out.add_tuple_shardings(), depth + 1)) return false;
    }
    return true;
  }
  std::string_view word = lexer.word();
  lexer.seek(begin);
  return word == "mesh" || word == "maximal_mesh" ? readNamed(lexer, out) : readPlain(lexer, out);
}

template <class Axes>
void appendAxes(std::string& out, const pb::MeshProto& mesh, const Axes& axes) {
  out += '{';
  for (int i = 0; i < axes.size(); ++i) {
    if (i) out += ", ";
    appendAxis(out, mesh, axes.Get(i));
  }
  out += '}';
}

void appendNamed(std::string& out, const pb::NamedShardingProto& named) {
  out += '{';
  appendMesh(out, named.mesh());
  if (named.dim_shardings_size() || named.mesh().axes_size()) out += ", [";
  for (int d = 0; d < named.dim_shardings_size(); ++d) {
    if (d) out += ", ";
    const auto& dim = named.dim_shardings(d);
    appendAxes(out, named.mesh(), dim.axes());
    if (!dim.is_closed()) out.pop_back(), out += dim.axes_size() ? ", ?}" : "?}";
  }
  if (named.dim_shardings_size() || named.mesh().axes_size()) out += ']';
  auto part = [&](std::string_view word, const auto& axes) {
    if (axes.empty()) return;
    out += ", ";
    out += word;
    appendAxes(out, named.mesh(), axes);
  };
  part("replicated=", named.replicated_axes());
  constexpr std::string_view kUnreduced[] = {"unreduced=", "unreduced=max", "unreduced=min"};
  const int op = named.reduction_op();
  part(kUnreduced[op == 1 || op == 2 ? op : 0], named.unreduced_axes());
  part("manual=", named.manual_axes());
  out += '}';
}

void appendTiles(std::string& out, const pb::OpSharding& message) {
  out += "devices=[";
  appendNumbers(out, message.tile_assignment_dimensions());
  out += ']';
  if (message.iota_reshape_dims_size()) {
    out += "<=[";
    appendNumbers(out, message.iota_reshape_dims());
    out += ']';
    if (message.iota_reshape_dims_size() > 1)
      out += "T(", appendNumbers(out, message.iota_transpose_perm()), out += ')';
  } else {
    appendNumbers(out, message.tile_assignment_devices());
  }
  if (message.replicate_on_last_tile_dim()) out += " last_tile_dim_replicate";
  if (message.last_tile_dims_size() == 0) return;
  out += " last_tile_dims={";
  for (int i = 0; i < message.last_tile_dims_size(); ++i) {
    if (i) out += ", ";
    out += wordOf(message.last_tile_dims(i));
  }
  out += '}';
}

}  // namespace

bool readSharding(std::string_view text, pb::OpSharding& out) {
  Lexer lexer(text);
  return readOne(lexer, out, 0) && lexer.atEnd();
}

void appendSharding(std::string& out, const pb::OpSharding& message) {
  if (message.has_named_sharding()) return appendNamed(out, message.named_sharding());
  out += '{';
  if (message.type() == pb::OpSharding::TUPLE) {
    for (int i = 0; i < message.tuple_shardings_size(); ++i) {
      if (i) out += ", ";
      appendSharding(out, message.tuple_shardings(i));
    }
    out += '}';
    return;
  }
  if (message.type() == pb::OpSharding::OTHER)
    appendTiles(out, message);
  else
    out += wordOf(message.type());
  if (message.type() == pb::OpSharding::MAXIMAL && message.tile_assignment_devices_size())
    out += " device=" + std::to_string(message.tile_assignment_devices(0));
  if (message.is_shard_group())
    out += (message.shard_group_type() == pb::OpSharding::AS ? " shard_as " : " shard_like ") +
           std::to_string(message.shard_group_id());
  out += '}';
}

}  // namespace tessera::proto
