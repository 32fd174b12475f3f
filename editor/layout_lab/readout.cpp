// The numbers of the layout lab.
#include "editor/layout_lab/readout.h"

#include <QEvent>
#include <QPainter>

#include "editor/canvas/dimension_color.h"
#include "editor/layout_lab/cell_paint.h"

namespace tessera {
namespace {

QString number(int64_t n) { return QString::fromStdString(grouped(n)); }

QString colored(const QString& text, const QColor& color) {
  return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), text);
}

QString mono(const std::string& text) {
  return QStringLiteral("<span style='font-family:\"DejaVu Sans Mono\";font-size:12px'>%1</span>")
      .arg(QString::fromStdString(text).toHtmlEscaped());
}

QString listed(const std::vector<int64_t>& index) {
  QString out;
  for (int64_t i : index) out += (out.isEmpty() ? QString() : QStringLiteral(", ")) + QString::number(i);
  return QStringLiteral("(%1)").arg(out);
}

QString bytesOf(const LayoutModel& model, int64_t linear) {
  const int64_t first = model.memory().byteOffset(linear);
  if (model.elementBits() % 8 != 0) return Readout::tr("byte %1, packed with its neighbours").arg(number(first));
  const int64_t last = first + model.elementBits() / 8 - 1;
  return last == first ? Readout::tr("byte %1").arg(number(first))
                       : Readout::tr("bytes %1 … %2").arg(number(first), number(last));
}

QString nameOfKind(CellKind kind) {
  switch (kind) {
    case CellKind::Element: return Readout::tr("element");
    case CellKind::PaddedDimension: return Readout::tr("padding");
    case CellKind::TilePadding: return Readout::tr("unused tile space");
    case CellKind::TailPadding: return Readout::tr("unused tail");
  }
  return {};
}

const std::vector<int64_t>& paddedSizes(const LayoutModel& model) {
  return model.layout().paddedDimensions.empty() ? model.shape().dimensions : model.layout().paddedDimensions;
}

QString stridesText(const LayoutModel& model, std::span<const DimensionHue> dimensions, const QPalette& palette) {
  const auto strides = stridesOf(model);
  QString out;
  for (size_t d = 0; d < strides.size(); ++d) {
    out += out.isEmpty() ? QString() : QStringLiteral(",&nbsp; ");
    const QString letter = letterOf(dimensions, d);
    const QString name =
        Readout::tr("dimension %1").arg(d) + (letter.isEmpty() ? QString() : QStringLiteral(" ") + letter);
    out += letter.isEmpty() ? name
                            : QStringLiteral("<span style='color:%1'>%2</span>")
                                  .arg(dimensionColor(dimensions, d, palette).name(), name.toHtmlEscaped());
    out += QStringLiteral(": ") + number(strides[d]);
    if (model.elementBits() % 8 == 0 && strides[d] < INT64_MAX / 64)
      out += QStringLiteral(" (%1 B)").arg(number(strides[d] * (model.elementBits() / 8)));
  }
  return Readout::tr("strides&nbsp; %1").arg(out);
}

QString tilesText(const LayoutModel& model) {
  QString out;
  for (const Tile& tile : model.layout().tiles) {
    QString sizes;
    for (int64_t size : tile.dims)
      sizes += (sizes.isEmpty() ? QString() : QStringLiteral("×")) +
               (size == Tile::kCombine ? QStringLiteral("*") : QString::number(size));
    out += (out.isEmpty() ? Readout::tr("tiles of ") : Readout::tr(", cut again into ")) + sizes;
  }
  if (const int64_t volume = model.tileVolume(0); volume > 0)
    out += (model.positions() == volume
                ? Readout::tr("; one tile of %1 positions").arg(number(volume))
                : Readout::tr("; %1 tiles, %2 positions each").arg(number(model.positions() / volume), number(volume)));
  return out;
}

}  // namespace

void WasteBar::setShare(double elements, CellKind waste) {
  elements_ = elements;
  waste_ = waste;
  update();
}

void WasteBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const LabColors c = LabColors::of(palette());
  const QRectF all = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QRectF used = all, rest = all;
  used.setWidth(all.width() * elements_);
  rest.setLeft(used.right());
  if (rest.width() > 0.5) paintHatch(painter, rest, waste_, c);
  painter.fillRect(used, blend(c.page, c.accent, 0.75));
  painter.setPen(QPen(c.line, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(all);
}

Readout::Readout(LabState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      element_(new QLabel(this)),
      formula_(new QLabel(this)),
      buffer_(new QLabel(this)),
      bar_(new WasteBar(this)) {
  element_->setObjectName(QStringLiteral("elementReadout"));
  formula_->setObjectName(QStringLiteral("formulaReadout"));
  buffer_->setObjectName(QStringLiteral("bufferReadout"));
  for (QLabel* label : {element_, formula_, buffer_}) {
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFocusPolicy(Qt::NoFocus);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setWordWrap(true);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
  }
  auto* cost = new QVBoxLayout;
  cost->setSpacing(4);
  cost->addWidget(bar_);
  cost->addWidget(buffer_);
  cost->addStretch();
  row_ = new QBoxLayout(QBoxLayout::LeftToRight, this);
  row_->setContentsMargins(4, 2, 4, 0);
  row_->setSpacing(24);
  row_->addWidget(element_, 5);
  row_->addWidget(formula_, 9);
  row_->addLayout(cost, 5);
  connect(state_, &LabState::currentChanged, this, [this] {
    showElement();
    showFormula();
  });
  connect(state_, &LabState::modelChanged, this, &Readout::showBuffer);
}

// Its height follows its width alone, never the text: what is read must not move what is pointed at.
void Readout::resizeEvent(QResizeEvent*) {
  const bool narrow = width() < 640;
  row_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  row_->setSpacing(narrow ? 2 : 24);
  setFixedHeight(narrow ? 150 : width() < 900 ? 92 : 72);
}

void Readout::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && state_->model()) {
    showElement();
    showFormula();
    showBuffer();
  }
  QWidget::changeEvent(event);
}

void Readout::showElement() {
  const LabColors c = LabColors::of(palette());
  const auto current = state_->current();
  if (!current || !state_->model())
    return element_->setText(colored(tr("Point at a cell, or click one and walk with the arrow keys."), c.subtext));
  const LayoutModel& model = *state_->model();
  const auto index = model.gridIndex(*current);
  const CellKind kind = model.kindOf(*current, index);
  QString head = nameOfKind(kind);
  if (kind == CellKind::Element && model.elementCount() <= 26)
    head += QStringLiteral(" <b style='font-size:15px'>%1</b>").arg(QString::fromStdString(model.elementName(*index)));
  if (index) head += tr("&nbsp; at index <b>%1</b>").arg(listed(*index));
  element_->setText(head + QStringLiteral("<br>") +
                    tr("linear index <b>%1</b> · <b>%2</b>").arg(number(*current), bytesOf(model, *current)));
}

void Readout::showFormula() {
  if (!state_->model()) return formula_->clear();
  const LabColors c = LabColors::of(palette());
  const LayoutModel& model = *state_->model();
  QString text = mono("linear = " + linearFormula(model.layout(), paddedSizes(model)));
  const auto current = state_->current();
  const auto index = current ? model.gridIndex(*current) : std::nullopt;
  if (index && model.rank() > 0 && model.kindAt(*index) != CellKind::TilePadding)
    text +=
        QStringLiteral("<br>") + colored(mono("       = " + linearFormula(model.layout(), paddedSizes(model), *index) +
                                              " = " + std::to_string(*current))
                                             .replace("  ", "&nbsp; "),
                                         c.subtext);
  const QString more = model.layout().tiles.empty()
                           ? (model.rank() ? stridesText(model, state_->dimensions(), palette()) : QString())
                           : tilesText(model);
  if (!more.isEmpty()) text += QStringLiteral("<br>") + colored(more, c.subtext);
  formula_->setText(text);
}

void Readout::showBuffer() {
  bar_->setVisible(state_->model() != nullptr);
  if (!state_->model()) return buffer_->clear();
  const LabColors c = LabColors::of(palette());
  const LayoutModel& model = *state_->model();
  const int64_t bytes = model.memory().bytes(), waste = model.memory().wasteBytes();
  const double share = bytes > 0 ? static_cast<double>(waste) / static_cast<double>(bytes) : 0;
  bar_->setShare(1 - share, model.layout().tiles.empty() ? CellKind::PaddedDimension : CellKind::TilePadding);
  const QString percent = share > 0 && share < 0.001
                              ? QStringLiteral("&lt; 0.1")
                              : QString::number(share * 100, 'f', share == 0 || share == 1 ? 0 : 1);
  QString text =
      tr("<b>%1 bytes</b> for %2 of %3")
          .arg(number(bytes),
               model.elementCount() == 1 ? tr("1 element") : tr("%1 elements").arg(number(model.elementCount())),
               QString::fromStdString(elementSizeText(model)));
  text += QStringLiteral("<br>") + (waste == 0 ? colored(tr("no waste"), c.subtext)
                                               : tr("waste <b>%1 bytes</b>, %2 %").arg(number(waste), percent));
  if (const int64_t prefix = model.layout().dynamicShapeMetadataPrefixBytes; prefix > 0)
    text += tr(", the first %1 bytes hold dynamic sizes").arg(number(prefix));
  buffer_->setText(text);
}

}  // namespace tessera
