// Follows the selection; keeps what is pinned up to date as well.
#include "editor/values/value_panel.h"

#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <algorithm>
#include <cmath>

#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/hlo/numbers.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/look/round_step.h"
#include "editor/text/plain_text.h"
#include "editor/values/value_view.h"

namespace tessera {
namespace {

constexpr int kSteps = 1000;

QString nameOf(const Document& document, InstructionId id) {
  const std::string_view name = document.module().at(id).name;
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// A scalar parameter of the entry.
bool isScalarInput(const Document& document, InstructionId id) {
  if (!document.isOpen() || !document.live().isOn() || !id.valid() || !document.module().contains(id)) return false;
  const Instruction& instruction = document.module().at(id);
  const Shape& shape = *instruction.shape;
  return instruction.opcode == Opcode::Parameter && instruction.computation == document.module().entry() &&
         shape.isArray() && shape.dimensions.empty() && !isComplex(shape.type);
}

}  // namespace

ValuePanel::ValuePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      current_(new ValueView),
      pinned_(new ValueView),
      difference_(new PlainLabel(this)),
      pin_(new QPushButton(tr("Pin to compare"), this)),
      sliderRow_(new QWidget(this)),
      slider_(new QSlider(Qt::Horizontal, sliderRow_)),
      from_(new QDoubleSpinBox(sliderRow_)),
      to_(new QDoubleSpinBox(sliderRow_)) {
  views_ = new QSplitter(Qt::Horizontal, this);
  views_->addWidget(pinned_);
  views_->addWidget(current_);
  views_->setChildrenCollapsible(false);
  pinned_->hide();
  pin_->setCheckable(true);
  makeSlider();
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 4, 4, 0);
  difference_->setWordWrap(true);
  bar->addWidget(difference_, 1);
  bar->addWidget(pin_);
  bar->addWidget(makeCopyButton());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(bar);
  layout->addWidget(sliderRow_);
  layout->addWidget(views_, 1);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  connectParts();
  refresh();
}

void ValuePanel::makeSlider() {
  slider_->setRange(0, kSteps);
  slider_->setAccessibleName(tr("Value of the input"));
  for (QDoubleSpinBox* box : {from_, to_}) {
    box->setRange(-1e9, 1e9);
    box->setDecimals(3);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    connect(box, &QDoubleSpinBox::editingFinished, this, &ValuePanel::showSlider);
  }
  setRange(-1, 1);
  auto* sliding = new QHBoxLayout(sliderRow_);
  sliding->setContentsMargins(4, 0, 4, 0);
  sliding->addWidget(from_);
  sliding->addWidget(slider_, 1);
  sliding->addWidget(to_);
}

QPushButton* ValuePanel::makeCopyButton() {
  auto* copy = new QPushButton(tr("Copy"), this);
  auto* menu = new QMenu(copy);
  menu->addAction(tr("As &HLO text"), this, &ValuePanel::copyText);
  menu->addAction(tr("This slice as &CSV"), this, &ValuePanel::copyCsv);
  menu->addSeparator();
  menu->addAction(tr("&Save as npy …"), this, &ValuePanel::askForNpy);
  copy->setMenu(menu);
  return copy;
}

void ValuePanel::connectParts() {
  connect(pin_, &QPushButton::toggled, this, &ValuePanel::pin);
  connect(slider_, &QSlider::valueChanged, this, &ValuePanel::slide);
  connect(slider_, &QSlider::sliderReleased, this, [this] { sliding_ = false; });
  connect(&document_, &Document::selectionChanged, this, &ValuePanel::follow);
  connect(&document_.live(), &LiveValues::changed, this, &ValuePanel::refresh);
  connect(&document_.watched(), &WatchedValues::changed, this, &ValuePanel::refresh);
  connect(&document_, &Document::moduleChanged, this, [this] {
    if (fetched_ && fetchedRevision_ != document_.revision()) refresh();
  });
  connect(&document_, &Document::opened, this, [this] {
    pin_->setChecked(false);
    shown_ = {};
    fetched_.reset();
    refresh();
  });
  connect(&document_.fetch(), &ValueFetch::runningChanged, this, &ValuePanel::refresh);
  connect(&document_.fetch(), &ValueFetch::fetched, this,
          [this](InstructionId id, const std::shared_ptr<const Literal>& value) {
            if (id != shown_) return;
            fetched_ = value;
            fetchedRevision_ = document_.revision();
            refresh();
          });
}

QString ValuePanel::difference() const { return difference_->text(); }

void ValuePanel::setRange(double from, double to) {
  from_->setValue(from);
  to_->setValue(to);
}

bool ValuePanel::event(QEvent* event) {
  if (event->type() == QEvent::Show || event->type() == QEvent::PaletteChange) refresh();
  return QWidget::event(event);
}

void ValuePanel::want(InstructionId id) {
  shown_ = wanted_ = id;
  fetched_.reset();
  sliding_ = false;
  refresh();
  if (!document_.live().valueOf(id) && !document_.watched().contains(id)) document_.fetch().start(id);
}

void ValuePanel::follow() {
  const InstructionId id = document_.selected();
  if (!id.valid() || id == shown_) return;
  shown_ = id;
  fetched_.reset();
  sliding_ = false;
  refresh();
}

void ValuePanel::refresh() {
  if (!isVisible()) return;
  const bool known = document_.isOpen() && shown_.valid() && document_.module().contains(shown_);
  const Literal* value = known ? document_.live().valueOf(shown_) : nullptr;
  const std::shared_ptr<const Literal> watched = document_.watched().valueOf(shown_);
  if (!value && known) value = watched.get();
  if (!value && known && fetchedRevision_ == document_.revision()) value = fetched_.get();
  if (known) current_->setDimensions(document_.view().huesOf(shown_));
  const QString call = known && value == watched.get() ? document_.watched().callOf(shown_) : QString();
  if (value)
    current_->show(call.isEmpty() ? nameOf(document_, shown_) : tr("%1, %2").arg(nameOf(document_, shown_), call),
                   *value);
  else if (!known)
    current_->clear(tr("Select an instruction to see its value; Ctrl+Shift+click watches it where nothing is live."));
  else if (const QString why = document_.live().whyNone(shown_); !why.isEmpty())
    current_->clear(why);
  else if (const QString why = document_.watched().whyNone(shown_); !why.isEmpty())
    current_->clear(QStringLiteral("%1: %2").arg(nameOf(document_, shown_), why));
  else if (document_.fetch().isRunning() && shown_ == wanted_)
    current_->clear(tr("Computing %1 …").arg(nameOf(document_, shown_)));
  else if (!document_.live().trace())
    current_->clear(
        tr("Values are not computed after every edit here. Ctrl+Shift+click on %1, or W, watches its value.")
            .arg(nameOf(document_, shown_)));
  else
    current_->clear(tr("%1 has no value yet: an input is open, or it was not reached.").arg(nameOf(document_, shown_)));
  if (pinnedId_.valid() && document_.isOpen() && document_.module().contains(pinnedId_))
    if (const Literal* other = document_.live().valueOf(pinnedId_))
      pinned_->setDimensions(document_.view().huesOf(pinnedId_)), pinned_->show(nameOf(document_, pinnedId_), *other);
  compare();
  showSlider();
}

// --- the slider of a scalar input

void ValuePanel::showSlider() {
  const bool input = isScalarInput(document_, shown_) && document_.live().valueOf(shown_);
  sliderRow_->setVisible(input);
  if (!input || sliding_) return;
  const Literal& value = *document_.live().valueOf(shown_);
  const double now = loadDouble(value.shape().type, value.bytes().data());
  if (!std::isfinite(now)) return;
  if (now < from_->value()) from_->setValue(-roundStep(-now));
  if (now > to_->value()) to_->setValue(roundStep(now));
  const double span = to_->value() - from_->value();
  const QSignalBlocker blocker(slider_);
  slider_->setValue(span > 0 ? static_cast<int>(std::lround((now - from_->value()) / span * kSteps)) : 0);
}

void ValuePanel::slide(int place) {
  if (!isScalarInput(document_, shown_)) return;
  double value = from_->value() + (to_->value() - from_->value()) * place / kSteps;
  if (isInteger(document_.module().shapeOf(shown_).type)) value = std::round(value);
  RunSettings settings = document_.runSettings();
  settings.sources[firstLeafOf(document_.module(), shown_)] =
      QStringLiteral("constant %1").arg(value, 0, 'g', 6).toStdString();
  if (!std::exchange(sliding_, slider_->isSliderDown())) gesture_.end();
  document_.setRunSettings(std::move(settings), tr("Value of %1").arg(nameOf(document_, shown_)),
                           gesture_.key(shown_, "value"));
}

// --- comparing

void ValuePanel::pin(bool on) {
  pinnedId_ = on && !current_->isEmpty() ? shown_ : InstructionId();
  pinned_->setVisible(pinnedId_.valid());
  if (pinnedId_.valid()) {
    pinned_->show(nameOf(document_, pinnedId_), current_->slice().value());
    views_->setSizes({views_->width() / 2, views_->width() / 2});
  } else if (on)
    pin_->setChecked(false);
  compare();
}

void ValuePanel::compare() {
  const bool both = pinnedId_.valid() && shown_ != pinnedId_ && !current_->isEmpty() && !pinned_->isEmpty();
  difference_->setText(both                ? differenceText(pinned_->slice().value(), current_->slice().value())
                       : pinnedId_.valid() ? tr("Pinned. Select another instruction to compare.")
                                           : QString());
}

// --- taking it away

void ValuePanel::copyText() const {
  if (!current_->isEmpty())
    QGuiApplication::clipboard()->setText(QString::fromStdString(printLiteral(current_->slice().value())));
}

void ValuePanel::copyCsv() const {
  if (!current_->isEmpty()) QGuiApplication::clipboard()->setText(current_->slice().csv());
}

void ValuePanel::saveNpy(const QString& path) {
  if (current_->isEmpty()) return;
  exportFile(
      this, path, [value = current_->slice().value()] { return npyBytes(value); },
      [this](const Status& written) {
        if (!written) difference_->setText(QString::fromStdString(written.error().toString()));
      });
}

void ValuePanel::askForNpy() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save the value"), QStringLiteral("value.npy"), tr("NumPy array (*.npy)"));
  if (!path.isEmpty()) saveNpy(path);
}

}  // namespace tessera
