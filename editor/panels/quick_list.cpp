// See quick_list.h.
#include "editor/panels/quick_list.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace tessera {
namespace {
constexpr int kQuickWidth = 560, kQuickHeight = 380, kQuickMargin = 4;
constexpr qsizetype kShortest = 3;

bool lettersInOrder(const QString& text, const QString& letters) {
  qsizetype from = 0;
  for (const QChar c : letters) {
    from = text.indexOf(c, from, Qt::CaseInsensitive);
    if (from < 0) return false;
    ++from;
  }
  return true;
}
}  // namespace

bool matchesWords(const QString& text, const QString& words) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (std::ranges::all_of(parts, [&](const QString& part) { return text.contains(part, Qt::CaseInsensitive); }))
    return true;
  return parts.size() == 1 && parts[0].size() >= kShortest && lettersInOrder(text, parts[0]);
}

QuickList::QuickList(QWidget* parent) : QFrame(parent), field_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideRight);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kQuickMargin, kQuickMargin, kQuickMargin, kQuickMargin);
  layout->setSpacing(kQuickMargin);
  layout->addWidget(field_);
  layout->addWidget(list_, 1);
  field_->installEventFilter(this);
  connect(field_, &QLineEdit::textChanged, this, [this] { refresh(); });
  connect(list_, &QListWidget::itemClicked, this, [this] { take(); });
  hide();
}

void QuickList::open(const QString& placeholder, Find find) {
  find_ = std::move(find);
  captured_ = nullptr;
  field_->setPlaceholderText(placeholder);
  field_->setAccessibleName(placeholder);
  const QSize room = parentWidget()->size();
  resize(std::min(kQuickWidth, room.width()), std::min(kQuickHeight, room.height()));
  move((room.width() - width()) / 2, std::max(0, (room.height() - height()) / 5));
  const QSignalBlocker blocker(field_);
  field_->clear();
  list_->setCurrentRow(-1);
  show();
  raise();
  field_->setFocus();
  refresh();
}

void QuickList::refresh() {
  const int row = list_->currentRow();
  found_ = find_ ? find_(field_->text().trimmed()) : std::vector<QuickEntry>();
  list_->clear();
  for (const QuickEntry& entry : found_)
    list_->addItem(entry.detail.isEmpty() ? entry.title : QStringLiteral("%1  —  %2").arg(entry.title, entry.detail));
  const int last = static_cast<int>(found_.size()) - 1;
  list_->setCurrentRow(last < 0 ? -1 : std::clamp(field_->hasFocus() && row > 0 ? row : 0, 0, last));
}

void QuickList::captureKey(std::function<void(QKeySequence)> taken) { captured_ = std::move(taken); }

void QuickList::take() {
  const int row = list_->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= found_.size()) return;
  const QuickEntry entry = found_[static_cast<size_t>(row)];
  if (!entry.stays) leave();
  entry.take();
}

void QuickList::leave() {
  hide();
  captured_ = nullptr;
  parentWidget()->setFocus();
}

// Modifiers alone are no key yet.
bool QuickList::takeKey(int key, int modifiers) {
  if (key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt || key == Qt::Key_Meta) return true;
  const auto taken = std::exchange(captured_, nullptr);
  taken(key == Qt::Key_Escape ? QKeySequence() : QKeySequence(modifiers | key));
  return true;
}

bool QuickList::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && isVisible()) hide();
  if (event->type() == QEvent::ShortcutOverride) event->accept();  // keys typed here are no shortcuts of the window
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (captured_) return takeKey(key->key(), static_cast<int>(key->modifiers() & ~Qt::KeypadModifier));
  switch (key->key()) {
    case Qt::Key_Escape: return leave(), true;
    case Qt::Key_Return:
    case Qt::Key_Enter: return take(), true;
    case Qt::Key_Tab: return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: return QCoreApplication::sendEvent(list_, event), true;
    default: return QFrame::eventFilter(watched, event);
  }
}

}  // namespace tessera
