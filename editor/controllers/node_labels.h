// NodeLabels: text under each node, as the View menu asks for: its HLO name, the metadata's op_name, its layout. A
// layer above Canvas.
#pragma once

#include <QWidget>

#include "core/base/ids.h"

namespace tessera {

class Canvas;
class Document;

class NodeLabels : public QWidget {
 public:
  enum What { Names = 1, Metadata = 2, Layouts = 4 };
  NodeLabels(Document& document, Canvas& canvas);

  void show(What what, bool on);
  bool shows(What what) const { return shown_ & what; }
  QString textOf(InstructionId id) const;  // as much as is asked for

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Document& document_;
  Canvas& canvas_;
  int shown_ = 0;
};

}  // namespace tessera
