// A name, a line and what is wrong with it.
#include "editor/panels/value_field.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kFieldWidth = 260, kFieldMargin = 4;
}

ValueField::ValueField(QWidget* parent)
    : QFrame(parent), name_(new PlainLabel(this)), field_(new QLineEdit(this)), error_(new PlainLabel(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  field_->setPlaceholderText(tr("3.5 · {1,2,3} · iota"));
  field_->setAccessibleName(tr("Value of the input"));
  error_->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->addWidget(name_);
  line->addWidget(field_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kFieldMargin, kFieldMargin, kFieldMargin, kFieldMargin);
  layout->setSpacing(kFieldMargin);
  layout->addLayout(line);
  layout->addWidget(error_);
  field_->installEventFilter(this);
  connect(field_, &QLineEdit::textEdited, this, &ValueField::look);
  hide();
}

QString ValueField::errorText() const { return error_->text(); }

void ValueField::openAt(QPoint at, const QString& name, const QString& text,
                        std::function<QString(const QString&)> check) {
  check_ = std::move(check);
  name_->setText(name);
  field_->setText(text);
  field_->selectAll();
  error_->clear();
  error_->hide();
  resize(kFieldWidth, sizeHint().height());
  const QSize room = parentWidget()->size();
  move(std::clamp(at.x(), 0, std::max(0, room.width() - width())),
       std::clamp(at.y(), 0, std::max(0, room.height() - height())));
  show();
  raise();
  field_->setFocus();
}

void ValueField::look(const QString& text) {
  const QString wrong = text.trimmed().isEmpty() ? QString() : check_(text);
  error_->setText(wrong);
  error_->setVisible(!wrong.isEmpty());
  resize(kFieldWidth, wrong.isEmpty() ? minimumSizeHint().height() : layout()->heightForWidth(kFieldWidth));
}

void ValueField::leave() {
  hide();
  parentWidget()->setFocus();
}

bool ValueField::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && isVisible()) hide();
  if (event->type() == QEvent::ShortcutOverride) event->accept();  // keys typed here are no shortcuts of the window
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape: return leave(), true;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
      look(field_->text());
      if (!error_->text().isEmpty() || field_->text().trimmed().isEmpty()) return true;  // stays until it is right
      const QString text = field_->text();
      leave();
      emit entered(text);
      return true;
    }
    default: return QFrame::eventFilter(watched, event);
  }
}

}  // namespace tessera
