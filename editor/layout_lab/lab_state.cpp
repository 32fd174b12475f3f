// The shared state of the panes.
#include "editor/layout_lab/lab_state.h"

#include <algorithm>

namespace tessera {

void LabState::setModel(LayoutModel model) {
  const bool sameArray = model_ && model_->shape().dimensions == model.shape().dimensions;
  std::optional<std::vector<int64_t>> element;
  if (sameArray && chosen_) element = model_->memory().index(*chosen_);
  model_ = std::move(model);
  hover_.reset();
  chosen_.reset();
  if (!sameArray) slice_.assign(static_cast<size_t>(model_->rank()), 0);
  for (size_t d = 0; d < slice_.size(); ++d)
    slice_[d] = std::clamp<int64_t>(slice_[d], 0, std::max<int64_t>(0, model_->extents()[d] - 1));
  if (element) chosen_ = model_->memory().linearIndex(*element);
  emit modelChanged();
  emit currentChanged();
}

void LabState::clear() {
  model_.reset();
  slice_.clear();
  hover_.reset();
  chosen_.reset();
  emit modelChanged();
  emit currentChanged();
}

int LabState::rowDimension() const { return model_ && model_->rank() >= 2 ? static_cast<int>(model_->rank()) - 2 : -1; }
int LabState::columnDimension() const { return model_ ? static_cast<int>(model_->rank()) - 1 : -1; }

int64_t LabState::rows() const {
  if (!model_ || model_->positions() == 0) return 0;
  return rowDimension() < 0 ? 1 : model_->extents()[static_cast<size_t>(rowDimension())];
}

int64_t LabState::columns() const {
  if (!model_ || model_->positions() == 0) return 0;
  return columnDimension() < 0 ? 1 : model_->extents()[static_cast<size_t>(columnDimension())];
}

std::vector<int64_t> LabState::gridIndex(int64_t row, int64_t column) const {
  std::vector<int64_t> index = slice_;
  if (rowDimension() >= 0) index[static_cast<size_t>(rowDimension())] = row;
  if (columnDimension() >= 0) index[static_cast<size_t>(columnDimension())] = column;
  return index;
}

bool LabState::inSlice(std::span<const int64_t> gridIndex) const {
  for (int d = 0; d < rowDimension(); ++d)
    if (gridIndex[static_cast<size_t>(d)] != slice_[static_cast<size_t>(d)]) return false;
  return true;
}

void LabState::setSlice(int dimension, int64_t value) {
  if (dimension < 0 || dimension >= rowDimension()) return;
  const auto d = static_cast<size_t>(dimension);
  value = std::clamp<int64_t>(value, 0, std::max<int64_t>(0, model_->extents()[d] - 1));
  if (value == slice_[d]) return;
  slice_[d] = value;
  emit sliceChanged();
}

void LabState::followSlice(int64_t linear) {
  const auto index = model_->gridIndex(linear);
  if (!index || inSlice(*index)) return;
  for (int d = 0; d < rowDimension(); ++d) slice_[static_cast<size_t>(d)] = (*index)[static_cast<size_t>(d)];
  emit sliceChanged();
}

void LabState::hover(std::optional<int64_t> linear) {
  if (linear == hover_) return;
  hover_ = linear;
  if (current() && model_) followSlice(*current());
  emit currentChanged();
}

void LabState::choose(std::optional<int64_t> linear) {
  hover_.reset();
  chosen_ = linear;
  if (chosen_ && model_) followSlice(*chosen_);
  emit currentChanged();
}

}  // namespace tessera
