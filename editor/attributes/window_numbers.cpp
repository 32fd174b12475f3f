// A row a number, a column a dimension.
#include "editor/attributes/window_numbers.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kLargestNumber = 1'000'000, kBoxWidth = 54;

struct Row {
  const char *name, *help;
  int least;
};
constexpr Row kRows[WindowNumbers::kNumbers] = {
    {QT_TRANSLATE_NOOP("WindowNumbers", "■ size"), QT_TRANSLATE_NOOP("WindowNumbers", "How many taps it has"), 1},
    {QT_TRANSLATE_NOOP("WindowNumbers", "● stride"),
     QT_TRANSLATE_NOOP("WindowNumbers", "How far the next place is from this one"), 1},
    {QT_TRANSLATE_NOOP("WindowNumbers", "◆ dilation"),
     QT_TRANSLATE_NOOP("WindowNumbers", "How far its taps are from each other"), 1},
    {QT_TRANSLATE_NOOP("WindowNumbers", "▬ pad before"),
     QT_TRANSLATE_NOOP("WindowNumbers", "Elements of padding before the data; negative: so much of it is left out"),
     -kLargestNumber},
    {QT_TRANSLATE_NOOP("WindowNumbers", "▬ pad after"),
     QT_TRANSLATE_NOOP("WindowNumbers", "Elements of padding behind the data; negative: so much of it is left out"),
     -kLargestNumber}};

const WindowDimension kNoWindow{};

int64_t numberOf(const WindowDimension& w, WindowNumbers::Number number) {
  switch (number) {
    case WindowNumbers::Number::Size: return w.size;
    case WindowNumbers::Number::Stride: return w.stride;
    case WindowNumbers::Number::Dilation: return w.windowDilation;
    case WindowNumbers::Number::LowPadding: return w.paddingLow;
    case WindowNumbers::Number::HighPadding: return w.paddingHigh;
  }
  return 0;
}

}  // namespace

WindowNumbers::WindowNumbers(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(4);
  grid->setVerticalSpacing(2);
  for (int column = 0; column < 2; ++column)
    grid->addWidget(names_[static_cast<size_t>(column)] = new PlainLabel(this), 0, column + 1);
  for (int row = 0; row < kNumbers; ++row) {
    auto* label = new PlainLabel(tr(kRows[row].name), this);
    label->setToolTip(asPlainText(tr(kRows[row].help)));
    grid->addWidget(label, row + 1, 0);
    for (int column = 0; column < 2; ++column) {
      auto* box = new QSpinBox(this);
      box->setRange(kRows[row].least, kLargestNumber);
      box->setFixedWidth(kBoxWidth);
      box->setButtonSymbols(QAbstractSpinBox::NoButtons);
      box->setKeyboardTracking(false);
      box->setFocusPolicy(Qt::StrongFocus);  // the wheel scrolls the inspector
      box->setToolTip(asPlainText(tr(kRows[row].help)));
      box->setAccessibleName(tr(kRows[row].name).mid(2) + (column ? tr(", across") : tr(", down")));
      grid->addWidget(box, row + 1, column + 1);
      boxes_[static_cast<size_t>(row)][static_cast<size_t>(column)] = box;
      connect(box, &QSpinBox::valueChanged, this,
              [this, row, column](int value) { emit changed(static_cast<Number>(row), column == 1, value); });
    }
  }
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  const auto add = [&](const QString& text, const QString& name, const QString& help, void (WindowNumbers::*wanted)()) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(name);
    button->setToolTip(help);
    connect(button, &QPushButton::clicked, this, wanted);
    buttons->addWidget(button);
  };
  add(tr("Same"), QStringLiteral("windowSame"), tr("Pads so that the result is as large as the data, over the stride"),
      &WindowNumbers::sameWanted);
  add(tr("Valid"), QStringLiteral("windowValid"), tr("No padding: the window stays within the data"),
      &WindowNumbers::validWanted);
  grid->addLayout(buttons, kNumbers + 1, 0, 1, 3);
  grid->setColumnStretch(3, 1);  // the boxes stand beside their names
  grid->setRowStretch(kNumbers + 2, 1);
}

void WindowNumbers::show(const WindowDimension* y, const WindowDimension* x, const QString& nameOfY,
                         const QString& nameOfX) {
  const WindowDimension* shown[] = {y, x};
  const QString names[] = {nameOfY, nameOfX};
  for (size_t column = 0; column < 2; ++column) {
    names_[column]->setText(names[column]);
    names_[column]->setVisible(shown[column]);
    for (size_t row = 0; row < kNumbers; ++row) {
      QSpinBox* box = boxes_[row][column];
      box->setVisible(shown[column]);
      const QSignalBlocker blocker(box);
      box->setValue(static_cast<int>(numberOf(shown[column] ? *shown[column] : kNoWindow, static_cast<Number>(row))));
    }
  }
}

}  // namespace tessera
