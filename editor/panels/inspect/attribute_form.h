// AttributeForm: what of the selected instruction can be typed, a line each, derived from the op's attribute rows;
// before them name, value of a constant and the shape of ops that take it as written. What is wrong stands under its
// line while it is typed; the graph changes when it reads.
#pragma once

#include <QHash>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/edit/edit.h"
#include "editor/document/gesture.h"

class QFormLayout;
class QLineEdit;
class QToolButton;

namespace tessera {

class AttributePicture;
class Document;
class ErrorLabel;

class AttributeForm : public QWidget {
  Q_OBJECT

 public:
  explicit AttributeForm(Document& document, QWidget* parent = nullptr);

  // "name", "value", "shape" or an attribute's text name; null: there is no such line.
  QLineEdit* field(const QString& name) const;
  QString errorOf(const QString& name) const;
  AttributePicture* picture(const QString& name) const;  // under the line; null: it has none
  // Rarely needed rows are behind a button: dimension numbers of gathers and scatters, precisions, hints.
  void showDetails(bool shown);
  QToolButton* detailsButton() const { return more_; }  // null: there are none
  // Tab goes from there through the rows, from the top.
  void orderKeysAfter(QWidget& before);

 private:
  using MakeEdit = std::function<Result<Edit>(const std::string&)>;
  struct Line {
    QLineEdit* field;
    ErrorLabel* error;
    MakeEdit make;
    std::function<QString()> text;
    AttributePicture* picture = nullptr;
    QWidget* cell = nullptr;  // its row of the form
    bool detail = false;
  };

  void show();
  void rebuild();
  void orderKeys();
  void refill();
  void addLine(const QString& name, const QString& help, std::function<QString()> text, MakeEdit make);
  void addShape();
  void addAttributes();
  QStringList wordsFor(Attr name, std::string_view choices) const;
  QString helpOnDimensions(Attr name) const;
  void addDetailsButton();
  void placeDetails();
  void addPicture(const QString& name, AttributePicture* picture);
  void take(const QString& name, Edit edit, bool continues);
  void typed(const QString& name, const QString& text);

  Document& document_;
  QFormLayout* layout_;
  QHash<QString, Line> lines_;
  InstructionId shown_;
  Opcode opcode_ = Opcode::Unknown;
  QToolButton* more_ = nullptr;
  QWidget* before_ = nullptr;  // in the order of keys
  bool details_ = false;
  QString typing_;   // the line that is being typed into
  Gesture gesture_;  // in that line or on a picture
};

}  // namespace tessera
