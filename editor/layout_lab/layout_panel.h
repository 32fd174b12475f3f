// LayoutPanel: the layout lab. It shows where each element of an array lies in memory, and lets the layout be changed:
// shape as text, order of dimensions by drag, padded_dimensions and padding value. The owner gives it the selected
// wire's shape and listens to layoutEdited.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <optional>

#include "core/hlo/shape.h"
#include "editor/layout_lab/lab_state.h"

namespace tessera {

class DimensionChips;
class LayoutView;
class PreviewBar;
class Readout;

class LayoutPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LayoutPanel(QWidget* parent = nullptr);
  ~LayoutPanel() override;

  // The shape of a wire; `name` is shown as the title. Of a tuple one leaf is shown and the others can be chosen. A
  // shape without a memory layout (token, unbounded, too large to address) empties the panes and says why.
  // dimensions: how the canvas shows them; empty: nothing is known. whyNot: why another layout of it cannot be applied;
  // empty: it can.
  void showShape(const Shape& shape, const QString& name, std::vector<DimensionHue> dimensions = {},
                 const QString& whyNot = {});
  // The same as typing it. Text that is no shape leaves the picture and shows why.
  void showShapeText(const QString& text);
  // One of layoutPresets() by name; an unknown name is an error shown in the panel.
  void setPreset(const QString& name);

  // The array shown, with its layout; nullopt before the first.
  std::optional<Shape> shape() const;
  QString errorText() const;  // "" when all is well
  LayoutView* view() const { return view_; }
  DimensionChips* chips() const { return chips_; }
  LabState* state() const { return state_; }
  PreviewBar* preview() const { return preview_; }
  void finishAnimations();

 signals:
  // The person applied another layout (order, padding, or layout text) of the shape given by showShape; for a tuple it
  // is the whole tuple. Until then it is a preview, marked as such. Examples and other arrays typed to look at them are
  // no layout of the wire.
  void layoutEdited(const tessera::Shape& shape);

 private:
  void build();
  void explore();  // from here on it is not the wire's
  QLayout* buildControls();
  bool showWhole(Shape shape);  // arrays, tuples, buffers; fills the list of leaves
  bool showArray(Shape shape);  // false: an error is shown and nothing changed
  void takeText();
  void takeLeaf();
  void takePadding();
  void takeOrder(const std::vector<int64_t>& minorToMajor, bool done);
  void showFields();  // the text fields and chips say what is shown
  void showError(const QString& text);
  void showPreview();  // whether what is shown is the wire's own layout
  void applyLayout();
  void dropLayout();
  void edited(QLineEdit* field, void (LayoutPanel::*take)());
  Shape* leaf();  // the array shown, inside whole_

  LabState* state_;
  QLabel *title_, *sentence_, *error_;
  QLineEdit *text_, *padded_, *value_;
  QComboBox *presets_, *leaves_;
  DimensionChips* chips_;
  QLineEdit* typing_ = nullptr;  // the field that is being typed in keeps its text
  LayoutView* view_;
  Readout* readout_;
  PreviewBar* preview_;
  Shape given_;     // by showShape
  QString whyNot_;  // why it cannot be applied
  std::vector<DimensionHue> givenDimensions_;
  Shape whole_;  // what is shown: an array or a tuple
  std::vector<int64_t> leafIndex_;
  bool ofWire_ = false;  // shown by showShape, and still the same array
};

}  // namespace tessera
