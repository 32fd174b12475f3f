// The inspector panel: a page of facts, and above it the shape field of a parameter.
#include "editor/panels/inspector.h"

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include "core/formats/hlo_text.h"
#include "editor/document/document.h"
#include "editor/panels/attribute_form.h"
#include "editor/panels/fitting_area.h"
#include "editor/panels/instruction_facts.h"

namespace tessera {
namespace {
constexpr int kLeastFacts = 120;  // pixels
}

Inspector::Inspector(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  shapeLabel_ = new QLabel(tr("Parameter shape"), this);
  shapeField_ = new QLineEdit(this);
  shapeField_->setToolTip(tr("Type a shape, e.g. f32[32,128]; everything downstream is inferred again"));
  shapeError_ = new QLabel(this);
  shapeError_->setWordWrap(true);
  form_ = new AttributeForm(document, this);
  facts_ = new QTextBrowser(this);
  facts_->setOpenLinks(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 0);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  for (QWidget* w : std::initializer_list<QWidget*>{shapeLabel_, shapeField_, shapeError_}) layout->addWidget(w);
  layout->addWidget(new FittingArea(form_, this));
  layout->addWidget(facts_, 1);
  facts_->setMinimumHeight(kLeastFacts);
  connect(facts_, &QTextBrowser::anchorClicked, this, &Inspector::follow);
  connect(shapeField_, &QLineEdit::textEdited, this, &Inspector::editShape);
  connect(shapeField_, &QLineEdit::editingFinished, this, [this] { typing_ = false; show(); });
  connect(&document_, &Document::selectionChanged, this, &Inspector::show);
  connect(&document_, &Document::moduleChanged, this, &Inspector::show);
  connect(&document_, &Document::diagnosticsChanged, this, &Inspector::show);
  show();
}

QString Inspector::errorText() const { return shapeError_->text(); }
QString Inspector::shownText() const { return facts_->toPlainText(); }

void Inspector::show() {
  const InstructionId id = document_.selected();
  const bool known = document_.isOpen() && id.valid() && document_.module().contains(id);
  const bool parameter = known && document_.module().at(id).opcode == Opcode::Parameter;
  for (QWidget* w : std::initializer_list<QWidget*>{shapeLabel_, shapeField_}) w->setVisible(parameter);
  if (id != shown_) typing_ = false;
  shown_ = id;
  if (!typing_) {
    shapeError_->clear();
    if (parameter) shapeField_->setText(QString::fromStdString(toString(document_.module().shapeOf(id))));
  }
  shapeError_->setVisible(parameter && !shapeError_->text().isEmpty());
  facts_->document()->setDefaultStyleSheet(factsStyle(palette()));
  if (!known) {
    facts_->setHtml(QStringLiteral("<p class='muted'>%1</p>").arg(tr("Select an instruction on the canvas, in the text or in a table.")));
    return;
  }
  const auto users = document_.usersOf(id);
  facts_->setHtml(factsOf(document_.module(), id, users, document_.diagnostics()));
}

void Inspector::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    QPalette errors = palette();
    errors.setColor(QPalette::WindowText, palette().color(QPalette::Base).lightness() < 128 ? QColor(0xff, 0x8a, 0x80) : QColor(0xb3, 0x26, 0x1e));
    shapeError_->setPalette(errors);
    show();
  }
  QWidget::changeEvent(event);
}

void Inspector::editShape(const QString& text) {
  const bool continues = typing_;
  auto shape = parseShape(text.trimmed().toStdString());
  if (!shape) {
    typing_ = true;
    shapeError_->setText(QString::fromStdString(shape.error().message));
    shapeError_->show();
    return;
  }
  shapeError_->clear();
  shapeError_->hide();
  typing_ = true;
  const std::string name(document_.module().at(shown_).name);
  fillDefaultLayouts(*shape);
  document_.perform({"Shape of " + name, {SetParameterShape{shown_, std::move(*shape)}}}, continues);
}

void Inspector::follow(const QUrl& url) {
  const uint32_t number = url.path().toUInt();
  if (url.scheme() == QLatin1String("instruction")) document_.select({InstructionId(number)});
  if (url.scheme() == QLatin1String("computation")) document_.showComputation(ComputationId(number));
}

}  // namespace tessera
