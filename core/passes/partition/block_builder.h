// BlockBuilder: makes the instructions of one device's program in one computation, among them the exchanges between
// devices: groups number devices of all replicas, channels number partitions.
#pragma once

#include <map>
#include <vector>

#include "core/passes/partition/cut.h"
#include "core/passes/rewriter.h"

namespace tessera::partition {

// What all computations of a program share.
struct ProgramGrid {
  int64_t partitions = 1, replicas = 1;
  int64_t nextChannel = 1;
  std::map<std::pair<Opcode, ElementType>, ComputationId> reducers;
};

class BlockBuilder {
 public:
  BlockBuilder(Rewriter& rewriter, ProgramGrid& grid, ComputationId computation)
      : rewriter_(rewriter), grid_(grid), computation_(computation) {}

  Module& module() { return rewriter_.module(); }
  const Module& module() const { return const_cast<Rewriter&>(rewriter_).module(); }
  ProgramGrid& grid() { return grid_; }
  ComputationId computation() const { return computation_; }
  const Shape& shapeOf(InstructionId id) const { return module().shapeOf(id); }
  // What comes from here on does the work of this instruction of the source.
  void worksFor(InstructionId source) { source_ = source; }

  InstructionId add(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                    AttributeSet attributes = {});
  // A copy of the source instruction, by its name, over other operands and with another shape.
  InstructionId copy(const Instruction& source, const Shape& shape, std::span<const InstructionId> operands,
                     AttributeSet attributes);
  InstructionId constant(Literal literal);
  InstructionId broadcastScalar(InstructionId scalar, const Shape& shape);
  InstructionId number(ElementType type, int64_t value);  // an integer
  InstructionId zero(ElementType type);
  // Neutral elements of a reducer, which has them.
  InstructionId neutral(Opcode reducer, const Shape& shape);
  InstructionId compare(std::string_view direction, InstructionId a, InstructionId b);
  InstructionId select(InstructionId condition, InstructionId yes, InstructionId no);
  // Dimension i becomes dimension dimensions[i].
  InstructionId broadcast(InstructionId array, const Shape& shape, std::vector<int64_t> dimensions);
  InstructionId reshape(InstructionId array, std::vector<int64_t> dimensions);
  InstructionId slice(InstructionId array, int64_t dimension, int64_t start, int64_t limit);
  InstructionId concatenate(std::span<const InstructionId> arrays, int64_t dimension);
  // With zeros, or this scalar, before and behind.
  InstructionId pad(InstructionId array, int64_t dimension, int64_t low, int64_t high, InstructionId with = {});
  InstructionId binary(Opcode opcode, InstructionId a, InstructionId b) { return add(opcode, shapeOf(a), {{a, b}}); }
  InstructionId element(InstructionId tuple, int64_t index);
  // The arrays of a value, and a value of this shape of arrays.
  std::vector<InstructionId> unpack(InstructionId value);
  InstructionId pack(const Shape& shape, std::span<const InstructionId> leaves);

  // The device's block of an array that is whole along the dimensions of `cuts`; zeros behind the end.
  InstructionId takeBlock(InstructionId array, const Cuts& cuts);
  // table[device], an s32.
  InstructionId ofDevice(const std::vector<int64_t>& table);

  using Groups = std::vector<std::vector<int64_t>>;  // of partitions
  InstructionId allGather(InstructionId array, int64_t dimension, const Groups& groups);
  InstructionId allReduce(InstructionId array, Opcode reducer, const Groups& groups);
  InstructionId reduceScatter(InstructionId array, Opcode reducer, int64_t dimension, const Groups& groups);
  // Dimension `split` is cut, `join` becomes whole, with the padding of its last blocks.
  InstructionId allToAll(InstructionId array, int64_t split, int64_t join, const Groups& groups);
  InstructionId permute(InstructionId array, const Groups& sourceTargetPairs);

 private:
  AttributeSet exchange(const Groups& groups, bool globalIds);
  ComputationId reducer(Opcode opcode, ElementType type);
  InstructionId padded(InstructionId array, int64_t dimension, int64_t parts);

  Rewriter& rewriter_;
  ProgramGrid& grid_;
  ComputationId computation_;
  InstructionId source_;
  std::map<std::vector<int64_t>, InstructionId> tables_;
  InstructionId partition_;
};

}  // namespace tessera::partition
