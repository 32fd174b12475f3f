// See source_pick.h. Names that begin with the words come before those that hold them.
#include "editor/panels/popups/source_pick.h"

#include <QLineEdit>
#include <QListWidget>

namespace tessera {
namespace {
constexpr int kPickWidth = 420, kPickHeight = 260;
}  // namespace

SourcePick::SourcePick(QWidget* parent) : SearchPopup(parent) {}

void SourcePick::openAt(QPoint at, const QString& input, std::vector<Source> sources,
                        std::function<QString(const QString&)> check) {
  sources_ = std::move(sources);
  check_ = std::move(check);
  field()->setAccessibleName(tr("What feeds %1").arg(input));
  field()->setPlaceholderText(tr("What feeds %1: a node's name, or a value").arg(input));
  openEmpty(at, {kPickWidth, kPickHeight});
}

std::vector<SourcePick::Row> SourcePick::find(const QString& line) {
  const QString words = line.trimmed();
  std::vector<Row> rows;
  found_.clear();
  const auto add = [&](const QString& title, const QString& gives, const QString& summary, InstructionId value) {
    rows.push_back({title, gives, summary, {}, QStringLiteral("%1 %2 %3").arg(title, gives, summary)});
    found_.push_back(value);
  };
  const auto begins = [&](const Source& s) { return s.name.startsWith(words, Qt::CaseInsensitive); };
  const auto holds = [&](const Source& s) {
    return s.name.contains(words, Qt::CaseInsensitive) || s.what.contains(words, Qt::CaseInsensitive);
  };
  const bool isValue = !words.isEmpty() && check_(words).isEmpty();
  if (isValue) add(words, {}, tr("this value"), {});
  for (const bool atStart : {true, false})
    for (const Source& each : sources_)
      if (begins(each) == atStart && holds(each)) add(each.name, each.gives, each.what, each.value);
  return rows;
}

void SourcePick::accept() {
  const int row = list()->currentRow();
  if (row < 0 || static_cast<size_t>(row) >= found_.size()) return;
  const InstructionId value = found_[static_cast<size_t>(row)];
  const QString words = field()->text().trimmed();
  leave();
  if (value.valid())
    emit chosen(value);
  else
    emit typed(words);
}

}  // namespace tessera
