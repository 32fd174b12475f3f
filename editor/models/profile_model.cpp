// Rows of the profile table. Times are per run.
#include "editor/models/profile_model.h"

#include <algorithm>

#include "core/picture/picture.h"

namespace tessera {
namespace {

// 1.2 k, 3.4 M, 5.6 G.
QString withUnit(double value, const QString& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  for (; value >= 999.5 && p < 5; ++p) value /= 1000;
  return QStringLiteral("%1 %2%3").arg(value, 0, 'g', 3).arg(QLatin1String(prefixes[p]), unit);
}

// Flops a second.
double rateOf(const SourceProfile& row) { return row.timeNs > 0 ? row.flops / row.timeNs * 1e9 : 0; }

QString text(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

}  // namespace

void ProfileModel::setProfile(const Module& module, const Profile& profile) {
  beginResetModel();
  module_ = module;
  rows_.clear();
  rows_.reserve(profile.sources.size());
  totalNs_ = 0;
  runs_ = static_cast<double>(std::max<int64_t>(1, profile.runs));
  for (const SourceProfile& source : profile.sources) {
    if (!module.contains(source.instruction)) continue;
    rows_.push_back(source);
    totalNs_ += source.timeNs;
  }
  sortRows();
  endResetModel();
}

void ProfileModel::clear() {
  beginResetModel();
  rows_.clear();
  module_.reset();
  endResetModel();
}

InstructionId ProfileModel::instructionAt(int row) const {
  return row >= 0 && row < rowCount() ? rows_[static_cast<size_t>(row)].instruction : InstructionId();
}

int ProfileModel::rowOf(InstructionId id) const {
  const auto found = std::ranges::find(rows_, id, &SourceProfile::instruction);
  return found != rows_.end() ? static_cast<int>(found - rows_.begin()) : -1;
}

int ProfileModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ProfileModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

void ProfileModel::sort(int column, Qt::SortOrder order) {
  emit layoutAboutToBeChanged();
  sortColumn_ = column;
  sortOrder_ = order;
  const QModelIndexList old = persistentIndexList();
  std::vector<InstructionId> at;
  for (const QModelIndex& index : old) at.push_back(instructionAt(index.row()));
  sortRows();
  for (qsizetype i = 0; i < old.size(); ++i)
    changePersistentIndex(old[i], index(rowOf(at[static_cast<size_t>(i)]), old[i].column()));
  emit layoutChanged();
}

void ProfileModel::sortRows() {
  const auto by = [&](auto key) {
    if (sortOrder_ == Qt::AscendingOrder)
      std::ranges::stable_sort(rows_, std::less(), key);
    else
      std::ranges::stable_sort(rows_, std::greater(), key);
  };
  if (!module_) return;
  const auto instruction = [&](const SourceProfile& row) -> const Instruction& { return module_->at(row.instruction); };
  switch (sortColumn_) {
    case kName: return by([&](const SourceProfile& row) { return instruction(row).name; });
    case kOpcode: return by([&](const SourceProfile& row) { return instruction(row).opcodeName(); });
    case kShape:
      return by([&](const SourceProfile& row) { return instruction(row).shape->elementCount().value_or(0); });
    case kHow: return by(&SourceProfile::measured);
    case kFlops: return by(&SourceProfile::flops);
    case kBytes: return by(&SourceProfile::bytes);
    case kRate: return by(rateOf);
    default: return by(&SourceProfile::timeNs);
  }
}

QString ProfileModel::textOf(const SourceProfile& row, int column) const {
  const Instruction& i = module_->at(row.instruction);
  switch (column) {
    case kName: return text(i.name);
    case kOpcode: return text(i.opcodeName());
    case kShape: return QString::fromStdString(toString(*i.shape, false)).left(120);
    case kTime: return QString::fromStdString(durationText(row.timeNs / runs_));
    case kShare: return totalNs_ > 0 ? QStringLiteral("%1 %").arg(100 * row.timeNs / totalNs_, 0, 'f', 1) : QString();
    case kHow: return row.measured ? tr("measured") : tr("estimated");
    case kFlops: return withUnit(row.flops / runs_, QStringLiteral("F"));
    case kBytes: return withUnit(row.bytes / runs_, QStringLiteral("B"));
    case kRate: return row.flops > 0 && row.timeNs > 0 ? withUnit(rateOf(row), QStringLiteral("F/s")) : QString();
    default: return {};
  }
}

QVariant ProfileModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !module_) return {};
  if (role == Qt::DisplayRole) return textOf(rows_[static_cast<size_t>(index.row())], index.column());
  const bool number = index.column() == kTime || index.column() == kShare || index.column() >= kFlops;
  if (role == Qt::TextAlignmentRole && number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant ProfileModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Instruction"), tr("Opcode"), tr("Shape"), tr("Time"), tr("Share"),
                            tr("How"),         tr("Flops"),  tr("Bytes"), tr("Rate")};
  return titles[section];
}

}  // namespace tessera
