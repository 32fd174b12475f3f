// The numbers of a window beside its picture: size, stride, dilation and padding of the two dimensions that are shown,
// and buttons for the paddings that have a name. Used by WindowPicture.
#pragma once

#include <QString>
#include <QWidget>
#include <array>

#include "core/hlo/module.h"

class QLabel;
class QSpinBox;

namespace tessera {

class WindowNumbers : public QWidget {
  Q_OBJECT

 public:
  explicit WindowNumbers(QWidget* parent);

  enum class Number { Size, Stride, Dilation, LowPadding, HighPadding };
  static constexpr int kNumbers = 5;
  // Of the dimension across (`x`) and down; null: there is none. The names are above the columns.
  void show(const WindowDimension* y, const WindowDimension* x, const QString& nameOfY, const QString& nameOfX);
  QSpinBox* box(Number number, bool across) const { return boxes_[static_cast<size_t>(number)][across ? 1 : 0]; }

 signals:
  void changed(tessera::WindowNumbers::Number number, bool across, int64_t value);
  void sameWanted();   // as large a result as the base, over the stride
  void validWanted();  // no padding

 private:
  std::array<std::array<QSpinBox*, 2>, kNumbers> boxes_{};  // down, across
  std::array<QLabel*, 2> names_{};
};

}  // namespace tessera
