// Wires between the text view, its find field and the document's selection.
#include "editor/panels/text/text_panel.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {

TextPanel::TextPanel(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  findField_ = new QLineEdit(this);
  findField_->setPlaceholderText(tr("Find in the text (Enter: next, Shift+Enter: previous)"));
  findField_->setClearButtonEnabled(true);
  state_ = new PlainLabel(this);
  view_ = new HloTextView(this);
  edit_ = new HloEdit(document, this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(view_);
  stack_->addWidget(edit_);
  editButton_ = new QToolButton(this);
  editButton_->setText(tr("Edit"));
  editButton_->setCheckable(true);
  editButton_->setToolTip(tr("Type in the text of the computation that is shown"));
  replaceField_ = new QLineEdit(this);
  replaceField_->setPlaceholderText(tr("Replace by"));
  replaceButton_ = new QToolButton(this);
  replaceButton_->setText(tr("Replace all"));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 4, 4, 4);
  bar->addWidget(findField_, 1);
  bar->addWidget(replaceField_, 1);
  bar->addWidget(replaceButton_);
  bar->addWidget(state_);
  bar->addWidget(editButton_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(stack_, 1);
  setEditing(false);
  connect(editButton_, &QToolButton::toggled, this, &TextPanel::setEditing);
  connect(replaceButton_, &QToolButton::clicked, this, &TextPanel::replaceAll);
  connect(replaceField_, &QLineEdit::returnPressed, this, &TextPanel::replaceAll);
  setFocusProxy(findField_);
  connect(findField_, &QLineEdit::returnPressed, this,
          [this] { findNext(QGuiApplication::keyboardModifiers() & Qt::ShiftModifier); });
  connect(findField_, &QLineEdit::textEdited, this, [this] { state_->clear(); });
  connect(view_, &HloTextView::instructionClicked, this, &TextPanel::choose);
  connect(view_, &HloTextView::findWanted, this, [this] {
    findField_->setFocus();
    findField_->selectAll();
  });
  connect(view_, &HloTextView::editWanted, this, [this] { editButton_->setChecked(true); });
  connect(&document_, &Document::textChanged, this, [this] {
    view_->setText(document_.text());
    showSelection();
  });
  connect(&document_, &Document::selectionChanged, this, &TextPanel::showSelection);
}

void TextPanel::showSelection() { view_->setSelection(document_.selection(), true); }

void TextPanel::setTheme(Theme theme) {
  view_->setTheme(theme);
  edit_->setTheme(theme);
}

void TextPanel::setEditing(bool on) {
  stack_->setCurrentIndex(on ? 1 : 0);
  replaceField_->setVisible(on);
  replaceButton_->setVisible(on);
  state_->clear();
  if (on) edit_->begin();
}

void TextPanel::replaceAll() {
  state_->setText(tr("%n replaced", nullptr, edit_->replaceAll(findField_->text(), replaceField_->text())));
}

void TextPanel::findNext(bool backwards) {
  if (findField_->text().isEmpty()) return findField_->setFocus();
  if (editButton_->isChecked()) {
    state_->setText(edit_->findNext(findField_->text(), backwards) ? QString() : tr("not found"));
    return;
  }
  state_->setText(view_->find(findField_->text(), backwards) ? QString() : tr("not found"));
}

void TextPanel::choose(InstructionId id, bool extend) {
  std::vector<InstructionId> next = extend ? document_.selection() : std::vector<InstructionId>();
  if (const auto known = std::ranges::find(next, id); known != next.end())
    next.erase(known);
  else
    next.push_back(id);
  document_.select(std::move(next));
}

}  // namespace tessera
