// The rows and the colours of DiffPanel. See diff_panel.h.
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/diff_tint.h"
#include "editor/panels/number_item.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

enum DiffColumn { kState, kNameAfter, kNameBefore, kWhat, kMoreFlops, kMoreBytes, kMoreTime, kDiffColumns };

QString nameInDiff(const Module& module, InstructionId id) {
  if (!module.contains(id)) return {};
  const std::string_view name = module.at(id).name;
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString signedWords(double value, const std::string& text) {
  return value == 0 ? QString()
                    : (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + QString::fromStdString(text);
}

QString changesWords(const std::vector<Change>& changes) {
  QStringList out;
  for (const Change& change : changes)
    out << QStringLiteral("%1: %2 → %3")
               .arg(QString::fromStdString(change.what),
                    change.inLeft.empty() ? QStringLiteral("–") : QString::fromStdString(change.inLeft).left(80),
                    change.inRight.empty() ? QStringLiteral("–") : QString::fromStdString(change.inRight).left(80));
  return out.join(QStringLiteral("; "));
}

double shownTimeOf(const Document& document, InstructionId id) {
  const auto& times = document.measures().selfTimes();
  const std::optional<Overlay::Entry> entry = times && id.valid() ? times->find(id) : std::nullopt;
  return entry ? entry->value : 0;
}

}  // namespace

void DiffPanel::showWords() {
  const auto count = [&](QToolButton* button, size_t number, const QString& what, NodeTint tint) {
    button->setText(tr("%L1 %2").arg(number).arg(what));
    button->setEnabled(result_ != nullptr);
    QPalette colors = palette();
    colors.setColor(QPalette::ButtonText, colorOf(tint, themeOf(palette())));
    button->setPalette(colors);
  };
  count(changed_, result_ ? result_->changed.size() : 0, tr("changed"), NodeTint::Changed);
  count(added_, result_ ? result_->added.size() : 0, tr("added"), NodeTint::Added);
  merged_->setEnabled(result_ && !result_->same());
  count(removed_, result_ ? result_->removed.size() : 0, tr("removed"), NodeTint::Removed);
  if (!result_) return words_->setText(tr("Choose the graph before: what differs is coloured in both"));
  const double flops = costs_.right.flops - costs_.left.flops,
               bytes = costs_.right.bytesAccessed - costs_.left.bytesAccessed;
  const auto peak = static_cast<double>(costs_.rightPeak - costs_.leftPeak);
  QStringList parts{result_->same() ? tr("nothing differs") : tr("%L1 matched").arg(result_->matched)};
  const auto part = [&](const QString& what, double value, const std::string& text) {
    parts << (value == 0 ? tr("same %1").arg(what) : tr("%1 %2").arg(signedWords(value, text), what));
  };
  part(tr("flops"), flops, amountText(std::abs(flops)));
  part(tr("of bytes accessed"), bytes, bytesText(std::abs(bytes)));
  part(tr("peak"), peak, bytesText(std::abs(peak)));
  const Profile *before = other_ ? other_->run().profile() : nullptr, *after = document_.run().profile();
  if (before && after) {
    const auto ns = [](const Profile& p) {
      return static_cast<double>(p.totalNs) / static_cast<double>(std::max<int64_t>(1, p.runs));
    };
    const double time = ns(*after) - ns(*before);
    part(tr("time of a run"), time, durationText(std::abs(time)));
  }
  words_->setText(parts.join(QStringLiteral(" · ")));
}

void DiffPanel::addRow(size_t place, DiffState state, InstructionId left, InstructionId right,
                       const std::vector<Change>* changes) {
  const auto& [flops, bytes] = rowCosts_[place];
  auto* item = new NumberItem(table_);
  item->setText(kState, state == DiffState::Added     ? tr("added")
                        : state == DiffState::Removed ? tr("removed")
                                                      : tr("changed"));
  item->setForeground(kState, colorOf(tintOf(state), themeOf(palette())));
  item->setText(kNameAfter, nameInDiff(document_.module(), right));
  item->setText(kNameBefore, nameInDiff(other_->module(), left));
  const Module& of = right.valid() ? document_.module() : other_->module();
  const InstructionId shown = right.valid() ? right : left;
  item->setText(kWhat, changes ? changesWords(*changes)
                               : QString::fromStdString(of.contains(shown) ? shortDescription(of, shown) : ""));
  item->setToolTip(kWhat, asPlainText(item->text(kWhat)));
  item->setNumber(kMoreFlops, flops, signedWords(flops, amountText(std::abs(flops))));
  item->setNumber(kMoreBytes, bytes, signedWords(bytes, bytesText(std::abs(bytes))));
  const double time = shownTimeOf(document_, right) - shownTimeOf(*other_, left);
  item->setNumber(kMoreTime, time, signedWords(time, durationText(std::abs(time))));
  item->setData(0, kLeftId, left.value);
  item->setData(0, kRightId, right.value);
}

void DiffPanel::fill() {
  constexpr int kMost = 10000;
  choosing_ = true;
  table_->setSortingEnabled(false);
  table_->clear();
  size_t next = 0;  // of rowCosts_
  const auto add = [&](const QToolButton* listed, DiffState state, InstructionId left, InstructionId right,
                       const std::vector<Change>* changes) {
    if (listed->isChecked() && table_->topLevelItemCount() < kMost) addRow(next, state, left, right, changes);
    ++next;
  };
  if (result_ && other_) {
    for (const ChangedInstruction& one : result_->changed)
      add(changed_, DiffState::Changed, one.left, one.right, &one.changes);
    for (InstructionId id : result_->added) add(added_, DiffState::Added, {}, id, nullptr);
    for (InstructionId id : result_->removed) add(removed_, DiffState::Removed, id, {}, nullptr);
    showWords();
  }
  table_->header()->setSortIndicator(-1, Qt::AscendingOrder);
  table_->setSortingEnabled(true);
  choosing_ = false;
}

void DiffPanel::paintBoth() {
  std::vector<std::pair<InstructionId, NodeTint>> mine, others;
  for (const ChangedInstruction& one : result_->changed) {
    others.emplace_back(one.left, NodeTint::Changed);
    mine.emplace_back(one.right, NodeTint::Changed);
  }
  for (InstructionId id : result_->added) mine.emplace_back(id, NodeTint::Added);
  for (InstructionId id : result_->removed) others.emplace_back(id, NodeTint::Removed);
  document_.view().tint(std::move(mine));
  other_->view().tint(std::move(others));
}

}  // namespace tessera
