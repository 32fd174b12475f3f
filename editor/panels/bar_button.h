// A button with a word in the bar of a panel.
#pragma once

#include <QToolButton>

namespace tessera {

inline QToolButton* makeBarButton(QWidget* bar, const QString& text, const QString& tip) {
  auto* out = new QToolButton(bar);
  out->setText(text);
  out->setToolTip(tip);
  out->setAutoRaise(true);
  return out;
}

}  // namespace tessera
