// A line and a list below it; the line keeps the focus and passes arrows on to the list.
#include "editor/panels/popups/add_search.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <algorithm>
#include <string_view>
#include <utility>

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

AddSearch::AddSearch(QWidget* parent) : SearchPopup(parent) { field()->setAccessibleName(tr("Add an operation")); }

void AddSearch::setBlocks(std::vector<Block> blocks) { blocks_ = std::move(blocks); }

void AddSearch::openFor(QPoint at, const tessera::Shape& value) {
  openAt(at);
  value_ = value;
  field()->setPlaceholderText(tr("What takes %1").arg(QString::fromStdString(toString(value, false))));
  search({});
}

void AddSearch::openToGive(QPoint at, std::vector<tessera::Shape> wanted) {
  openAt(at);
  wanted_ = std::move(wanted);
  QStringList shapes;
  for (const tessera::Shape& each : wanted_) shapes << QString::fromStdString(toString(each, false));
  field()->setPlaceholderText(tr("What gives %1").arg(shapes.join(tr(" or "))));
  search({});
}

void AddSearch::openAmong(QPoint at, const QString& hint, Finder finder) {
  openAt(at);
  finder_ = std::move(finder);
  field()->setPlaceholderText(hint);
  search({});
}

void AddSearch::openAt(QPoint at, Page page) {
  value_.reset();
  wanted_.clear();
  finder_ = nullptr;
  page_ = page;
  field()->setPlaceholderText(tr("Operation, value or shape: matmul · 3.5 · f32[4,8]   (Shift+Enter: and the next)"));
  openEmpty(at, {kSearchWidth, kSearchHeight});
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

std::vector<AddSearch::Row> AddSearch::find(const QString& line) {
  std::vector<Row> rows;
  found_.clear();
  foundBlocks_.clear();
  const auto add = [&](const PaletteEntry& entry, const QString& gives) {
    const QString title = QString::fromStdString(entry.title), summary = QString::fromStdString(entry.summary);
    rows.push_back({title, gives, summary, QString::fromStdString(entry.category),
                    QStringLiteral("%1 %2 %3").arg(title, gives, summary)});
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
  if (!exact) addBlocks(line.trimmed(), rows);
  for (const PaletteEntry& entry : entries) add(entry, {});
  for (const FittingEntry& each : fitting)
    add(each.entry,
        each.gives ? QStringLiteral("→ %1").arg(QString::fromStdString(toString(*each.gives, false))) : QString());
  if (exact) addBlocks(line.trimmed(), rows);
  return rows;
}

QString AddSearch::whyNothing(const QString& line) const {
  const std::string words = line.trimmed().toStdString();
  if (const std::string refused = notTaken(words); !refused.empty()) return QString::fromStdString(refused);
  if (searchPalette(words, 1).empty()) return nothingFound();
  if (value_) return tr("Nothing of this name takes %1").arg(QString::fromStdString(toString(*value_, false)));
  return wanted_.empty() ? nothingFound() : tr("Nothing of this name gives what is wanted");
}

// A block is offered where its name is meant: an empty line lists operations first to those who have no word yet.
void AddSearch::addBlocks(const QString& words, std::vector<Row>& rows) {
  for (const Block& block : blocks_) {
    const QString name = QString::fromStdString(block.name), summary = QString::fromStdString(block.summary);
    if (words.isEmpty() || finder_ || !wanted_.empty() || !name.contains(words, Qt::CaseInsensitive)) continue;
    const Result<tessera::Shape> first = firstInputOf(block);
    if (value_ && (!first || !compatible(*first, *value_))) continue;
    rows.push_back({name,
                    {},
                    summary,
                    tr("My blocks, version %1").arg(block.version),
                    tr("%1 my block, version %2 %3").arg(name).arg(block.version).arg(summary)});
    found_.emplace_back();
    foundBlocks_.push_back(name);
  }
}

void AddSearch::accept() {
  const int row = list()->currentRow();
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
  if (!accepts || !(key.modifiers() & Qt::ShiftModifier)) return SearchPopup::keyPressed(key);
  goesOn_ = list()->currentRow() >= 0;
  if (goesOn_) accept();
  return true;
}

}  // namespace tessera
