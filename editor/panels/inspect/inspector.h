// Inspector: what is known about the selected instruction: shape with the reason of every dimension, operands, users,
// attributes, metadata; of a group what it costs and holds. A parameter's shape can be typed here; what depends on it
// is inferred again while typing.
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "editor/document/gesture.h"
#include "editor/text/link_press.h"

class QLabel;
class QLineEdit;
class QTextBrowser;
class QUrl;

namespace tessera {

class AttributeForm;
class DimensionChips;
class Document;
class ErrorLabel;
struct GroupSummary;

class Inspector : public QWidget {
  Q_OBJECT

 public:
  explicit Inspector(Document& document, QWidget* parent = nullptr);
  QLineEdit* shapeField() const { return shapeField_; }
  QLineEdit* sizeNamesField() const { return namesField_; }     // "B, T, H": by dimension
  DimensionChips* layoutChips() const { return layoutChips_; }  // hidden where the layout is not the person's to choose
  AttributeForm* form() const { return form_; }
  QString shownText() const;
  QString errorText() const;  // about what is typed; empty: it is a shape

 signals:
  void sourceWanted();  // of the selected instruction
  void canvasWanted();  // a click went to what is there

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void connectParts();
  void show();
  void showGroup(const GroupSummary& summary);
  void editShape(const QString& text);
  void showNames();
  void editNames();
  void showFirst();
  void showLayout();
  void editLayout(const std::vector<int64_t>& minorToMajor, bool done);
  void follow(const QUrl& url);

  Document& document_;
  QLabel* shapeLabel_;
  QLineEdit* shapeField_;
  ErrorLabel* shapeError_;
  QLabel *namesLabel_, *layoutLabel_;
  QLineEdit* namesField_;
  DimensionChips* layoutChips_;
  AttributeForm* form_;
  QLabel* first_;        // the run and the source line, above the form
  QTextBrowser* facts_;  // all else
  LinkPress press_;      // in the facts
  InstructionId shown_;
  bool typing_ = false, draggingLayout_ = false;
  Gesture gesture_;  // in the shape field or on the chips
};

}  // namespace tessera
