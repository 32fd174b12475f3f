// A line and a list below it; the line keeps the focus and passes arrows on to the list.
#include "editor/panels/popups/add_search.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <string_view>
#include <utility>

#include "editor/panels/popups/search_row.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kSearchWidth = 520, kSearchHeight = 320;
constexpr size_t kMaxFound = 200;

// What the buttons of an empty page say, typed.
std::string_view beginningNamed(std::string_view words) {
  static constexpr std::pair<std::string_view, std::string_view> kBeginnings[] = {
      {"table", "f32[4,8]"}, {"matrix", "f32[4,8]"}, {"array", "f32[4,8]"}, {"row", "f32[8]"},
      {"vector", "f32[8]"},  {"number", "3.5"},      {"scalar", "3.5"}};
  if (words.starts_with("a ")) words.remove_prefix(2);
  const auto found = std::ranges::find(kBeginnings, words, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kBeginnings) ? std::string_view() : found->second;
}

}  // namespace

AddSearch::AddSearch(QWidget* parent) : PopupFrame(parent), field_(new QLineEdit(this)), list_(new QListWidget(this)) {
  field_->setAccessibleName(tr("Add an operation"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setMinimumHeight(1);  // a list of one line leaves the field its height
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setItemDelegate(new SearchRow(list_));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(kMargin);
  layout->addWidget(field_);
  layout->addWidget(list_, 1);
  watch(*field_);
  connect(field_, &QLineEdit::textChanged, this, &AddSearch::search);
  connect(list_, &QListWidget::itemClicked, this, &AddSearch::accept);
}

void AddSearch::setBlocks(std::vector<Block> blocks) { blocks_ = std::move(blocks); }

void AddSearch::openFor(QPoint at, const tessera::Shape& value) {
  openAt(at);
  value_ = value;
  field_->setPlaceholderText(tr("What takes %1").arg(QString::fromStdString(toString(value, false))));
  search({});
}

void AddSearch::openToGive(QPoint at, std::vector<tessera::Shape> wanted) {
  openAt(at);
  wanted_ = std::move(wanted);
  QStringList shapes;
  for (const tessera::Shape& each : wanted_) shapes << QString::fromStdString(toString(each, false));
  field_->setPlaceholderText(tr("What gives %1").arg(shapes.join(tr(" or "))));
  search({});
}

void AddSearch::openAmong(QPoint at, const QString& hint, Finder finder) {
  openAt(at);
  finder_ = std::move(finder);
  field_->setPlaceholderText(hint);
  search({});
}

void AddSearch::openAt(QPoint at, Page page) {
  value_.reset();
  wanted_.clear();
  finder_ = nullptr;
  page_ = page;
  field_->setPlaceholderText(tr("Operation, value or shape: matmul · 3.5 · f32[4,8]   (Shift+Enter: and the next)"));
  PopupFrame::openAt(at, {kSearchWidth, kSearchHeight});
  field_->clear();
  search({});
  field_->setFocus();
}

std::vector<PaletteEntry> AddSearch::entriesFor(const std::string& words) const {
  std::vector<PaletteEntry> out;
  if (const std::string_view line = beginningNamed(words); !line.empty())
    for (PaletteEntry& entry : searchPalette(std::string(line), 1)) out.push_back(std::move(entry));
  if (words.empty() && page_ == Page::Empty)
    for (const char* line : {"f32[4,8]", "f32[8]", "3.5", "iota f32[8]"})
      for (PaletteEntry& entry : searchPalette(line, 1)) out.push_back(std::move(entry));
  for (PaletteEntry& entry : searchPalette(words, kMaxFound)) out.push_back(std::move(entry));
  return out;
}

std::vector<FittingEntry> AddSearch::fittingEntries(const std::string& words) const {
  if (finder_) return finder_(words);
  if (value_) return searchPaletteFor(words, *value_, kMaxFound);
  if (wanted_.empty()) return {};
  return searchPaletteGiving(words, std::span<const tessera::Shape>(wanted_), kMaxFound);
}

void AddSearch::search(const QString& line) {
  found_.clear();
  foundBlocks_.clear();
  list_->clear();
  const auto add = [&](const PaletteEntry& entry, const QString& gives) {
    const QString title = QString::fromStdString(entry.title), summary = QString::fromStdString(entry.summary);
    auto* item = new QListWidgetItem(QStringLiteral("%1 %2 %3").arg(title, gives, summary));  // as it is read aloud
    item->setData(SearchRow::kTitle, title);
    item->setData(SearchRow::kGives, gives);
    item->setData(SearchRow::kSummary, summary);
    item->setData(SearchRow::kCategory, QString::fromStdString(entry.category));
    item->setToolTip(asPlainText(summary));
    list_->addItem(item);
    found_.push_back(entry);
    foundBlocks_.emplace_back();
  };
  const std::string words = line.trimmed().toStdString();
  const bool narrowed = value_ || finder_ || !wanted_.empty();
  const auto entries = narrowed ? std::vector<PaletteEntry>() : entriesFor(words);
  const auto fitting = fittingEntries(words);
  // Own blocks come first, but for an operation whose name was typed.
  const bool exact =
      (!entries.empty() && entries[0].title == words) || (!fitting.empty() && fitting[0].entry.title == words);
  if (!exact) findBlocks(line.trimmed());
  for (const PaletteEntry& entry : entries) add(entry, {});
  for (const FittingEntry& each : fitting)
    add(each.entry,
        each.gives ? QStringLiteral("→ %1").arg(QString::fromStdString(toString(*each.gives, false))) : QString());
  if (exact) findBlocks(line.trimmed());
  list_->setCurrentRow(list_->count() ? 0 : -1);
  shrinkTo(*list_, *field_, kSearchHeight);
}

// A block is offered where its name is meant: an empty line lists operations first to those who have no word yet.
void AddSearch::findBlocks(const QString& words) {
  for (const Block& block : blocks_) {
    const QString name = QString::fromStdString(block.name), summary = QString::fromStdString(block.summary);
    if (words.isEmpty() || finder_ || !wanted_.empty() || !name.contains(words, Qt::CaseInsensitive)) continue;
    const Result<tessera::Shape> first = firstInputOf(block);
    if (value_ && (!first || !compatible(*first, *value_))) continue;
    auto* item = new QListWidgetItem(tr("%1 my block, version %2 %3").arg(name).arg(block.version).arg(summary));
    item->setData(SearchRow::kTitle, name);
    item->setData(SearchRow::kSummary, summary);
    item->setData(SearchRow::kCategory, tr("My blocks, version %1").arg(block.version));
    item->setToolTip(asPlainText(summary));
    list_->addItem(item);
    found_.emplace_back();
    foundBlocks_.push_back(name);
  }
}

void AddSearch::accept() {
  const int row = list_->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= found_.size()) return;
  const PaletteEntry entry = found_[static_cast<size_t>(row)];
  const QString block = foundBlocks_[static_cast<size_t>(row)];
  leave();
  if (block.isEmpty())
    emit chosen(entry);
  else
    emit blockChosen(block);
  if (std::exchange(goesOn_, false)) emit moreWanted();
}

bool AddSearch::keyPressed(QKeyEvent& key) {
  const bool accepts = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
  if (!accepts || !(key.modifiers() & Qt::ShiftModifier)) return chooseIn(*list_, key);
  goesOn_ = list_->currentRow() >= 0;
  if (goesOn_) accept();
  return true;
}

}  // namespace tessera
