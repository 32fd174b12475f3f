// See index_ways.h.
#include "core/edit/index_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

using IntList = std::vector<int64_t>;

IntList numbersFrom(int64_t from, int64_t end) {
  IntList out;
  for (int64_t d = from; d < end; ++d) out.push_back(d);
  return out;
}
IntList joined(IntList a, const IntList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The dimensions that are indexed, and how the indices lie.
struct Meant {
  std::string title;
  IntList indexed;
  int64_t vectorDimension = 0;  // of the indices; their rank: each is one number
  int64_t batch = 0;            // dimensions of the indices that the result has
};

std::vector<Meant> meantFor(const Shape& operand, const Shape& indices) {
  std::vector<Meant> out;
  const int64_t rank = operand.rank(), given = indices.rank();
  for (int64_t d = 0; d < rank; ++d) out.push_back({fmt::format("rows along dimension {}", d), {d}, given, given});
  const int64_t coordinates = given > 0 ? indices.dimensions.back() : 0;
  if (coordinates > 0 && coordinates <= rank)
    out.push_back({coordinates == rank
                       ? "single elements at coordinates (last dimension of the indices)"
                       : fmt::format("rows at {} coordinates (last dimension of the indices)", coordinates),
                   numbersFrom(0, coordinates), given - 1, given - 1});
  return out;
}

}  // namespace

std::vector<IndexWay> gatherWays(const Shape& operand, const Shape& indices) {
  std::vector<IndexWay> out;
  for (const Meant& meant : meantFor(operand, indices)) {
    IntList slice = operand.dimensions;
    for (int64_t d : meant.indexed) slice[static_cast<size_t>(d)] = 1;
    const bool rows = meant.indexed.size() == 1 && meant.vectorDimension == indices.rank();
    const int64_t before = rows ? meant.indexed[0] : 0,
                  left = operand.rank() - static_cast<int64_t>(meant.indexed.size());
    const IntList offsets = joined(numbersFrom(0, before), numbersFrom(before + meant.batch, meant.batch + left));
    out.push_back({meant.title,
                   {{Attr::offset_dims, listOf(offsets)},
                    {Attr::collapsed_slice_dims, listOf(meant.indexed)},
                    {Attr::start_index_map, listOf(meant.indexed)},
                    {Attr::index_vector_dim, std::to_string(meant.vectorDimension)},
                    {Attr::slice_sizes, listOf(slice)}}});
  }
  return out;
}

std::vector<IndexWay> scatterWays(const Shape& operand, const Shape& indices) {
  std::vector<IndexWay> out;
  for (const Meant& meant : meantFor(operand, indices)) {
    const int64_t left = operand.rank() - static_cast<int64_t>(meant.indexed.size());
    out.push_back({meant.title,
                   {{Attr::update_window_dims, listOf(numbersFrom(meant.batch, meant.batch + left))},
                    {Attr::inserted_window_dims, listOf(meant.indexed)},
                    {Attr::scatter_dims_to_operand_dims, listOf(meant.indexed)},
                    {Attr::index_vector_dim, std::to_string(meant.vectorDimension)}}});
  }
  return out;
}

std::vector<IndexWay> indexWays(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  const bool scatters = instruction.opcode == Opcode::Scatter;
  if (!scatters && instruction.opcode != Opcode::Gather) return {};
  const size_t indices = scatters ? instruction.operands.size() / 2 : 1;
  for (size_t k : {size_t{0}, indices})
    if (k >= instruction.operands.size() || !module.contains(instruction.operands[k]) ||
        !module.shapeOf(instruction.operands[k]).isArray())
      return {};
  const Shape &array = module.shapeOf(instruction.operands[0]),
              &numbers = module.shapeOf(instruction.operands[indices]);
  return scatters ? scatterWays(array, numbers) : gatherWays(array, numbers);
}

}  // namespace tessera
