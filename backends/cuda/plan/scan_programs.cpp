// See scan_programs.h.
#include "backends/cuda/plan/scan_programs.h"

#include <algorithm>
#include <cmath>

#include "backends/cuda/plan/store_program.h"
#include "core/element/element_builder.h"
#include "core/element/scalar_functions.h"

namespace tessera::cuda {

namespace {

constexpr int64_t kShortestPiece = 16;

class ScanBuilder {
 public:
  // As many pieces as a piece has elements.
  ScanBuilder(const ScanRequest& request, ScalarBits neutral)
      : request_(request),
        neutral_(neutral),
        length_(request.array.dimensions[request.dimension]),
        piece_(std::max(kShortestPiece, rootOf(length_))) {
    pieces_ = (length_ + piece_ - 1) / piece_;
    for (size_t d = 0; d < request.array.dimensions.size(); ++d)
      if (d != request.dimension) pieceDims_.push_back(request.array.dimensions[d]);
    pieceDims_.push_back(pieces_);
  }

  LoopProgram totals() {
    ElementBuilder b(operands(false), pieceDims_);
    const std::vector<NodeId> own = indicesOf(b);
    const NodeId start = b.multiply(own.back(), b.index(piece_));
    const auto add = [&](std::span<const NodeId> at, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
      const NodeId place = b.add(start, at[0]);
      const NodeId isThere = b.compare(CompareDirection::Lt, place, b.index(length_));
      return std::vector<NodeId>{
          b.binary(request_.operation, sums[0], b.readIf(isThere, 0, arrayIndices(b, own, place), neutral(b)))};
    };
    const auto sums = b.loop({piece_}, {neutral(b)}, add);
    return storeProgram(b, {piecesShape()}, {{0, own, {}, sums->front()}}, rank());
  }

  LoopProgram before() {
    ElementBuilder b(operands(true), pieceDims_);
    const std::vector<NodeId> own = indicesOf(b);
    const auto add = [&](std::span<const NodeId> at, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
      std::vector<NodeId> other = own;
      other.back() = at[0];
      const NodeId isBefore = b.compare(CompareDirection::Lt, at[0], own.back());
      return std::vector<NodeId>{b.binary(request_.operation, sums[0], b.readIf(isBefore, 2, other, neutral(b)))};
    };
    const auto sums = b.loop({pieces_}, {b.read(1, {})}, add);
    return storeProgram(b, {piecesShape()}, {{0, own, {}, sums->front()}}, rank());
  }

  // One more dimension: the places of a piece, in order.
  LoopProgram within() {
    std::vector<int64_t> space = pieceDims_;
    space.push_back(piece_);
    ElementBuilder b(operands(true), space);
    std::vector<NodeId> own = indicesOf(b);
    const NodeId step = own.back();
    own.pop_back();
    const NodeId place = b.add(b.multiply(own.back(), b.index(piece_)), step);
    const NodeId isThere = b.compare(CompareDirection::Lt, place, b.index(length_));
    const NodeId last = b.maximum(b.subtract(place, b.index(1)), b.index(0));
    const NodeId inside = b.minimum(place, b.index(length_ - 1));
    const NodeId sum = b.select(b.compare(CompareDirection::Eq, step, b.index(0)), b.read(2, own),
                                b.readOutput(0, request_.array.type, arrayIndices(b, own, b.minimum(last, inside))));
    const NodeId value =
        b.binary(request_.operation, sum, b.readIf(isThere, 0, arrayIndices(b, own, place), neutral(b)));
    return storeProgram(b, {Shape::arrayRowMajor(request_.array.type, request_.array.dimensions)},
                        {{0, arrayIndices(b, own, inside), isThere, value}}, rank());
  }

 private:
  static int64_t rootOf(int64_t length) {
    return static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(length))));
  }
  int64_t rank() const { return static_cast<int64_t>(pieceDims_.size()); }
  Shape piecesShape() const { return Shape::arrayRowMajor(request_.array.type, pieceDims_); }
  std::vector<Shape> operands(bool hasPieces) const {
    std::vector<Shape> out{Shape::arrayRowMajor(request_.array.type, request_.array.dimensions),
                           Shape::arrayRowMajor(request_.array.type, {})};
    if (hasPieces) out.push_back(piecesShape());
    return out;
  }
  NodeId neutral(ElementBuilder& b) const { return b.constantBits(request_.array.type, neutral_.low, neutral_.high); }
  static std::vector<NodeId> indicesOf(ElementBuilder& b) {
    std::vector<NodeId> out;
    for (size_t d = 0; d < b.program().outputDims.size(); ++d) out.push_back(b.outputIndex(static_cast<int64_t>(d)));
    return out;
  }
  // outer: the other dimensions' indices, then the piece's; place: along the dimension, from its end when reversed.
  std::vector<NodeId> arrayIndices(ElementBuilder& b, std::span<const NodeId> outer, NodeId place) const {
    std::vector<NodeId> out(outer.begin(), outer.end() - 1);
    if (request_.reversed) place = b.subtract(b.index(length_ - 1), place);
    out.insert(out.begin() + static_cast<ptrdiff_t>(request_.dimension), place);
    return out;
  }

  const ScanRequest& request_;
  const ScalarBits neutral_;
  const int64_t length_;
  const int64_t piece_;
  int64_t pieces_ = 1;
  std::vector<int64_t> pieceDims_;
};

Result<ScalarBits> neutralOf(const ScanRequest& request) {
  const ScalarFunctionInfo* function = scalarFunctionOf(request.operation);
  const auto neutral = function ? neutralElement(*function, request.array.type) : std::nullopt;
  if (!neutral) return failUnsupported("a prefix sum without a neutral element");
  return *neutral;
}

}  // namespace

Result<ScanPrograms> scanProgramsOf(const ScanRequest& request) {
  TESSERA_ASSIGN_OR_RETURN(const ScalarBits neutral, neutralOf(request));
  ScanBuilder builder(request, neutral);
  return ScanPrograms{builder.totals(), builder.before(), builder.within()};
}

}  // namespace tessera::cuda
