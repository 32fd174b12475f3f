// ValueStrips: values of nodes in the strip that the view keeps free under their shape: numbers, lines, heat maps,
// images and histograms. Used by Canvas; the values come from LiveValues.
#pragma once

#include <QPointF>
#include <QRectF>
#include <unordered_map>

#include "core/base/ids.h"
#include "editor/canvas/node_value.h"

class QPainter;

namespace tessera {

class Canvas;

class ValueStrips {
 public:
  explicit ValueStrips(Canvas& canvas) : canvas_(canvas) {}
  void set(std::unordered_map<InstructionId, NodeValue> values);
  InstructionId numberAt(QPointF widget) const;   // that a drag changes; invalid: none
  bool isNumber(InstructionId id) const;          // its value is a number that a drag changes
  InstructionId pictureAt(QPointF widget) const;  // a value that is drawn there; invalid: none
  void paint(QPainter& painter) const;

 private:
  void paintValue(QPainter& painter, const NodeValue& value, bool scrubs, QRectF strip) const;

  Canvas& canvas_;
  std::unordered_map<InstructionId, NodeValue> values_;
};

}  // namespace tessera
