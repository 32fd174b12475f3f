// GridAttention: attention and its gradient on a GPU without the scores in memory. A block takes a tile of rows and
// walks the columns, a tile at a time: it multiplies the vectors of rows and columns, makes weights of the products,
// and adds up the weights, or the weighted values of the columns. Rows are queries and columns keys, or, for the
// gradients of keys and values, the other way round. With a softmax it keeps each row's maximum and sum so far, and
// rescales the row's result whenever the maximum grows; without one, weights are functions of the products alone. For
// the gradient of a bias it has one tile of columns and adds up the weights over a part of the batch. Found
// in the element program that core/passes/fusion/attention.h or attention_gradient.h makes one of; weights are any
// functions of the products, the place and other arrays. Tried before GridContraction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "backends/codegen/grid/column_limits.h"
#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"

namespace tessera::codegen {

inline constexpr unsigned kMatrixRows = 16;  // of a tensor core's product: rows that a warp has
// Words of a line in shared memory through which results of products by tensor cores are stored: sixteen of each row;
// eight more keep the pairs of a warp in different banks, and so two rows with one between them.
inline constexpr unsigned kStoredLine = kMatrixRows + 8;

struct AttentionMap {
  // One factor: its node, in the loop over the columns, and whether neighbours in memory are neighbours of what is
  // summed over.
  struct Factor {
    NodeId node;
    bool alongSum = false;
  };
  // A dot of a row's and a column's vector.
  struct Product {
    std::vector<size_t> loops;  // that compute it
    Factor row, column;
    std::vector<int32_t> depth;  // counters of the first loop
    int64_t depthCount = 1;
    unsigned paddedDepth() const { return padded(depthCount); }
  };
  struct Softmax {
    size_t mostLoop = 0, sumLoop = 0;  // of a row's maximum and sum
    NodeId score;                      // what the softmax is taken of
    NodeId shifted;                    // the score less the row's maximum
    NodeId power;                      // its exponential
  };
  // What is added up along the columns, or the largest of which is found.
  struct Sum {
    NodeId weight;  // with a softmax: the power
    NodeOp join = NodeOp::Add;
    std::optional<Factor> value;  // by which it is multiplied
    // The product whose vectors of columns are the values, where both are f32 in shared memory.
    std::optional<size_t> sharedWith;
  };

  size_t loop = 0;           // over the columns, which gives the results
  bool isOverBatch = false;  // it is over a part of the batch: a row and a column have a result, the one sum of weights
  std::vector<Product> products;
  std::optional<Softmax> softmax;  // with one product and one sum
  std::vector<Sum> sums;           // an accumulator each; all have values, or none
  // Counters; width: elements of values; added: the part of the batch that is added up.
  std::vector<int32_t> rows, columns, width, batch, added;
  int64_t rowCount = 1, columnCount = 1, widthCount = 1, batches = 1, addedCount = 1;
  unsigned tileRows = 32, tileColumns = 32;
  GridMap grid;                     // its threads
  unsigned dynamicSharedBytes = 0;  // of a block; 0: its arrays are static
  ColumnLimits visible;
  // Of the factors, where tensor cores multiply them: bf16 or f16.
  std::optional<ElementType> tensor;
  bool isByWarpgroups = false;  // by wgmma (sm_90a), with a softmax

  int64_t rowTiles() const { return (rowCount + tileRows - 1) / tileRows; }
  int64_t columnTiles() const { return (columnCount + tileColumns - 1) / tileColumns; }
  // Of rows by columns, in each batch.
  int64_t tiles() const { return rowTiles() * columnTiles(); }
  int64_t blocks() const { return batches * (isOverBatch ? tiles() : rowTiles()); }
  int64_t visitedTiles() const;
  bool hasValues() const { return sums[0].value.has_value(); }
  unsigned paddedWidth() const { return hasValues() ? padded(widthCount) : 0; }
  // Words of a row of weights in shared memory: the two rows of a warp are in different halves of the banks.
  unsigned weightsLine() const { return tileColumns % 32 == 0 ? tileColumns + 16 : tileColumns; }
  std::string text() const;

  // ErrorKind::Unsupported: the program is no attention, or none that the device has room for; the error says what
  // stands against it.
  static Result<AttentionMap> of(const LoopProgram& program, const ProgramAnalysis& analysis, const GridTarget& target);

 private:
  unsigned sharedBytes() const;
  unsigned sumsOfThread() const;
  Status chooseTiles(const GridTarget& target, size_t loops);
  bool chooseWarpgroups(const LoopProgram& program, const ProgramAnalysis& analysis, const GridTarget& target);
  static unsigned padded(int64_t count) { return static_cast<unsigned>((count + 15) / 16 * 16); }
};

Status emitAttentionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const AttentionMap& map);

}  // namespace tessera::codegen
