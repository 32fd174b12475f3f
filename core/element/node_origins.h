// NodeOrigins: for which instruction each node of an element program was made. Programs do not say it themselves: equal
// ones are one kernel, whatever instruction they come from. So readers of generated code have a program described once
// more while a Recording lives, and look the nodes up by what they compute. Filled by core/compose and
// expandApproximations; used by marks in assembly.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"
#include "core/element/element_program.h"

namespace tessera {

class NodeOrigins {
 public:
  // Programs that this thread composes and expands in its life are noted.
  class Recording {
   public:
    explicit Recording(NodeOrigins& into);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    NodeOrigins* before_;
  };
  // Without a recording these do nothing. The nodes are an instruction's results; `now` is for another program's
  // node.
  static void note(const ElementProgram& program, std::span<const NodeId> results, InstructionId instruction);
  static void carry(const ElementProgram& from, NodeId node, const ElementProgram& to, NodeId now);

  // By node: the instruction whose result it is, else that of a node that needs it; invalid where none is known. A
  // program that was changed since (unrolled, split) is known by its operations, without the indices.
  std::vector<InstructionId> of(const ElementProgram& program) const;

 private:
  std::unordered_map<size_t, InstructionId> exact_,
      loose_;  // by what is computed; loose: invalid where several compute the like
};

}  // namespace tessera
