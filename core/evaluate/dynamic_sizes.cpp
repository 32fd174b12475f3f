// See dynamic_sizes.h.
#include "core/evaluate/dynamic_sizes.h"

#include <algorithm>

#include "core/hlo/index_math.h"

namespace tessera {
namespace {

using Sizes = std::vector<int64_t>;

int64_t windowedSize(int64_t size, const WindowDimension& w) {
  const int64_t base = w.baseDilation == 1 ? size : std::max<int64_t>((size - 1) * w.baseDilation + 1, 0);
  const int64_t window = (w.size - 1) * w.windowDilation + 1;
  return std::max<int64_t>((base + w.paddingLow + w.paddingHigh - window + w.stride) / w.stride, 0);
}

class GivenSizes {
 public:
  GivenSizes(const AttributeSet& attributes, const std::vector<SizedOperand>& operands, Sizes counted)
      : attributes_(attributes), operands_(operands), out_(std::move(counted)) {}

  Sizes of(Opcode opcode) {
    switch (opcode) {
      case Opcode::Reverse:
      case Opcode::Sort:
      case Opcode::SelectAndScatter: same(out_.size()); break;
      case Opcode::Cholesky:
      case Opcode::TriangularSolve: same(out_.size() - 2); break;
      case Opcode::Topk: same(out_.size() - 1); break;
      case Opcode::Fft: same(out_.size() - ints(Attr::fft_length).size()); break;
      case Opcode::Broadcast:
        for (size_t i = 0; i < ints(Attr::dimensions).size(); ++i) carry(at(Attr::dimensions, i), 0, i);
        break;
      case Opcode::Transpose:
        for (size_t i = 0; i < out_.size(); ++i) carry(i, 0, at(Attr::dimensions, i));
        break;
      case Opcode::Reduce: reduce(); break;
      case Opcode::Dot: dot(); break;
      case Opcode::Pad: pad(); break;
      case Opcode::ReduceWindow:
        for (size_t d = 0; d < out_.size(); ++d) window(d, d, d);
        break;
      case Opcode::Convolution: convolution(); break;
      case Opcode::Gather: gather(); break;
      default: break;
    }
    return std::move(out_);
  }

 private:
  const Sizes& ints(Attr name) const { return attributes_.ints(name); }
  size_t at(Attr name, size_t i) const { return static_cast<size_t>(ints(name)[i]); }

  void carry(size_t to, size_t operand, size_t from) {
    if (operands_[operand].isOutside(from)) out_[to] = operands_[operand].sizes[from];
  }

  void same(size_t dimensions) {
    for (size_t d = 0; d < dimensions; ++d) carry(d, 0, d);
  }

  void window(size_t to, size_t from, size_t place) {
    const auto* window = attributes_.get<Window>(Attr::window);
    if (operands_[0].isOutside(from))
      out_[to] = windowedSize(operands_[0].sizes[from], window ? window->dimensions[place] : WindowDimension());
  }

  void reduce() {
    size_t to = 0;
    for (int64_t d : otherDims(static_cast<int64_t>(operands_[0].sizes.size()), ints(Attr::dimensions)))
      carry(to++, 0, static_cast<size_t>(d));
  }

  void dot() {
    size_t to = 0;
    for (; to < ints(Attr::lhs_batch_dims).size(); ++to)
      carry(to, 1, at(Attr::rhs_batch_dims, to)), carry(to, 0, at(Attr::lhs_batch_dims, to));
    const Attr batch[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims},
               contracting[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
    for (size_t side = 0; side < 2; ++side)
      for (int64_t d :
           otherDims(static_cast<int64_t>(operands_[side].sizes.size()), ints(batch[side]), ints(contracting[side])))
        carry(to++, side, static_cast<size_t>(d));
  }

  void pad() {
    const auto* padding = attributes_.get<std::vector<PaddingDimension>>(Attr::padding);
    for (size_t d = 0; padding && d < out_.size(); ++d)
      if (operands_[0].isOutside(d)) out_[d] = paddedSize(operands_[0].sizes[d], (*padding)[d]);
  }

  void convolution() {
    const auto* labels = attributes_.get<ConvolutionDimensions>(Attr::dim_labels);
    carry(static_cast<size_t>(labels->outputBatch), 0, static_cast<size_t>(labels->inputBatch));
    carry(static_cast<size_t>(labels->outputFeature), 1, static_cast<size_t>(labels->kernelOutput));
    for (size_t i = 0; i < labels->inputSpatial.size(); ++i)
      window(static_cast<size_t>(labels->outputSpatial[i]), static_cast<size_t>(labels->inputSpatial[i]), i);
  }

  // Dimensions that number the slices are those of the indices.
  void gather() {
    const int64_t vector = attributes_.intOr(Attr::index_vector_dim, 0);
    size_t index = 0;
    for (size_t d = 0; d < out_.size(); ++d) {
      if (containsDim(ints(Attr::offset_dims), static_cast<int64_t>(d))) continue;
      if (static_cast<int64_t>(index) == vector) ++index;
      carry(d, 1, index++);
    }
  }

  const AttributeSet& attributes_;
  const std::vector<SizedOperand>& operands_;
  Sizes out_;
};

}  // namespace

bool anyOutside(const std::vector<SizedOperand>& operands) {
  for (const SizedOperand& each : operands)
    for (size_t d = 0; d < each.sizes.size(); ++d)
      if (each.isOutside(d)) return true;
  return false;
}

std::vector<int64_t> sizesAsGiven(const Instruction& instruction, const std::vector<SizedOperand>& operands,
                                  std::vector<int64_t> counted) {
  return GivenSizes(*instruction.attributes, operands, std::move(counted)).of(instruction.opcode);
}

int64_t paddedSize(int64_t size, const PaddingDimension& p) {
  return std::max<int64_t>(size + std::max<int64_t>(size - 1, 0) * p.interior + p.low + p.high, 0);
}

}  // namespace tessera
