// Scopes of one computation: the tree that the op_name paths of its instructions spell
// ("jit(f)/transformer/layer_0/dot_general" is in jit(f) > transformer > layer_0). Read by the outline.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// Segments of a path, split at '/' outside of brackets.
std::vector<std::string_view> pathSegments(std::string_view path);

// The name with every number replaced by '#': "layer_12" and "layer_3" have one pattern.
std::string numberPattern(std::string_view name);
// The last number of a name; -1: none.
int64_t lastNumber(std::string_view name);

// The innermost scope that is not structural, else the innermost source function; "": neither.
std::string placeNameOf(const Module& module, const Metadata& metadata);

// The part of a training step that a scope is in.
enum class ScopeRole : uint8_t { Plain, Forward, Backward, Recomputed };

struct Scope {
  std::string path;     // from the outermost segment
  std::string name;     // its own segment
  int32_t parent = -1;  // parents come first
  int32_t depth = 0;
  uint64_t pattern = 0;  // hash of the path with numbers left out
  ScopeRole role = ScopeRole::Plain;
  bool isFunction = false;  // of the source, not of op_name
};

struct ScopeTree {
  std::vector<Scope> scopes;
  std::vector<int32_t> scopeOf;  // parallel to the computation's instructions; -1: none
};

// The same by other paths than op_name's: segments from the outermost; none: it has no scope.
ScopeTree scopesBy(const Computation& computation,
                   const std::function<std::vector<std::string>(InstructionId)>& segmentsOf);
// File and line: "model.py", "model.py:42 · attention".
std::vector<std::string> sourceSegmentsOf(const Module& module, InstructionId id);

// A structural segment, of how a program was made and not of what it does: jit(f), jvp(), while, body, closed_call, an
// einsum's formula.
bool isStructural(std::string_view segment);

// An op_name of structural segments alone is completed by the source functions of the instruction's stack frames.
// Names are at most some 1,000 bytes long and nests 100 deep; what is deeper is in the last one.
// "jvp(x)/mul" and "transpose(jvp(x))/mul" are in the scope x inside of jvp() and transpose(jvp()), as "x/mul" does in
// x.
ScopeTree scopesOf(const Module& module, const Computation& computation);

}  // namespace tessera
