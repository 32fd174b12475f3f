// Buttons that open a menu and do not show its arrow, since their words or icon say it. Used by panels and the style.
#pragma once

#include <QToolButton>

namespace tessera {

inline constexpr char kHidesMenuArrow[] = "hidesMenuArrow";

inline void hideMenuArrow(QToolButton& button) { button.setProperty(kHidesMenuArrow, true); }
inline bool hidesMenuArrow(const QWidget* button) { return button && button->property(kHidesMenuArrow).toBool(); }

}  // namespace tessera
