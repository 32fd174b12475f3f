// See profile_panel.h.
#include "editor/panels/profile/profile_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <array>

#include "core/base/sorting.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/document/machine_peaks.h"
#include "editor/look/columns.h"
#include "editor/models/op_tree_model.h"
#include "editor/panels/bar_button.h"
#include "editor/panels/profile/icicle_view.h"
#include "editor/panels/profile/treemap.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"

namespace tessera {
namespace {

CostScope areaOf(const OpTree& tree, int32_t number) {
  const OpRow& row = tree.rows[static_cast<size_t>(number)];
  CostScope out;
  out.name = row.facts.name;
  // Boxes of one level are no larger together than the one above: a loop without what it runs.
  out.weight = row.kind == OpRowKind::Fusion || row.kind == OpRowKind::Instruction ? row.ratedNs : row.totalNs;
  out.instruction = row.facts.instruction;
  double most = 0;
  for (int32_t child : row.children) {
    out.children.push_back(areaOf(tree, child));
    if (row.facts.instruction.valid() || out.children.back().weight <= most) continue;
    most = out.children.back().weight;
    out.instruction = out.children.back().instruction;
  }
  sortDescending(out.children, &CostScope::weight);
  return out;
}

CostScope areasOf(const OpTree& tree) {
  CostScope out;
  for (int32_t root : tree.roots) {
    out.children.push_back(areaOf(tree, root));
    out.weight += out.children.back().weight;
  }
  sortDescending(out.children, &CostScope::weight);
  return out;
}

}  // namespace

ProfilePanel::ProfilePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new OpTreeModel(this)),
      empty_(
          new EmptyLabel(tr("Run the graph (F5), or open a profile (File menu), to see where its time goes."), this)),
      stack_(new QStackedWidget(this)),
      table_(new QTreeView(stack_)),
      icicle_(new IcicleView(stack_)),
      map_(new Treemap(stack_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(stack_, 1);
  table_->setModel(model_);
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setAllColumnsShowFocus(true);
  table_->setSortingEnabled(true);
  table_->sortByColumn(static_cast<int>(OpColumn::Total), Qt::DescendingOrder);
  setColumnLetters(*table_, std::array{38, 12, 9, 12, 8, 34, 10, 9, 11, 12, 11, 11, 12, 18, 30});
  stack_->addWidget(table_);
  stack_->addWidget(icicle_);
  stack_->addWidget(map_);
  connectParts();
  show();
}

ProfilePanel::~ProfilePanel() { map_->setScopes(nullptr, true); }

QWidget* ProfilePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(4, 4, 4, 4);
  grouping_ = new QComboBox(bar);
  for (const OpGrouping by : {OpGrouping::Scope, OpGrouping::Opcode, OpGrouping::Category, OpGrouping::Source,
                              OpGrouping::Computation, OpGrouping::None}) {
    const std::string_view name = nameOf(by);
    grouping_->addItem(by == OpGrouping::None ? tr("not grouped")
                                              : tr("by %1").arg(QLatin1String(name.data(), qsizetype(name.size()))),
                       static_cast<int>(by));
  }
  filter_ = new QLineEdit(bar);
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setToolTip(tr("Words of the name, opcode, scope, source line or computation; each of them has to be there"));
  filter_->setAccessibleName(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(260);
  const auto button = [bar](const QString& text, const QString& tip) { return makeBarButton(bar, text, tip); };
  boxes_ = button(tr("Boxes"), tr("The tree as nested boxes, as wide as their time"));
  boxes_->setCheckable(true);
  mapButton_ = button(tr("Areas"), tr("The tree as a treemap, as large as their time"));
  mapButton_->setCheckable(true);
  QToolButton* save = button(tr("CSV…"), tr("Write the tree as a table"));
  connect(save, &QToolButton::clicked, this, &ProfilePanel::chooseExport);
  words_ = new StatusLine(bar);
  modules_ = new QComboBox(bar);
  modules_->setToolTip(tr("The profile holds several modules: the chosen one opens beside this one"));
  for (QWidget* each : std::initializer_list<QWidget*>{modules_, grouping_, filter_, boxes_, mapButton_, save})
    row->addWidget(each);
  row->addWidget(words_, 1);
  return bar;
}

void ProfilePanel::connectParts() {
  auto* copy = new QAction(tr("Copy"), table_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  table_->addAction(copy);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(copy, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(copied()); });
  connect(grouping_, &QComboBox::currentIndexChanged, this, &ProfilePanel::grow);
  connect(modules_, &QComboBox::activated, this, [this](int index) {
    modules_->setCurrentIndex(0);
    if (index > 0) emit moduleWanted(document_.run().origin().path, modules_->itemText(index));
  });
  connect(filter_, &QLineEdit::textChanged, this, &ProfilePanel::grow);
  connect(boxes_, &QToolButton::toggled, this, [this](bool on) {
    if (on) mapButton_->setChecked(false);
    showForm();
  });
  connect(mapButton_, &QToolButton::toggled, this, [this](bool on) {
    if (on) boxes_->setChecked(false);
    showForm();
  });
  connect(map_, &Treemap::chosen, this, [this](InstructionId id) { choose(model_->placeOf(model_->indexOf(id))); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ProfilePanel::selectRows);
  connect(table_, &QTreeView::doubleClicked, this, [this](const QModelIndex& at) {
    if (model_->rowCount(at.siblingAtColumn(0)) == 0) reveal(model_->placeOf(at));
  });
  connect(icicle_, &IcicleView::chosen, this, &ProfilePanel::choose);
  connect(icicle_, &IcicleView::activated, this, &ProfilePanel::reveal);
  connect(&document_.measures(), &NodeMeasures::timesHeld, this, &ProfilePanel::show);
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, &ProfilePanel::show);
  connect(&document_, &Document::selectionChanged, this, &ProfilePanel::showSelection);
}

const OpTree& ProfilePanel::tree() const { return model_->tree(); }
QString ProfilePanel::words() const { return words_->text(); }

void ProfilePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (document_.run().isOwnRun()) MachinePeaks::ofThisMachine().measure();
}

