// Builds the scope tree in one sweep; equal metadata is interned, so a path is split once per distinct op_name.
#include "core/arrange/scopes.h"

#include <unordered_map>

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

namespace {

class ScopeBuilder {
 public:
  int32_t scopeFor(const std::string& opName) {
    auto [known, isNew] = byOpName_.try_emplace(opName, -1);
    if (!isNew) return known->second;
    std::vector<std::string_view> segments = pathSegments(opName);
    if (!segments.empty()) segments.pop_back();  // the primitive
    int32_t scope = -1;
    for (std::string_view segment : segments) scope = child(scope, segment);
    return known->second = scope;
  }
  std::vector<Scope> scopes;

 private:
  int32_t child(int32_t parent, std::string_view segment) {
    std::string path = parent < 0 ? std::string() : scopes[static_cast<size_t>(parent)].path + "/";
    path += segment;
    auto [known, isNew] = byPath_.try_emplace(path, static_cast<int32_t>(scopes.size()));
    if (isNew) scopes.push_back({path, std::string(segment), parent, 0, false});
    return known->second;
  }
  std::unordered_map<std::string, int32_t> byOpName_, byPath_;
};

// A scope that holds a single instruction, or nothing but one other scope, or everything that has a scope at all.
void markTransparent(std::vector<Scope>& scopes) {
  size_t scoped = 0;
  for (const Scope& s : scopes)
    if (s.parent < 0) scoped += s.instructions;
  for (Scope& s : scopes) {
    s.transparent = s.instructions < 2 || s.instructions == scoped;
  }
  for (Scope& s : scopes)
    if (s.parent >= 0 && scopes[static_cast<size_t>(s.parent)].instructions == s.instructions)
      scopes[static_cast<size_t>(s.parent)].transparent = true;
}

}  // namespace

ScopeTree scopesOf(const Module& module, const Computation& computation, const std::vector<bool>& counted) {
  ScopeTree tree;
  ScopeBuilder builder;
  tree.scopeOf.assign(computation.instructions.size(), -1);
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Metadata* metadata = module.at(computation.instructions[i]).metadata;
    if (metadata && !metadata->opName.empty()) tree.scopeOf[i] = builder.scopeFor(metadata->opName);
    if (!counted[i]) continue;
    for (int32_t s = tree.scopeOf[i]; s >= 0; s = builder.scopes[static_cast<size_t>(s)].parent)
      ++builder.scopes[static_cast<size_t>(s)].instructions;
  }
  tree.scopes = std::move(builder.scopes);
  markTransparent(tree.scopes);
  return tree;
}

}  // namespace tessera
