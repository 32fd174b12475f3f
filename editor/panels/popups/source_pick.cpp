// See source_pick.h. Names that begin with the words come before those that hold them.
#include "editor/panels/popups/source_pick.h"

#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "editor/panels/popups/search_row.h"

namespace tessera {
namespace {
constexpr int kPickWidth = 420, kPickHeight = 260;
}  // namespace

SourcePick::SourcePick(QWidget* parent)
    : PopupFrame(parent), field_(new QLineEdit(this)), list_(new QListWidget(this)) {
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
  connect(field_, &QLineEdit::textChanged, this, &SourcePick::search);
  connect(list_, &QListWidget::itemClicked, this, &SourcePick::accept);
}

void SourcePick::openAt(QPoint at, const QString& input, std::vector<Source> sources,
                        std::function<QString(const QString&)> check) {
  sources_ = std::move(sources);
  check_ = std::move(check);
  field_->setAccessibleName(tr("What feeds %1").arg(input));
  field_->setPlaceholderText(tr("What feeds %1: a node's name, or a value").arg(input));
  PopupFrame::openAt(at, {kPickWidth, kPickHeight});
  field_->clear();
  search({});
  field_->setFocus();
}

void SourcePick::addLine(const QString& title, const QString& gives, const QString& summary) {
  auto* item = new QListWidgetItem(QStringLiteral("%1 %2 %3").arg(title, gives, summary));  // as it is read aloud
  item->setData(SearchRow::kTitle, title);
  item->setData(SearchRow::kGives, gives);
  item->setData(SearchRow::kSummary, summary);
  list_->addItem(item);
}

void SourcePick::search(const QString& line) {
  const QString words = line.trimmed();
  list_->clear();
  found_.clear();
  const auto add = [&](auto matches) {
    for (const Source& each : sources_)
      if (matches(each)) {
        addLine(each.name, each.gives, each.what);
        found_.push_back(each.value);
      }
  };
  const auto begins = [&](const Source& s) { return s.name.startsWith(words, Qt::CaseInsensitive); };
  const auto holds = [&](const Source& s) {
    return s.name.contains(words, Qt::CaseInsensitive) || s.what.contains(words, Qt::CaseInsensitive);
  };
  const bool isValue = !words.isEmpty() && check_(words).isEmpty();
  if (isValue) {
    addLine(words, {}, tr("this value"));
    found_.emplace_back();
  }
  add(begins);
  add([&](const Source& s) { return holds(s) && !begins(s); });
  list_->setCurrentRow(list_->count() ? 0 : -1);
  shrinkTo(*list_, *field_, kPickHeight);
}

void SourcePick::accept() {
  const int row = list_->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= found_.size()) return;
  const InstructionId value = found_[static_cast<size_t>(row)];
  const QString words = field_->text().trimmed();
  leave();
  if (value.valid())
    emit chosen(value);
  else
    emit typed(words);
}

}  // namespace tessera
