// How the result of a partitioned program is cut: its root says so, and passes put other instructions in its place.
#pragma once

#include <string>

#include "core/hlo/module.h"

namespace tessera {

class ResultCut {
 public:
  // Of the module as it is, before a pass.
  explicit ResultCut(const Module& module);
  // Says it again, where the root has changed and gives the same arrays.
  void keep(Module& module) const;

 private:
  std::string sharding_, whole_;  // empty: it is not said
  Shape shape_;
};

}  // namespace tessera
