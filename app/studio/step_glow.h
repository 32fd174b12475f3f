// Where an undone or done-again step acted: what it changed glows for a moment, in graphs that are not big. Before:
// Document's history; after: Canvas, which paints the glow.
#pragma once

#include <QObject>
#include <QTimer>

#include "core/hlo/module.h"

namespace tessera {

class Canvas;
class Document;

class StepGlow : public QObject {
 public:
  StepGlow(Document& document, Canvas& canvas, QObject* parent);

  void undo();
  void redo();
  QStringList glowing() const;  // names of what glows

 private:
  void show(const Module& before, const QString& title);

  Document& document_;
  Canvas& canvas_;
  QTimer end_;
};

}  // namespace tessera
