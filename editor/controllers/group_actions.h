// Groups by hand: the selection becomes a computation that a call or a fusion runs, and the other way round; a constant
// becomes a parameter; a selection is written as a module of its own. Before: the Edit menu's keys on the canvas;
// after: core/edit's grouping, and the Document.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/base/result.h"
#include "core/edit/edit.h"

namespace tessera {

class Canvas;
class ChoiceList;
class Document;

class GroupActions : public QObject {
  Q_OBJECT

 public:
  GroupActions(Document& document, Canvas& canvas, QObject* parent);

  ChoiceList& choices() { return *choices_; }

  void group();            // asks by what it is to be run where there are several ways
  void inlineSelection();  // every call and fusion that is selected
  void promote();          // the constant that is selected or feeds what is selected; asks which
  void askWhereToExtract();
  Status extract(const QString& path);  // the selection as HLO text

 signals:
  void explained(QString why);
  void extracted(QString path);

 private:
  struct Choice {
    QString line;
    Edit edit;
    InstructionId selects;
  };
  void offer(std::vector<Choice> choices, const QString& heading);
  void take(int line);

  Document& document_;
  Canvas& canvas_;
  ChoiceList* choices_;
  std::vector<Choice> offered_;
};

}  // namespace tessera
