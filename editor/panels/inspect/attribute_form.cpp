// Lines are made anew when another instruction is selected, and only refilled when the graph changes.
#include "editor/panels/inspect/attribute_form.h"

#include <QCompleter>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/edit/refusal.h"
#include "core/edit/sizes/dimension_words.h"
#include "core/edit/typed.h"
#include "core/edit/window_kernel.h"
#include "core/edit/wiring/field.h"
#include "core/edit/wiring/ready_computations.h"
#include "core/edit/wiring/wiring.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"
#include "editor/attributes/attribute_picture.h"
#include "editor/attributes/type_choice.h"
#include "editor/document/document.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr qsizetype kLongestLabel = 15;  // letters

// Rarely needed attributes: another row of the form shows the same, or they are hints on precision and indices.
bool isDetail(Opcode opcode, const AttributeRow& row) {
  switch (row.name) {
    case Attr::operand_precision:
    case Attr::algorithm:
    case Attr::sparsity_config:
    case Attr::convolution_kind:
    case Attr::indices_are_sorted:
    case Attr::unique_indices:
    case Attr::result_accuracy: return true;
    case Attr::slice_sizes:
    case Attr::to_apply: return false;
    default: return opcode == Opcode::Gather || opcode == Opcode::Scatter;
  }
}

// A field may lose the focus after what it shows was undone, before the form is made anew.
bool stands(const Document& document, InstructionId id, Opcode opcode) {
  return document.isOpen() && document.module().contains(id) && document.module().at(id).opcode == opcode;
}

}  // namespace

AttributeForm::AttributeForm(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), layout_(new QFormLayout(this)) {
  layout_->setContentsMargins(0, 4, 0, 4);
  layout_->setVerticalSpacing(3);
  layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  connect(&document_, &Document::selectionChanged, this, &AttributeForm::show);
  connect(&document_, &Document::moduleChanged, this, &AttributeForm::show);
  show();
}

QLineEdit* AttributeForm::field(const QString& name) const {
  const auto found = lines_.find(name);
  return found == lines_.end() ? nullptr : found->field;
}

QString AttributeForm::errorOf(const QString& name) const {
  const auto found = lines_.find(name);
  return found == lines_.end() ? QString() : found->error->text();
}

AttributePicture* AttributeForm::picture(const QString& name) const {
  const auto found = lines_.find(name);
  return found == lines_.end() ? nullptr : found->picture;
}

void AttributeForm::show() {
  const InstructionId id = document_.isOpen() ? document_.selected() : InstructionId();
  const bool known = id.valid() && document_.module().contains(id);
  const Opcode opcode = known ? document_.module().at(id).opcode : Opcode::Unknown;
  setVisible(known);
  if (id != shown_ || opcode != opcode_) {
    shown_ = id;
    opcode_ = opcode;
    typing_.clear();
    gesture_.end();
    rebuild();
  }
  if (known) refill();
}

void AttributeForm::rebuild() {
  lines_.clear();
  more_ = nullptr;
  while (layout_->rowCount() > 0) layout_->removeRow(0);
  if (!shown_.valid() || !document_.module().contains(shown_)) return;
  const auto instruction = [this]() -> const Instruction& { return document_.module().at(shown_); };
  addLine(
      QStringLiteral("name"), tr("Its name in the text"),
      [instruction] { return QString::fromUtf8(instruction().name); },
      [this](const std::string& text) -> Result<Edit> {
        return Edit{"Rename", {Rename{shown_, text}}};
      });
  if (opcode_ == Opcode::Constant)
    addLine(
        QStringLiteral("value"), tr("The value, as HLO writes it"),
        [this] { return QString::fromStdString(valueOf(document_.module(), shown_).value_or("")); },
        [this](const std::string& text) { return resetting(document_.module(), shown_, text); });
  if (opcode_ == Opcode::Constant)
    addPicture(QStringLiteral("value"), makeLiteralPicture(document_.module(), shown_, this));
  if (opcode_ != Opcode::Constant && hasTrait(opcode_, kWrittenShape)) addShape();
  addAttributes();
  addDetailsButton();
  orderKeys();
}

void AttributeForm::orderKeysAfter(QWidget& before) {
  before_ = &before;
  orderKeys();
}

