// Samples, ranges and words of values; where a NaN comes from; which arguments a document runs with.
#include "editor/document/node_values.h"

#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "backends/run_request.h"
#include "core/cost/cost.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/custom_calls/custom_calls.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

constexpr size_t kMaxEvaluated = 400;
constexpr double kMaxFlops = 4e6, kMaxBytes = 4e7;
constexpr int64_t kMaxPreviewElements = 1 << 20;
constexpr int kMaxPreviewColumns = 48, kMaxPreviewRows = 14, kMaxImageRows = 48;

double sampleAt(const Literal& value, int64_t index) {
  const auto width = static_cast<size_t>(byteWidth(value.shape().type));
  return loadDouble(value.shape().type, value.bytes().data() + static_cast<size_t>(index) * width);
}

// [height, width, 3], alone or a batch, or one of four channels: of many images, four are features of a network.
bool isImage(const Shape& shape) {
  const auto& sizes = shape.dimensions;
  const size_t rank = sizes.size();
  if (rank < 3 || sizes[rank - 2] < 8 || sizes[rank - 3] < 8) return false;
  const bool isAlone = std::all_of(sizes.begin(), sizes.end() - 3, [](int64_t size) { return size == 1; });
  return sizes[rank - 1] == 3 || (sizes[rank - 1] == 4 && isAlone);
}

// Evenly chosen pixels of the first image, three samples each: red, green, blue.
void addPixels(const Literal& value, NodeValue& out) {
  const auto& sizes = value.shape().dimensions;
  const size_t rank = sizes.size();
  const int64_t high = sizes[rank - 3], wide = sizes[rank - 2], channels = sizes[rank - 1];
  const int64_t columns = std::min<int64_t>(wide, kMaxPreviewColumns), rows = std::min<int64_t>(high, kMaxImageRows);
  out.form = NodeValue::Form::Image;
  out.columns = static_cast<int>(columns);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t k = 0; k < 3; ++k)
        out.samples.push_back(
            static_cast<float>(sampleAt(value, ((r * high / rows) * wide + c * wide / columns) * channels + k)));
}

// How many finite elements lie in each part of the range.
void addCounts(const Literal& value, double least, double most, NodeValue& out) {
  constexpr int kBars = 24;
  out.form = NodeValue::Form::Bars;
  out.columns = kBars;
  out.samples.assign(kBars, 0);
  for (int64_t i = 0; i < value.elementCount(); ++i) {
    const double element = sampleAt(value, i);
    if (!std::isfinite(element)) continue;
    const double whole = most - least, part = whole == 0 ? 0.5
                                              : std::isfinite(whole)
                                                  ? (element - least) / whole
                                                  : (element / 2 - least / 2) / (most / 2 - least / 2);
    out.samples[static_cast<size_t>(std::clamp(static_cast<int>(part * kBars), 0, kBars - 1))] += 1;
  }
  const float highest = *std::ranges::max_element(out.samples);
  for (float& sample : out.samples) sample = highest > 0 ? sample / highest : 0;
}

// What a picture shows of an array: its two longest dimensions, the last ones among equals, as rows and columns; of the
// others the first element. A 28×28×1 is a picture of 28×28, and of a batch of images it shows the first.
struct Plane {
  int64_t rows = 1, columns = 1;
  int64_t rowStep = 0, columnStep = 0;  // in elements
};

Plane planeOf(const std::vector<int64_t>& sizes) {
  size_t longest = 0, next = sizes.size();
  for (size_t d = 1; d < sizes.size(); ++d) {
    if (sizes[d] >= sizes[longest]) {
      next = std::exchange(longest, d);
    } else if (next == sizes.size() || sizes[d] >= sizes[next]) {
      next = d;
    }
  }
  const auto stepOf = [&](size_t d) {
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(d) + 1, sizes.end(), int64_t{1},
                           std::multiplies<>());
  };
  if (next == sizes.size() || sizes[next] == 1) return {1, sizes[longest], 0, stepOf(longest)};
  const auto [row, column] = std::minmax(longest, next);
  return {sizes[row], sizes[column], stepOf(row), stepOf(column)};
}

