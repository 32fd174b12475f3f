// The panel: fields above, panes in the middle, numbers below. One rule: a field that cannot be taken shows why and
// the last good picture stays.
#include "editor/layout_lab/layout_panel.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/formats/hlo_text.h"
#include "editor/canvas/dimension_color.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/lab_colors.h"
#include "editor/layout_lab/layout_view.h"
#include "editor/layout_lab/panel_text.h"
#include "editor/layout_lab/presets.h"
#include "editor/layout_lab/preview_bar.h"
#include "editor/layout_lab/readout.h"
#include "editor/layout_lab/slice_steppers.h"
#include "editor/look/type_scale.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kTitleMost = 280;

QLineEdit* field(QWidget* parent, const QString& id, const QString& hint, const QString& tip) {
  auto* out = new QLineEdit(parent);
  out->setObjectName(id);
  out->setPlaceholderText(hint);
  out->setToolTip(tip);
  out->setAccessibleName(tip);
  keepFont(*out, monoFont);
  return out;
}

// A `b(…)` around an array is looked through.
const Shape& withoutBuffer(const Shape& shape) {
  return shape.type == ElementType::Buffer && !shape.elements.empty() ? shape.elements[0] : shape;
}

}  // namespace

LayoutPanel::LayoutPanel(QWidget* parent) : QWidget(parent), state_(new LabState(this)) {
  title_ = new PlainLabel(this);
  sentence_ = new PlainLabel(this);
  error_ = new PlainLabel(this);
  text_ = field(this, QStringLiteral("shapeText"), QStringLiteral("bf16[3,130]{1,0:T(8,128)(2,1)}"),
                tr("A shape in HLO text"));
  padded_ = field(this, QStringLiteral("paddedDimensions"), tr("none"),
                  tr("padded_dimensions: a size for each dimension, e.g. 3,5"));
  value_ = field(this, QStringLiteral("paddingValue"), tr("none"), tr("padding_value: what the padding holds"));
  presets_ = new QComboBox(this);
  leaves_ = new QComboBox(this);
  chips_ = new DimensionChips(this);
  view_ = new LayoutView(state_, this);
  readout_ = new Readout(state_, this);
  preview_ = new PreviewBar(this);
  build();
  connect(text_, &QLineEdit::textEdited, this, [this] { edited(text_, &LayoutPanel::takeText); });
  connect(padded_, &QLineEdit::textEdited, this, [this] { edited(padded_, &LayoutPanel::takePadding); });
  connect(value_, &QLineEdit::textEdited, this, [this] { edited(value_, &LayoutPanel::takePadding); });
  for (QLineEdit* field : {text_, padded_, value_})
    connect(field, &QLineEdit::editingFinished, this, &LayoutPanel::showPreview);
  connect(text_, &QLineEdit::returnPressed, this, [this] {
    if (whyNot_.isEmpty() && error_->isHidden()) applyLayout();
  });
  connect(preview_->apply(), &QPushButton::clicked, this, &LayoutPanel::applyLayout);
  connect(preview_->back(), &QPushButton::clicked, this, &LayoutPanel::dropLayout);
  connect(presets_, &QComboBox::activated, this, [this](int at) {
    if (at > 0) setPreset(presets_->itemText(at));
  });
  connect(leaves_, &QComboBox::activated, this, &LayoutPanel::takeLeaf);
  connect(chips_, &DimensionChips::orderChanged, this, [this](const std::vector<int64_t>& o) { takeOrder(o, false); });
  connect(chips_, &DimensionChips::orderCommitted, this, [this](const std::vector<int64_t>& o) { takeOrder(o, true); });
  setPreset(QStringLiteral("row-major"));
}

// A field that loses the focus while the window goes says that its edit has ended: to nobody any more.
LayoutPanel::~LayoutPanel() {
  for (QLineEdit* field : {text_, padded_, value_}) field->disconnect(this);
}

void LayoutPanel::build() {
  QFont bold = font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setMaximumWidth(kTitleMost);
  title_->hide();
  sentence_->setObjectName(QStringLiteral("sentence"));
  sentence_->setWordWrap(true);
  error_->setObjectName(QStringLiteral("layoutError"));
  error_->setWordWrap(true);
  error_->setTextFormat(Qt::PlainText);
  error_->hide();
  presets_->setObjectName(QStringLiteral("presets"));
  presets_->addItem(tr("Examples…"));
  for (const LayoutPreset& preset : layoutPresets())
    presets_->addItem(QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size())));
  leaves_->setObjectName(QStringLiteral("leaves"));
  leaves_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  leaves_->setMinimumContentsLength(14);
  leaves_->hide();
  padded_->setMaximumWidth(130);
  value_->setMaximumWidth(70);
  auto* head = new QHBoxLayout;
  head->addWidget(title_);
  head->addWidget(text_, 1);
  head->addWidget(leaves_);
  head->addWidget(presets_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->setSpacing(8);
  all->addLayout(head);
  all->addWidget(error_);
  all->addWidget(preview_);
  all->addWidget(sentence_);
  all->addLayout(buildControls());
  all->addWidget(new SliceSteppers(state_, this));
  all->addWidget(view_, 1);
  all->addWidget(readout_);
  const QList<QWidget*> order{text_, leaves_, presets_, chips_, padded_, value_};
  for (qsizetype i = 0; i + 1 < order.size(); ++i) setTabOrder(order[i], order[i + 1]);
}

