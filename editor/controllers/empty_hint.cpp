// A heading, buttons that place a first value, and one line of words; the space between them belongs to the canvas
// below.
#include "editor/controllers/empty_hint.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr size_t kStillSmall = 6;  // instructions of a graph that gets a hint
constexpr int kFromEdge = 14;

const std::vector<InstructionId>* shownInstructions(const Document& document) {
  const bool drawn = document.isOpen() && !document.isPlainGraph() && document.view().computation().valid() &&
                     document.module().contains(document.view().computation());
  return drawn ? &document.module().at(document.view().computation()).instructions : nullptr;
}

QString nextStep(const Document& document) {
  const auto* shown = shownInstructions(document);
  const bool isNew = shown && document.file().path().isEmpty() && document.file().isModified() &&
                     document.view().computation() == document.module().entry();
  if (!isNew || shown->empty() || shown->size() > kStillSmall) return {};
  bool reads = false, open = false;
  for (InstructionId id : *shown)
    for (InstructionId operand : document.module().at(id).operands) (operand.valid() ? reads : open) = true;
  if (open) return QObject::tr("click the open field: type a number  ·  or drag a wire to it");
  if (!reads) return QObject::tr("drag from its output to empty canvas: what comes next  ·  or Tab");
  return {};
}

}  // namespace

EmptyHint::EmptyHint(const Document& document, QWidget* canvas) : QFrame(canvas), document_(document) {
  setObjectName(QStringLiteral("emptyHint"));
  auto* heading = new QLabel(tr("<b>Start with</b>"), this);
  heading->setAlignment(Qt::AlignCenter);
  auto* buttons = new QHBoxLayout;
  const auto add = [&](const QString& text, const QString& line, const QString& help) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(line.isEmpty() ? QStringLiteral("start") : QStringLiteral("start ") + line);
    button->setToolTip(help);
    button->setCursor(Qt::PointingHandCursor);
    button->setFocusPolicy(Qt::NoFocus);  // keys stay the canvas's
    connect(button, &QPushButton::clicked, this, [this, line] { emit lineWanted(line); });
    buttons->addWidget(button);
  };
  add(tr("a number\n3.5"), QStringLiteral("3.5"), tr("A constant; drag along it to change it"));
  add(tr("a row\nf32[8]"), QStringLiteral("f32[8]"), tr("An input of 8 numbers"));
  add(tr("a table\nf32[4,8]"), QStringLiteral("f32[4,8]"), tr("An input of 4 × 8 numbers"));
  add(tr("search …\nTab"), QString(), tr("Any operation, value or shape"));
  auto* words = new QLabel(tr("Tab or double-click: add anything, such as softmax, 2.5 or f32[16,3]<br>drag one from "
                              "the palette &nbsp;·&nbsp; paste HLO text &nbsp;·&nbsp; drop a file"),
                           this);
  words->setAlignment(Qt::AlignCenter);
  words->setForegroundRole(QPalette::PlaceholderText);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(12);
  layout->addWidget(heading);
  layout->addLayout(buttons);
  layout->addWidget(words);
  canvas->installEventFilter(this);
  connect(&document.view(), &SceneView::changed, this, &EmptyHint::update);
  connect(&document, &Document::moduleChanged, this, &EmptyHint::update);
  hide();
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) update();
  return QFrame::eventFilter(watched, event);
}

void EmptyHint::update() {
  const auto* shown = shownInstructions(document_);
  const bool isPage = document_.isOpen() && !document_.isPlainGraph();
  const bool empty = isPage && (!shown || shown->empty());
  setVisible(empty);
  if (!empty) return;
  adjustSize();
  move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

NextHint::NextHint(const Document& document, QWidget* canvas) : QLabel(canvas), document_(document) {
  setObjectName(QStringLiteral("nextHint"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setContentsMargins(12, 4, 12, 4);
  canvas->installEventFilter(this);
  connect(&document.view(), &SceneView::changed, this, &NextHint::update);
  connect(&document, &Document::moduleChanged, this, &NextHint::update);
  hide();
}

bool NextHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) update();
  return QLabel::eventFilter(watched, event);
}

void NextHint::update() {
  const QString words = nextStep(document_);
  setVisible(!words.isEmpty());
  if (words.isEmpty()) return;
  setText(words);
  resize(sizeHint().boundedTo(QSize(std::max(0, parentWidget()->width() - 2 * kFromEdge), sizeHint().height())));
  move((parentWidget()->width() - width()) / 2, kFromEdge);
}

}  // namespace tessera
