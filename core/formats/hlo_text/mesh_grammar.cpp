// See mesh_grammar.h. Axes are checked against the mesh: one that is not there would say nothing.
#include "core/formats/hlo_text/mesh_grammar.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::text {
namespace {

struct Axis {
  std::string name;
  int64_t size = 0;
};

// What a reference names: the whole axis, or `size` of its parts behind a factor of `before`.
struct Reference {
  size_t axis = 0;
  int64_t before = 1, size = 0;
};

struct Axes : std::vector<Axis> {
  std::vector<Reference> used;
};

// item (',' item)* up to `close`, which may come at once.
template <class Item>
bool listTo(Lexer& lexer, char close, std::string_view what, Item&& item) {
  if (lexer.accept(close)) return true;
  do {
    if (!item()) return false;
  } while (lexer.accept(','));
  return lexer.expect(close, what);
}

bool axis(Lexer& lexer, Axes& axes) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  Axis& out = axes.emplace_back();
  if (!lexer.quoted(out.name, "a quoted axis name") || !lexer.expect('=', "after the axis name") ||
      !lexer.integer(out.size, "an axis size"))
    return false;
  if (out.size < 1) return lexer.failAt(at, "an axis of a mesh has no devices", "a size of 1 or more");
  if (std::ranges::count(axes, out.name, &Axis::name) > 1)
    return lexer.failAt(at, "the mesh has two axes of this name");
  return true;
}

// The number of the mesh's devices, at most 2^62; -1 where it is more.
int64_t deviceCount(const Axes& axes) {
  int64_t out = 1;
  for (const Axis& a : axes) {
    if (out > (int64_t{1} << 62) / a.size) return -1;
    out *= a.size;
  }
  return out;
}

bool namesEach(Lexer& lexer, size_t at, const Axes& axes, std::vector<int64_t> ids) {
  const auto count = static_cast<int64_t>(ids.size());
  std::ranges::sort(ids);
  if (count != deviceCount(axes))
    return lexer.failAt(at, "the mesh has another number of places than device ids",
                        std::to_string(deviceCount(axes)) + " ids");
  return std::ranges::adjacent_find(ids) == ids.end() || lexer.failAt(at, "the device ids name a device twice");
}

// (1,0), ([2,4]T(1,0))
bool deviceIds(Lexer& lexer, const Axes& axes) {
  if (!lexer.expect('(', "before the device ids")) return false;
  const size_t at = lexer.offset();
  std::vector<int64_t> ids, order;
  auto into = [&](std::vector<int64_t>& out) {
    return [&] { return lexer.integer(out.emplace_back(), "an integer"); };
  };
  if (!lexer.accept('['))
    return listTo(lexer, ')', "after the device ids", into(ids)) && namesEach(lexer, at, axes, std::move(ids));
  if (!listTo(lexer, ']', "after the devices' sizes", into(ids))) return false;
  if (lexer.accept('T') && lexer.expect('(', "after T") && !listTo(lexer, ')', "after the transposition", into(order)))
    return false;
  return lexer.expect(')', "after the device ids");
}

// Two references to one part of an axis.
bool overlap(const Reference& a, const Reference& b) {
  if (a.axis != b.axis) return false;
  return a.size == 0 || b.size == 0 || (a.before < b.before * b.size && b.before < a.before * a.size);
}

bool subAxis(Lexer& lexer, size_t at, int64_t whole, Reference& out) {
  if (!lexer.expect('(', "before the sub-axis") || !lexer.integer(out.before, "a size") ||
      !lexer.expect(')', "in the sub-axis") || !lexer.integer(out.size, "a size"))
    return false;
  const bool divides = out.before >= 1 && out.size >= 1 && out.before <= whole && out.size <= whole &&
                       whole % out.before == 0 && whole / out.before % out.size == 0;
  return divides || lexer.failAt(at, "the sub-axis does not divide its axis", "a divisor of " + std::to_string(whole));
}

// 'x', 'x':(2)2
bool axisReference(Lexer& lexer, Axes& axes) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  std::string name;
  if (!lexer.quoted(name, "a quoted axis name")) return false;
  const auto found = std::ranges::find(axes, name, &Axis::name);
  if (found == axes.end()) return lexer.failAt(at, "the mesh has no axis '" + name + "'");
  Reference reference{static_cast<size_t>(found - axes.begin())};
  if (lexer.accept(':') && !subAxis(lexer, at, found->size, reference)) return false;
  if (std::ranges::any_of(axes.used, [&](const Reference& other) { return overlap(reference, other); }))
    return lexer.failAt(at, "a sharding names the axis '" + name + "' twice");
  axes.used.push_back(reference);
  return true;
}

