// Flat tabs: of documents, of workspaces, and all others, which are those of panels. Used by StudioStyle.
#pragma once

#include <QMargins>

class QPainter;
class QStyleOptionTab;
class QWidget;

namespace tessera {

// About icon, words and button of a tab of the bar, its borders included.
QMargins roomAboutTab(const QWidget* bar);
void drawTabShape(const QStyleOptionTab& tab, QPainter& painter, const QWidget* bar);
// Where and in which colour its label is drawn by the base style, which centres it.
QStyleOptionTab labelOfTab(const QStyleOptionTab& tab, const QWidget* bar);

}  // namespace tessera
