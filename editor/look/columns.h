// First widths of the columns of a table or tree: as many letters as its values have, never less than its title takes.
#pragma once

#include <QFontMetrics>
#include <QHeaderView>
#include <QTreeView>
#include <algorithm>
#include <span>

namespace tessera {

// Call when the view has its model and its sort indicator.
inline void setColumnLetters(QTreeView& view, std::span<const int> letters) {
  QHeaderView& header = *view.header();
  const int letter = view.fontMetrics().averageCharWidth();
  for (int column = 0; column < std::min(header.count(), static_cast<int>(letters.size())); ++column)
    header.resizeSection(column,
                         std::max(letters[static_cast<size_t>(column)] * letter, header.sectionSizeHint(column)));
}

}  // namespace tessera
