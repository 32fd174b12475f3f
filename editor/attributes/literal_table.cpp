// The table's texts become one literal, which is read as any other; so a cell may hold whatever HLO can write.
#include "editor/attributes/literal_table.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/hlo/module.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"
#include "editor/values/value_slice.h"

namespace tessera {
namespace {

constexpr int64_t kMaxElements = 4096;
constexpr int kShownRows = 6;

// Elements in row-major order as nested braces.
std::string literalOf(const std::vector<int64_t>& sizes, const QStringList& cells, size_t dimension, qsizetype& next) {
  if (dimension == sizes.size()) return cells[next++].trimmed().toStdString();
  std::string out = "{";
  for (int64_t i = 0; i < sizes[dimension]; ++i) out += (i ? ", " : "") + literalOf(sizes, cells, dimension + 1, next);
  return out + "}";
}

}  // namespace

LiteralTable::LiteralTable(QWidget* parent)
    : AttributePicture(parent), table_(new QTableWidget(this)), error_(new ErrorLabel(this)) {
  table_->setAccessibleName(tr("Elements of the constant"));
  table_->horizontalHeader()->setDefaultSectionSize(9 * fontMetrics().averageCharWidth());
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->installEventFilter(this);
  auto* pasting = new QPushButton(tr("Paste"), this);
  auto* loading = new QPushButton(tr("Load npy …"), this);
  auto* bar = new QHBoxLayout;
  bar->addWidget(pasting);
  bar->addWidget(loading);
  bar->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(table_);
  layout->addWidget(error_);
  layout->addLayout(bar);
  connect(table_, &QTableWidget::cellChanged, this, &LiteralTable::commit);
  connect(pasting, &QPushButton::clicked, this, [this] { paste(QGuiApplication::clipboard()->text()); });
  connect(loading, &QPushButton::clicked, this, &LiteralTable::askForFile);
}

QString LiteralTable::errorText() const { return error_->text(); }

bool LiteralTable::canShow(const Module& module, InstructionId id) {
  const Instruction& constant = module.at(id);
  if (constant.opcode != Opcode::Constant || !constant.literal || !constant.shape->isArray() ||
      constant.shape->dimensions.empty())
    return false;
  const int64_t count = constant.shape->elementCount().value_or(kMaxElements + 1);
  return count > 0 && count <= kMaxElements && !isComplex(constant.shape->type);
}

void LiteralTable::show(const Module& module, InstructionId id) {
  id_ = id;
  setVisible(canShow(module, id));
  if (!canShow(module, id)) return;
  const QSignalBlocker blocker(table_);
  shape_ = withoutLayout(module.shapeOf(id));
  const Literal& value = *module.at(id).literal;
  const auto columns = static_cast<int>(shape_.dimensions.back());
  const int rows = static_cast<int>(value.elementCount()) / columns;
  table_->setRowCount(rows);
  table_->setColumnCount(columns);
  QStringList across, down;
  for (int c = 0; c < columns; ++c) across << QString::number(c);
  for (int r = 0; r < rows; ++r) down << QString::number(r);
  table_->setHorizontalHeaderLabels(across);
  table_->setVerticalHeaderLabels(down);
  const ValueSlice flat(*Literal::fromBytes(Shape::arrayRowMajor(shape_.type, {rows, columns}), value.bytes()));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const QString text = flat.text(r, c);
      QTableWidgetItem* cell = table_->item(r, c);
      if (!cell) table_->setItem(r, c, cell = new QTableWidgetItem);
      if (cell->text() != text) cell->setText(text);
    }
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                         std::min(rows, kShownRows) * table_->verticalHeader()->defaultSectionSize() + 18);
  say({});
}

void LiteralTable::say(const QString& wrong) { error_->say(wrong); }

void LiteralTable::commit() {
  QStringList cells;
  for (int r = 0; r < table_->rowCount(); ++r)
    for (int c = 0; c < table_->columnCount(); ++c)
      cells << (table_->item(r, c) ? table_->item(r, c)->text().toLower() : QString());
  qsizetype next = 0;
  const std::string text = literalOf(shape_.dimensions, cells, 0, next);
  if (const auto read = parseLiteral(text, shape_); !read) return say(QString::fromStdString(read.error().message));
  say({});
  emit edited(Edit{"Elements of the constant", {SetLiteral{id_, text}}}, false);
}

// Columns by tab, comma or semicolon, rows by line; from the current cell on.
void LiteralTable::paste(const QString& text) {
  QStringList lines = text.split(QRegularExpression(QStringLiteral("\r?\n")));
  while (!lines.isEmpty() && lines.last().trimmed().isEmpty()) lines.removeLast();
  if (lines.isEmpty()) return say(tr("The clipboard holds no cells."));
  const int top = std::max(table_->currentRow(), 0), left = std::max(table_->currentColumn(), 0);
  static const QRegularExpression between(QStringLiteral("[\t,;]"));
  qsizetype widest = 0;
  for (const QString& line : lines) widest = std::max(widest, line.split(between).size());
  if (top + lines.size() > table_->rowCount() || left + widest > table_->columnCount())
    return say(tr("What is pasted has %1 rows and %2 columns; from here on there is room for %3 and %4.")
                   .arg(lines.size())
                   .arg(widest)
                   .arg(table_->rowCount() - top)
                   .arg(table_->columnCount() - left));
  {
    const QSignalBlocker blocker(table_);
    for (qsizetype r = 0; r < lines.size(); ++r) {
      const QStringList cells = lines[r].split(between);
      for (qsizetype c = 0; c < cells.size(); ++c)
        table_->item(top + static_cast<int>(r), left + static_cast<int>(c))->setText(cells[c].trimmed());
    }
  }
  commit();
}

void LiteralTable::load(const QString& path) {
  const auto content = readFile(path.toStdString());
  if (!content) return say(QString::fromStdString(content.error().toString()));
  const auto value = readNpyBytes(*content);
  if (!value) return say(QString::fromStdString(value.error().message));
  if (value->shape().dimensions != shape_.dimensions || isComplex(value->shape().type))
    return say(tr("The file holds %1, the constant is %2.")
                   .arg(QString::fromStdString(toString(value->shape(), false)),
                        QString::fromStdString(toString(shape_, false))));
  const ValueSlice flat(*Literal::fromBytes(
      Shape::arrayRowMajor(value->shape().type, {table_->rowCount(), table_->columnCount()}), value->bytes()));
  {
    const QSignalBlocker blocker(table_);
    for (int r = 0; r < table_->rowCount(); ++r)
      for (int c = 0; c < table_->columnCount(); ++c) table_->item(r, c)->setText(flat.text(r, c));
  }
  commit();
}

void LiteralTable::askForFile() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Load elements"), QString(), tr("NumPy array (*.npy)"));
  if (!path.isEmpty()) load(path);
}

bool LiteralTable::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Paste))
    event->accept();
  if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Paste))
    return AttributePicture::eventFilter(watched, event);
  paste(QGuiApplication::clipboard()->text());
  return true;
}

}  // namespace tessera
