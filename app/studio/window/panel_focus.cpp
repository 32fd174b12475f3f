// Parts without a focusable widget, such as an empty inspector, are skipped.
#include "app/studio/window/panel_focus.h"

#include <QApplication>
#include <QWidget>
#include <algorithm>

namespace tessera {
namespace {

bool takesKeys(const QWidget& widget) {
  return widget.isVisible() && widget.isEnabled() && (widget.focusPolicy() & Qt::TabFocus) && !widget.focusProxy();
}

}  // namespace

QWidget* firstFocusable(QWidget& part) {
  if (QWidget* wanted = part.focusProxy(); wanted && takesKeys(*wanted)) return wanted;
  if (takesKeys(part)) return &part;
  for (QWidget* each = part.nextInFocusChain(); each != &part; each = each->nextInFocusChain())
    if (part.isAncestorOf(each) && takesKeys(*each)) return each;
  return nullptr;
}

void focusNextPart(const std::vector<QWidget*>& parts, int step) {
  const QWidget* now = QApplication::focusWidget();
  const auto here = std::ranges::find_if(
      parts, [now](const QWidget* each) { return now && (each == now || each->isAncestorOf(now)); });
  const int count = static_cast<int>(parts.size());
  const int from = here == parts.end() ? (step > 0 ? -1 : 0) : static_cast<int>(here - parts.begin());
  for (int i = 1; i <= count; ++i)
    if (QWidget* next = firstFocusable(*parts[static_cast<size_t>((from + i * step + 2 * count) % count)]))
      return next->setFocus(step > 0 ? Qt::TabFocusReason : Qt::BacktabFocusReason);
}

}  // namespace tessera
