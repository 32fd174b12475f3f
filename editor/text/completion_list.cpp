// Two columns: the word, and a hint in a quieter colour.
#include "editor/text/completion_list.h"

#include <QHeaderView>
#include <algorithm>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kMaxCompletions = 9, kWidestCompletion = 620;

}  // namespace

CompletionList::CompletionList(QWidget* parent) : QTreeWidget(parent) {
  setObjectName(QStringLiteral("completions"));
  setColumnCount(2);
  header()->hide();
  header()->setStretchLastSection(true);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setFocusPolicy(Qt::NoFocus);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideRight);
  setFrameStyle(QFrame::Box | QFrame::Plain);
  setForegroundRole(QPalette::PlaceholderText);  // its edge: text of the same surface is below it
  setAutoFillBackground(true);
  hide();
}

void CompletionList::show(const Completions& found, const QRect& cursor, bool preferred) {
  begin_ = found.begin;
  clear();
  for (const Completion& each : found.items) {
    auto* item = new QTreeWidgetItem(this, {QString::fromStdString(each.text), QString::fromStdString(each.hint)});
    item->setForeground(1, palette().placeholderText());
    item->setToolTip(1, asPlainText(QString::fromStdString(each.hint)));
  }
  setCurrentItem(preferred ? topLevelItem(0) : nullptr);
  resizeColumnToContents(0);
  setColumnWidth(0, std::min(columnWidth(0) + 12, kWidestCompletion / 2));
  const int lines = std::min<int>(static_cast<int>(found.items.size()), kMaxCompletions);
  const int high = lines * std::max(sizeHintForRow(0), 16) + 2 * frameWidth();
  const QRect room = parentWidget()->rect();
  const int wide =
      std::min({kWidestCompletion, room.width(), columnWidth(0) + std::max(sizeHintForColumn(1) + 30, 80)});
  const int x = std::clamp(cursor.left(), 0, std::max(0, room.width() - wide));
  const bool below = cursor.bottom() + high <= room.bottom() || cursor.top() - high < 0;
  setGeometry(x, below ? cursor.bottom() + 1 : cursor.top() - high - 1, wide, high);
  raise();
  QTreeWidget::show();
}

QString CompletionList::chosen() const { return currentItem() ? currentItem()->text(0) : QString(); }

QStringList CompletionList::words() const {
  QStringList out;
  for (int k = 0; k < topLevelItemCount(); ++k) out << topLevelItem(k)->text(0);
  return out;
}

void CompletionList::step(int lines) {
  const int count = topLevelItemCount(), at = currentItem() ? indexOfTopLevelItem(currentItem()) : lines > 0 ? -1 : 0;
  if (count > 0) setCurrentItem(topLevelItem(std::clamp(at + lines, 0, count - 1)));
}

}  // namespace tessera
