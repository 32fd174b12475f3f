// Every device may stand in one group only; the matrix says so before the graph is changed.
#include "editor/attributes/replica_matrix.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSet>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/hlo/module.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kMaxShown = 64;
}

ReplicaMatrix::ReplicaMatrix(QWidget* parent)
    : AttributePicture(parent), table_(new QTableWidget(this)), error_(new ErrorLabel(this)) {
  table_->setAccessibleName(tr("Replica groups"));
  table_->setToolTip(tr("A group a row: type a device's number, or drag one onto another to change places"));
  table_->horizontalHeader()->setDefaultSectionSize(44);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->horizontalHeader()->hide();
  table_->viewport()->installEventFilter(this);
  auto* bar = new QGridLayout;  // two a row: the inspector is narrow
  const auto add = [&](const QString& text, const QString& help, auto slot) {
    auto* button = new QPushButton(text, this);
    button->setToolTip(help);
    connect(button, &QPushButton::clicked, this, slot);
    bar->addWidget(button, bar->count() / 2, bar->count() % 2);
  };
  add(tr("+ group"), tr("One more group; devices are numbered anew"),
      [this] { resizeTo(table_->rowCount() + 1, std::max(table_->columnCount(), 1)); });
  add(tr("+ member"), tr("One more device in each group; devices are numbered anew"),
      [this] { resizeTo(std::max(table_->rowCount(), 1), table_->columnCount() + 1); });
  add(tr("all in one"), tr("No groups: all devices are one"),
      [this] { emitText(id_, Attr::replica_groups, "{}", false); });
  bar->setColumnStretch(2, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(table_);
  layout->addWidget(error_);
  layout->addLayout(bar);
  connect(table_, &QTableWidget::cellChanged, this, &ReplicaMatrix::commit);
}

QString ReplicaMatrix::errorText() const { return error_->text(); }

void ReplicaMatrix::show(const Module& module, InstructionId id) {
  id_ = id;
  const QSignalBlocker blocker(table_);
  const auto* groups = module.at(id).attributes->get<ReplicaGroups>(Attr::replica_groups);
  const auto none = std::vector<std::vector<int64_t>>();
  const auto& rows = groups ? groups->groups : none;
  size_t wide = 0;
  for (const auto& row : rows) wide = std::max(wide, row.size());
  setVisible(rows.size() <= kMaxShown && wide <= kMaxShown);
  if (isHidden()) return;
  table_->clearContents();
  table_->setRowCount(static_cast<int>(rows.size()));
  table_->setColumnCount(static_cast<int>(wide));
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < wide; ++c)
      table_->setItem(static_cast<int>(r), static_cast<int>(c),
                      new QTableWidgetItem(c < rows[r].size() ? QString::number(rows[r][c]) : QString()));
  table_->setVisible(!rows.empty());
  table_->setFixedHeight(
      static_cast<int>(std::min<size_t>(rows.size(), 6)) * table_->verticalHeader()->defaultSectionSize() + 8);
  error_->say({});
}

void ReplicaMatrix::resizeTo(int groups, int members) {
  std::string text = "{";
  for (int g = 0; g < groups; ++g) {
    text += g ? ",{" : "{";
    for (int m = 0; m < members; ++m) text += (m ? "," : "") + std::to_string(g * members + m);
    text += "}";
  }
  emitText(id_, Attr::replica_groups, text + "}", false);
}

void ReplicaMatrix::swapCells(int row, int column, int toRow, int toColumn) {
  QTableWidgetItem *from = table_->item(row, column), *to = table_->item(toRow, toColumn);
  if (!from || !to || from == to) return;
  {
    const QSignalBlocker blocker(table_);
    const QString text = from->text();
    from->setText(to->text());
    to->setText(text);
  }
  commit();
}

void ReplicaMatrix::commit() {
  std::string text = "{";
  QString wrong;
  QSet<qlonglong> seen;
  for (int r = 0; r < table_->rowCount(); ++r) {
    text += r ? ",{" : "{";
    bool first = true;
    for (int c = 0; c < table_->columnCount(); ++c) {
      const QString cell = table_->item(r, c) ? table_->item(r, c)->text().trimmed() : QString();
      if (cell.isEmpty()) continue;
      bool reads = false;
      const qlonglong device = cell.toLongLong(&reads);
      if (!reads || device < 0)
        wrong = tr("\"%1\" is no device's number.").arg(cell);
      else if (seen.contains(device))
        wrong = tr("Device %1 stands in two places.").arg(device);
      seen.insert(device);
      text += (first ? "" : ",") + std::to_string(device);
      first = false;
    }
    text += "}";
  }
  error_->say(wrong);
  if (wrong.isEmpty()) emitText(id_, Attr::replica_groups, text + "}", false);
}

bool ReplicaMatrix::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonPress) {
    const QModelIndex at = table_->indexAt(static_cast<QMouseEvent*>(event)->position().toPoint());
    pressedRow_ = at.row();
    pressedColumn_ = at.column();
  }
  if (event->type() == QEvent::MouseButtonRelease && pressedRow_ >= 0) {
    const QModelIndex at = table_->indexAt(static_cast<QMouseEvent*>(event)->position().toPoint());
    if (at.isValid()) swapCells(std::exchange(pressedRow_, -1), pressedColumn_, at.row(), at.column());
  }
  return AttributePicture::eventFilter(watched, event);
}

}  // namespace tessera
