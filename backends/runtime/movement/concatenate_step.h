// ConcatenateStep: arrays joined along a dimension whose pieces are short: each row of the result is a run of bytes out
// of each operand. Rows go to all threads; a block of them stays in the first cache while the operands fill it. Made by
// cpu/library/concatenate.
#pragma once

#include <vector>

#include "backends/runtime/step.h"

namespace tessera::cpu {

class ConcatenateStep : public SerializableStep<ConcatenateStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_concatenate";
  struct Piece {
    int from = -1;      // slot: [rows, bytes]
    int64_t bytes = 0;  // of a row's run
  };
  ConcatenateStep() = default;
  ConcatenateStep(int64_t rows, std::vector<Piece> pieces, int to) : rows_(rows), pieces_(std::move(pieces)), to_(to) {}
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(rows_, pieces_, to_);
  }

 private:
  void fill(const RunState& state, int64_t begin, int64_t end) const;
  int64_t rowBytes() const;

  int64_t rows_ = 0;
  std::vector<Piece> pieces_;
  int to_ = -1;
};

}  // namespace tessera::cpu
