// ProgramRunner: computes every node of a program for one point of its iteration space, scalar by scalar. What a read
// gives is the caller's answer; it may be unknown, and what depends on the unknown is unknown. The interpreter (all
// values known) and tracing (no values known) use it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/element/element_program.h"
#include "core/element/loop_nest.h"
#include "core/element/scalar_math.h"

namespace tessera {

class ProgramRunner {
 public:
  using Value = std::optional<ScalarBits>;
  // The element of a buffer at indices; `node` is a Read, ReadIf or ReadOutput, `certain` false when a guard is
  // unknown.
  using ReadFn = std::function<Value(const Node& node, std::span<const int64_t> indices, bool certain)>;
  using SizeFn = std::function<Value(const Node& node)>;

  ProgramRunner(const ElementProgram& program, ReadFn read, SizeFn size);

  void run(std::span<const int64_t> outputIndex);
  const Value& valueOf(NodeId id) const { return values_[id.value]; }
  std::optional<int64_t> indexOf(NodeId id) const;
  void stop() { stopped_ = true; }  // leaves all loops

 private:
  void runBody(int32_t loop);
  void runLoop(size_t loop);
  Value compute(NodeId id);
  Value computeRead(const Node& node, std::span<const NodeId> inputs);
  Value computeScalar(const Node& node, std::span<const NodeId> inputs);

  const ElementProgram& program_;
  LoopNest nest_;
  ReadFn read_;
  SizeFn size_;
  std::vector<Value> values_;
  std::vector<std::vector<Value>> accumulators_;   // by loop
  std::vector<std::vector<int64_t>> loopIndices_;  // by loop
  std::span<const int64_t> outputIndex_;
  std::vector<TypedScalar> scratch_;
  std::vector<int64_t> at_;
  bool stopped_ = false;
};

// Advances a row-major counter over `dims`; false after the last.
bool nextIndex(std::vector<int64_t>& index, std::span<const int64_t> dims);

}  // namespace tessera
