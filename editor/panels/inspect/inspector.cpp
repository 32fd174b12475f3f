// The inspector panel: what was measured and the source line, the form, a page of facts.
#include "editor/panels/inspect/inspector.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QUrl>
#include <QVBoxLayout>

#include "core/edit/parameter_edits.h"
#include "core/edit/sizes/size_names.h"
#include "core/formats/hlo_text.h"
#include "editor/canvas/dimension_color.h"
#include "editor/document/document.h"
#include "editor/document/machine_peaks.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/group_facts.h"
#include "editor/panels/inspect/instruction_facts.h"
#include "editor/text/error_label.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kLeastFacts = 160;  // pixels

// By dimension; empty where none has a name.
QStringList namesOf(const Document& document, InstructionId id) {
  const auto& all = document.view().scene().sizeNames;
  const auto* names = all ? all->find(id) : nullptr;
  QStringList out;
  if (names)
    for (const SizeNames::Named& each : *names) out << QString::fromStdString(each.name);
  return out;
}

}  // namespace

Inspector::Inspector(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  shapeLabel_ = new PlainLabel(tr("Parameter shape"), this);
  shapeField_ = new QLineEdit(this);
  shapeField_->setToolTip(tr("Type a shape, e.g. f32[32,128]; everything downstream is inferred again"));
  shapeError_ = new ErrorLabel(this);
  namesLabel_ = new PlainLabel(tr("Size names"), this);
  namesField_ = new QLineEdit(this);
  namesField_->setAccessibleName(namesLabel_->text());
  namesField_->setPlaceholderText(tr("such as B, T, H"));
  namesField_->setToolTip(
      tr("One for each dimension, or none. A name belongs to every dimension that is the same one, and stands on the "
         "nodes"));
  layoutLabel_ = new PlainLabel(tr("Layout"), this);
  layoutChips_ = new DimensionChips(this);
  layoutChips_->setToolTip(
      tr("Drag, or Ctrl and arrows: the first dimension's elements lie next to each other in memory"));
  form_ = new AttributeForm(document, this);
  form_->orderKeysAfter(*namesField_);
  first_ = new QLabel(this);
  first_->setTextFormat(Qt::RichText);
  first_->setWordWrap(true);
  first_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  QSizePolicy asWideAsThePanel(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long name does not widen it
  asWideAsThePanel.setHeightForWidth(true);
  first_->setSizePolicy(asWideAsThePanel);
  facts_ = new QTextBrowser(this);
  facts_->setOpenLinks(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 0);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  for (QWidget* w : std::initializer_list<QWidget*>{first_, shapeLabel_, shapeField_}) layout->addWidget(w);
  auto* names = new QHBoxLayout;
  names->addWidget(namesLabel_);
  names->addWidget(namesField_, 1);
  layout->addLayout(names);
  for (QWidget* w : std::initializer_list<QWidget*>{shapeError_, form_, layoutLabel_, layoutChips_})
    layout->addWidget(w);
  layout->addWidget(facts_, 1);
  facts_->setMinimumHeight(kLeastFacts);
  connectParts();
  show();
}

void Inspector::connectParts() {
  press_.watch(*facts_);
  press_.watch(*first_);
  connect(facts_, &QTextBrowser::anchorClicked, this, &Inspector::follow);
  connect(first_, &QLabel::linkActivated, this, [this](const QString& link) { follow(QUrl(link)); });
  connect(shapeField_, &QLineEdit::textEdited, this, &Inspector::editShape);
  connect(shapeField_, &QLineEdit::editingFinished, this, [this] {
    const QString refused = shapeField_->hasFocus() ? shapeError_->text() : QString();
    typing_ = false;
    gesture_.end();
    show();
    if (!refused.isEmpty()) shapeError_->say(refused);  // Enter: the shape is back, and why
  });
  connect(namesField_, &QLineEdit::editingFinished, this, &Inspector::editNames);
  connect(layoutChips_, &DimensionChips::orderChanged, this,
          [this](const std::vector<int64_t>& order) { editLayout(order, false); });
  connect(layoutChips_, &DimensionChips::orderCommitted, this,
          [this](const std::vector<int64_t>& order) { editLayout(order, true); });
  connect(&document_.view(), &SceneView::changed, this, &Inspector::show);  // names of sizes come with the picture
  connect(&document_, &Document::selectionChanged, this, &Inspector::show);
  connect(&document_.run(), &ProgramRun::outcomeChanged, this, &Inspector::show);
  connect(&document_.run(), &ProgramRun::analysed, this, &Inspector::show);
  connect(&document_.measures(), &NodeMeasures::timesHeld, this, &Inspector::showFirst);
  connect(&document_.view(), &SceneView::groupSelected, this, &Inspector::show);
  connect(&document_.overview(), &ModuleOverview::described, this, &Inspector::showGroup);
  connect(&document_.overview(), &ModuleOverview::stale, this, [this] {
    if (!document_.view().selectedGroup().isEmpty()) show();
  });
  connect(&document_, &Document::moduleChanged, this, &Inspector::show);
  connect(&document_, &Document::diagnosticsChanged, this, &Inspector::show);
}

QString Inspector::errorText() const { return shapeError_->text(); }
QString Inspector::shownText() const {
  const QString first = first_->isHidden() ? QString() : QTextDocumentFragment::fromHtml(first_->text()).toPlainText();
  return first.isEmpty() ? facts_->toPlainText() : first + QLatin1Char('\n') + facts_->toPlainText();
}

void Inspector::showGroup(const GroupSummary& summary) {
  if (document_.view().selectedGroup().toStdString() == summary.path)
    facts_->setHtml(groupFacts(document_.module(), summary));
}

void Inspector::show() {
  const QString& group = document_.view().selectedGroup();
  const InstructionId id = group.isEmpty() ? document_.selected() : InstructionId();
  document_.overview().describe(group);
  const bool known = document_.isOpen() && id.valid() && document_.module().contains(id);
  const bool parameter = known && document_.module().at(id).opcode == Opcode::Parameter;
  for (QWidget* w : std::initializer_list<QWidget*>{shapeLabel_, shapeField_}) w->setVisible(parameter);
  if (id != shown_) {
    typing_ = false;
    gesture_.end();
  }
  shown_ = id;
  if (!typing_) {
    shapeError_->clear();
    if (parameter) shapeField_->setText(QString::fromStdString(toString(document_.module().shapeOf(id))));
  }
  shapeError_->setVisible(known && !shapeError_->text().isEmpty());
  showFirst();
  showNames();
  showLayout();
  facts_->document()->setDefaultStyleSheet(factsStyle(palette()));
  form_->setHidden(!known);
  if (!group.isEmpty()) {  // its facts follow
    if (document_.overview().problem().isEmpty()) return;
    return facts_->setHtml(
        QStringLiteral("<p class='muted'>%1</p>").arg(document_.overview().problem().toHtmlEscaped()));
  }
  if (!known) {
    facts_->setHtml(QStringLiteral("<p class='muted'>%1</p>")
                        .arg(tr("Select an instruction on the canvas, in the text or in a table.")));
    return;
  }
  const auto users = document_.usersOf(id);
  facts_->setHtml(factsOf(document_.module(), id, users, document_.diagnostics(),
                          legendOf(document_.view().huesOf(id), document_.module().shapeOf(id).dimensions, palette())) +
                  whyFactsOf(document_.module(), id));
}

// What a person asks first: what it took, and which line it comes from.
void Inspector::showFirst() {
  QString first;
  if (document_.isOpen() && shown_.valid() && document_.module().contains(shown_)) {
    const auto& held = document_.measures().times();
    const auto& times = held ? held : document_.run().times();
    if (const Profile* profile = document_.run().profile()) first = runFactsOf(*profile, times.get(), shown_);
    first += sourceFactsOf(document_.module(), shown_);
  }
  first_->setText(first.isEmpty() ? first : QStringLiteral("<style>%1</style>%2").arg(factsStyle(palette()), first));
  first_->setHidden(first.isEmpty());
}

void Inspector::showNames() {
  const bool any = document_.isOpen() && document_.module().contains(shown_) &&
                   document_.module().shapeOf(shown_).isArray() && document_.module().shapeOf(shown_).rank() > 0;
  for (QWidget* w : std::initializer_list<QWidget*>{namesLabel_, namesField_}) w->setVisible(any);
  if (any && !namesField_->hasFocus()) namesField_->setText(namesOf(document_, shown_).join(QStringLiteral(", ")));
}

// One step for all that was changed; what does not parse is explained and changes nothing.
void Inspector::editNames() {
  if (!document_.isOpen() || !document_.module().contains(shown_) || namesField_->isHidden()) return;
  const auto rank = static_cast<qsizetype>(document_.module().shapeOf(shown_).rank());
  QStringList wanted = namesField_->text().split(QLatin1Char(','));
  for (QString& name : wanted) name = name.trimmed();
  while (wanted.size() > rank && wanted.back().isEmpty()) wanted.removeLast();
  Status fine = wanted.size() > rank ? Status(fail("there are more names than dimensions")) : Status();
  for (qsizetype d = 0; fine && d < wanted.size(); ++d) fine = checkSizeName(wanted[d].toStdString());
  shapeError_->say(fine ? QString() : QString::fromStdString(fine.error().message));
  if (!fine) return;
  wanted.resize(rank);
  QStringList had = namesOf(document_, shown_);
  had.resize(rank);
  if (wanted == had) return;
  const auto names = document_.view().scene().sizeNames;
  const std::string own(document_.module().at(shown_).name);
  document_.arrange(tr("Name sizes of %1").arg(QString::fromStdString(own)), [names, wanted, had, own,
                                                                              id = shown_](ProjectPage& page) {
    const auto* before = names ? names->find(id) : nullptr;
    for (qsizetype d = 0; d < wanted.size(); ++d)
      if (wanted[d] != had[d])
        nameSize(
            page,
            before && !(*before)[static_cast<size_t>(d)].name.empty() ? &(*before)[static_cast<size_t>(d)] : nullptr,
            {own, static_cast<int32_t>(d)}, wanted[d].toStdString());
  });
}

// The layout is the person's to choose where HLO leaves a choice.
void Inspector::showLayout() {
  if (draggingLayout_ && QGuiApplication::mouseButtons() == Qt::NoButton) draggingLayout_ = false;
  if (draggingLayout_) return;
  const bool known =
      document_.isOpen() && document_.module().contains(shown_) && whyNoLayout(document_.module(), shown_).empty();
  const Shape* shape = known ? &document_.module().shapeOf(shown_) : nullptr;
  const bool any = shape && shape->isArray() && shape->rank() > 1 && shape->layout &&
                   static_cast<int64_t>(shape->layout->minorToMajor.size()) == shape->rank();
  for (QWidget* w : std::initializer_list<QWidget*>{layoutLabel_, layoutChips_}) w->setVisible(any);
  if (!any) return;
  std::vector<DimensionChips::Chip> chips;
  const auto hues = document_.view().huesOf(shown_);
  for (int64_t d : shape->layout->minorToMajor) {
    const QString size = QString::number(shape->dimensions[static_cast<size_t>(d)]);
    const QString letter = letterOf(hues, static_cast<size_t>(d));
    chips.push_back({d, letter.isEmpty() ? tr("size %1").arg(size) : tr("%1 = %2").arg(letter, size), size,
                     dimensionColor(hues, static_cast<size_t>(d), palette())});
  }
  layoutChips_->setChips(std::move(chips));
}

void Inspector::editLayout(const std::vector<int64_t>& minorToMajor, bool done) {
  if (!document_.isOpen() || !document_.module().contains(shown_)) return;
  const bool continues = std::exchange(draggingLayout_, !done);
  if (!continues) gesture_.end();
  Shape shape = document_.module().shapeOf(shown_);
  if (!shape.layout) return;
  shape.layout->minorToMajor = minorToMajor;
  if (done && continues && shape == document_.module().shapeOf(shown_)) return;
  document_.perform(settingLayout(document_.module(), shown_, std::move(shape)), shown_,
                    gesture_.key(shown_, "layout"));
}

void Inspector::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) show();
  QWidget::changeEvent(event);
}

void Inspector::editShape(const QString& text) {
  if (!document_.isOpen() || !document_.module().contains(shown_)) return;
  typing_ = true;
  auto shape = parseShape(text.trimmed().toStdString());
  if (!shape) {
    shapeError_->say(QString::fromStdString(shape.error().message));
    return;
  }
  shapeError_->say({});
  document_.perform(settingShape(document_.module(), shown_, *std::move(shape)), {}, gesture_.key(shown_, "shape"));
}

void Inspector::follow(const QUrl& url) {
  const uint32_t number = url.path().toUInt();
  if (url.scheme() == QLatin1String("instruction")) document_.select({InstructionId(number)});
  if (url.scheme() == QLatin1String("source")) return emit sourceWanted();
  if (url.scheme() == QLatin1String("peaks")) return MachinePeaks::ofThisMachine().measure();
  if (url.scheme() == QLatin1String("computation")) document_.view().showComputation(ComputationId(number));
  if (press_.isMouse()) emit canvasWanted();
}

}  // namespace tessera
