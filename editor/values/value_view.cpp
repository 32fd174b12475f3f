// ArrangeController the parts, and what happens when the value, the element or the slice changes.
#include "editor/values/value_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>

#include "core/formats/hlo_text.h"
#include "editor/canvas/dimension_color.h"
#include "editor/text/plain_text.h"
#include "editor/values/slice_model.h"
#include "editor/values/value_plot.h"

namespace tessera {

ValueView::ValueView(QWidget* parent)
    : QWidget(parent),
      title_(new PlainLabel(this)),
      summary_(new PlainLabel(this)),
      element_(new QComboBox(this)),
      selectorRow_(new QWidget(this)),
      selectorLayout_(new QHBoxLayout(selectorRow_)),
      tabs_(new QTabWidget(this)),
      table_(new QTableView(this)),
      model_(new SliceModel(this)),
      image_(new ValuePlot(ValuePlot::Form::Image, this)),
      lines_(new ValuePlot(ValuePlot::Form::Lines, this)),
      histogram_(new ValuePlot(ValuePlot::Form::Histogram, this)) {
  title_->setTextFormat(Qt::PlainText);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  summary_->setWordWrap(true);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  table_->setModel(model_);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setDefaultSectionSize(fontMetrics().horizontalAdvance(QStringLiteral("-0.0000000e-00")) +
                                                    18);
  tabs_->addTab(table_, tr("Table"));
  tabs_->addTab(image_, tr("Image"));
  tabs_->addTab(lines_, tr("Lines"));
  tabs_->addTab(histogram_, tr("Histogram"));
  tabs_->setDocumentMode(true);
  selectorLayout_->setContentsMargins(0, 0, 0, 0);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(element_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  layout->addLayout(head);
  layout->addWidget(summary_);
  layout->addWidget(selectorRow_);
  layout->addWidget(tabs_, 1);
  connect(element_, &QComboBox::currentIndexChanged, this, &ValueView::showElement);
  clear({});
}

QString ValueView::title() const { return title_->text(); }
QString ValueView::summary() const { return summary_->text(); }

void ValueView::setDimensions(std::vector<DimensionHue> dimensions) {
  const auto same = [](const DimensionHue& a, const DimensionHue& b) { return a.letter == b.letter && a.hue == b.hue; };
  if (std::ranges::equal(dimensions, dimensions_, same)) return;
  dimensions_ = std::move(dimensions);
  makeSelectors();
}

// Colours of dimensions are the theme's.
void ValueView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !empty_) showSlice();
}

void ValueView::clear(const QString& why) {
  empty_ = true;
  whole_ = Literal();
  slice_ = ValueSlice();
  title_->clear();
  title_->hide();
  summary_->setAlignment(Qt::AlignCenter);
  summary_->setText(why);
  for (QWidget* w : std::initializer_list<QWidget*>{element_, selectorRow_, tabs_}) w->hide();
}

void ValueView::show(const QString& name, const Literal& value) {
  empty_ = false;
  name_ = name;
  whole_ = value;
  const size_t parts = value.shape().isTuple() ? value.elements().size() : 0;
  if (static_cast<size_t>(element_->count()) != parts) {
    const QSignalBlocker blocker(element_);
    element_->clear();
    for (size_t i = 0; i < parts; ++i) element_->addItem(tr("element %1").arg(i));
  }
  element_->setVisible(parts > 0);
  tabs_->show();
  showElement();
}

void ValueView::showElement() {
  const bool tuple = whole_.shape().isTuple();
  const auto chosen = static_cast<size_t>(std::max(element_->currentIndex(), 0));
  const Literal none, &value = !tuple ? whole_ : chosen < whole_.elements().size() ? whole_.elements()[chosen] : none;
  const bool same =
      slice_.isArray() && value.shape().isArray() && slice_.value().shape().dimensions == value.shape().dimensions;
  std::vector<int64_t> kept = slice_.indices();
  slice_ = ValueSlice(value);
  if (same)
    slice_.setIndices(std::move(kept));
  else
    makeSelectors();
  numbers_ = value.shape().isArray() ? summaryOf(value) : ValueSummary();
  title_->show();
  summary_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  title_->setText(QStringLiteral("%1  %2").arg(name_, QString::fromStdString(toString(value.shape(), false))));
  summary_->setText(summaryText(value));
  showSlice();
}

// A spin box a dimension before the last two.
void ValueView::makeSelectors() {
  for (QSpinBox* box : selectors_) delete box;
  selectors_.clear();
  while (QLayoutItem* item = selectorLayout_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (size_t d = 0; d < slice_.chosenDimensions(); ++d) {
    auto* box = new QSpinBox(selectorRow_);
    const QString letter = letterOf(dimensions_, d);
    box->setPrefix(letter.isEmpty() ? tr("dim %1: ").arg(d) : tr("dim %1 %2: ").arg(d).arg(letter));
    if (!letter.isEmpty()) {
      QPalette own = box->palette();
      own.setColor(QPalette::Text, dimensionColor(dimensions_, d, palette()));
      box->setPalette(own);
    }
    box->setRange(0, static_cast<int>(std::clamp<int64_t>(slice_.value().shape().dimensions[d] - 1, 0, 1 << 30)));
    box->setAccessibleName(tr("Index in dimension %1").arg(d));
    box->setWrapping(true);
    connect(box, &QSpinBox::valueChanged, this, &ValueView::showSlice);
    selectorLayout_->addWidget(box);
    selectors_.push_back(box);
  }
  selectorLayout_->addStretch(1);
  selectorRow_->setVisible(!selectors_.empty());
}

void ValueView::showSlice() {
  std::vector<int64_t> indices;
  for (QSpinBox* box : selectors_) indices.push_back(box->value());
  slice_.setIndices(std::move(indices));
  const bool dark = palette().color(QPalette::Base).lightness() < 128;
  const auto rank = slice_.isArray() ? slice_.value().shape().dimensions.size() : 0;
  const auto inked = [&](size_t back) {  // of the last dimensions, which are the table's
    const bool known = rank >= back && rank == dimensions_.size();
    return known ? std::optional(SliceModel::Axis{rank - back, letterOf(dimensions_, rank - back),
                                                  dimensionColor(dimensions_, rank - back, palette())})
                 : std::nullopt;
  };
  model_->setAxes(inked(2), inked(1));
  model_->setSlice(slice_, numbers_, dark);
  image_->show(slice_, numbers_);
  lines_->show(slice_, numbers_);
  histogram_->show(slice_, numbers_);
}

}  // namespace tessera
