// A step takes the outputs of the last evaluation as arguments and has the document evaluate again; the next one waits
// for it.
#include "editor/document/player.h"

#include "core/evaluate/evaluate.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

int64_t leafNumber(const Shape& whole, const std::vector<int64_t>& index) {
  int64_t number = 0;
  for (const ShapeLeaf& leaf : leavesOf(whole)) {
    if (leaf.shape->isToken()) continue;
    if (std::vector<int64_t>(leaf.index.begin(), leaf.index.end()) == index) return number;
    ++number;
  }
  return -1;
}

void addLeaves(const Literal& value, std::vector<Literal>& out) {
  for (const Literal& element : value.elements()) addLeaves(element, out);
  if (value.shape().isArray()) out.push_back(value);
}

bool same(const Shape& a, const Shape& b) { return a.type == b.type && a.dimensions == b.dimensions; }

}  // namespace

std::vector<Shape> outputShapes(const Module& module) {
  std::vector<Shape> out;
  if (!module.contains(module.entry()) || !module.contains(module.entryComputation().root)) return out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root)))
    if (!leaf.shape->isToken()) out.push_back(*leaf.shape);
  return out;
}

std::map<int64_t, int64_t> declaredFeedback(const Module& module) {
  std::map<int64_t, int64_t> out;
  if (outputShapes(module).empty()) return out;
  const auto& parameters = module.entryComputation().parameters;
  for (const AliasEntry& alias : module.config().inputOutputAlias) {
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(parameters.size())) continue;
    const InstructionId parameter = parameters[static_cast<size_t>(alias.parameter)];
    if (!parameter.valid()) continue;
    int64_t argument = leafNumber(module.shapeOf(parameter), alias.parameterIndex);
    const int64_t output = leafNumber(module.shapeOf(module.entryComputation().root), alias.outputIndex);
    for (int64_t k = 0; k < alias.parameter; ++k)
      for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(parameters[static_cast<size_t>(k)])))
        argument += !leaf.shape->isToken();
    if (argument >= 0 && output >= 0) out[argument] = output;
  }
  return out;
}

std::map<int64_t, int64_t> possibleFeedback(const Module& module) {
  std::map<int64_t, int64_t> out;
  const std::vector<Shape> outputs = outputShapes(module);
  if (outputs.empty() || module.at(module.entryComputation().root).opcode == Opcode::Parameter)
    return out;  // what gives itself does not move
  const std::vector<Shape> arguments = entryArgumentShapes(module);
  for (size_t output = 0; output < outputs.size(); ++output)
    for (size_t argument = 0; argument < arguments.size(); ++argument)
      if (same(outputs[output], arguments[argument]) &&
          out.try_emplace(static_cast<int64_t>(argument), static_cast<int64_t>(output)).second)
        break;
  return out;
}

Player::Player(Document& document, QObject* parent) : QObject(parent), document_(document) {
  setRate(rate_);
  connect(&timer_, &QTimer::timeout, this, &Player::step);
  connect(&document_.live(), &LiveValues::changed, this, &Player::take);
  connect(&document_, &Document::moduleChanged, this, &Player::changed);
  connect(&document_, &Document::runSettingsChanged, this, &Player::changed);
  connect(&document_, &Document::opened, this, [this] {
    timer_.stop();
    waiting_ = false;
    steps_ = 0;
    emit changed();
  });
}

std::map<int64_t, int64_t> feedbackOf(const Document& document) {
  if (!document.isOpen() || document.isPlainGraph()) return {};
  const Module& module = document.module();
  std::map<int64_t, int64_t> out =
      document.runSettings().feedback.empty() ? declaredFeedback(module) : document.runSettings().feedback;
  const std::vector<Shape> arguments = entryArgumentShapes(module), outputs = outputShapes(module);
  std::erase_if(out, [&](const auto& edge) {
    const auto [argument, output] = edge;
    return argument >= static_cast<int64_t>(arguments.size()) || output >= static_cast<int64_t>(outputs.size()) ||
           !same(arguments[static_cast<size_t>(argument)], outputs[static_cast<size_t>(output)]);
  });
  return out;
}

bool Player::canFeedBack() const {
  if (!document_.isOpen() || document_.isPlainGraph()) return false;
  if (!document_.runSettings().feedback.empty()) return true;
  return declaredFeedback(document_.module()).empty() && !possibleFeedback(document_.module()).empty();
}

void Player::setFeedsBack(bool on) {
  if (!canFeedBack() || on == feedsBack()) return;
  if (!on) reset();
  RunSettings settings = document_.runSettings();
  settings.feedback = on ? possibleFeedback(document_.module()) : std::map<int64_t, int64_t>();
  document_.setRunSettings(std::move(settings), on ? tr("Feed the result back") : tr("Feed nothing back"));
  if (on) document_.live().setOn(true);
}

void Player::feedBack(int64_t argument, int64_t output) {
  RunSettings settings = document_.runSettings();
  settings.feedback = feedback();
  if (output < 0)
    settings.feedback.erase(argument);
  else
    settings.feedback[argument] = output;
  document_.setRunSettings(std::move(settings), tr("Feed an output back to an input"));
}

bool Player::canPlay() const {
  return document_.isOpen() && document_.live().isOn() && document_.live().trace() && !feedback().empty();
}

void Player::setRate(int stepsASecond) {
  rate_ = std::clamp(stepsASecond, 1, 60);
  timer_.setInterval(1000 / rate_);
}

void Player::play() {
  if (!canPlay()) return;
  timer_.start();
  step();
  emit changed();
}

void Player::pause() {
  timer_.stop();
  emit changed();
}

void Player::step() {
  if (waiting_) return;  // the machine is slower than the rate
  const auto trace = document_.live().trace();
  const Literal* root = trace ? trace->find(document_.module().entryComputation().root) : nullptr;
  if (!root) return pause();
  std::vector<Literal> outputs;
  addLeaves(*root, outputs);
  std::map<int64_t, Literal> next;
  for (const auto& [argument, output] : feedback())
    if (output < static_cast<int64_t>(outputs.size())) next[argument] = outputs[static_cast<size_t>(output)];
  if (next.empty()) return pause();
  waiting_ = true;
  document_.live().playWith(std::move(next));
}

void Player::take() {
  if (!std::exchange(waiting_, false)) return emit changed();
  ++steps_;
  if (!document_.live().trace()) timer_.stop();
  emit changed();
}

void Player::reset() {
  timer_.stop();
  steps_ = 0;
  waiting_ = false;
  document_.live().playWith({});
  emit changed();
}

}  // namespace tessera
