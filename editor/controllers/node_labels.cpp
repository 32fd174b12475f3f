// A layer above the canvas that takes no mouse; it is painted whenever the canvas under it is.
#include "editor/controllers/node_labels.h"

#include <QEvent>
#include <QPainter>

#include "core/arrange/text_metrics.h"
#include "core/hlo/module.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr float kLabelSize = 9;
constexpr double kSmallestLabelZoom = 0.45;
constexpr int kMaxLabels = 400;

}  // namespace

NodeLabels::NodeLabels(Document& document, Canvas& canvas) : QWidget(&canvas), document_(document), canvas_(canvas) {
  setObjectName(QStringLiteral("nodeLabels"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  canvas.installEventFilter(this);
  hide();
}

void NodeLabels::show(What what, bool on) {
  shown_ = on ? shown_ | what : shown_ & ~what;
  setGeometry(canvas_.rect());
  setVisible(shown_ != 0);
  lower();  // bars and fields over the canvas stay above
  update();
}

QString NodeLabels::textOf(InstructionId id) const {
  if (!document_.isOpen() || document_.isPlainGraph() || !document_.module().contains(id)) return {};
  const Instruction& instruction = document_.module().at(id);
  QStringList out;
  if (shown_ & Names) out << QLatin1Char('%') + QString::fromStdString(std::string(instruction.name));
  if ((shown_ & Layouts) && instruction.shape->isArray() && instruction.shape->layout)
    out << QString::fromStdString(toString(*instruction.shape->layout));
  if ((shown_ & Metadata) && instruction.metadata && !instruction.metadata->opName.empty())
    out << QString::fromStdString(std::string(instruction.metadata->opName));
  return out.join(QStringLiteral(" · "));
}

void NodeLabels::paintEvent(QPaintEvent*) {
  const auto& view = canvas_.view();
  if (!view || canvas_.viewport().zoom() < kSmallestLabelZoom) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  int painted = 0;
  for (const ViewNode& node : view->nodes) {
    const bool beside = node.kind == ViewNode::Kind::Attached && node.owner < 0;
    if ((node.kind != ViewNode::Kind::Instruction && !beside) || node.chip || painted >= kMaxLabels) continue;
    const QRectF box = canvas_.boxOf(node.instruction);
    const QPointF below = canvas_.viewport().toWidget(box.bottomLeft()),
                  right = canvas_.viewport().toWidget(box.bottomRight());
    if (box.isEmpty() || right.x() < 0 || below.x() > width() || below.y() < 0 || below.y() > height()) continue;
    PictureItem item;
    item.kind = PictureItem::Kind::Text;
    item.size = kLabelSize;
    item.fill = ColorRole::NodeSubtext;
    item.text =
        elideText(textOf(node.instruction).toStdString(), kLabelSize, static_cast<float>(right.x() - below.x()));
    item.bounds = {static_cast<float>(below.x()) + 2, static_cast<float>(below.y()) + 3, 0, 0};
    if (!item.text.empty() && item.text != "…") paintItem(painter, item, 1, canvas_.theme()), ++painted;
  }
}

bool NodeLabels::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) setGeometry(canvas_.rect());
  return QWidget::eventFilter(watched, event);
}

}  // namespace tessera