void ProfilePanel::resizeEvent(QResizeEvent*) { showEmptyText(); }

void ProfilePanel::showEmptyText() {
  empty_->setVisible(!held_);
  empty_->setGeometry(rect().adjusted(12, 40, -12, 0));
  empty_->raise();
}

void ProfilePanel::show() {
  held_ = document_.measures().times();
  const QStringList& modules = document_.run().origin().modules;
  modules_->clear();
  modules_->addItems(modules);
  modules_->setVisible(modules.size() > 1);
  if (held_ && isVisible() && document_.run().isOwnRun()) MachinePeaks::ofThisMachine().measure();
  grow();
  showEmptyText();
}

void ProfilePanel::showWords() {
  const ProgramRun& run = document_.run();
  const ProfileOrigin& origin = run.origin();
  QString words = held_ ? origin.words : QString();
  if (held_ && !origin.warnings.isEmpty()) words += QStringLiteral("; ") + origin.warnings;
  if (const auto& device = document_.measures().device(); held_ && device)
    words += tr("; held against the peaks of %1 (%2)")
                 .arg(QString::fromStdString(device->name), QString::fromStdString(device->source));
  else if (held_ && run.isOwnRun() && MachinePeaks::ofThisMachine().isMeasuring())
    words += tr("; measuring the machine's peaks …");
  words_->setText(words);
}

// Rows that take a twentieth of the time are open.
void ProfilePanel::grow() {
  constexpr double kOpened = 0.05;
  choosing_ = true;
  const auto by = static_cast<OpGrouping>(grouping_->currentData().toInt());
  icicle_->setTree(nullptr);
  model_->setTree(held_ ? opTree(*held_, by, filter_->text().toStdString()) : OpTree());
  icicle_->setTree(&model_->tree());
  if (mapButton_->isChecked()) showForm();
  const OpTree& tree = model_->tree();
  const bool filtered = !filter_->text().trimmed().isEmpty() && tree.rows.size() < 1000;
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const OpRow& row = tree.rows[i];
    const bool opened = row.kind == OpRowKind::Group ? row.totalNs >= kOpened * tree.totalNs : false;
    if (!row.children.empty() && (opened || filtered)) table_->expand(model_->indexOf(static_cast<int32_t>(i)));
  }
  choosing_ = false;
  showWords();
  showSelection();
}

void ProfilePanel::selectRows() {
  if (choosing_) return;
  constexpr size_t kMost = 20000;
  std::vector<InstructionId> chosen;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    for (InstructionId id : tree().instructionsOf(model_->placeOf(index)))
      if (chosen.size() < kMost && document_.module().contains(id)) chosen.push_back(id);
  if (chosen.empty()) return;
  icicle_->setSelected(model_->placeOf(table_->selectionModel()->selectedRows().front()));
  choosing_ = true;
  document_.select(std::move(chosen));
  choosing_ = false;
}

// One of three: the table, nested boxes, areas.
void ProfilePanel::showForm() {
  stack_->setCurrentIndex(boxes_->isChecked() ? 1 : mapButton_->isChecked() ? 2 : 0);
  map_->setScopes(nullptr, true);
  areas_.reset();
  if (!mapButton_->isChecked() || tree().rows.empty()) return;
  areas_ = std::make_unique<CostScope>(areasOf(tree()));
  map_->setScopes(areas_.get(), true);
}

// From a box: its row is selected, and that selects its instructions.
void ProfilePanel::choose(int32_t row) {
  const QModelIndex index = model_->indexOf(row);
  table_->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  table_->scrollTo(index);
}

void ProfilePanel::showSelection() {
  if (choosing_) return;
  choosing_ = true;
  const bool one = document_.selection().size() == 1;
  const QModelIndex index = one ? model_->indexOf(document_.selected()) : QModelIndex();
  icicle_->setSelected(index.isValid() ? model_->placeOf(index) : -1);
  if (index.isValid()) {
    table_->selectionModel()->select(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    table_->scrollTo(index);
  } else {
    table_->clearSelection();
  }
  choosing_ = false;
}

void ProfilePanel::reveal(int32_t row) {
  const auto instructions = tree().instructionsOf(row);
  if (!instructions.empty() && document_.module().contains(instructions[0])) emit revealWanted(instructions[0]);
}

QString ProfilePanel::copied() const {
  QStringList lines{QString()};
  for (int column = 0; column < kOpColumns; ++column)
    lines[0] += (column > 0 ? QStringLiteral("\t") : QString()) +
                model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    QStringList cells;
    for (int column = 0; column < kOpColumns; ++column) cells << index.siblingAtColumn(column).data().toString();
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void ProfilePanel::exportCsv(const QString& path) {
  exportFile(
      this, path, [tree = tree()] { return toCsv(tree); },
      [this](const Status& written) {
        if (!written) emit failed(QString::fromStdString(written.error().toString()));
      });
}

void ProfilePanel::chooseExport() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Write the profile"), QStringLiteral("profile.csv"), tr("Tables (*.csv)"));
  if (!path.isEmpty()) exportCsv(path);
}

}  // namespace tessera
