// The colours of the window in both themes: surfaces, words, code, messages. Those of the canvas are ColorRole's
// (core/picture). Words have a contrast of at least 4.5 : 1 on what they may stand on, which tests/unit holds. Used by
// the theme, panels, text views and help.
#pragma once

#include <array>
#include <cstdint>

#include "core/picture/picture.h"

namespace tessera {

enum class Ink : uint8_t {
  // surfaces
  Window,
  Base,
  Alternate,
  Button,
  Border,
  Highlight,
  ErrorBanner,
  Notice,  // asks for something; nothing is wrong
  CodeBase,
  // words
  Text,
  Quiet,  // hints, what is disabled
  Link,
  OnHighlight,
  OnErrorBanner,
  OnNotice,
  Error,
  // words of code
  CodeName,
  CodeOpcode,
  CodeKey,
  CodeText,
  CodeComment,
  CodeNumber,
  CodeOpen,  // what is not there yet
  // what a comparison found
  Changed,
  Added,
  Removed,
  Fused,
  Relaid,
};

struct InkRow {
  Ink ink;
  uint32_t light, dark;  // 0xrrggbb
};
inline constexpr InkRow kInks[] = {
    {Ink::Window, 0xf3f4f6, 0x22252b},      {Ink::Base, 0xffffff, 0x1a1c21},
    {Ink::Alternate, 0xf7f8fa, 0x20232a},   {Ink::Button, 0xe9ebef, 0x2d313a},
    {Ink::Border, 0xd3d7de, 0x3a3f4a},      {Ink::Highlight, 0x2866cc, 0x2f6bd0},
    {Ink::ErrorBanner, 0xb3261e, 0xb3261e}, {Ink::Notice, 0xf6d77a, 0xf6d77a},
    {Ink::CodeBase, 0xf1f3f6, 0x262a32},    {Ink::Text, 0x1c2330, 0xdfe3ea},
    {Ink::Quiet, 0x5a6270, 0x9aa2b0},       {Ink::Link, 0x1b5aa8, 0x8ab8f0},
    {Ink::OnHighlight, 0xffffff, 0xffffff}, {Ink::OnErrorBanner, 0xffffff, 0xffffff},
    {Ink::OnNotice, 0x241c00, 0x241c00},    {Ink::Error, 0xb3261e, 0xff8a80},
    {Ink::CodeName, 0x1b5aa8, 0x8ab8f0},    {Ink::CodeOpcode, 0x9a4700, 0xe6a86a},
    {Ink::CodeKey, 0x703ca8, 0xc3a5e8},     {Ink::CodeText, 0x2a6e26, 0x9cc88a},
    {Ink::CodeComment, 0x646b76, 0x99a0ad}, {Ink::CodeNumber, 0x006a6a, 0x7fccc8},
    {Ink::CodeOpen, 0x8a5100, 0xffc16b},    {Ink::Changed, 0x8f5d00, 0xf0b429},
    {Ink::Added, 0x14702e, 0x4cc36b},       {Ink::Removed, 0xc02626, 0xff7b7b},
    {Ink::Fused, 0x703ca8, 0xc3a5e8},       {Ink::Relaid, 0x1b5aa8, 0x8ab8f0},
};
constexpr bool inksInOrder() {
  for (size_t i = 0; i < std::size(kInks); ++i)
    if (static_cast<size_t>(kInks[i].ink) != i) return false;
  return std::size(kInks) == static_cast<size_t>(Ink::Relaid) + 1;
}
static_assert(inksInOrder(), "a row for every ink, in the order of the enumeration");

constexpr uint32_t rgbOf(Ink ink, Theme theme) {
  const InkRow& row = kInks[static_cast<size_t>(ink)];
  return 0xff000000U | (theme == Theme::Dark ? row.dark : row.light);
}

}  // namespace tessera
