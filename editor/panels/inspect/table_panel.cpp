// What such tables share, then the diagnostics.
#include "editor/panels/inspect/table_panel.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/models/diagnostics_model.h"
#include "editor/panels/popups/row_menu.h"
#include "editor/text/plain_text.h"

namespace tessera {

TablePanel::TablePanel(Document& document, const QString& emptyText, QWidget* parent)
    : QWidget(parent), document_(document), table_(new QTreeView(this)), empty_(new PlainLabel(emptyText, this)) {
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  addRowMenu(*table_);
  table_->setAlternatingRowColors(true);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setAllColumnsShowFocus(true);
  table_->header()->setStretchLastSection(false);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  connect(table_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    if (const InstructionId id = instructionAt(index.row()); id.valid()) emit revealWanted(id);
  });
  connect(&document_, &Document::selectionChanged, this, &TablePanel::showSelection);
}

void TablePanel::showEmptyText() {
  empty_->setVisible(table_->model()->rowCount() == 0);
  empty_->setGeometry(rect().adjusted(12, 24, -12, 0));
  empty_->raise();
}

void TablePanel::resizeEvent(QResizeEvent*) { showEmptyText(); }

void TablePanel::selectRows() {
  if (choosing_) return;
  std::vector<InstructionId> chosen;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    if (const InstructionId id = instructionAt(index.row());
        id.valid() && std::ranges::find(chosen, id) == chosen.end())
      chosen.push_back(id);
  if (chosen.empty()) return;
  choosing_ = true;
  document_.select(std::move(chosen));
  choosing_ = false;
}

void TablePanel::showSelection() {
  if (choosing_ || !table_->model()) return;
  choosing_ = true;
  const int row = document_.selection().size() == 1 ? rowOf(document_.selected()) : -1;
  if (row < 0) {
    table_->clearSelection();
  } else {
    const QModelIndex index = table_->model()->index(row, 0);
    table_->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    table_->scrollTo(index);
  }
  choosing_ = false;
}

// --- diagnostics

DiagnosticsPanel::DiagnosticsPanel(Document& document, QWidget* parent)
    : TablePanel(document, tr("Nothing is wrong."), parent), model_(new DiagnosticsModel(this)) {
  table_->setModel(model_);
  table_->setWordWrap(false);
  const int em = table_->fontMetrics().averageCharWidth();
  table_->setColumnWidth(0, 11 * em);
  table_->setColumnWidth(1, 22 * em);
  table_->setColumnWidth(3, 24 * em);
  table_->header()->setSectionResizeMode(2, QHeaderView::Stretch);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] { selectRows(); });
  connect(&document_, &Document::diagnosticsChanged, this, &DiagnosticsPanel::show);
  show();
}

void DiagnosticsPanel::show() {
  const auto& diagnostics = document_.diagnostics();
  errors_ = static_cast<int>(std::ranges::count_if(
      diagnostics, [](const Diagnostic& d) { return d.severity == Severity::Error && !isOpenPlace(d); }));
  model_->setDiagnostics(diagnostics);
  showEmptyText();
  showSelection();
  emit countChanged();
}

InstructionId DiagnosticsPanel::instructionAt(int row) const { return model_->instructionAt(row); }
int DiagnosticsPanel::rowOf(InstructionId id) const { return model_->rowOf(id); }

}  // namespace tessera
