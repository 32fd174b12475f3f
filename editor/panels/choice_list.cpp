// A heading and a list as high as its lines.
#include "editor/panels/choice_list.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kChoiceMargin = 4, kMaxChoices = 10, kNarrowestChoice = 220, kWidestChoice = 420;
}

ChoiceList::ChoiceList(QWidget* parent) : QFrame(parent), heading_(new PlainLabel(this)), list_(new QListWidget(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  heading_->setWordWrap(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setAccessibleName(tr("Choices"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kChoiceMargin, kChoiceMargin, kChoiceMargin, kChoiceMargin);
  layout->setSpacing(kChoiceMargin);
  layout->addWidget(heading_);
  layout->addWidget(list_, 1);
  list_->installEventFilter(this);
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (isVisible() && row >= 0) emit highlighted(row);
  });
  connect(list_, &QListWidget::itemClicked, this, [this] {
    const int row = list_->currentRow();
    leave();
    emit chosen(row);
  });
  hide();
}

QString ChoiceList::heading() const { return heading_->text(); }

void ChoiceList::openAt(QPoint at, const QString& heading, const QStringList& lines) {
  list_->clear();
  heading_->setText(heading);
  heading_->setVisible(!heading.isEmpty());
  list_->addItems(lines);
  const int wide =
      std::clamp(std::max(list_->sizeHintForColumn(0) + 40, heading_->fontMetrics().horizontalAdvance(heading) + 20),
                 kNarrowestChoice, kWidestChoice);
  const int line = std::max(18, list_->sizeHintForRow(0));
  const int high = line * static_cast<int>(std::min<qsizetype>(lines.size(), kMaxChoices)) + 8 +
                   (heading.isEmpty() ? 0 : heading_->heightForWidth(wide - 2 * kChoiceMargin) + kChoiceMargin) +
                   2 * kChoiceMargin;
  const QSize room = parentWidget()->size();
  resize(std::min(wide, room.width()), std::min(high, room.height()));
  move(std::clamp(at.x(), 0, room.width() - width()), std::clamp(at.y(), 0, room.height() - height()));
  show();
  raise();
  list_->setFocus();
  list_->setCurrentRow(0);
  emit highlighted(0);
}

void ChoiceList::leave() {
  hide();
  parentWidget()->setFocus();
}

bool ChoiceList::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && isVisible()) {
    hide();
    emit cancelled();
  }
  if (event->type() == QEvent::ShortcutOverride) event->accept();  // keys pressed here are no shortcuts of the window
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape:
      leave();
      emit cancelled();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
      const int row = list_->currentRow();
      leave();
      emit chosen(row);
      return true;
    }
    default: return QFrame::eventFilter(watched, event);
  }
}

}  // namespace tessera
