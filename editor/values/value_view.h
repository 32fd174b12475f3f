// ValueView: one value: title, statistics, slice selectors above rank 2, and a table, image, lines or histogram. Used
// by ValuePanel.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/edit/sizes/dimension_hues.h"
#include "editor/values/value_slice.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;
class QTabWidget;
class QTableView;

namespace tessera {

class SliceModel;
class ValuePlot;

class ValueView : public QWidget {
  Q_OBJECT

 public:
  explicit ValueView(QWidget* parent = nullptr);
  // Keeps the slice when the shape stays, so that a value can be watched.
  void show(const QString& name, const Literal& value);
  void setDimensions(std::vector<DimensionHue> dimensions);  // of the next value; empty: nothing is known
  void clear(const QString& why);
  bool isEmpty() const { return empty_; }
  const ValueSlice& slice() const { return slice_; }  // of the chosen element of a tuple
  QString title() const;
  QString summary() const;
  QTableView* table() const { return table_; }
  QTabWidget* tabs() const { return tabs_; }
  const std::vector<QSpinBox*>& selectors() const { return selectors_; }
  ValuePlot* image() const { return image_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showElement();
  void showSlice();
  void makeSelectors();

  Literal whole_;
  std::vector<DimensionHue> dimensions_;
  QString name_;
  ValueSlice slice_;
  ValueSummary numbers_;
  bool empty_ = true;
  QLabel *title_, *summary_;
  QComboBox* element_;
  QWidget* selectorRow_;
  QHBoxLayout* selectorLayout_;
  std::vector<QSpinBox*> selectors_;
  QTabWidget* tabs_;
  QTableView* table_;
  SliceModel* model_;
  ValuePlot *image_, *lines_, *histogram_;
};

}  // namespace tessera
