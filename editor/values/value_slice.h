// ValueSlice: the plane of an array that is shown: all of it up to rank 2, above that the last two dimensions at chosen
// indices of the others. Numbers only, no widgets. Used by ValueView, SliceModel and ValuePlot.
#pragma once

#include <QString>
#include <vector>

#include "core/hlo/literal.h"
#include "editor/document/value_text.h"

namespace tessera {

class ValueSlice {
 public:
  ValueSlice() = default;
  explicit ValueSlice(Literal value) : value_(std::move(value)) { setIndices({}); }

  const Literal& value() const { return value_; }
  bool isArray() const { return value_.shape().isArray(); }
  // A vector is one column, a scalar one cell.
  int64_t rows() const;
  int64_t columns() const;
  size_t chosenDimensions() const;                // those before the last two
  void setIndices(std::vector<int64_t> indices);  // clamped to the sizes
  const std::vector<int64_t>& indices() const { return indices_; }
  int64_t linear(int64_t row, int64_t column) const;  // into the whole array
  double number(int64_t row, int64_t column) const;   // a complex element's absolute value
  QString text(int64_t row, int64_t column) const;    // as many digits as tell the element apart
  QString csv() const;

 private:
  Literal value_;
  std::vector<int64_t> indices_;
  int64_t offset_ = 0;
};

QString summaryText(const Literal& value);
std::vector<int64_t> countsOf(const Literal& value, const ValueSummary& summary, int bars);
// What differs between two values of one shape, in a sentence; of other shapes, that they are.
QString differenceText(const Literal& a, const Literal& b);

}  // namespace tessera