QLayout* LayoutPanel::buildControls() {
  auto* row = new QHBoxLayout;
  row->setSpacing(16);
  row->addWidget(chips_, 1);
  const auto labelled = [&](const QString& name, QLineEdit* edit) {
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    auto* label = new PlainLabel(name, this);
    label->setBuddy(edit);
    column->addWidget(label);
    column->addWidget(edit);
    column->addStretch();
    row->addLayout(column);
  };
  labelled(QStringLiteral("padded_dimensions"), padded_);
  labelled(QStringLiteral("padding_value"), value_);
  return row;
}

void LayoutPanel::showShape(const Shape& shape, const QString& name, std::vector<DimensionHue> dimensions,
                            const QString& whyNot) {
  explore();
  givenDimensions_ = dimensions;
  state_->setDimensions(std::move(dimensions));
  given_ = shape;
  fillDefaultLayouts(given_);
  whyNot_ = whyNot;
  title_->setText(name);
  title_->setToolTip(asPlainText(name));
  title_->setVisible(!name.isEmpty());
  ofWire_ = showWhole(shape);
  view_->finishAnimations();  // elements travel where the user changes the layout, and not where he looks elsewhere
  if (ofWire_) return;
  text_->setText(QString::fromStdString(toString(shape)));
  leaves_->hide();
  chips_->setChips({});
  sentence_->clear();
  state_->clear();
}

void LayoutPanel::explore() {
  ofWire_ = false;
  preview_->hide();
  state_->setDimensions({});
  showFields();
  title_->hide();
}

void LayoutPanel::showShapeText(const QString& text) {
  text_->setText(text);
  edited(text_, &LayoutPanel::takeText);
}

void LayoutPanel::setPreset(const QString& name) {
  const LayoutPreset* preset = findLayoutPreset(name.toStdString());
  if (!preset) return showError(tr("There is no example named “%1”.").arg(name));
  auto shape = parseShape(preset->shape);
  if (!shape) return showError(describe(shape.error()));
  fillDefaultLayouts(*shape);
  if (auto padded = parseSizes(preset->padded)) shape->layout->paddedDimensions = *padded;
  if (!preset->value.empty()) shape->layout->paddingValue = std::stod(std::string(preset->value));
  explore();
  showWhole(*shape);
  presets_->setCurrentText(name);
  sentence_->setText(QString::fromUtf8(preset->sentence.data(), static_cast<qsizetype>(preset->sentence.size())));
}

bool LayoutPanel::showWhole(Shape shape) {
  fillDefaultLayouts(shape);
  const auto leaves = leavesOf(shape);
  const auto first = std::ranges::find_if(leaves, [](const ShapeLeaf& l) { return withoutBuffer(*l.shape).isArray(); });
  if (first == leaves.end()) {
    showError(tr("%1 holds no array, so it has no memory layout.").arg(QString::fromStdString(toString(shape))));
    return false;
  }
  const Shape array = withoutBuffer(*first->shape);
  Shape oldWhole = std::exchange(whole_, shape);
  std::vector<int64_t> oldIndex = std::exchange(leafIndex_, first->index);
  if (!showArray(array)) {
    whole_ = std::move(oldWhole);
    leafIndex_ = std::move(oldIndex);
    return false;
  }
  leaves_->clear();
  for (const ShapeLeaf& leaf : leaves) leaves_->addItem(leafTitle(leaf.index, *leaf.shape));
  leaves_->setCurrentIndex(static_cast<int>(first - leaves.begin()));
  leaves_->setVisible(shape.isTuple());
  return true;
}

bool LayoutPanel::showArray(Shape shape) {
  auto model = LayoutModel::of(std::move(shape));
  if (!model) {
    showError(describe(model.error()));
    return false;
  }
  showError({});
  *leaf() = model->shape();
  state_->setModel(std::move(*model));
  showFields();
  return true;
}

Shape* LayoutPanel::leaf() {
  Shape* at = &whole_;
  for (int64_t i : leafIndex_) at = &at->elements[static_cast<size_t>(i)];
  return at->type == ElementType::Buffer && !at->elements.empty() ? &at->elements[0] : at;
}

std::optional<Shape> LayoutPanel::shape() const {
  return state_->model() ? std::optional(state_->model()->shape()) : std::nullopt;
}

QString LayoutPanel::errorText() const { return error_->isHidden() ? QString() : error_->text(); }

