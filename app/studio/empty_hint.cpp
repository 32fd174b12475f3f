#include "app/studio/empty_hint.h"

#include <QEvent>

#include "editor/document/document.h"

namespace tessera {

EmptyHint::EmptyHint(const Document& document, QWidget* canvas)
    : QLabel(tr("<p align='center'><b>Nothing here yet</b></p><p align='center'>Tab or double-click: add an operation, a value such as 3.5 or a shape such as f32[4,8]<br>"
                "drag one from the palette &nbsp;·&nbsp; paste HLO text &nbsp;·&nbsp; drop a file</p>"),
             canvas),
      document_(document) {
  setObjectName(QStringLiteral("emptyHint"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setForegroundRole(QPalette::PlaceholderText);
  canvas->installEventFilter(this);
  connect(&document, &Document::sceneChanged, this, &EmptyHint::update);
  connect(&document, &Document::moduleChanged, this, &EmptyHint::update);
  hide();
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) update();
  return QLabel::eventFilter(watched, event);
}

void EmptyHint::update() {
  const bool empty = document_.isOpen() && !document_.isPlainGraph() &&
                     (!document_.computation().valid() || document_.module().at(document_.computation()).instructions.empty());
  setVisible(empty);
  if (!empty) return;
  adjustSize();
  move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

}  // namespace tessera
