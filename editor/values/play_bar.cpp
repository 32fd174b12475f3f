// Buttons of a Player; the menu of feedback is made when it is opened.
#include "editor/values/play_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>

#include "core/evaluate/evaluate.h"
#include "editor/document/document.h"
#include "editor/document/player.h"
#include "editor/look/icon.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

QToolButton* button(QWidget* parent, const char* icon, const QString& help) {
  auto* out = new QToolButton(parent);
  showIcon(*out, icon, help);
  out->setAutoRaise(true);
  out->setFocusPolicy(Qt::NoFocus);
  return out;
}

QString inputName(const Module& module, int64_t leaf) {
  int64_t before = 0;
  for (InstructionId id : module.entryComputation().parameters) {
    if (!id.valid()) continue;
    int64_t leaves = 0;
    for (const tessera::ShapeLeaf& each : leavesOf(module.shapeOf(id))) leaves += !each.shape->isToken();
    const std::string name(module.at(id).name);
    if (leaf < before + leaves)
      return QString::fromStdString(leaves == 1 ? name : name + "[" + std::to_string(leaf - before) + "]");
    before += leaves;
  }
  return QString::number(leaf);
}

}  // namespace

PlayBar::PlayBar(Document& document, Player& player, QWidget* parent)
    : QFrame(parent),
      document_(document),
      player_(player),
      play_(button(this, "run", tr("Play: outputs become the inputs of the next step"))),
      step_(button(this, "step", tr("One step"))),
      reset_(button(this, "reset", tr("Back to the first values"))),
      feedback_(button(this, "feedback", tr("Which output feeds which input"))),
      rate_(new QSpinBox(this)),
      steps_(new PlainLabel(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  rate_->setRange(1, 60);
  rate_->setValue(player.rate());
  rate_->setSuffix(tr(" / s"));
  rate_->setAccessibleName(tr("Steps a second"));
  rate_->setFocusPolicy(Qt::ClickFocus);
  feedback_->setText(tr("Feed result back"));
  feedback_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  feedback_->setPopupMode(QToolButton::InstantPopup);
  feedback_->setMenu(new QMenu(feedback_));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  for (QWidget* w : std::initializer_list<QWidget*>{reset_, play_, step_, rate_, feedback_, steps_})
    layout->addWidget(w);
  connect(play_, &QToolButton::clicked, this, [this] { player_.isPlaying() ? player_.pause() : player_.play(); });
  connect(step_, &QToolButton::clicked, this, [this] { player_.pause(), player_.step(); });
  connect(reset_, &QToolButton::clicked, &player_, &Player::reset);
  connect(rate_, &QSpinBox::valueChanged, &player_, &Player::setRate);
  connect(feedback_->menu(), &QMenu::aboutToShow, this, &PlayBar::fillFeedback);
  connect(&player_, &Player::changed, this, &PlayBar::show);
  show();
}

QString PlayBar::words() const { return steps_->text(); }

void PlayBar::show() {
  const bool wanted = player_.canPlay() || player_.steps() > 0;
  play_->setIcon(iconOf(player_.isPlaying() ? QStringLiteral("pause") : QStringLiteral("run")));
  steps_->setText(tr("step %L1").arg(player_.steps()));
  reset_->setEnabled(player_.steps() > 0);
  setVisible(wanted);
  adjustSize();
  emit resized();
}

void PlayBar::fillFeedback() {
  QMenu* menu = feedback_->menu();
  menu->clear();
  const std::vector<tessera::Shape> arguments = entryArgumentShapes(document_.module()),
                                    outputs = outputShapes(document_.module());
  const auto feedback = player_.feedback();
  for (size_t a = 0; a < arguments.size(); ++a) {
    const auto argument = static_cast<int64_t>(a);
    const auto fed = feedback.find(argument);
    QMenu* choices = nullptr;
    const auto add = [&](const QString& text, int64_t output, bool chosen) {
      QAction* action = choices->addAction(text);
      action->setCheckable(true);
      action->setChecked(chosen);
      connect(action, &QAction::triggered, this, [this, argument, output] { player_.feedBack(argument, output); });
    };
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].type != arguments[a].type || outputs[o].dimensions != arguments[a].dimensions) continue;
      if (!choices) {
        choices = menu->addMenu(inputName(document_.module(), argument) + QStringLiteral("  ") +
                                QString::fromStdString(toString(arguments[a], false)));
        add(tr("keeps its value"), -1, fed == feedback.end());
      }
      add(tr("output %1").arg(o), static_cast<int64_t>(o),
          fed != feedback.end() && fed->second == static_cast<int64_t>(o));
    }
  }
  if (menu->isEmpty()) menu->addAction(tr("No output has the shape of an input"))->setEnabled(false);
}

}  // namespace tessera
