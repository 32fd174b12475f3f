// Push buttons, fields of a line, check boxes and radio buttons. Used by StudioStyle.
#pragma once

#include <QMargins>

class QPainter;
class QStyleOption;
class QStyleOptionButton;
class QStyleOptionFrame;

namespace tessera {

// About the words of a button; one that has only an icon or an arrow is narrow.
QMargins roomInButton(const QStyleOptionButton& button);
void drawButton(const QStyleOptionButton& button, QPainter& painter);
inline constexpr QMargins kRoomInField{7, 4, 7, 4};
void drawField(const QStyleOptionFrame& field, QPainter& painter);
void drawFrameOfField(const QStyleOption& field, QPainter& painter);  // over what is there
// A check box or a radio button has a border in the colour of quiet words, which has enough contrast on every surface,
// and is filled when it is checked.
void drawIndicator(const QStyleOption& option, QPainter& painter, bool isRound);

}  // namespace tessera
