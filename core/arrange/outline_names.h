// Names of groups: by scope, else by what they compute together, by the parameters that they read, and last by the
// most telling of their operations. Never by counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/arrange/outline.h"
#include "core/arrange/scopes.h"
#include "core/hlo/module.h"

namespace tessera {

struct BlockNames {
  std::string stack;                // "p['h'] 0…95"; "": the blocks do not differ in a parameter
  std::vector<std::string> blocks;  // "p['h'] 7"; ""
};
// Names of the blocks of `period` items each (places in the computation).
BlockNames namesOfBlocks(const Module& module, const Computation& computation, std::span<const int32_t> items,
                         size_t period);

// Titles of groups that have none, or a structural one (jit(step), closed_call); and the
// note of groups that are the forward, backward or recomputed part of something. positions: by InstructionId value.
void nameGroups(const Module& module, const Computation& computation, const UserTable& users,
                const std::vector<int32_t>& positions, const ScopeTree& tree, const std::vector<bool>& hubs,
                Outline& outline);

// "fusion reduce sum over 1 · layernorm": the last ops of a fusion, and its scope.
std::string fusionTitle(const Module& module, const Instruction& fusion);

// Name and version of a composite call: "linear", "1"; empty: the instruction is none.
struct BlockName {
  std::string name, version;
  auto operator<=>(const BlockName&) const = default;
};
BlockName blockNameOf(const Instruction& call);

}  // namespace tessera