bool axisSet(Lexer& lexer, Axes& axes) {
  return lexer.expect('{', "before the axes") &&
         listTo(lexer, '}', "after the axes", [&] { return axisReference(lexer, axes); });
}

// {'x', ?}: the axes of a dimension, which may stay open for more.
bool dimension(Lexer& lexer, Axes& axes) {
  bool open = false;
  return lexer.expect('{', "before a dimension's axes") && listTo(lexer, '}', "after a dimension's axes", [&] {
           if (open) return lexer.fail("? is the last of a dimension's axes");
           open = lexer.accept('?');
           return open || axisReference(lexer, axes);
         });
}

bool metadata(Lexer& lexer) {
  std::string_view ignored;
  return lexer.braces(ignored, "metadata in braces");
}

// replicated={'z'}, unreduced=sum{'w'}, manual={'v'}, metadata={…}
bool part(Lexer& lexer, Axes& axes) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  const std::string_view word = lexer.word();
  const bool known = word == "replicated" || word == "manual" || word == "unreduced" || word == "metadata";
  if (!known) return lexer.failAt(at, "a sharding has no such part", "replicated, unreduced, manual or metadata");
  if (!lexer.expect('=', "after " + std::string(word))) return false;
  if (word == "metadata") return metadata(lexer);
  if (word == "unreduced") {
    lexer.skipBlanks();
    const size_t reduction = lexer.offset();
    const std::string_view how = lexer.word();
    if (!how.empty() && how != "sum" && how != "max" && how != "min")
      return lexer.failAt(reduction, "no such reduction", "sum, max or min");
  }
  return axisSet(lexer, axes);
}

// A word instead of the dimensions: replicated, manual, unreduced[=sum|max|min][{axes}]
bool whole(Lexer& lexer, Axes& axes) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  const std::string_view word = lexer.word();
  if (word == "replicated" || word == "manual") return true;
  if (word != "unreduced")
    return lexer.failAt(at, "a sharding by a mesh goes on otherwise", "[dimensions], replicated, manual or unreduced");
  if (!lexer.accept('=')) return true;
  if (lexer.peek() == '{') return axisSet(lexer, axes);
  const size_t reduction = lexer.offset();
  const std::string_view how = lexer.word();
  if (how != "sum" && how != "max" && how != "min")
    return lexer.failAt(reduction, "no such reduction", "sum, max or min");
  return lexer.peek() != '{' || axisSet(lexer, axes);
}

bool maximal(Lexer& lexer) {
  int64_t device = 0;
  return lexer.expect('[', "after maximal_mesh") && lexer.expect("device_id=", "in maximal_mesh") &&
         lexer.integer(device, "a device") && lexer.expect(']', "after the device");
}

}  // namespace

bool meshSharding(Lexer& lexer) {
  lexer.skipBlanks();
  const std::string_view word = lexer.word();
  if (word == "maximal_mesh") {
    if (!maximal(lexer)) return false;
  } else {
    if (word != "mesh") return lexer.failExpected("a sharding");
    Axes axes;
    if (!lexer.expect('[', "after mesh") ||
        !listTo(lexer, ']', "after the mesh's axes", [&] { return axis(lexer, axes); }))
      return false;
    if (axes.empty() && lexer.accept('}')) return true;
    if (lexer.accept(',') && lexer.accept("device_ids=")) {
      if (!deviceIds(lexer, axes)) return false;
      lexer.accept(',');
    }
    if (!lexer.accept('[')) {
      if (!whole(lexer, axes)) return false;
    } else if (!listTo(lexer, ']', "after the dimensions", [&] { return dimension(lexer, axes); })) {
      return false;
    }
    while (lexer.accept(','))
      if (!part(lexer, axes)) return false;
    return lexer.expect('}', "after the sharding");
  }
  if (lexer.accept(',') && (!lexer.accept("metadata=") || !metadata(lexer)))
    return lexer.error() ? false : lexer.failExpected("metadata");
  return lexer.expect('}', "after the sharding");
}

}  // namespace tessera::text
