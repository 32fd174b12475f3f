// See quick_list.h.
#include "editor/panels/popups/quick_list.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <algorithm>
#include <functional>

namespace tessera {
namespace {
constexpr int kQuickWidth = 560, kQuickHeight = 380;
constexpr size_t kShortest = 3;

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool containsWord(std::string_view text, const std::string& word) {
  return !std::ranges::search(text, word, std::equal_to(), lowered).empty();
}

bool lettersInOrder(std::initializer_list<std::string_view> parts, const std::string& letters) {
  auto wanted = letters.begin();
  for (std::string_view part : parts)
    for (auto c = part.begin(); c != part.end() && wanted != letters.end(); ++c) wanted += lowered(*c) == *wanted;
  return wanted == letters.end();
}
}  // namespace

SearchWords::SearchWords(const QString& typed) {
  for (const QString& word : typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
    words_.push_back(word.toStdString());
}

bool SearchWords::areIn(std::initializer_list<std::string_view> parts) const {
  return std::ranges::all_of(words_, [&](const std::string& word) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return containsWord(part, word); });
  });
}

bool SearchWords::match(std::initializer_list<std::string_view> parts) const {
  if (areIn(parts)) return true;
  return words_.size() == 1 && words_[0].size() >= kShortest && lettersInOrder(parts, words_[0]);
}

bool matchesWords(const QString& text, const QString& words) { return SearchWords(words).match({text.toStdString()}); }

QuickList::QuickList(QWidget* parent) : PopupFrame(parent), field_(new QLineEdit(this)), list_(new QListWidget(this)) {
  putAbove(*field_, *list_);
  list_->setTextElideMode(Qt::ElideRight);
  connect(field_, &QLineEdit::textChanged, this, [this] { refresh(); });
  connect(list_, &QListWidget::itemClicked, this, &QuickList::accept);
}

void QuickList::open(const QString& placeholder, Find find) {
  find_ = std::move(find);
  captured_ = nullptr;
  field_->setPlaceholderText(placeholder);
  field_->setAccessibleName(placeholder);
  const QSignalBlocker blocker(field_);
  field_->clear();
  list_->setCurrentRow(-1);
  const QSize room = parentWidget()->size();
  openAt({(room.width() - kQuickWidth) / 2, (room.height() - kQuickHeight) / 5}, {kQuickWidth, kQuickHeight});
  field_->setFocus();
  refresh();
}

// What has the words themselves goes before what has their letters alone.
void QuickList::refresh() {
  const int row = list_->currentRow();
  found_ = find_ ? find_(field_->text().trimmed()) : std::vector<QuickEntry>();
  const SearchWords words(field_->text());
  std::ranges::stable_partition(found_, [&](const QuickEntry& entry) {
    return words.areIn({entry.title.toStdString(), entry.detail.toStdString()});
  });
  list_->clear();
  for (const QuickEntry& entry : found_)
    list_->addItem(entry.detail.isEmpty() ? entry.title : QStringLiteral("%1  —  %2").arg(entry.title, entry.detail));
  if (found_.empty()) sayNothing(*list_, nothingFound());
  const int last = static_cast<int>(found_.size()) - 1;
  list_->setCurrentRow(last < 0 ? -1 : std::clamp(field_->hasFocus() && row > 0 ? row : 0, 0, last));
  shrinkTo(*list_, *field_, kQuickHeight);
}

void QuickList::captureKey(std::function<void(QKeySequence)> taken) { captured_ = std::move(taken); }

void QuickList::accept() {
  const int row = list_->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= found_.size()) return;
  const QuickEntry entry = found_[static_cast<size_t>(row)];
  if (!entry.stays) {
    leave();
    captured_ = nullptr;
  }
  entry.take();
}

// While a key is captured, it is no key of the list.
bool QuickList::keyPressed(QKeyEvent& key) {
  if (!captured_) return chooseIn(*list_, key);
  capture(key.key(), static_cast<int>(key.modifiers() & ~Qt::KeypadModifier));
  return true;
}

// Modifiers alone are no key yet.
void QuickList::capture(int key, int modifiers) {
  if (key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt || key == Qt::Key_Meta) return;
  const auto taken = std::exchange(captured_, nullptr);
  taken(key == Qt::Key_Escape ? QKeySequence() : QKeySequence(modifiers | key));
}

}  // namespace tessera
