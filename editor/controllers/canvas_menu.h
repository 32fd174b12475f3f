// CanvasMenu: what can be done with what is under the pointer, with its keys: a node, an input or output, a wire, a
// group, a frame or note, the page. Items are the canvas's own actions where there is one. Used by
// GraphEditController.
#pragma once

#include <QObject>
#include <QString>

#include "editor/canvas/canvas_moves.h"

class QAction;
class QMenu;

namespace tessera {

class Canvas;
class Document;
class GraphEditController;

class CanvasMenu : public QObject {
  Q_OBJECT

 public:
  CanvasMenu(Document& document, Canvas& canvas, GraphEditController& edits);

  void open(const CanvasSpot& spot);  // at the spot; it closes itself

 private:
  void fill(QMenu& menu, const CanvasSpot& spot);
  void fillNode(QMenu& menu, InstructionId id);
  void fillGroup(QMenu& menu, const CanvasSpot& spot);
  void fillInput(QMenu& menu, const CanvasSpot& spot);
  void fillOutput(QMenu& menu, const CanvasSpot& spot);
  void fillWire(QMenu& menu, const CanvasSpot& spot);
  void fillPage(QMenu& menu);
  bool isResult(InstructionId id) const;  // of the whole
  template <size_t N>
  void addEach(QMenu& menu, const char* const (&ids)[N]) const;
  void addActionOf(QMenu& menu, const QString& id) const;
  template <class Run>
  void addItem(QMenu& menu, const QString& text, const QString& key, Run run);

  Document& document_;
  Canvas& canvas_;
  GraphEditController& edits_;
};

}  // namespace tessera
