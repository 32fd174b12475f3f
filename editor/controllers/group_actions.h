// GroupActions: the selection becomes a computation that a call or a fusion runs, and back; a constant becomes a
// parameter; a selection gets its gradient, or is extracted as a module. Used by the Edit menu; the edits are
// core/edit/structure's.
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
  void gradient();         // of the selected value with respect to what else is selected
  void askWhereToExtract();
  void extract(const QString& path);  // the selection as HLO text; extracted() or explained() follows

 signals:
  void explained(QString why);
  void hinted(QString what);  // what it needs first
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
