// The gutter is a child beside the viewport that paints the numbers of the blocks in sight.
#include "editor/text/numbered_edit.h"

#include <QPaintEvent>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>
#include <functional>

namespace tessera {
namespace {

constexpr int kMargin = 6, kFewestDigits = 2;

class Gutter : public QWidget {
 public:
  Gutter(QWidget* parent, std::function<void(QPainter&, const QRect&)> paint)
      : QWidget(parent), paint_(std::move(paint)) {}

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter painter(this);
    paint_(painter, event->rect());
  }

 private:
  std::function<void(QPainter&, const QRect&)> paint_;
};

}  // namespace

NumberedEdit::NumberedEdit(QWidget* parent)
    : QPlainTextEdit(parent),
      gutter_(new Gutter(this, [this](QPainter& painter, const QRect& rect) { paintGutter(painter, rect); })) {
  connect(this, &QPlainTextEdit::blockCountChanged, this, &NumberedEdit::placeGutter);
  connect(this, &QPlainTextEdit::updateRequest, gutter_, [this] { gutter_->update(); });
  connect(this, &QPlainTextEdit::cursorPositionChanged, gutter_, [this] { gutter_->update(); });
  placeGutter();
}

int NumberedEdit::gutterWidth() const {
  const auto digits = static_cast<int>(QString::number(blockCount()).size());
  return 2 * kMargin + fontMetrics().horizontalAdvance(QLatin1Char('9')) * std::max(digits, kFewestDigits);
}

int NumberedEdit::numberAt(int y) const {
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
    if (y < box.top()) break;
    if (y < box.bottom()) return block.blockNumber() + 1;
  }
  return 0;
}

void NumberedEdit::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  placeGutter();
}

void NumberedEdit::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange) placeGutter();
}

// Margins that are set are laid out at once: where a scroll bar comes and goes by that, without an end.
void NumberedEdit::placeGutter() {
  const QMargins wanted(gutterWidth(), 0, 0, 0);
  if (viewportMargins() != wanted) setViewportMargins(wanted);
  const QRect inside = contentsRect();
  gutter_->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
}

void NumberedEdit::paintGutter(QPainter& painter, const QRect& rect) {
  painter.fillRect(rect, palette().alternateBase());
  painter.setFont(font());
  const int current = textCursor().blockNumber();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
    if (box.top() > rect.bottom()) break;
    painter.setPen(palette().color(block.blockNumber() == current ? QPalette::Text : QPalette::PlaceholderText));
    painter.drawText(QRectF(0, box.top(), gutter_->width() - kMargin, fontMetrics().height()), Qt::AlignRight,
                     QString::number(block.blockNumber() + 1));
  }
}

}  // namespace tessera
