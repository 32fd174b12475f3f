// A drag along a number: of a parameter it changes the value that runs take, of a constant the constant.
#include "editor/controllers/run_controller.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

#include "core/edit/wiring/field.h"
#include "core/hlo/numbers.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/argument_sources.h"
#include "editor/document/document.h"
#include "editor/document/player.h"
#include "editor/values/call_bar.h"
#include "editor/values/play_bar.h"

namespace tessera {
namespace {

constexpr int kBarRoom = 46;  // pixels at the top

// A hundredth of the number a pixel, of numbers below one a hundredth; whole numbers one in eight pixels.
double scrubbed(double from, double pixels, ElementType type) {
  if (type == ElementType::Pred) return pixels > 0 ? 1 : 0;
  if (isInteger(type)) {
    const double value = from + std::round(pixels / 8);
    return isSigned(type) ? value : std::max(value, 0.0);
  }
  const double step = std::max(std::abs(from), 1.0) / 100;
  return std::round((from + pixels * step) * 1e4) / 1e4;
}

}  // namespace

RunController::RunController(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent),
      document_(document),
      canvas_(canvas),
      player_(new Player(document, this)),
      playBar_(new PlayBar(document, *player_, &canvas)),
      callBar_(new CallBar(document, &canvas)),
      arguments_(new ArgumentSources(document, canvas, this)) {
  canvas.installEventFilter(this);
  connect(&canvas_, &Canvas::valueScrubbed, this, &RunController::scrub);
  connect(playBar_, &PlayBar::resized, this, &RunController::placeBars);
  connect(playBar_, &PlayBar::resized, this, &RunController::leaveRoom);
  connect(callBar_, &CallBar::resized, this, &RunController::placeBars);
  connect(&document_.view(), &SceneView::changed, this, &RunController::leaveRoom);
}

// What is fitted leaves room for the bar that chooses a call, where the scene has calls to choose from, and for the one
// that plays.
void RunController::leaveRoom() {
  const auto isCalled = [this](const ViewNode& node) {
    return node.kind == ViewNode::Kind::Instruction && document_.module().contains(node.instruction) &&
           document_.module().at(node.instruction).computation != document_.module().entry();
  };
  const auto& view = document_.view().scene().view;
  const bool calls = document_.isOpen() && !document_.isPlainGraph() && document_.live().isOn() && view &&
                     std::ranges::any_of(view->nodes, isCalled);
  canvas_.setContentsMargins(0, calls ? kBarRoom : 0, 0, std::max(playBar_->isHidden() ? 0 : kBarRoom, below_));
}

void RunController::keepFreeBelow(int pixels) {
  below_ = pixels;
  leaveRoom();
}

void RunController::scrub(InstructionId id, double pixels, bool first) {
  const Module& module = document_.module();
  if (module.contains(id) && module.at(id).opcode == Opcode::Broadcast && module.at(id).operands.size() == 1)
    id = module.at(id).operands[0];
  if (!module.contains(id) || !module.shapeOf(id).isArray()) return;
  const ElementType type = module.shapeOf(id).type;
  if (first) {
    gesture_.end();
    scrubbedFrom_.reset();
    const Instruction& dragged = module.at(id);
    const Literal* now =
        dragged.opcode == Opcode::Constant && dragged.literal ? &*dragged.literal : document_.live().valueOf(id);
    if (!now || !now->shape().isScalar()) return;
    const double number = loadDouble(type, now->bytes().data());
    scrubbedFrom_ = std::isfinite(number) ? number : 0;
  }
  if (!scrubbedFrom_) return;
  const QString text = QString::number(scrubbed(*scrubbedFrom_, pixels, type), 'g', 8);
  if (module.at(id).opcode == Opcode::Constant) {
    const std::string literal =
        type == ElementType::Pred ? (text == QLatin1String("0") ? "false" : "true") : text.toStdString();
    auto edit = resetting(module, id, literal);
    if (!edit) return;
    edit->title = "Value of " + std::string(module.at(id).name);
    return document_.perform(std::move(*edit), id, gesture_.key(id, "value"));
  }
  RunSettings settings = document_.runSettings();
  settings.sources[firstLeafOf(module, id)] = "constant " + text.toStdString();
  document_.setRunSettings(std::move(settings),
                           tr("Value of %1").arg(QString::fromStdString(std::string(module.at(id).name))),
                           gesture_.key(id, "value"));
}

bool RunController::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) placeBars();
  return QObject::eventFilter(watched, event);
}

// The call at the top, play at the lower right, out of the legend's way.
void RunController::placeBars() {
  constexpr int kMargin = 12;
  callBar_->move(std::max(kMargin, (canvas_.width() - callBar_->width()) / 2), kMargin);
  playBar_->move(canvas_.width() - playBar_->width() - kMargin, canvas_.height() - playBar_->height() - kMargin);
}

}  // namespace tessera
