// Sizes that arranging and drawing share, in scene units.
#pragma once

namespace tessera::box {

inline constexpr float kTitleSize = 12, kSubtitleSize = 10.5f, kAttachedSize = 10, kGroupTitleSize = 13;
inline constexpr float kNodeHeight = 42, kTitleHeight = 22, kCollapsedHeight = 46, kAttachedHeight = 19;
inline constexpr float kTextPadding = 10, kGroupMark = 16;  // the ▸ before a group's title
inline constexpr float kNarrowest = 72, kWidest = 280, kAttachedNarrowest = 26, kAttachedWidest = 150;
inline constexpr float kRowHeight = 20, kFieldHeight = 17, kRowMargin = 7, kLabelGap = 8, kFieldNarrowest = 52,
                       kPullMark = 15;  // fields in a node
// Names of inputs along the upper edge, and the ports on it; at its right end the place of one input more.
inline constexpr float kPortRow = 11, kPortText = 8, kPortTextGap = 6, kPort = 7, kAppendRoom = 14;
// Rows of inputs at the left edge, where wires run to the right; the line of the result's shape.
inline constexpr float kInputRow = 16, kMostInputRows = 320, kResultLine = 32;
inline constexpr float kSourceRoom = 34;  // beside the words of where a value comes from: margins and a mark
inline constexpr float kAttachedGap = 12, kAttachedSeparation = 4;
inline constexpr float kGroupHeader = 28, kGroupPadding = 20;
inline constexpr float kColumnGap = 28, kRowGap = 36, kAcrossGap = 20, kAlongGap = 32, kWireClearance = 7;
inline constexpr float kLaneGap = 12, kLaneToBox = 14;  // between wires that cross a row, and beside boxes

}  // namespace tessera::box
