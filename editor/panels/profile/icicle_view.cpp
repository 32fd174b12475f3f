// See icicle_view.h. Boxes thinner than half a pixel, and what is below them, are not drawn.
#include "editor/panels/profile/icicle_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "editor/panels/profile/name_color.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr double kThinnestBox = 0.5, kLabelledBox = 26;

// Boxes of one level are no wider together than the one above.
double icicleNs(const OpRow& row) {
  return row.kind == OpRowKind::Fusion || row.kind == OpRowKind::Instruction ? row.ratedNs : row.totalNs;
}

}  // namespace

IcicleView::IcicleView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void IcicleView::setTree(const OpTree* tree) {
  tree_ = tree;
  root_ = selected_ = -1;
  place();
}

void IcicleView::setSelected(int32_t row) {
  selected_ = row;
  update();
}

void IcicleView::place() {
  boxes_.clear();
  if (tree_ && tree_->totalNs > 0) {
    if (root_ >= 0) {
      place(root_, 0, width(), 1);
    } else {
      double left = 0;
      for (int32_t row : tree_->roots) {
        const double wide = width() * icicleNs(tree_->rows[static_cast<size_t>(row)]) / tree_->totalNs;
        place(row, left, wide, 1);
        left += wide;
      }
    }
  }
  update();
}

void IcicleView::place(int32_t number, double left, double wide, int depth) {
  const double line = fontMetrics().height() + 4;
  if (wide < kThinnestBox || depth * line > height()) return;
  boxes_.push_back({number, QRectF(left, depth * line, wide, line - 1)});
  const OpRow& row = tree_->rows[static_cast<size_t>(number)];
  const double all = icicleNs(row);
  for (int32_t child : row.children) {
    const double part = all > 0 ? wide * icicleNs(tree_->rows[static_cast<size_t>(child)]) / all : 0;
    place(child, left, part, depth + 1);
    left += part;
  }
}

void IcicleView::resizeEvent(QResizeEvent*) { place(); }

int32_t IcicleView::rowAt(QPointF at) const {
  for (const Box& box : boxes_)
    if (box.rect.contains(at)) return box.row;
  return -1;
}

QRectF IcicleView::boxOf(int32_t row) const {
  for (const Box& box : boxes_)
    if (box.row == row) return box.rect;
  return {};
}

void IcicleView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  const bool dark = isDark(palette());
  const double line = fontMetrics().height() + 4;
  painter.setPen(palette().color(QPalette::Text));
  const QString head = root_ < 0 ? tr("All")
                                 : tr("%1 alone: Esc shows all")
                                       .arg(QString::fromStdString(tree_->rows[static_cast<size_t>(root_)].facts.name));
  painter.drawText(QRectF(4, 0, width() - 8, line), Qt::AlignVCenter,
                   fontMetrics().elidedText(head, Qt::ElideRight, width() - 8));
  for (const Box& box : boxes_) {
    const OpRow& row = tree_->rows[static_cast<size_t>(box.row)];
    const QColor color = row.kind == OpRowKind::Lost
                             ? palette().color(QPalette::Mid)
                             : nameColor(row.facts.opcode.empty() ? row.facts.name : row.facts.opcode, dark);
    painter.fillRect(box.rect.adjusted(0, 0, box.rect.width() > 3 ? -1 : 0, 0), color);
    if (row.estimated()) painter.fillRect(box.rect, QBrush(palette().color(QPalette::Base), Qt::BDiagPattern));
    if (box.row == selected_) {
      painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
      painter.drawRect(box.rect.adjusted(1, 1, -1, -1));
    }
    if (box.rect.width() < kLabelledBox) continue;
    painter.setPen(dark ? Qt::white : Qt::black);
    const QString name = QString::fromStdString(row.facts.name);
    painter.drawText(box.rect.adjusted(3, 0, -2, 0), Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(box.rect.width()) - 5));
  }
}

void IcicleView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  const int32_t row = event->button() == Qt::LeftButton ? rowAt(event->position()) : -1;
  if (row < 0) return;
  setSelected(row);
  emit chosen(row);
}

void IcicleView::mouseDoubleClickEvent(QMouseEvent* event) {
  const int32_t row = rowAt(event->position());
  if (row < 0) return showAlone(-1);
  if (tree_->rows[static_cast<size_t>(row)].children.empty())
    emit activated(row);
  else
    showAlone(row == root_ ? tree_->rows[static_cast<size_t>(row)].parent : row);
}

void IcicleView::showAlone(int32_t row) {
  root_ = row;
  place();
}

void IcicleView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && root_ >= 0) return showAlone(-1);
  QWidget::keyPressEvent(event);
}

bool IcicleView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int32_t number = rowAt(help->pos());
  if (number < 0) {
    QToolTip::hideText();
    return true;
  }
  const OpRow& row = tree_->rows[static_cast<size_t>(number)];
  const auto text = [&](OpColumn column) { return QString::fromStdString(textOf(*tree_, row, column)); };
  QString tip = tr("%1\n%2, %3 of all").arg(text(OpColumn::Name), text(OpColumn::Total), text(OpColumn::Share));
  if (row.estimated()) tip += tr(", estimated");
  if (!row.reason.empty()) tip += QLatin1Char('\n') + QString::fromStdString(row.reason);
  QToolTip::showText(help->globalPos(), asPlainText(tip), this);
  return true;
}

}  // namespace tessera
