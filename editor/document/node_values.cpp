// The complete part is cut out as a module whose root is a tuple of all that can be shown, and evaluated once.
#include "editor/document/node_values.h"

#include <QFileInfo>
#include <QDir>
#include <algorithm>
#include <cmath>

#include "core/cost/cost.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/hlo/numbers.h"
#include "core/ops/infer.h"
#include "core/tools/cut_out.h"

namespace tessera {
namespace {

constexpr size_t kMostInstructions = 400;
constexpr double kMostFlops = 4e6, kMostBytes = 4e7;
constexpr int64_t kMostElements = 1 << 20;
constexpr int kMostColumns = 48, kMostRows = 14;

InstructionId addTuple(Module& copy, const std::vector<InstructionId>& shown) {
  std::vector<Shape> shapes;
  for (InstructionId id : shown) shapes.push_back(copy.shapeOf(id));
  Instruction tuple;
  tuple.opcode = Opcode::Tuple;
  tuple.name = "values";
  tuple.operands = shown;
  return copy.add(copy.entry(), std::move(tuple), Shape::tuple(std::move(shapes)));
}

// Every element, or evenly chosen ones where there are more than can be seen.
void addSamples(const Literal& value, NodeValue& out) {
  const Shape& shape = value.shape();
  const int64_t columns = shape.dimensions.back(), rows = columns > 0 ? value.elementCount() / columns : 0;
  if (columns == 0 || rows == 0 || isComplex(shape.type)) return;
  const int64_t wide = std::min<int64_t>(columns, kMostColumns), high = std::min<int64_t>(rows, kMostRows);
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  out.columns = static_cast<int>(wide);
  for (int64_t r = 0; r < high; ++r)
    for (int64_t c = 0; c < wide; ++c) {
      const int64_t index = (r * rows / high) * columns + c * columns / wide;
      out.samples.push_back(static_cast<float>(loadDouble(shape.type, value.bytes().data() + static_cast<size_t>(index) * width)));
    }
}

// Computations that can be run: all they hold is connected and infers, and none calls itself.
class Callees {
 public:
  explicit Callees(const Module& module) : module_(module), known_(module.computationSlots(), Unknown) {}

  bool complete(const Instruction& caller) {
    return std::ranges::all_of(module_.callees(caller), [&](ComputationId id) { return complete(id); });
  }

 private:
  enum State : uint8_t { Unknown, Complete, Not };
  bool complete(ComputationId id) {
    if (!module_.contains(id)) return false;
    if (known_[id.value] != Unknown) return known_[id.value] == Complete;
    known_[id.value] = Not;  // until it is known, so that one that calls itself is not
    const Computation& computation = module_.at(id);
    bool all = computation.root.valid();
    for (InstructionId each : computation.instructions) all = all && complete(each);
    known_[id.value] = all ? Complete : Not;
    return all;
  }
  bool complete(InstructionId id) {
    const Instruction& instruction = module_.at(id);
    const auto inferred = inferInstruction(module_, id);
    return inferred && compatible(inferred->shape, *instruction.shape) && complete(instruction);
  }

