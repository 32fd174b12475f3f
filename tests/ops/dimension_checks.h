// What dimension relations must fulfil in every module: they hold for the sizes that are there, and where a dimension
// of an operand is made larger, inference gives the sizes that the relations say. Used by the tests over case files and
// over the corpus.
#pragma once

#include <set>
#include <string>

#include "core/hlo/module.h"

namespace tessera {

struct DimensionChecks {
  std::set<std::string> held, resized;  // opcodes of which a relation was compared, and a dimension resized
  size_t relations = 0, resizings = 0;

  // Reports by gtest what does not hold.
  void check(const Module& module);
};

}  // namespace tessera
