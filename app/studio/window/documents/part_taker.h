// PartTaker: takes the selection out as a document of its own, with inputs that a run of the whole graph records, and
// follows how it is put back or dropped. Used by the Edit menu.
#pragma once

#include <QObject>
#include <QThreadPool>

#include "core/base/result.h"

class QStatusBar;

namespace tessera {

class CurrentDocument;
class Document;
class DocumentCloser;
class DocumentPane;
class PaneArea;
struct TakenPart;

class PartTaker : public QObject {
  Q_OBJECT

 public:
  PartTaker(CurrentDocument& current, PaneArea& area, DocumentCloser& closer, QStatusBar& status, QObject* parent);

  void takeOut();  // of the current document
  bool isBusy() const { return taking_ > 0; }

 private:
  void connectPane(DocumentPane& pane);
  void openPart(Document* whole, Result<TakenPart> part);

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentCloser& closer_;
  QStatusBar& status_;
  int taking_ = 0;    // parts whose inputs are being recorded
  QThreadPool pool_;  // its destructor waits for them
};

}  // namespace tessera
