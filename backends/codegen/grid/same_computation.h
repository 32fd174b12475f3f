// Whether two nodes of a program compute the same, each in its own loops. Used by grid_attention_matcher.
#pragma once

#include <map>
#include <utility>

#include "core/element/element_program.h"

namespace tessera::codegen {

class SameComputation {
 public:
  // The loop ofFirst, where the first one reads it, stands for ofSecond.
  SameComputation(const ElementProgram& body, size_t ofFirst, size_t ofSecond) : body_(body) {
    loops_[ofFirst] = ofSecond;
  }

  bool operator()(NodeId first, NodeId second);

 private:
  bool compare(NodeId first, NodeId second);
  bool sameLoop(size_t first, size_t second);

  const ElementProgram& body_;
  std::map<size_t, size_t> loops_;
  std::map<std::pair<NodeId, NodeId>, bool> known_;
};

}  // namespace tessera::codegen
