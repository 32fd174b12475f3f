// The graph as text; the hint in the corner of the canvas, beside the graph.
#include "app/studio/start/first_start.h"

#include <QEvent>

namespace tessera {

const std::string& firstGraph() {
  static const std::string text =
      R"(tessera project 1
run argument 0 constant 0.6
hlo
HloModule first_graph

ENTRY first {
  number = f32[] parameter(0)
  x = f32[1,4] broadcast(number), dimensions={}
  W = f32[4,8] constant({ { 0.9, 0.6, 0.1, -0.4, -0.8, -0.9, -0.5, 0.2 }, { -0.3, 0.4, 0.8, 0.9, 0.5, )"
      R"(-0.2, -0.7, -0.9 }, { 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5 }, { 0.2, 0.5, 0.7, 0.3, -0.1, )"
      R"(-0.6, 0.1, 0.8 } })
  xW = f32[1,8] dot(x, W), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[1,8] constant({ { -0.2, 0.1, -0.6, 0.3, 0.2, 0.9, 0, -0.1 } })
  sum = f32[1,8] add(xW, b)
  nothing = f32[] constant(0)
  zeros = f32[1,8] broadcast(nothing), dimensions={}
  ROOT relu = f32[1,8] maximum(sum, zeros)
}
end
)";
  return text;
}

FirstHint::FirstHint(QWidget* canvas) : QLabel(tr("drag the number\ndrop a wire\nCtrl+Z takes it back"), canvas) {
  setObjectName(QStringLiteral("firstHint"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setContentsMargins(12, 8, 12, 8);
  canvas->installEventFilter(this);
  place();
  show();
}

bool FirstHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QLabel::eventFilter(watched, event);
}

void FirstHint::place() {
  adjustSize();
  constexpr int kMargin = 16;
  move(kMargin, kMargin);
}

}  // namespace tessera
