// ArrangeController: moving, aligning, tidying, framing, muting; notes and reroute points; nodes put into wires and
// taken out. Every gesture is one step of the document's history. Connects Canvas and Document.
#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <vector>

#include "core/arrange/align.h"
#include "core/base/ids.h"
#include "core/edit/edit.h"
#include "core/formats/project.h"
#include "editor/canvas/canvas_moves.h"

namespace tessera {

class Canvas;
class Document;
class SizePanel;
class ValueField;

class ArrangeController : public QObject {
  Q_OBJECT

 public:
  ArrangeController(Document& document, Canvas& canvas, QObject* parent);

  ValueField& field() { return *field_; }
  SizePanel& sizes() { return *sizes_; }

  void align(Alignment alignment);
  void tidy();            // the selection, else all
  void turnFlow();        // of the document: down, or to the right
  void frameSelection();  // and asks for its title
  void addNote(QPointF widget);
  void nextColor();        // of selected frames and notes
  bool removePageItems();  // those selected; false: there are none
  void toggleMute();
  void toggleLarge();  // the values of the selection
  void swapInputs();
  void pullOut();
  void selectAlong(bool upstream);
  void changeSize();  // of the selection, everywhere it flows
  // Whether a node dropped on a wire would be put into it: it has no users yet and an input takes the value.
  bool inserts(InstructionId node, int32_t edge) const;

 signals:
  void explained(QString why);
  void hinted(QString what);  // what it needs first

 private:
  void showDocument();
  void move(const MovedBoxes& moved);
  void cut(const std::vector<int>& edges);
  void addReroute(int edge, QPointF scene);
  void setReroute(const ReroutePoint& point, bool remove);
  void resizePageItem(int item, QRectF scene);
  void editPageItem(int item);
  std::vector<int32_t> selectedNodes() const;
  std::pair<InstructionId, int32_t> inputOf(int32_t edge) const;
  void performOrExplain(Result<Edit> edit, const MovedBoxes* moved);
  PagePoint dropOf(const MovedBoxes& moved, int32_t v) const;

  Document& document_;
  Canvas& canvas_;
  ValueField* field_;
  SizePanel* sizes_;
};

}  // namespace tessera
