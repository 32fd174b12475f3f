// See task_list.h.
#include "app/studio/task_list.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kBarWidth = 140, kSteps = 1000;
}

TaskRow::TaskRow(QWidget* parent)
    : QWidget(parent), phase_(new PlainLabel(this)), bar_(new QProgressBar(this)), cancel_(new QToolButton(this)) {
  bar_->setFixedWidth(kBarWidth);
  bar_->setTextVisible(false);
  bar_->setMaximumHeight(fontMetrics().height());
  cancel_->setText(tr("Cancel"));
  cancel_->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(phase_, 1);
  layout->addWidget(bar_);
  layout->addWidget(cancel_);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (const auto act = act_) act();
  });
}

void TaskRow::show(const ShownTask& task) {
  phase_->setText(task.phase);
  bar_->setRange(0, task.fraction < 0 ? 0 : kSteps);
  if (task.fraction >= 0) bar_->setValue(static_cast<int>(task.fraction * kSteps));
  act_ = task.cancel;
  cancel_->setAccessibleName(tr("Cancel: %1").arg(task.phase));
  setVisible(true);
}

QString TaskRow::phase() const { return phase_->text(); }

TaskList::TaskList(QWidget* window)
    : QWidget(window),
      first_(new TaskRow(this)),
      more_(new QToolButton(this)),
      list_(new QFrame(window)),
      layout_(new QVBoxLayout(list_)) {
  setObjectName(QStringLiteral("tasks"));
  more_->setCheckable(true);
  more_->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(first_);
  layout->addWidget(more_);
  list_->setObjectName(QStringLiteral("furtherTasks"));
  list_->setFrameShape(QFrame::StyledPanel);
  list_->setAutoFillBackground(true);
  list_->hide();
  connect(more_, &QToolButton::toggled, this, [this] { place(); });
  show({});
}

void TaskList::show(const std::vector<ShownTask>& tasks) {
  further_ = tasks.empty() ? 0 : tasks.size() - 1;
  first_->setVisible(!tasks.empty());
  if (!tasks.empty()) first_->show(tasks.front());
  while (rows_.size() < further_) {
    rows_.push_back(new TaskRow(list_));
    layout_->addWidget(rows_.back());
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    rows_[i]->setVisible(i < further_);
    if (i < further_) rows_[i]->show(tasks[i + 1]);
  }
  more_->setText(QStringLiteral("+%1").arg(further_));
  more_->setAccessibleName(tr("%n more tasks", nullptr, static_cast<int>(further_)));
  more_->setVisible(further_ > 0);
  if (further_ == 0) more_->setChecked(false);
  place();
}

// Above the status bar, at the right.
void TaskList::place() {
  const bool open = more_->isChecked() && further_ > 0;
  list_->setVisible(open);
  if (!open) return;
  list_->adjustSize();
  const QPoint corner = mapTo(list_->parentWidget(), QPoint(width(), 0));
  list_->move(std::max(0, corner.x() - list_->width()), std::max(0, corner.y() - list_->height()));
  list_->raise();
}

bool TaskList::isListOpen() const { return list_->isVisible(); }

QStringList TaskList::phases() const {
  QStringList out;
  if (!first_->isHidden()) out << first_->phase();
  for (size_t i = 0; i < further_; ++i) out << rows_[i]->phase();
  return out;
}

}  // namespace tessera
