// CurrentDocument: the pane that menus, docks and the status bar act on, of those that are open. It knows no window;
// what shows something of the current document follows changed(). Made by the main window.
#pragma once

#include <QObject>

#include "app/studio/window/documents/document_pane.h"

namespace tessera {

class CurrentDocument : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void set(DocumentPane& pane);  // replaced() and changed() follow, unless it is the current one

  // Only after the first set().
  DocumentPane& pane() const { return *pane_; }
  Document& document() const { return pane_->document(); }
  Canvas& canvas() const { return pane_->canvas(); }
  Panels& panels() const { return pane_->panels(); }
  Banner& banner() const { return pane_->banner(); }
  bool is(const DocumentPane& pane) const { return pane_ == &pane; }
  bool isOpen() const;
  bool isModule() const;  // open, and not a plain graph
  bool hasSelection() const;

 signals:
  void replaced(tessera::DocumentPane* before);  // canvas and panels change places; null: there was none
  void changed();                                // they stand in their places

 private:
  DocumentPane* pane_ = nullptr;
};

}  // namespace tessera
