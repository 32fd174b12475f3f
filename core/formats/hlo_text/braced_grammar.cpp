// See braced_grammar.h.
#include "core/formats/hlo_text/braced_grammar.h"

#include <charconv>

#include <algorithm>
#include <array>

#include "core/formats/hlo_text/mesh_grammar.h"

namespace tessera::text {
namespace {

bool skipString(Lexer& lexer, std::string_view what) {
  std::string ignored;
  return lexer.quoted(ignored, what);
}

bool skipBraces(Lexer& lexer, std::string_view what) {
  std::string_view ignored;
  return lexer.braces(ignored, what);
}

bool attributeName(Lexer& lexer, std::string_view& out, std::string_view what) {
  lexer.skipBlanks();
  out = lexer.word();
  return out.empty() ? lexer.failExpected(std::string(what)) : lexer.expect('=', "after " + std::string(out));
}

// '{' [item (',' item)*] '}'
template <class Item>
bool listOf(Lexer& lexer, std::string_view what, Item&& item) {
  if (!lexer.expect('{', what)) return false;
  if (lexer.accept('}')) return true;
  do {
    if (!item()) return false;
  } while (lexer.accept(','));
  return lexer.expect('}', what);
}

bool frontendAttributes(Lexer& lexer) {
  return listOf(lexer, "around frontend_attributes", [&] {
    std::string_view name;
    if (!attributeName(lexer, name, "an attribute's name")) return false;
    return lexer.peek() == '{' ? skipBraces(lexer, "a dictionary")
                               : skipString(lexer, "a string or a dictionary in braces");
  });
}

// The first is an integer: which of the others is shown.
bool statistics(Lexer& lexer) {
  bool first = true;
  return listOf(lexer, "around statistics", [&] {
    std::string_view name;
    int64_t index = 0;
    double value = 0;
    if (!attributeName(lexer, name, first ? "visualizing_index" : "a statistic's name")) return false;
    return std::exchange(first, false) ? lexer.integer(index, "the index of a statistic")
                                       : lexer.number(value, "a number");
  });
}

bool integers(Lexer& lexer, char close, std::vector<int64_t>& out, std::string_view what) {
  do {
    if (!lexer.integer(out.emplace_back(), what)) return false;
  } while (lexer.accept(','));
  return lexer.expect(close, what);
}

bool originalArrays(Lexer& lexer, int depth) {
  if (depth > kMaxDepth) return lexer.fail("the origin is nested too deeply");
  if (lexer.accept('(')) {
    while (!lexer.accept(')')) {
      if (!originalArrays(lexer, depth + 1)) return false;
      lexer.accept(',');
    }
    return true;
  }
  if (!lexer.expect('{', "before an original array")) return false;
  if (lexer.accept('}')) return true;
  if (!skipString(lexer, "an instruction's name in quotes")) return false;
  std::vector<int64_t> index;
  if (lexer.accept('{') && !lexer.accept('}') && !integers(lexer, '}', index, "a tuple index")) return false;
  return lexer.expect('}', "after an original array");
}

bool origin(Lexer& lexer) {
  if (!lexer.expect('{', "around origin")) return false;
  if (lexer.accept('}')) return true;
  if (lexer.accept('[')) {
    lexer.skipBlanks();
    if (lexer.word() != "synthetic_call") return lexer.failExpected("synthetic_call");
    return lexer.expect(']', "after synthetic_call") && lexer.expect('}', "after origin");
  }
  return originalArrays(lexer, 0) && lexer.expect('}', "after origin");
}

bool replication(Lexer& lexer) {
  return listOf(lexer, "around parameter_replication", [&] {
    bool ignored = false;
    return lexer.boolean(ignored);
  });
}

// --- shardings

// A product of at most 2^62; -1 where it is more, or a factor is below 1.
int64_t productOf(const std::vector<int64_t>& factors) {
  int64_t out = 1;
  for (int64_t factor : factors) {
    if (factor < 1 || out > (int64_t{1} << 62) / factor) return -1;
    out *= factor;
  }
  return out;
}

constexpr std::array<std::string_view, 5> kShardingWords = {"replicated", "manual", "unknown", "unreduced", "maximal"};
bool isShardingWord(std::string_view word) { return std::ranges::find(kShardingWords, word) != kShardingWords.end(); }

struct PlainSharding {
  bool said = false, maximal = false, device = false, tiled = false, replicatedLast = false, lastDims = false;
  std::vector<int64_t> tiles;
};

bool deviceList(Lexer& lexer, const PlainSharding& sharding) {
  const size_t at = lexer.offset();
  std::vector<int64_t> devices;
  if (lexer.accept("<=")) {
    std::vector<int64_t> order;
    if (!lexer.expect('[', "after <=") || !integers(lexer, ']', devices, "a size")) return false;
    const bool transposed = lexer.accept("T(");
    if (transposed && !integers(lexer, ')', order, "a dimension")) return false;
    if (!transposed && devices.size() > 1)
      return lexer.failAt(at, "devices in several dimensions need their transposition", "T(…)");
    if (transposed && order.size() != devices.size())
      return lexer.failAt(at, "the devices' transposition has another rank than they",
                          std::to_string(devices.size()) + " dimensions");
    if (productOf(devices) != productOf(sharding.tiles))
      return lexer.failAt(at, "there are not as many devices as tiles",
                          std::to_string(productOf(sharding.tiles)) + " devices");
    return true;
  }
  do {
    if (!lexer.integer(devices.emplace_back(), "a device")) return false;
  } while (lexer.accept(','));
  if (devices.size() == 1 && !sharding.maximal) return lexer.failAt(at, "a list of devices names more than one");
  if (static_cast<int64_t>(devices.size()) == productOf(sharding.tiles)) return true;
  return lexer.failAt(at, "there are not as many devices as tiles",
                      std::to_string(productOf(sharding.tiles)) + " devices");
}

bool shardingPart(Lexer& lexer, std::string_view word, PlainSharding& out) {
  int64_t number = 0;
  if (isShardingWord(word)) return out.said = true, out.maximal = out.maximal || word == "maximal", true;
  if (word == "last_tile_dim_replicate") return out.replicatedLast = true;
  if (word == "shard_as" || word == "shard_like") return lexer.integer(number, "a shard group");
  if (word == "metadata") return lexer.expect('=', "after metadata") && skipBraces(lexer, "metadata in braces");
  if (word == "device")
    return out.device = true, lexer.expect('=', "after device") && lexer.integer(number, "a device");
  if (word == "last_tile_dims") {
    out.lastDims = true;
    return lexer.expect('=', "after last_tile_dims") && listOf(lexer, "around last_tile_dims", [&] {
             lexer.skipBlanks();
             return isShardingWord(lexer.word()) || lexer.failExpected("replicated, manual or unreduced");
           });
  }
  if (word != "devices") return lexer.failExpected("a word of a sharding");
  out.tiled = true;
  return lexer.expect("=[", "after devices") && integers(lexer, ']', out.tiles, "a number of tiles") &&
         deviceList(lexer, out);
}

bool plainSharding(Lexer& lexer, size_t begin) {
  PlainSharding sharding;
  while (!lexer.accept('}')) {
    lexer.skipBlanks();
    if (!shardingPart(lexer, lexer.word(), sharding)) return false;
  }
  if (!sharding.said && !sharding.tiled) {
    const char* const forms = "devices=[…] or replicated, manual, …";
    return lexer.failAt(begin, "a sharding does not say how the array lies", forms);
  }
  if (sharding.maximal && !sharding.device)
    return lexer.failAt(begin, "a maximal sharding names one device", "device=N");
  if (sharding.replicatedLast && sharding.lastDims)
    return lexer.failAt(begin, "a sharding has last_tile_dim_replicate or last_tile_dims, not both");
  return true;
}

bool sharding(Lexer& lexer, int depth) {
  if (depth > kMaxDepth) return lexer.fail("shardings are nested too deeply");
  lexer.skipBlanks();
  const size_t begin = lexer.offset();
  if (!lexer.expect('{', "before a sharding")) return false;
  if (lexer.accept('}')) return depth == 0 || lexer.failAt(begin, "a sharding of an array says nothing");
  if (lexer.peek() == '{') {
    do {
      if (!sharding(lexer, depth + 1)) return false;
    } while (lexer.accept(','));
    return lexer.expect('}', "after the shardings");
  }
  const size_t inside = lexer.offset();
  const std::string_view word = lexer.word();
  constexpr std::array<std::string_view, 7> kPlain = {
      "devices", "metadata", "last_tile_dim_replicate", "last_tile_dims", "shard_as", "shard_like", "device"};
  const bool plain = isShardingWord(word) || std::ranges::find(kPlain, word) != kPlain.end();
  lexer.seek(inside);
  return plain ? plainSharding(lexer, begin) : meshSharding(lexer);
}

bool domain(Lexer& lexer) {
  lexer.skipBlanks();
  const size_t begin = lexer.offset();
  if (!lexer.expect('{', "around domain")) return false;
  bool kind = false, entry = false, exit = false;
  while (!lexer.accept('}')) {
    if ((kind || entry || exit)) lexer.accept(',');
    lexer.skipBlanks();
    const size_t at = lexer.offset();
    std::string_view name;
    if (!attributeName(lexer, name, "kind, entry or exit")) return false;
    if (name == "kind") {
      std::string text;
      if (!lexer.quoted(text, "\"sharding\"")) return false;
      if (text != "sharding") return lexer.failAt(at, "the domain's kind is not known", "\"sharding\"");
      kind = true;
    } else if (name == "entry" || name == "exit") {
      (name == "entry" ? entry : exit) = true;
      if (!sharding(lexer, 0)) return false;
    } else {
      return lexer.failAt(at, "a domain has no " + std::string(name), "kind, entry or exit");
    }
  }
  return (kind && entry && exit) || lexer.failAt(begin, "a domain has a kind, an entry and an exit");
}

// {mode=highest}, {tolerance={atol=1, rtol=0.5, ulps=2}}
bool resultAccuracy(Lexer& lexer) {
  std::string_view name;
  if (!lexer.expect('{', "around result_accuracy")) return false;
  if (lexer.accept('}')) return true;
  if (!attributeName(lexer, name, "mode or tolerance")) return false;
  if (name == "mode") {
    lexer.skipBlanks();
    if (lexer.word().empty()) return lexer.failExpected("a word");
  } else if (!listOf(lexer, "around the tolerance", [&] {
               double value = 0;
               return attributeName(lexer, name, "atol, rtol or ulps") && lexer.number(value, "a number");
             })) {
    return false;
  }
  return lexer.expect('}', "after result_accuracy");
}

}  // namespace

bool followsGrammar(Lexer& lexer, Attr attr) {
  switch (attr) {
    case Attr::frontend_attributes: return frontendAttributes(lexer);
    case Attr::statistics: return statistics(lexer);
    case Attr::origin: return origin(lexer);
    case Attr::domain: return domain(lexer);
    case Attr::parameter_replication: return replication(lexer);
    case Attr::sharding: return sharding(lexer, 0);
    case Attr::result_accuracy: return resultAccuracy(lexer);
    default: return true;
  }
}

// "/*index=5*/", "/*index=10*/", …: how XLA prints long lists.
static bool isEveryFifth(std::string_view comment) {
  constexpr std::string_view kOpen = "/*index=";
  int64_t index = 0;
  const auto [end, error] =
      comment.starts_with(kOpen)
          ? std::from_chars(comment.data() + kOpen.size(), comment.data() + comment.size() - 2, index)
          : std::from_chars_result{comment.data(), std::errc::invalid_argument};
  return error == std::errc() && end == comment.data() + comment.size() - 2 && index > 0 && index % 5 == 0;
}

std::string withoutComments(std::string_view braced) {
  std::string out;
  for (size_t at = 0; at < braced.size(); ++at) {
    if (braced[at] == '"') {
      const size_t begin = at++;
      while (at < braced.size() && braced[at] != '"') at += braced[at] == '\\' ? 2 : 1;
      out += braced.substr(begin, at - begin + 1);
    } else if (braced.substr(at, 2) == "/*") {
      const size_t end = braced.find("*/", at + 2);
      if (end == std::string_view::npos) break;
      const std::string_view comment = braced.substr(at, end + 2 - at);
      if (isEveryFifth(comment)) out += comment;
      at = end + 1;
    } else {
      out += braced[at];
    }
  }
  return out;
}

}  // namespace tessera::text
