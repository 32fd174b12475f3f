// Scopes of one computation: the tree that the op_name paths of its instructions spell
// ("jit(f)/transformer/layer_0/dot_general" lies in jit(f) > transformer > layer_0). Read by makeView.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// Segments of a path, split at '/' outside of brackets.
std::vector<std::string_view> pathSegments(std::string_view path);

struct Scope {
  std::string path;          // from the outermost segment
  std::string name;          // its own segment
  int32_t parent = -1;
  size_t instructions = 0;   // inside, nested scopes included
  bool transparent = false;  // not drawn: shared by all, holds only one thing, or only one scope
};

struct ScopeTree {
  std::vector<Scope> scopes;   // parents first
  std::vector<int32_t> scopeOf;  // parallel to the computation's instructions; -1: none
};

// counted[i]: whether instruction i of the computation counts as content (hubs, drawn elsewhere, do not).
ScopeTree scopesOf(const Module& module, const Computation& computation, const std::vector<bool>& counted);

}  // namespace tessera
