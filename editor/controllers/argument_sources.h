// ArgumentSources: the choice of where the value of a parameter comes from, opened on its node, by key or from its
// menu: a kind that needs no more, or one whose numbers are typed or whose file is chosen. A choice is a step of the
// history.
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>
#include <string>

#include "core/hlo/module.h"

class QMenu;

namespace tessera {

class Canvas;
class Document;
class ValueField;

class ArgumentSources : public QObject {
  Q_OBJECT

 public:
  ArgumentSources(Document& document, Canvas& canvas, QObject* parent);

  // Whether a value comes to it from outside: a parameter of the entry that is an array.
  bool isArgument(InstructionId id) const;
  void open(InstructionId parameter, QPointF widget);  // the menu
  void openForSelection();
  void fill(QMenu& menu, InstructionId parameter);  // with the choices
  ValueField& field() { return *field_; }

 signals:
  void explained(QString why);
  void hinted(QString what);  // what it needs first
  void isOver(QString why);   // what was explained

 private:
  std::string sourceOf(InstructionId parameter) const;  // as text; the usual one if none is set
  void set(InstructionId parameter, const std::string& words);
  void type(InstructionId parameter, const std::string& words);
  void chooseFile(InstructionId parameter, bool image);
  QString whatIsWrong() const;
  void sayWhyThereAreNone();

  Document& document_;
  Canvas& canvas_;
  ValueField* field_;
  QString said_;  // why there are no values
};

}  // namespace tessera