void LayoutPanel::edited(QLineEdit* field, void (LayoutPanel::*take)()) {
  typing_ = field;
  (this->*take)();
  typing_ = nullptr;
}

void LayoutPanel::takeText() {
  auto shape = parseShape(text_->text().trimmed().toStdString());
  if (!shape) return showError(describe(shape.error()));
  const std::optional<Shape> before = this->shape();
  const bool sameArray =
      before && shape->isArray() && shape->type == before->type && shape->dimensions == before->dimensions;
  if (!sameArray) {
    if (showWhole(std::move(*shape))) explore();
    return;
  }
  fillDefaultLayouts(*shape);
  shape->layout->paddedDimensions = before->layout->paddedDimensions;  // not part of the text
  shape->layout->paddingValue = before->layout->paddingValue;
  if (showArray(std::move(*shape))) showPreview();
}

void LayoutPanel::takeLeaf() {
  const auto leaves = leavesOf(whole_);
  const auto at = static_cast<size_t>(leaves_->currentIndex());
  if (at >= leaves.size()) return;
  Shape array = withoutBuffer(*leaves[at].shape);
  if (!array.isArray())
    return showError(tr("%1 is no array and has no memory layout.").arg(QString::fromStdString(toString(array))));
  const auto before = std::exchange(leafIndex_, leaves[at].index);
  if (!showArray(std::move(array))) leafIndex_ = before;
}

void LayoutPanel::takePadding() {
  std::optional<Shape> shape = this->shape();
  if (!shape) return;
  const auto sizes = readPadding(padded_->text(), *shape);
  if (!sizes) return showError(QString::fromStdString(sizes.error().message));
  const auto value = readPaddingValue(value_->text());
  if (!value) return showError(QString::fromStdString(value.error().message));
  shape->layout->paddedDimensions = *sizes;
  shape->layout->paddingValue = *value;
  if (showArray(std::move(*shape))) showPreview();
}

void LayoutPanel::takeOrder(const std::vector<int64_t>& minorToMajor, bool done) {
  std::optional<Shape> shape = this->shape();
  if (!shape) return;
  if (shape->layout->minorToMajor != minorToMajor) {  // the end of a drag changes nothing more
    shape->layout->minorToMajor = minorToMajor;
    if (!showArray(std::move(*shape))) return showFields();  // e.g. tiles that now overflow: the old order stays
  }
  if (done) showPreview();
}

void LayoutPanel::showFields() {
  if (!state_->model()) return;
  const LayoutModel& model = *state_->model();
  if (typing_ != text_) {
    text_->setText(QString::fromStdString(toString(model.shape())));
    text_->setCursorPosition(0);
  }
  if (typing_ != padded_) padded_->setText(sizesText(model.layout().paddedDimensions));
  if (typing_ != value_) value_->setText(QString::fromStdString(model.paddingText()));
  padded_->setEnabled(model.rank() > 0);
  sentence_->setText(layoutSentence(model));
  presets_->setCurrentIndex(0);
  std::vector<DimensionChips::Chip> chips;
  const auto& dimensions = state_->dimensions();
  const auto strides = stridesOf(model);
  for (int64_t d : model.layout().minorToMajor) {
    const auto at = static_cast<size_t>(d);
    const QString size = QString::fromStdString(grouped(model.shape().dimensions[at]));
    const QString letter = letterOf(dimensions, at),
                  named = letter.isEmpty() ? tr("size %1").arg(size) : tr("%1 = %2").arg(letter, size);
    chips.push_back(
        {d, strides.empty() ? named : tr("%1 · stride %2").arg(named, QString::fromStdString(grouped(strides[at]))),
         size, dimensions.empty() ? QColor() : dimensionColor(dimensions, at, palette())});
  }
  chips_->setChips(std::move(chips));
}

void LayoutPanel::showError(const QString& text) {
  error_->setText(text);
  QPalette palette = error_->palette();
  palette.setColor(QPalette::WindowText, LabColors::of(this->palette()).error);
  error_->setPalette(palette);
  error_->setVisible(!text.isEmpty());
}

void LayoutPanel::showPreview() {
  if (!ofWire_ || whole_ == given_) return preview_->hide();
  const Shape* had = &given_;
  for (int64_t i : leafIndex_) had = &had->elements[static_cast<size_t>(i)];
  preview_->say(QString::fromStdString(toString(withoutBuffer(*had))), whyNot_);
}

void LayoutPanel::applyLayout() {
  if (!ofWire_ || whole_ == given_) return;
  given_ = whole_;
  preview_->hide();
  emit layoutEdited(whole_);
}

void LayoutPanel::dropLayout() {
  if (!ofWire_) return;
  const QString name = title_->text();
  showShape(Shape(given_), name, givenDimensions_, QString(whyNot_));
}

void LayoutPanel::finishAnimations() { view_->finishAnimations(); }

}  // namespace tessera
