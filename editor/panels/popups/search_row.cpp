#include "editor/panels/popups/search_row.h"

#include <QApplication>
#include <QPainter>

namespace tessera {
namespace {
constexpr int kSearchGap = 10, kPadding = 6, kLeading = 6;
}

void SearchRow::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem row = option;
  initStyleOption(&row, index);
  row.text.clear();
  const QStyle* style = row.widget ? row.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &row, painter, row.widget);
  const bool chosen = row.state.testFlag(QStyle::State_Selected);
  const QColor strong = row.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
  QColor weak = strong;
  weak.setAlphaF(chosen ? 0.85F : 0.65F);
  QRect free = row.rect.adjusted(kPadding, 0, -kPadding, 0);
  // What is written at the left or right end leaves the rest free.
  const auto write = [&](SearchRow::Part part, QFont font, const QColor& colour, bool atEnd) {
    const QFontMetrics metrics(font, painter->device());
    const QString words = metrics.elidedText(index.data(part).toString(), Qt::ElideRight, free.width());
    if (words.isEmpty()) return;
    painter->setFont(font);
    painter->setPen(colour);
    painter->drawText(
        free, static_cast<int>(Qt::AlignVCenter) | static_cast<int>(atEnd ? Qt::AlignRight : Qt::AlignLeft), words);
    const int used = metrics.horizontalAdvance(words) + kSearchGap;
    free.adjust(atEnd ? 0 : used, 0, atEnd ? -used : 0, 0);
  };
  QFont bold = row.font;
  bold.setBold(true);
  write(kTitle, bold, strong, false);
  write(kGives, row.font, strong, false);
  write(kCategory, row.font, weak, true);
  write(kSummary, row.font, weak, false);
}

QSize SearchRow::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {0, option.fontMetrics.height() + kLeading};
}

}  // namespace tessera
