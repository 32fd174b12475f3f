// MPI's types and operations for arrays of ours: MPI's own where they mean the same, else an operation of ours that
// folds with the program's reducer. Used by mpi_communicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "core/devices/communicator.h"

namespace tessera::mpi {

// Bytes of one element, for moving; to be freed.
class ElementBytes {
 public:
  explicit ElementBytes(int64_t width);
  ~ElementBytes() { MPI_Type_free(&type_); }
  ElementBytes(const ElementBytes&) = delete;
  ElementBytes& operator=(const ElementBytes&) = delete;
  MPI_Datatype get() const { return type_; }

 protected:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// One block of each line of an array: `lines` blocks of `block` elements, a line apart, and the next block beside it.
class BlockType {
 public:
  BlockType(const ElementBytes& element, int64_t width, int64_t lines, int64_t block, int64_t line);
  ~BlockType() { MPI_Type_free(&type_); }
  BlockType(const BlockType&) = delete;
  BlockType& operator=(const BlockType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// How one array is reduced. Lives until its transfer has ended.
class ArrayReduction {
 public:
  ArrayReduction(const DeviceReduction& reduction, ElementType type);
  ~ArrayReduction();
  ArrayReduction(const ArrayReduction&) = delete;
  ArrayReduction& operator=(const ArrayReduction&) = delete;

  MPI_Datatype type() const { return type_; }
  MPI_Op op() const { return op_; }
  bool isMpis() const { return isMpis_; }  // needs nothing of ours while it runs
  // Whether the fold of so many members gives the same bits in any order that MPI may choose.
  bool keepsOrder(size_t members) const;
  const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  static void apply(void* in, void* inout, int* count, MPI_Datatype* type);
  Status fold(const void* in, void* inout, int64_t count);

  const DeviceReduction& reduction_;
  ElementType element_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  bool isMpis_ = false;
  std::optional<Diagnostic> failure_;
};

}  // namespace tessera::mpi
