// SearchLook: how the canvas shows a kept search: not, as a filter that dims the rest, or in a colour. The colours are
// those of Okabe and Ito (2008, "Color Universal Design"), which people tell apart whatever colours they see. Used by
// the canvas, the menu of kept searches and the bar that names them.
#pragma once

#include <QColor>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class SearchLook : uint8_t { None, Filter, Orange, Sky, Green, Blue, Vermilion, Purple };

struct SearchLookRow {
  SearchLook look;
  const char* name;  // in settings, menus and scripts
  uint32_t rgb;      // 0: no colour
};
inline constexpr SearchLookRow kSearchLooks[] = {
    {SearchLook::None, "not shown", 0},
    {SearchLook::Filter, "filter", 0},
    {SearchLook::Orange, "orange", 0xe69f00},
    {SearchLook::Sky, "sky", 0x56b4e9},
    {SearchLook::Green, "green", 0x009e73},
    {SearchLook::Blue, "blue", 0x0072b2},
    {SearchLook::Vermilion, "vermilion", 0xd55e00},
    {SearchLook::Purple, "purple", 0xcc79a7},
};

inline const SearchLookRow& rowOf(SearchLook look) { return kSearchLooks[static_cast<size_t>(look)]; }
inline bool isColor(SearchLook look) { return look >= SearchLook::Orange; }
inline QColor colorOf(SearchLook look) { return QColor::fromRgb(rowOf(look).rgb); }
inline std::optional<SearchLook> searchLookNamed(std::string_view name) {
  for (const SearchLookRow& row : kSearchLooks)
    if (row.name == name) return row.look;
  return std::nullopt;
}

}  // namespace tessera
