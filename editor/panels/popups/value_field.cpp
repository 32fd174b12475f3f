// A name, a line and what is wrong with it.
#include "editor/panels/popups/value_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kFieldWidth = 260;
}

ValueField::ValueField(QWidget* parent)
    : PopupFrame(parent), name_(new PlainLabel(this)), field_(new QLineEdit(this)), error_(new ErrorLabel(this)) {
  field_->setPlaceholderText(tr("3.5 · {1,2,3} · iota"));
  field_->setAccessibleName(tr("Value of the input"));
  auto* line = new QHBoxLayout;
  line->addWidget(name_);
  line->addWidget(field_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->setSpacing(kMargin);
  layout->addLayout(line);
  layout->addWidget(error_);
  watch(*field_);
  connect(field_, &QLineEdit::textEdited, this, &ValueField::look);
}

QString ValueField::errorText() const { return error_->text(); }

void ValueField::openAt(QPoint at, const QString& name, const QString& text,
                        std::function<QString(const QString&)> check) {
  check_ = std::move(check);
  name_->setText(name);
  field_->setText(text);
  field_->selectAll();
  error_->say({});
  PopupFrame::openAt(at, {kFieldWidth, sizeHint().height()});
  field_->setFocus();
}

void ValueField::look(const QString& text) {
  const QString wrong = text.trimmed().isEmpty() ? QString() : check_(text);
  error_->say(wrong);
  setHeight(wrong.isEmpty() ? minimumSizeHint().height() : layout()->heightForWidth(kFieldWidth));
}

// Stays open until the text is right.
void ValueField::accept() {
  look(field_->text());
  if (!error_->text().isEmpty() || field_->text().trimmed().isEmpty()) return;
  const QString text = field_->text();
  leave();
  emit entered(text);
}

}  // namespace tessera
