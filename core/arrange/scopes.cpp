// Builds the scope tree in one sweep; equal metadata is interned, so a path is split once per distinct metadata.
#include "core/arrange/scopes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/arrange/source_functions.h"
#include "core/hlo/source_frames.h"

namespace tessera {

std::vector<std::string_view> pathSegments(std::string_view path) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < path.size(); ++at) {
    const char c = path[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (c != '/' || depth > 0) continue;
    if (at > begin) out.push_back(path.substr(begin, at - begin));
    begin = at + 1;
  }
  if (begin < path.size()) out.push_back(path.substr(begin));
  return out;
}

std::string numberPattern(std::string_view name) {
  std::string out;
  for (char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

int64_t lastNumber(std::string_view name) {
  const size_t end = name.find_last_of("0123456789");
  if (end == std::string_view::npos) return -1;
  size_t begin = end;
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9' && end - begin < 15) --begin;
  int64_t out = 0;
  for (size_t at = begin; at <= end; ++at) out = out * 10 + (name[at] - '0');
  return out;
}

namespace {

// Longer names and deeper nests are no program's; every scope keeps its whole path, so they are cut before it grows.
constexpr size_t kLongestName = 1000;  // bytes
constexpr int32_t kDeepest = 100;

// A name that is not too long, and as another one where another is meant.
std::string shortened(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not within a letter
  return std::string(name.substr(0, end)) + "…" + std::to_string(std::hash<std::string_view>()(name));
}

constexpr std::array<std::string_view, 5> kTransforms{"jvp(", "transpose(", "vmap(", "remat(", "checkpoint("};

// Splits "transpose(jvp(x))" into "transpose(jvp())" and "x"; other segments stay whole.
std::pair<std::string, std::string_view> splitTransforms(std::string_view segment) {
  std::string outer;
  size_t depth = 0;
  for (bool again = true; again;) {
    again = false;
    for (std::string_view transform : kTransforms)
      if (segment.starts_with(transform) && segment.ends_with(')')) {
        outer += transform;
        segment = segment.substr(transform.size(), segment.size() - transform.size() - 1);
        ++depth;
        again = true;
      }
  }
  return {outer + std::string(depth, ')'), segment};
}

// Of instructions that XLA made one ("f/g/add;f/h/mul") the first.
std::vector<std::string> segmentsOf(std::string_view opName) {
  std::vector<std::string_view> segments = pathSegments(opName.substr(0, opName.find(';')));
  const bool primitiveNamed = !segments.empty() && !segments.back().ends_with(')');
  if (primitiveNamed || segments.size() == 1) segments.pop_back();  // the primitive; "f/jvp(jit(g))" is a call of g
  std::vector<std::string> out;
  for (std::string_view segment : segments) {
    const auto [outer, inner] = splitTransforms(segment);
    if (!outer.empty()) out.push_back(outer);
    for (std::string_view part : pathSegments(inner)) out.emplace_back(part);
  }
  return out;
}

// Scopes by their paths, each once.
class PathTree {
 public:
  int32_t child(int32_t parent, std::string_view name, bool isFunction = false) {
    const Scope* outer = parent < 0 ? nullptr : &scopes[static_cast<size_t>(parent)];
    if (outer && outer->depth >= kDeepest) return parent;
    const std::string segment = shortened(name);
    std::string path = outer ? outer->path + "/" : std::string();
    path += segment;
    auto [known, isNew] = byPath_.try_emplace(path, static_cast<int32_t>(scopes.size()));
    if (!isNew) return known->second;
    const uint64_t own = std::hash<std::string>()(numberPattern(segment));
    const uint64_t pattern = (outer ? outer->pattern * 0x9e3779b97f4a7c15ull : 0) + own;
    const int32_t depth = outer ? outer->depth + 1 : 0;
    scopes.push_back({path, segment, parent, depth, pattern, ScopeRole::Plain, isFunction});
    return known->second;
  }
  std::vector<Scope> scopes;

 private:
  std::unordered_map<std::string, int32_t> byPath_;
};

class ScopeBuilder {
 public:
  explicit ScopeBuilder(const Module& module) : functions_(module) {}

  int32_t scopeFor(const Metadata& metadata) {
    const std::vector<std::string> segments = segmentsOf(metadata.opName);
    // What is called inside the function (jit(_where), an einsum) stays inside it.
    size_t inner = segments.size();
    while (inner > 1 && isCall(segments[inner - 1])) --inner;
    int32_t scope = -1;
    for (size_t k = 0; k < inner; ++k) scope = child(scope, segments[k]);
    if (!segments.empty() && std::ranges::all_of(segments, isStructural))
      for (const std::string& function : functions_.namesOf(metadata)) scope = tree_.child(scope, function, true);
    for (size_t k = inner; k < segments.size(); ++k) scope = child(scope, segments[k]);
    return scope;
  }
  std::vector<Scope> take() { return std::move(tree_.scopes); }

 private:
  int32_t child(int32_t parent, std::string_view name) { return tree_.child(parent, name); }
  static bool isCall(std::string_view segment) {
    return segment.starts_with("jit(") || segment.starts_with("pjit") || segment.find("->") != segment.npos;
  }
  PathTree tree_;
  SourceFunctions functions_;
};

// What stands in jvp() is forward where something else stands in transpose().
void setRoles(std::vector<Scope>& scopes) {
  const bool hasBackward = std::ranges::any_of(scopes, [](const Scope& s) { return s.name.starts_with("transpose("); });
  for (Scope& s : scopes) {
    s.role = s.parent < 0 ? ScopeRole::Plain : scopes[static_cast<size_t>(s.parent)].role;
    if (s.name.starts_with("transpose(")) s.role = ScopeRole::Backward;
    if (hasBackward && s.name.starts_with("jvp(") && s.role == ScopeRole::Plain) s.role = ScopeRole::Forward;
    if (s.name.starts_with("rematted_computation")) s.role = ScopeRole::Recomputed;
  }
}

}  // namespace

bool isStructural(std::string_view segment) {
  constexpr std::array<std::string_view, 12> kWords{"while",       "body",      "cond",     "scan",
                                                    "closed_call", "core_call", "remat",    "checkpoint",
                                                    "pjit",        "shard_map", "xla_pmap", "main"};
  if (std::ranges::find(kWords, segment) != kWords.end()) return true;
  if (segment.starts_with("custom_jvp_call") || segment.starts_with("custom_vjp_call")) return true;
  if (segment.starts_with("branch_") || segment.starts_with("rematted_computation")) return true;
  return segment.ends_with(')') || segment.find("->") != segment.npos || segment.starts_with("pjit[");
}

std::string placeNameOf(const Module& module, const Metadata& metadata) {
  std::vector<std::string> segments = segmentsOf(metadata.opName);
  while (!segments.empty() && isStructural(segments.back())) segments.pop_back();
  return segments.empty() ? innermostFunction(module, metadata) : std::move(segments.back());
}

ScopeTree scopesOf(const Module& module, const Computation& computation) {
  ScopeTree tree;
  ScopeBuilder builder(module);
  tree.scopeOf.assign(computation.instructions.size(), -1);
  std::unordered_map<const Metadata*, int32_t> known;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Metadata* metadata = module.at(computation.instructions[i]).metadata;
    if (!metadata || metadata->opName.empty()) continue;
    const auto [found, isNew] = known.try_emplace(metadata, -1);
    if (isNew) found->second = builder.scopeFor(*metadata);
    tree.scopeOf[i] = found->second;
  }
  tree.scopes = builder.take();
  setRoles(tree.scopes);
  return tree;
}

ScopeTree scopesBy(const Computation& computation,
                   const std::function<std::vector<std::string>(InstructionId)>& segmentsOf) {
  ScopeTree tree;
  PathTree paths;
  for (InstructionId id : computation.instructions) {
    int32_t scope = -1;
    for (const std::string& segment : segmentsOf(id)) scope = paths.child(scope, segment);
    tree.scopeOf.push_back(scope);
  }
  tree.scopes = std::move(paths.scopes);
  return tree;
}

std::vector<std::string> sourceSegmentsOf(const Module& module, InstructionId id) {
  const Metadata* metadata = module.at(id).metadata;
  const SourceFrame source = metadata ? sourceOf(module, *metadata) : SourceFrame();
  if (source.file.empty()) return {};
  const std::string function = shortFunctionName(source.function);
  const std::string file(source.file.substr(source.file.find_last_of("/\\") + 1));
  return {file, file + ":" + std::to_string(source.line) + (function.empty() ? "" : " · " + function)};
}

}  // namespace tessera