  const Module& module_;
  std::vector<State> known_;
};

struct Range {
  double least = INFINITY, most = -INFINITY;
  bool bad = false;
};

Range rangeOf(const Literal& value) {
  Range out;
  const auto width = static_cast<size_t>(byteWidth(value.shape().type));
  const std::byte* data = value.bytes().data();
  for (int64_t i = 0; i < value.elementCount(); ++i, data += width) {
    const double element = loadDouble(value.shape().type, data);
    if (!std::isfinite(element)) {
      out.bad = true;
      continue;
    }
    out.least = std::min(out.least, element);
    out.most = std::max(out.most, element);
  }
  return out;
}

QString number(double value) { return QString::number(value, 'g', 3); }

}  // namespace

Result<std::vector<Literal>> argumentsOf(const Module& module, const QString& path, size_t* fromFile) {
  NamedArrays given;
  const QString file = QFileInfo(path).dir().filePath(QStringLiteral("inputs.npz"));
  if (!path.isEmpty() && QFileInfo::exists(file)) {
    TESSERA_ASSIGN_OR_RETURN(given, readNpz(file.toStdString()));
  }
  std::vector<Literal> arguments;
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto found = given.find("arg" + std::to_string(i));
    if (found != given.end() && compatible(found->second.shape(), shapes[i])) {
      arguments.push_back(found->second);
      ++*fromFile;
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(Literal filled, fillParameter(shapes[i], i, {}));
    arguments.push_back(std::move(filled));
  }
  return arguments;
}

bool isCheapToRun(const Module& module) {
  if (module.instructionCount() > kMostInstructions) return false;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      for (InstructionId operand : module.at(id).operands)
        if (!operand.valid()) return true;  // costs are asked of complete graphs; this one is being built
  const Cost cost = costOf(module);
  return cost.flops + 20 * cost.transcendentals <= kMostFlops && cost.bytesAccessed <= kMostBytes;
}

std::vector<InstructionId> completePart(const Module& module) {
  std::vector<bool> complete(module.instructionSlots(), false);
  std::vector<InstructionId> out;
  const auto order = topologicalOrder(module, module.entry());
  if (!order) return out;
  Callees callees(module);
  for (InstructionId id : *order) {
    const auto& operands = module.at(id).operands;
    if (!std::ranges::all_of(operands, [&](InstructionId o) { return module.contains(o) && complete[o.value]; })) continue;
    const auto inferred = inferInstruction(module, id);
    if (!inferred || !compatible(inferred->shape, module.shapeOf(id)) || !callees.complete(module.at(id))) continue;
    complete[id.value] = true;
    out.push_back(id);
  }
  return out;
}

Result<NodeValues> nodeValues(const Module& module, const QString& path, const std::atomic<bool>& cancel) {
  std::vector<InstructionId> shown;
  for (InstructionId id : completePart(module)) {
    const Shape& shape = module.shapeOf(id);
    if (shape.isArray() && shape.elementCount().value_or(kMostElements + 1) <= kMostElements) shown.push_back(id);
  }
  NodeValues out;
  if (shown.empty()) return out;
  Module copy = module;
  const InstructionId tuple = addTuple(copy, shown);
  TESSERA_ASSIGN_OR_RETURN(const Module cut, cutOut(copy, tuple, [](InstructionId) { return false; }));
  size_t fromFile = 0;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, argumentsOf(cut, path, &fromFile));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> values, evaluateModule(cut, arguments, &cancel));
  for (size_t i = 0; i < shown.size() && i < values.size(); ++i) out.emplace(shown[i], nodeValue(values[i]));
  return out;
}

NodeValue nodeValue(const Literal& value) {
  NodeValue out;
  const Shape& shape = value.shape();
  if (shape.dimensions.empty()) {
    out.text = QString::fromStdString(printLiteral(value)).simplified();
    out.bad = isFloat(shape.type) && !isComplex(shape.type) && !std::isfinite(loadDouble(shape.type, value.bytes().data()));
    return out;
  }
  if (value.elementCount() == 0 || isComplex(shape.type)) {
    out.text = value.elementCount() == 0 ? QObject::tr("no elements") : QObject::tr("complex");
    return out;
  }
  const Range range = rangeOf(value);
  out.bad = range.bad;
  if (range.bad) out.text = QObject::tr("NaN or inf");
  else out.text = range.least == range.most ? QObject::tr("all %1").arg(number(range.least)) : QStringLiteral("%1 … %2").arg(number(range.least), number(range.most));
  addSamples(value, out);
  const double scale = range.most > range.least ? 1 / (range.most - range.least) : 0;
  for (float& sample : out.samples)
    if (std::isfinite(sample)) sample = static_cast<float>((static_cast<double>(sample) - range.least) * scale);
  return out;
}

}  // namespace tessera