// Every element of the plane, or evenly chosen ones where there are more than can be seen.
void addSamples(const Literal& value, NodeValue& out) {
  if (value.elementCount() == 0) return;
  const Plane plane = planeOf(value.shape().dimensions);
  const int64_t wide = std::min<int64_t>(plane.columns, kMaxPreviewColumns),
                high = std::min<int64_t>(plane.rows, kMaxPreviewRows);
  out.form = plane.rows == 1 ? NodeValue::Form::Line : NodeValue::Form::Heat;
  out.columns = static_cast<int>(wide);
  out.aspect = static_cast<double>(plane.columns) / static_cast<double>(plane.rows);
  for (int64_t r = 0; r < high; ++r)
    for (int64_t c = 0; c < wide; ++c)
      out.samples.push_back(static_cast<float>(
          sampleAt(value, (r * plane.rows / high) * plane.rowStep + (c * plane.columns / wide) * plane.columnStep)));
}

struct Range {
  double least = INFINITY, most = -INFINITY;
  bool bad = false, nan = false;
};

Range rangeOf(const Literal& value) {
  Range out;
  const auto width = static_cast<size_t>(byteWidth(value.shape().type));
  const std::byte* data = value.bytes().data();
  for (int64_t i = 0; i < value.elementCount(); ++i, data += width) {
    const double element = loadDouble(value.shape().type, data);
    if (!std::isfinite(element)) {
      out.bad = true;
      out.nan = out.nan || std::isnan(element);
      continue;
    }
    out.least = std::min(out.least, element);
    out.most = std::max(out.most, element);
  }
  return out;
}

QString threeDigits(double value) { return QString::number(value, 'g', 3); }

}  // namespace

Result<Samples> decodePicture(std::string_view content, const std::string& name) {
  QByteArray bytes(content.data(), static_cast<qsizetype>(content.size()));
  QBuffer buffer(&bytes);
  QImageReader reader(&buffer);
  const bool mayNameFiles = reader.format().startsWith("svg");
  const QImage image = mayNameFiles ? QImage() : reader.read().convertToFormat(QImage::Format_RGBA8888);
  if (image.isNull()) return fail(name + " is no picture that can be read");
  Samples out{image.width(), image.height(), 4, {}};
  out.values.reserve(static_cast<size_t>(out.width * out.height * 4));
  for (int y = 0; y < image.height(); ++y)
    for (int i = 0; i < image.width() * 4; ++i)
      out.values.push_back(static_cast<float>(image.constScanLine(y)[i]) / 255);
  return out;
}

namespace {

// In the place of a library that cannot be had.
class AbsentLibrary final : public CustomCallLibrary {
 public:
  explicit AbsentLibrary(Diagnostic why) : why_(std::move(why)) {}
  bool has(const std::string& target) const override { return !findBuiltInTarget(target); }
  Result<Literal> call(const std::string&, const EvaluateContext&) const override { return fail(why_); }

 private:
  Diagnostic why_;
};

bool has(const Module& module, const std::function<bool(const Instruction&)>& wanted) {
  return std::ranges::any_of(module.order(), [&](ComputationId computation) {
    return std::ranges::any_of(module.at(computation).instructions,
                               [&](InstructionId id) { return wanted(module.at(id)); });
  });
}

Result<ArgumentRules> rulesUntil(const std::atomic<bool>& cancel, const FileAccess& files,
                                 const RunSettings& settings) {
  TESSERA_ASSIGN_OR_RETURN(ArgumentRules rules, argumentRulesOf(settings, files));
  rules.watch = [&cancel](size_t, size_t) -> Status { return cancel ? failCancelled() : Status(); };
  rules.decodeImage = decodePicture;
  return rules;
}

}  // namespace

Result<std::vector<Literal>> argumentsOf(const Module& module, const FileAccess& files, const RunSettings& settings,
                                         const std::atomic<bool>& cancel) {
  TESSERA_ASSIGN_OR_RETURN(const ArgumentRules rules, rulesUntil(cancel, files, settings));
  return argumentsBy(rules, module);
}

