// A step takes the outputs of the last evaluation as arguments and has the document evaluate again; the next one waits
// for it.
#include "editor/document/player.h"

#include <algorithm>

#include "core/evaluate/argument_source.h"
#include "core/evaluate/evaluate.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

using LeafNumbers = std::map<std::vector<int64_t>, int64_t>;  // by the way to a leaf; tokens have none

LeafNumbers leafNumbers(const Shape& whole) {
  LeafNumbers out;
  for (const ShapeLeaf& leaf : leavesOf(whole)) {
    const auto number = static_cast<int64_t>(out.size());
    if (!leaf.shape->isToken()) out.emplace(std::vector<int64_t>(leaf.index.begin(), leaf.index.end()), number);
  }
  return out;
}

int64_t numberOf(const LeafNumbers& leaves, const std::vector<int64_t>& index) {
  const auto found = leaves.find(index);
  return found == leaves.end() ? -1 : found->second;
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

namespace {

// Of a tuple's elements, each an array.
std::map<int64_t, int64_t> feedbackByName(const Module& module) {
  constexpr std::string_view kNext = "next_";
  std::map<int64_t, int64_t> out;
  const Instruction& root = module.at(module.entryComputation().root);
  if (root.opcode != Opcode::Tuple) return out;
  const auto isArray = [&](InstructionId id) { return module.contains(id) && module.shapeOf(id).isArray(); };
  if (!std::ranges::all_of(root.operands, isArray)) return out;
  for (size_t output = 0; output < root.operands.size(); ++output) {
    const std::string_view name = module.at(root.operands[output]).name;
    if (!name.starts_with(kNext)) continue;
    const auto old = module.findInstruction(name.substr(kNext.size()));
    if (old && module.at(*old).opcode == Opcode::Parameter && module.at(*old).computation == module.entry())
      out.emplace(firstLeafOf(module, *old), static_cast<int64_t>(output));
  }
  return out;
}

}  // namespace

std::map<int64_t, int64_t> declaredFeedback(const Module& module) {
  std::map<int64_t, int64_t> out;
  if (outputShapes(module).empty()) return out;
  if (module.config().inputOutputAlias.empty()) return feedbackByName(module);
  const LeafNumbers outputs = leafNumbers(module.shapeOf(module.entryComputation().root));
  std::vector<LeafNumbers> arguments;
  std::vector<int64_t> first;  // leaf of each parameter
  int64_t next = 0;
  for (InstructionId parameter : module.entryComputation().parameters) {
    arguments.push_back(parameter.valid() ? leafNumbers(module.shapeOf(parameter)) : LeafNumbers());
    first.push_back(next);
    next += static_cast<int64_t>(arguments.back().size());
  }
  for (const AliasEntry& alias : module.config().inputOutputAlias) {
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(arguments.size())) continue;
    const auto parameter = static_cast<size_t>(alias.parameter);
    const int64_t leaf = numberOf(arguments[parameter], alias.parameterIndex);
    const int64_t output = numberOf(outputs, alias.outputIndex);
    if (leaf >= 0 && output >= 0) out[first[parameter] + leaf] = output;
  }
  return out;
}

std::map<int64_t, int64_t> possibleFeedback(const Module& module) {
  std::map<int64_t, int64_t> out;
  const std::vector<Shape> outputs = outputShapes(module);
  if (outputs.empty() || module.at(module.entryComputation().root).opcode == Opcode::Parameter)
    return out;  // what gives itself does not move
  using Kind = std::pair<ElementType, std::vector<int64_t>>;
  std::map<Kind, std::vector<int64_t>> free;  // arguments of a kind, the first at the end
  const auto kindOf = [](const Shape& shape) {
    return Kind(shape.type, std::vector<int64_t>(shape.dimensions.begin(), shape.dimensions.end()));
  };
  const std::vector<Shape> arguments = entryArgumentShapes(module);
  for (size_t argument = arguments.size(); argument-- > 0;)
    free[kindOf(arguments[argument])].push_back(static_cast<int64_t>(argument));
  for (size_t output = 0; output < outputs.size(); ++output) {
    const auto found = free.find(kindOf(outputs[output]));
    if (found == free.end() || found->second.empty()) continue;
    out.emplace(found->second.back(), static_cast<int64_t>(output));
    found->second.pop_back();
  }
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

namespace {

// Without edges whose ends have other shapes by now.
std::map<int64_t, int64_t> fittingFeedback(const Module& module, std::map<int64_t, int64_t> feedback) {
  if (feedback.empty()) return feedback;
  const std::vector<Shape> arguments = entryArgumentShapes(module), outputs = outputShapes(module);
  std::erase_if(feedback, [&](const auto& edge) {
    const auto [argument, output] = edge;
    return argument >= static_cast<int64_t>(arguments.size()) || output >= static_cast<int64_t>(outputs.size()) ||
           !same(arguments[static_cast<size_t>(argument)], outputs[static_cast<size_t>(output)]);
  });
  return feedback;
}

}  // namespace

std::map<int64_t, int64_t> feedbackOf(const Document& document) {
  if (!document.isOpen() || document.isPlainGraph()) return {};
  const auto& own = document.runSettings().feedback;
  return fittingFeedback(document.module(), own.empty() ? declaredFeedback(document.module()) : own);
}

// What the graph alone says, once for each state of it: actions ask at every change of the window.
const Player::OfGraph& Player::ofGraph() const {
  if (std::exchange(ofGraph_.revision, document_.revision()) == document_.revision()) return ofGraph_;
  const Module& module = document_.module();
  const auto declared = declaredFeedback(module);
  ofGraph_.possible = declared.empty() && !possibleFeedback(module).empty();
  ofGraph_.declared = fittingFeedback(module, declared);
  return ofGraph_;
}

std::map<int64_t, int64_t> Player::feedback() const {
  if (!document_.isOpen() || document_.isPlainGraph()) return {};
  return document_.runSettings().feedback.empty() ? ofGraph().declared : feedbackOf(document_);
}

bool Player::canFeedBack() const {
  if (!document_.isOpen() || document_.isPlainGraph()) return false;
  return !document_.runSettings().feedback.empty() || ofGraph().possible;
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