// Rows are made when they are needed: after all else that takes keys.
void AttributeForm::orderKeys() {
  QWidget* last = before_;
  const auto add = [&last](QWidget* widget) {
    if (!(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy()) return;
    if (last) setTabOrder(last, widget);
    last = widget;
  };
  for (int row = 0; row < layout_->rowCount(); ++row)
    for (const auto role : {QFormLayout::FieldRole, QFormLayout::SpanningRole}) {
      const QLayoutItem* item = layout_->itemAt(row, role);
      if (!item || !item->widget()) continue;
      add(item->widget());
      for (QWidget* inside : item->widget()->findChildren<QWidget*>()) add(inside);
    }
}

void AttributeForm::addDetailsButton() {
  if (std::ranges::none_of(lines_, &Line::detail)) return;
  more_ = new QToolButton(this);
  more_->setAutoRaise(true);
  more_->setCheckable(true);
  more_->setChecked(details_);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const bool numbers = opcode_ == Opcode::Gather || opcode_ == Opcode::Scatter;
  more_->setText(numbers ? tr("More: dimension numbers") : tr("More attributes"));
  layout_->addRow(more_);
  connect(more_, &QToolButton::toggled, this, &AttributeForm::showDetails);
}

void AttributeForm::showDetails(bool shown) {
  details_ = shown;
  if (more_) more_->setChecked(shown);
  placeDetails();
}

// A row with a value is always shown, except dimension numbers, which another row shows.
void AttributeForm::placeDetails() {
  if (more_) more_->setArrowType(details_ ? Qt::DownArrow : Qt::RightArrow);
  const bool numbers = opcode_ == Opcode::Gather || opcode_ == Opcode::Scatter;
  for (const Line& line : lines_) {
    if (!line.detail) continue;
    const bool said = !numbers && !line.field->text().isEmpty();
    layout_->setRowVisible(line.cell, details_ || said || !line.error->text().isEmpty());
    if (line.picture && !details_) line.picture->hide();
  }
}

void AttributeForm::addShape() {
  if (opcode_ == Opcode::Parameter) return;  // the inspector's own field
  addLine(
      QStringLiteral("shape"),
      tr("The shape that it gives: f32[32,128], a type alone, or sizes alone (-1: what is left)"),
      [this] { return QString::fromStdString(toString(document_.module().shapeOf(shown_))); },
      [this](const std::string& text) -> Result<Edit> {
        TESSERA_ASSIGN_OR_RETURN(Shape shape, typedShape(document_.module(), shown_, text));
        return Edit{"Shape of " + std::string(document_.module().at(shown_).name),
                    {SetShape{shown_, std::move(shape)}}};
      });
  if (opcode_ == Opcode::Convert || opcode_ == Opcode::BitcastConvert)
    addPicture(QStringLiteral("shape"), new TypeChoice(this));
}

void AttributeForm::addAttributes() {
  for (const AttributeRow& row : attributeRowsOf(opcode_)) {
    const Attr name = row.name;
    QString help = QString::fromUtf8(row.doc);
    if (!row.choices.empty()) help += tr(" One of: %1.").arg(QString::fromUtf8(row.choices));
    if (!row.defaultText.empty()) help += tr(" Without it: %1.").arg(QString::fromUtf8(row.defaultText));
    const QStringList words = wordsFor(name, row.choices);
    help += helpOnDimensions(name);
    addLine(
        QString::fromUtf8(nameOf(name)), help,
        [this, name] {
          const AttributeValue* value = document_.module().at(shown_).attributes->find(name);
          return value ? QString::fromStdString(printAttributeValue(document_.module(), *value, kindOf(name)))
                       : QString();
        },
        [this, name, required = row.required](const std::string& typed) -> Result<Edit> {
          const Module& module = document_.module();
          if (typed.empty() && required) return refuse(module, shown_, std::string(nameOf(name)) + " is needed here");
          if (!module.findComputation(typed))
            if (auto ready = choosingReady(module, shown_, name, typed)) return *std::move(ready);
          const auto& names = document_.view().scene().sizeNames;
          TESSERA_ASSIGN_OR_RETURN(const std::string text,
                                   dimensionNumbers(module, module.at(shown_), name, inBraces(name, typed), names.get(),
                                                    document_.view().scene().hues.get()));
          if (!text.empty()) TESSERA_TRY(parseAttributeValue(module, name, text));
          return Edit{std::string(nameOf(name)) + " of " + std::string(module.at(shown_).name),
                      {SetAttribute{shown_, name, text}}};
        });
    QLineEdit* field = lines_[QString::fromUtf8(nameOf(name))].field;
    lines_[QString::fromUtf8(nameOf(name))].detail = isDetail(opcode_, row);
    field->setPlaceholderText(row.defaultText.empty() ? (row.required ? tr("needed") : QString())
                                                      : QString::fromUtf8(row.defaultText));
    addPicture(QString::fromUtf8(nameOf(name)), makeAttributePicture(opcode_, name, this));
    if (!words.isEmpty()) field->setCompleter(new QCompleter(words, field));
  }
}

// What a field offers while it is typed: choices, or ready computations and those that are there.
QStringList AttributeForm::wordsFor(Attr name, std::string_view choices) const {
  constexpr qsizetype kMaxWords = 200;
  if (!choices.empty()) return QString::fromUtf8(choices).split(QLatin1Char(' '));
  const Module& module = document_.module();
  QStringList out;
  for (const std::string& word : readyComputations(module, module.at(shown_), name))
    out << QString::fromStdString(word);
  for (ComputationId id : module.order())
    if (kindOf(name) == AttributeKind::Computation && id != module.entry() && out.size() < kMaxWords)
      out << QLatin1Char('%') + QString::fromStdString(module.at(id).name);
  return out;
}

QString AttributeForm::helpOnDimensions(Attr name) const {
  const Module& module = document_.module();
  const auto letters = dimensionLetters(module, module.at(shown_), name, document_.view().scene().sizeNames.get(),
                                        document_.view().scene().hues.get());
  if (letters.empty()) return {};
  QStringList words;
  for (const std::string& letter : letters) words << QString::fromStdString(letter);
  return tr(" Counts the dimensions of %1: numbers, -1 for the last, or %2.")
      .arg(QString::fromStdString(toString(*arrayCounted(module, module.at(shown_), name), false)),
           words.join(QStringLiteral(", ")));
}

void AttributeForm::addLine(const QString& name, const QString& help, std::function<QString()> text, MakeEdit make) {
  auto* cell = new QWidget(this);
  auto* field = new QLineEdit(cell);
  auto* error = new ErrorLabel(cell);
  auto* label = new PlainLabel(name, this);
  field->setAccessibleName(name);
  for (QWidget* w : std::initializer_list<QWidget*>{field, label}) w->setToolTip(asPlainText(help));
  auto* layout = new QVBoxLayout(cell);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  if (name.size() <= kLongestLabel) {
    layout->addWidget(field);
    layout_->addRow(label, cell);
  } else {  // in a row of its own, so that the other fields stay wide
    label->setBuddy(field);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(field, 1);
    layout->addLayout(row);
    layout_->addRow(cell);
  }
  layout->addWidget(error);
  lines_.insert(name, {field, error, std::move(make), std::move(text), nullptr, cell});
  connect(field, &QLineEdit::textEdited, this, [this, name](const QString& typedText) { typed(name, typedText); });
  connect(field, &QLineEdit::editingFinished, this, [this, name] {
    const Line& line = lines_[name];
    const QString refused = line.field->hasFocus() ? line.error->text() : QString();
    if (typing_ == name) typing_.clear();
    gesture_.end();
    refill();
    if (!refused.isEmpty()) line.error->say(refused);  // Enter: the value is back, and why
    placeDetails();
  });
}

void AttributeForm::addPicture(const QString& name, AttributePicture* picture) {
  if (!picture) return;
  Line& line = lines_[name];
  line.picture = picture;
  layout_->insertRow(layout_->rowCount(), picture);
  connect(picture, &AttributePicture::edited, this,
          [this, name](Edit edit, bool continues) { take(name, std::move(edit), continues); });
}

// An edit of a picture is tried like what is typed: explained under the line, and done where it makes sense.
void AttributeForm::take(const QString& name, Edit edit, bool continues) {
  if (!stands(document_, shown_, opcode_)) return;
  edit = withKernelOfWindow(document_.module(), std::move(edit));
  const Line& line = lines_[name];
  const Status done = performable(document_.module(), edit);
  QString wrong = done ? QString() : QString::fromStdString(done.error().message);
  if (done)
    if (const auto shape = tried(document_.module(), edit, shown_); !shape)
      wrong = QString::fromStdString(shape.error().message);
  line.error->say(wrong);
  if (!continues) gesture_.end();
  if (done) document_.perform(std::move(edit), shown_, gesture_.key(shown_, name.toStdString()));
}

// What is being typed stays as it is typed.
void AttributeForm::refill() {
  if (!stands(document_, shown_, opcode_)) return;
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    if (line->picture) line->picture->setHues(document_.view().scene().hues);
    if (line->picture) line->picture->show(document_.module(), shown_);
    if (line.key() == typing_) continue;
    line->error->say({});
    const QString text = line->text();
    if (line->field->text() == text) continue;
    line->field->setText(text);
    line->field->setCursorPosition(0);
  }
  placeDetails();
}

void AttributeForm::typed(const QString& name, const QString& text) {
  if (!stands(document_, shown_, opcode_)) return;
  if (typing_ != name) gesture_.end();
  typing_ = name;
  const Line& line = lines_[name];
  Result<Edit> edit = line.make(text.trimmed().toStdString());
  if (edit) edit = withKernelOfWindow(document_.module(), *std::move(edit));
  if (edit)  // what would refuse it says so here
    if (const Status done = performable(document_.module(), *edit); !done) edit = std::unexpected(done.error());
  QString wrong = edit ? QString() : QString::fromStdString(edit.error().message);
  if (edit)
    if (const auto shape = tried(document_.module(), *edit, shown_); !shape)
      wrong = QString::fromStdString(shape.error().message);
  line.error->say(wrong);
  if (edit) document_.perform(std::move(*edit), shown_, gesture_.key(shown_, name.toStdString()));
}

}  // namespace tessera