Result<PossibleArguments> possibleArgumentsOf(const Module& module, const FileAccess& files,
                                              const RunSettings& settings, const std::atomic<bool>& cancel) {
  TESSERA_ASSIGN_OR_RETURN(const ArgumentRules rules, rulesUntil(cancel, files, settings));
  return possibleArgumentsBy(rules, module);
}

std::optional<FeedArrays> feedsOf(const Module& module, const FileAccess& files, const RunSettings& settings) {
  if (!has(module, [](const Instruction& i) { return i.opcode == Opcode::Infeed || i.opcode == Opcode::Outfeed; }))
    return std::nullopt;
  if (settings.infeed.empty()) return FeedArrays(std::nullopt, true);
  auto source = files.readArrays({FileUse::Infeed, settings.infeed});
  if (source) return FeedArrays(*std::move(source), true);
  FeedArrays none(std::nullopt, true);
  none.refuse({.kind = source.error().kind, .message = reasonOf(source.error()).toStdString()});
  return none;
}

std::shared_ptr<const CustomCallLibrary> targetsOf(const Module& module, const FileAccess& files,
                                                   const RunSettings& settings) {
  const auto isTheirs = [](const Instruction& i) {
    return i.opcode == Opcode::CustomCall && !findBuiltInTarget(i.attributes->textOr(Attr::custom_call_target, ""));
  };
  if (settings.library.empty() || !has(module, isTheirs)) return nullptr;
  auto library = libraryOf(settings, files);
  if (library) return *std::move(library);
  return std::make_shared<const AbsentLibrary>(
      Diagnostic{.kind = library.error().kind, .message = reasonOf(library.error()).toStdString()});
}

bool isCheapToRun(const Module& module) {
  if (module.instructionCount() > kMaxEvaluated) return false;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      for (InstructionId operand : module.at(id).operands)
        if (!operand.valid()) return true;  // costs are asked of complete graphs; this one is being built
  const Cost cost = costOf(module);
  return cost.flops + 20 * cost.transcendentals <= kMaxFlops && cost.bytesAccessed <= kMaxBytes;
}

// What is open leaves the rest its values.
bool startsLive(Module module) {
  if (module.instructionCount() > kMaxEvaluated) return false;
  Diagnostics found = inferModule(module);
  found.addAll(verify(module).items());
  const bool wrong = std::ranges::any_of(
      found.items(), [](const Diagnostic& d) { return d.severity == Severity::Error && d.label != kUnfinished; });
  return !wrong && isCheapToRun(module);
}

