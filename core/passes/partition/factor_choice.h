// Which of an instruction's factors are cut when it is computed on blocks, and how.
#pragma once

#include "core/passes/partition/cut.h"
#include "core/passes/partition/rules.h"

namespace tessera::partition {

// An operand as it is there, or an array of the result as it is wanted.
struct FactorArray {
  const Shape* shape;
  const ArraySharding* sharding;
};

// A cut for each factor, or none. A cut is worth the bytes of the arrays that have it, since those need not be
// exchanged; of a factor that is summed up less those of the result, which is; of one that reaches beyond blocks less
// what is exchanged for it. The most valuable comes first, of equal ones the first; the others are taken as far as they
// can be combined with it.
Cuts chooseCuts(const Rule& rule, std::span<const FactorArray> operands, std::span<const FactorArray> results);

// The sharding of operand or result `i` under these cuts.
ArraySharding shardingBy(const Rule& rule, const Cuts& cuts, size_t i, const Shape& shape,
                         std::vector<int64_t> Factor::*dimensions);

}  // namespace tessera::partition
