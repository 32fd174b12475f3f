// LabState: what the two panes of the layout lab share: the array, the slice that the grid shows, and the cell that is
// pointed at (by hover) or chosen (by click or key). A cell is named by its position in memory.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "core/edit/sizes/dimension_hues.h"
#include "editor/layout_lab/layout_model.h"

namespace tessera {

class LabState : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  // Letters and hues of the array's dimensions; empty where nothing is known of them.
  const std::vector<DimensionHue>& dimensions() const { return dimensions_; }
  void setDimensions(std::vector<DimensionHue> dimensions) { dimensions_ = std::move(dimensions); }
  const LayoutModel* model() const { return model_ ? &*model_ : nullptr; }
  // Another array or layout. With the same dimensions the slice and the chosen element stay.
  void setModel(LayoutModel model);

  void clear();

  int rowDimension() const;     // -1 below rank 2
  int columnDimension() const;  // -1 at rank 0
  int64_t rows() const;         // of the grid with its padding
  int64_t columns() const;
  std::vector<int64_t> gridIndex(int64_t row, int64_t column) const;  // in the slice shown
  bool inSlice(std::span<const int64_t> gridIndex) const;
  const std::vector<int64_t>& slice() const { return slice_; }  // one number a dimension; rows and columns: 0
  void setSlice(int dimension, int64_t value);                  // clamped

  std::optional<int64_t> current() const { return hover_ ? hover_ : chosen_; }
  std::optional<int64_t> chosen() const { return chosen_; }
  void hover(std::optional<int64_t> linear);
  void choose(std::optional<int64_t> linear);  // the slice follows

 signals:
  void modelChanged();
  void sliceChanged();
  void currentChanged();

 private:
  void followSlice(int64_t linear);

  std::optional<LayoutModel> model_;
  std::vector<DimensionHue> dimensions_;
  std::vector<int64_t> slice_;
  std::optional<int64_t> hover_, chosen_;
};

}  // namespace tessera