namespace {

// "first here" where no operand is bad, else the name of where it came from, by way of the first bad operand.
void traceFaults(const Module& module, NodeValues& values) {
  std::unordered_map<InstructionId, InstructionId> origin;
  const auto originOf = [&](InstructionId id) {
    std::vector<InstructionId> way;
    while (!origin.contains(id)) {
      way.push_back(id);
      InstructionId from = id;
      for (InstructionId operand : module.at(id).operands)
        if (const auto bad = values.find(operand); bad != values.end() && bad->second.bad) {
          from = operand;
          break;
        }
      if (from == id)
        origin[id] = id;
      else
        id = from;
    }
    for (InstructionId each : way) origin[each] = origin[id];
    return origin[id];
  };
  for (auto& [id, value] : values) {
    if (!value.bad) continue;
    const InstructionId from = originOf(id);
    value.badFrom = from;
    const auto name = module.at(from).name;
    if (module.shapeOf(id).dimensions.empty() && from == id) continue;  // the number itself says it
    value.text +=
        from == id ? QObject::tr(" first here")
                   : QObject::tr(" from %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  }
}

// A broadcast of one number, which is changed where it is read.
bool fillsWithNumber(const Module& module, InstructionId id) {
  const auto& operands = module.at(id).operands;
  if (operands.size() != 1 || !module.contains(operands[0]) || module.at(operands[0]).opcode != Opcode::Constant)
    return false;
  const Shape& shape = module.shapeOf(operands[0]);
  return shape.isScalar() && !isComplex(shape.type);
}

// A tuple's strip: its numbers, or how many values it holds.
QString tupleText(const Literal& tuple) {
  constexpr size_t kMaxTold = 2;
  const auto& elements = tuple.elements();
  if (elements.empty()) return QObject::tr("nothing");
  if (elements.size() > kMaxTold) return QObject::tr("%1 values").arg(elements.size());
  QStringList out;
  for (const Literal& each : elements)
    out << (each.shape().isArray()   ? nodeValue(each).text
            : each.shape().isTuple() ? QObject::tr("%1 values").arg(each.elements().size())
                                     : QObject::tr("token"));
  return out.join(QStringLiteral("  ·  "));
}

}  // namespace

NodeValues nodeValues(const Module& module, const Trace& trace) {
  NodeValues out;
  const auto add = [&](const CallTrace& call) {
    for (const auto& [id, value] : call.values) {
      const Shape& shape = module.shapeOf(id);
      if (value.shape().isTuple() || value.shape().isToken()) out[id] = nodeValue(value);
      if (!value.shape().isArray() || !shape.isArray() ||
          shape.elementCount().value_or(kMaxPreviewElements + 1) > kMaxPreviewElements)
        continue;
      NodeValue& made = out[id] = nodeValue(value);
      const Opcode opcode = module.at(id).opcode;
      const bool entryParameter = opcode == Opcode::Parameter && call.computation == module.entry();
      made.scrubs =
          shape.dimensions.empty() && !isComplex(shape.type) && (opcode == Opcode::Constant || entryParameter);
      if (opcode == Opcode::Broadcast) made.scrubs = fillsWithNumber(module, id);
    }
  };
  add(trace.entry);
  for (const CallTrace& call : trace.calls) add(call);
  traceFaults(module, out);
  return out;
}

QString reasonOf(const Diagnostic& error) {
  Diagnostic told = error;
  told.file.clear();
  const QString message = QString::fromStdString(told.toString()).remove(QStringLiteral("error: "));
  return error.file.empty() ? message : QStringLiteral("%1: %2").arg(QString::fromStdString(error.file), message);
}

QString briefly(const QString& reason) {
  static const QRegularExpression folders(QStringLiteral("(\\S*/)(?=[^/\\s]+)"));
  return QString(reason).remove(folders);
}

NodeValue nodeValue(const Literal& value) {
  NodeValue out;
  const Shape& shape = value.shape();
  if (!shape.isArray()) {
    out.text = shape.isTuple() ? tupleText(value) : QObject::tr("token");
    return out;
  }
  if (shape.dimensions.empty()) {
    out.text = QString::fromStdString(printLiteral(value)).simplified();
    out.bad =
        isFloat(shape.type) && !isComplex(shape.type) && !std::isfinite(loadDouble(shape.type, value.bytes().data()));
    return out;
  }
  if (value.elementCount() == 0 || isComplex(shape.type)) {
    out.text = value.elementCount() == 0 ? QObject::tr("no elements") : QObject::tr("complex");
    return out;
  }
  const Range range = rangeOf(value);
  out.bad = range.bad;
  if (range.bad)
    out.text = range.nan ? QObject::tr("NaN") : QObject::tr("inf");
  else
    out.text = range.least == range.most
                   ? QObject::tr("all %1").arg(threeDigits(range.least))
                   : QStringLiteral("%1 … %2").arg(threeDigits(range.least), threeDigits(range.most));
  constexpr int64_t kMaxDrawn = 2000;  // elements of a vector that a line can tell
  if (isImage(shape))
    addPixels(value, out);
  else if (value.elementCount() == shape.dimensions.back() && value.elementCount() > kMaxDrawn) {
    addCounts(value, range.least, range.most, out);
    return out;
  } else
    addSamples(value, out);
  if (range.least == range.most) {  // in the middle of its sign
    out.zero = range.least < 0 ? 1 : 0;
    for (float& sample : out.samples)
      if (std::isfinite(sample)) sample = range.least == 0 ? 0.0F : 0.5F;
    return out;
  }
  const double scale = range.most > range.least ? 1 / (range.most - range.least) : 0;
  out.zero = static_cast<float>(-range.least * scale);
  for (float& sample : out.samples)
    if (std::isfinite(sample)) sample = static_cast<float>((static_cast<double>(sample) - range.least) * scale);
  return out;
}

}  // namespace tessera
