// The outline of a computation: its groups and the group of each instruction, independent of what is open. Groups are
// scopes of op_name, stacks of repeated blocks and their members, and clusters of what has no better place. It is made
// once per computation; makeView shows of it what is open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/arrange/scopes.h"
#include "core/hlo/module.h"

namespace tessera {

struct OutlineGroup {
  enum class Kind : uint8_t { Scope, Repeat, Member, Cluster };
  Kind kind = Kind::Scope;
  std::string path, title;
  int32_t parent = -1;
  int32_t first = -1;        // place of its first instruction in the computation
  size_t instructions = 0;   // inside, nested groups included, hubs not
  size_t children = 0;       // boxes that opening it shows
  bool transparent = false;  // not drawn: what it holds is drawn in its parent
  std::string note = {};     // "forward", "backward", "recomputed": which part of a block it is; what is unlike in it
};

struct Outline {
  std::vector<OutlineGroup> groups;
  std::vector<int32_t> groupOf;  // parallel to the computation's instructions; -1: the page
  // The innermost enclosing group that is drawn; -1: the page.
  int32_t drawnParent(int32_t group) const {
    do group = groups[static_cast<size_t>(group)].parent;
    while (group >= 0 && groups[static_cast<size_t>(group)].transparent);
    return group;
  }
};

// hubs[i]: instruction i of the computation is drawn beside its users. positions: by InstructionId value, the place in
// its computation. O(n log n) for n instructions.
Outline outlineOf(const Module& module, const Computation& computation, const UserTable& users,
                  const std::vector<bool>& hubs, const std::vector<int32_t>& positions);
// The same by other scopes than op_name's; repeated blocks are not looked for.
Outline outlineBy(ScopeTree scopes, const Module& module, const Computation& computation, const UserTable& users,
                  const std::vector<bool>& hubs, const std::vector<int32_t>& positions);

}  // namespace tessera
