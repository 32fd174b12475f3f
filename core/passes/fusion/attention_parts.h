// What the passes of attention and of its gradient have in common: dots between queries, keys and values, and the
// instructions that a fusion around them takes in. Used by attention and attention_gradient.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/hlo/module.h"

namespace tessera::attention {

inline constexpr int64_t kFewestDepth = 8;                      // elements of a query, of a value
inline constexpr int64_t kFewestRows = 8, kFewestColumns = 16;  // queries and keys; fewer leave most of a tile empty
inline constexpr size_t kMostVisited = 256;                     // instructions around one softmax

// Which kernels of attention multiply, add up and take softmaxes of.
bool isFactorType(ElementType type);
// A dot of two arrays whose result is of such a type.
bool isProduct(const Instruction& in);
// So are the factors of a dot.
bool hasFactors(const Module& module, const Instruction& dot);
// A reduction of one array by maximum or sum, from the neutral element on.
bool reducesBy(const Module& module, const Instruction& in, Opcode reducer, double initial);
int64_t sizeOf(const Shape& shape, std::span<const int64_t> dims);
// Elements of the dot's factor that are neither batch nor contracted.
int64_t widthOf(const Module& module, const Instruction& dot, size_t factor);
// Products that are added up in each element of the dot's result.
int64_t depthOf(const Module& module, const Instruction& dot);

// The dimensions of a dot's result: [0, batch) of the batch, [batch, middle) of the left factor alone, [middle, end) of
// the right one alone.
struct DotDims {
  DotDims(const Module& module, const Instruction& dot);
  int64_t batch, middle, end;
};

// The instructions of one fusion while it is put together; all are of the computation of `users`' instructions.
class FusionMembers {
 public:
  // taken: what another fusion computes.
  FusionMembers(const Module& module, const UserTable& users, const std::unordered_set<uint32_t>& taken)
      : module_(module), users_(users), taken_(taken) {}

  void take(InstructionId id) { members_.insert(id.value); }
  bool contains(InstructionId id) const { return members_.contains(id.value); }
  const std::unordered_set<uint32_t>& all() const { return members_; }
  // What the scores are made of beside dots, with that of its operands which costs little. Nothing where it is much.
  void takeLeaf(InstructionId leaf);
  // A factor of a dot as it is in memory: its conversion, its repetition along the batch, the part that it is and the
  // order of its dimensions are part of reading it.
  void takeFactor(InstructionId dot, size_t factor);
  // Conversions and transposes of a result are part of storing it; gives the last one.
  InstructionId takeEnd(InstructionId result);
  // Operands first.
  std::vector<InstructionId> inOrder() const;

 private:
  bool isCheap(const Instruction& in) const;

  const Module& module_;
  const UserTable& users_;
  const std::unordered_set<uint32_t>& taken_;
  std::unordered_set<uint32_t> members_;
};

}  // namespace tessera::attention
