// Icons of our own: lines of one width on a grid of 16, drawn in the colour of the words about them, so that they
// follow the theme, and sharp at any scale of the screen. The files are in resources/icons. Used by menus, tool bar,
// palette and panels.
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

class QAbstractButton;

namespace tessera {

inline constexpr int kIconSize = 16;

bool hasIcon(const QString& name);
// Null, where there is none of that name. color: instead of that of the words about it.
QIcon iconOf(const QString& name, const QColor& color = {});
// An icon instead of words, which become the button's name and tip.
void showIcon(QAbstractButton& button, const char* name, const QString& words, const QColor& color = {});

}  // namespace tessera
