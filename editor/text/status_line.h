// A line of text in a bar that asks for no width: what does not fit is cut with dots and stands in the tooltip, so that
// a long sentence does not make the window wider.
#pragma once

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "editor/text/plain_text.h"

namespace tessera {

class StatusLine : public PlainLabel {
 public:
  explicit StatusLine(QWidget* parent) : PlainLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const QRect inside = contentsRect().adjusted(std::max(0, indent()), 0, 0, 0);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, inside.width());
    style()->drawItemText(&painter, inside, Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), shown,
                          foregroundRole());
  }
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip || fontMetrics().horizontalAdvance(text()) <= width())
      return PlainLabel::event(event);
    const QString all = toolTip().isEmpty() ? text() : text() + QStringLiteral("\n\n") + toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), asPlainText(all), this);
    return true;
  }
};

}  // namespace tessera
