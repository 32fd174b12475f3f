// One stepper a dimension: ‹ field › of size.
#include "editor/layout_lab/slice_steppers.h"

#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>

#include "editor/canvas/dimension_color.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kPerRow = 4;

}  // namespace

SliceSteppers::SliceSteppers(LabState* state, QWidget* parent)
    : QWidget(parent), state_(state), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(4);
  connect(state_, &LabState::modelChanged, this, &SliceSteppers::rebuild);
  connect(state_, &LabState::sliceChanged, this, &SliceSteppers::refresh);
  hide();
}

void SliceSteppers::rebuild() {
  const auto extents = state_->model() ? state_->model()->extents() : std::vector<int64_t>{};
  if (extents == extents_) return refresh();
  extents_ = extents;
  fields_.clear();
  while (QLayoutItem* item = grid_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  for (int d = 0; d < state_->rowDimension(); ++d) addStepper(d);
  grid_->setColumnStretch(kPerRow * 5, 1);
  setVisible(!fields_.empty());
  refresh();
}

void SliceSteppers::addStepper(int dimension) {
  const int row = dimension / kPerRow, column = dimension % kPerRow * 5;
  const QString letter = letterOf(state_->dimensions(), static_cast<size_t>(dimension));
  auto* name = new PlainLabel(
      tr("slice of dimension %1").arg(dimension) + (letter.isEmpty() ? QString() : QStringLiteral(" ") + letter), this);
  if (!letter.isEmpty()) {
    QPalette own = name->palette();
    own.setColor(QPalette::WindowText, dimensionColor(state_->dimensions(), static_cast<size_t>(dimension), palette()));
    name->setPalette(own);
  }
  auto* field = new QLineEdit(this);
  field->setObjectName(QStringLiteral("slice%1").arg(dimension));
  field->setAccessibleName(name->text());
  field->setAlignment(Qt::AlignCenter);
  field->setMaximumWidth(84);
  field->installEventFilter(this);
  connect(field, &QLineEdit::editingFinished, this, [this, dimension, field] { take(dimension, field->text()); });
  const auto button = [&](Qt::ArrowType arrow, int64_t by, const QString& id) {
    auto* b = new QToolButton(this);
    b->setArrowType(arrow);
    b->setAutoRaise(true);
    b->setAutoRepeat(true);
    b->setObjectName(id.arg(dimension));
    connect(b, &QToolButton::clicked, this, [this, dimension, by] {
      state_->setSlice(dimension, state_->slice()[static_cast<size_t>(dimension)] + by);
    });
    return b;
  };
  grid_->addWidget(name, row, column);
  grid_->addWidget(button(Qt::LeftArrow, -1, QStringLiteral("sliceDown%1")), row, column + 1);
  grid_->addWidget(field, row, column + 2);
  grid_->addWidget(button(Qt::RightArrow, 1, QStringLiteral("sliceUp%1")), row, column + 3);
  auto* of = new PlainLabel(
      tr("of %1   ").arg(QString::fromStdString(grouped(extents_[static_cast<size_t>(dimension)]))), this);
  grid_->addWidget(of, row, column + 4);
  fields_.push_back(field);
}

void SliceSteppers::take(int dimension, const QString& text) {
  bool ok = false;
  const qlonglong value = text.trimmed().toLongLong(&ok);
  if (ok) state_->setSlice(dimension, value);
  refresh();  // text that is no number gives way to the slice shown
}

void SliceSteppers::refresh() {
  for (size_t d = 0; d < fields_.size(); ++d) fields_[d]->setText(QString::number(state_->slice()[d]));
}

bool SliceSteppers::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
  for (size_t d = 0; d < fields_.size(); ++d)
    if (fields_[d] == watched) state_->setSlice(static_cast<int>(d), state_->slice()[d] + (key == Qt::Key_Up ? 1 : -1));
  return true;
}

}  // namespace tessera
