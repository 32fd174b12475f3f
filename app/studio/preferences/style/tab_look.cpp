// What is current has a line of the highlight's colour: below, or above the document that it belongs to.
#include "app/studio/preferences/style/tab_look.h"

#include <QStyleOptionTab>
#include <QWidget>

#include "app/studio/preferences/style/style_paint.h"

namespace tessera {
namespace {

constexpr int kLineWidth = 2;

bool isBar(const QWidget* bar, const char* name) { return bar && bar->objectName() == QLatin1String(name); }
bool ofDocuments(const QWidget* bar) { return isBar(bar, "documents"); }
bool ofWorkspaces(const QWidget* bar) { return isBar(bar, "workspaces"); }

bool isCurrent(const QStyleOptionTab& tab) { return tab.state & QStyle::State_Selected; }
bool isHovered(const QStyleOptionTab& tab) {
  return (tab.state & QStyle::State_MouseOver) && (tab.state & QStyle::State_Enabled) && !isCurrent(tab);
}

void drawOfDocument(const QStyleOptionTab& tab, QPainter& painter) {
  const QRect& all = tab.rect;
  if (isCurrent(tab)) {
    painter.fillRect(all, tab.palette.base());
    painter.fillRect(all.left(), all.top(), all.width(), kLineWidth, tab.palette.highlight());
  }
  painter.fillRect(all.right(), all.top(), 1, all.height(), borderIn(tab.palette));
}

void drawOfWorkspace(const QStyleOptionTab& tab, QPainter& painter) {
  const QRect box = tab.rect.adjusted(1, 2, -1, -2);
  if (isHovered(tab)) fillRounded(painter, box, tab.palette.color(QPalette::Button), kCorner);
  if (!isCurrent(tab)) return;
  drawRounded(painter, box, tab.palette.color(QPalette::Base), borderIn(tab.palette));
  painter.save();
  painter.setClipRect(QRect(box.left(), box.bottom() + 1 - kLineWidth, box.width(), kLineWidth));
  fillRounded(painter, box, tab.palette.color(QPalette::Highlight), kCorner);
  painter.restore();
}

}  // namespace

QMargins roomAboutTab(const QWidget* bar) {
  if (ofDocuments(bar)) return {12, 7, 8, 7};
  if (ofWorkspaces(bar)) return {12, 7, 12, 8};
  return {8, 5, 8, 5 + kLineWidth};
}

void drawTabShape(const QStyleOptionTab& tab, QPainter& painter, const QWidget* bar) {
  if (ofWorkspaces(bar)) return drawOfWorkspace(tab, painter);
  if (isHovered(tab)) painter.fillRect(tab.rect, tab.palette.button());
  if (ofDocuments(bar)) return drawOfDocument(tab, painter);
  if (isCurrent(tab)) drawBottomLine(painter, tab.rect, tab.palette.color(QPalette::Highlight), kLineWidth);
}

QStyleOptionTab labelOfTab(const QStyleOptionTab& tab, const QWidget* bar) {
  QStyleOptionTab out = tab;
  const QMargins room = roomAboutTab(bar);
  out.rect.translate((room.left() - room.right()) / 2, (room.top() - room.bottom()) / 2);
  if (!isCurrent(tab)) out.palette.setColor(bar ? bar->foregroundRole() : QPalette::WindowText, quietIn(tab.palette));
  return out;
}

}  // namespace tessera
