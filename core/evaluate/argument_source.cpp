// A table of words and how each makes its array.
#include "core/evaluate/argument_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

#include "core/formats/file_content.h"
#include "core/formats/npz.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

struct Words {
  std::string kind, file;
  std::vector<double> numbers;
};

std::optional<double> numberOf(const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

Result<Words> parse(const std::string& source) {
  std::istringstream in(source);
  Words out;
  in >> out.kind;
  std::string rest;
  std::getline(in, rest);
  rest = trimmed(rest);
  if (out.kind == "npy" || out.kind == "image") {
    if (rest.empty()) return fail(ErrorKind::Usage, out.kind + " needs a file");
    out.file = rest;
    return out;
  }
  std::istringstream numbers(rest);
  for (std::string word; numbers >> word;) {
    const auto number = numberOf(word);
    if (!number) return fail(ErrorKind::Usage, "\"" + word + "\" is no number");
    out.numbers.push_back(*number);
  }
  const size_t count = out.numbers.size();
  if (out.kind == "rule" || out.kind.empty())
    return count == 0 ? Result<Words>(out)
                      : fail(ErrorKind::Usage, "rule takes no numbers; the seed is a setting of its own");
  if (out.kind == "constant")
    return count == 1 ? Result<Words>(out) : fail(ErrorKind::Usage, "constant takes one number");
  if (out.kind == "gauss" || out.kind == "gaussian") out.kind = "normal";
  if (out.kind == "uniform") out.kind = "random";
  if (out.kind == "ramp" || out.kind == "random" || out.kind == "normal") {
    if (count == 0) out.numbers = {0, 1};
    const bool fits = count == 0 || count == 2;
    if (fits && out.kind == "normal" && out.numbers[1] < 0)
      return fail(ErrorKind::Usage, "a deviation is not negative");
    return fits ? Result<Words>(out)
                : fail(ErrorKind::Usage, out.kind + " takes two numbers: " +
                                             (out.kind == "normal" ? "mean and deviation" : "from and to"));
  }
  return fail(ErrorKind::Usage,
              "\"" + out.kind +
                  "\" is no source of values; there are rule, constant V, ramp A B, uniform A B, normal "
                  "MEAN DEVIATION, npy FILE, image FILE");
}

// Rounds to the nearest for integers; a ramp from 0 to 9 holds 9 at its end.
void store(ElementType type, std::byte* place, double value) {
  if (isInteger(type))
    storeInt(type, place, static_cast<int64_t>(std::llround(std::clamp(value, -9.2e18, 9.2e18))));
  else if (type == ElementType::Pred)
    *reinterpret_cast<uint8_t*>(place) = value != 0;
  else if (isComplex(type))
    storeComplex(type, place, {value, 0});
  else
    storeDouble(type, place, value);
}

Result<Literal> filled(const Shape& shape, const std::function<double(int64_t, int64_t)>& value) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  const int64_t count = out.elementCount();
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  std::byte* place = out.mutableBytes().data();
  for (int64_t j = 0; j < count; ++j, place += width) store(shape.type, place, value(j, count));
  return out;
}

// The fill rule's own numbers within [0, 1); another `stream` gives other ones.
auto unitNumbers(const ArgumentContext& context, uint64_t stream) {
  return [leaf = context.leaf, seed = context.rule.seed ^ stream](int64_t j) {
    return fillNumber(leaf, static_cast<uint64_t>(j), seed);
  };
}

// Box and Muller, of two numbers each.
Result<Literal> normalValues(const Shape& shape, double mean, double deviation, const ArgumentContext& context) {
  constexpr uint64_t kOther = 0x5bd1;
  return filled(shape, [=, radius = unitNumbers(context, 0), angle = unitNumbers(context, kOther)](int64_t j, int64_t) {
    return mean + deviation * std::sqrt(-2 * std::log(1 - radius(j))) * std::cos(2 * std::numbers::pi * angle(j));
  });
}

Result<Literal> randomValues(const Shape& shape, double from, double to, const ArgumentContext& context) {
  const auto unit = unitNumbers(context, 0);
  if (shape.type == ElementType::Pred)
    return filled(shape, [&](int64_t j, int64_t) { return unit(j) < to ? 1.0 : 0.0; });
  return filled(shape, [&](int64_t j, int64_t) { return from + (to - from) * unit(j); });
}

Result<Literal> npyValues(const std::string& content, const std::string& name, const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(Literal found, readNpyBytes(content));
  if (found.shape().dimensions != shape.dimensions)
    return fail(ErrorKind::Usage,
                name + " holds " + toString(found.shape(), false) + ", the parameter is " + toString(shape, false));
  if (found.shape().type == shape.type) return found;
  if (isComplex(found.shape().type))
    return fail(ErrorKind::Usage, name + " holds complex numbers, the parameter is " + toString(shape, false));
  const std::byte* data = found.bytes().data();
  const ElementType from = found.shape().type;
  const auto width = static_cast<size_t>(byteWidth(from));
  return filled(shape, [&](int64_t j, int64_t) { return loadDouble(from, data + static_cast<size_t>(j) * width); });
}

Result<Literal> imageValues(const Samples& image, const Shape& shape) {
  const auto& sizes = shape.dimensions;
  const size_t rank = sizes.size();
  if (rank < 2)
    return fail(ErrorKind::Usage, "an image needs an array of at least two dimensions, not " + toString(shape, false));
  const auto few = [](int64_t size) { return size == 1 || size == 3 || size == 4; };
  const bool last = rank >= 3 && few(sizes[rank - 1]) && !(few(sizes[rank - 3]) && sizes[rank - 1] > sizes[rank - 3]);
  const bool first = rank >= 3 && !last && few(sizes[rank - 3]);
  const int64_t channels = last ? sizes[rank - 1] : first ? sizes[rank - 3] : 1;
  const int64_t high = last ? sizes[rank - 3] : sizes[rank - 2], wide = last ? sizes[rank - 2] : sizes[rank - 1];
  const double most = isInteger(shape.type) ? 255 : 1;
  const auto sample = [&](int64_t y, int64_t x, int64_t c) -> double {
    const int64_t row = y * image.height / high, column = x * image.width / wide;
    const auto at = [&](int64_t k) {
      return static_cast<double>(image.values[static_cast<size_t>((row * image.width + column) * image.channels + k)]);
    };
    if (channels > 1) return c < image.channels ? at(c) : c == 3 ? 1 : at(0);
    if (image.channels < 3) return at(0);
    return 0.299 * at(0) + 0.587 * at(1) + 0.114 * at(2);
  };
  return filled(shape, [&](int64_t j, int64_t) {
    const int64_t inPicture = j % (channels * high * wide);
    const int64_t c = last ? inPicture % channels : inPicture / (high * wide),
                  pixel = last ? inPicture / channels : inPicture % (high * wide);
    const double value = sample(pixel / wide, pixel % wide, c);
    return shape.type == ElementType::Pred ? (value > 0.5 ? 1.0 : 0.0) : value * most;
  });
}

}  // namespace

Result<std::string> readNamedFile(const std::string& name) { return tessera::readFile(std::filesystem::path(name)); }

Result<Samples> decodeNetpbm(std::string_view content, const std::string& name) {
  const bool color = content.starts_with("P6");
  if (!color && !content.starts_with("P5")) return fail(ErrorKind::Usage, name + " is no pgm or ppm picture");
  size_t at = 2;
  int64_t numbers[3] = {0, 0, 0};
  for (int64_t& number : numbers) {
    while (at < content.size() && (std::isspace(static_cast<unsigned char>(content[at])) || content[at] == '#'))
      at = content[at] == '#' ? std::min(content.find('\n', at), content.size()) : at + 1;
    const auto [end, error] = std::from_chars(content.data() + at, content.data() + content.size(), number);
    if (error != std::errc()) return fail(ErrorKind::Usage, name + ": the picture's size does not read");
    at = static_cast<size_t>(end - content.data());
  }
  Samples out{numbers[0], numbers[1], color ? 3 : 1, {}};
  constexpr int64_t kMaxSide = 1 << 15;
  if (out.width < 1 || out.height < 1 || out.width > kMaxSide || out.height > kMaxSide || numbers[2] < 1 ||
      numbers[2] > 255)
    return fail(ErrorKind::Usage, name + ": only pictures of 8 bits and up to 32768 pixels a side are read");
  const auto count = static_cast<size_t>(out.width * out.height * out.channels);
  if (++at > content.size() || content.size() - at < count)
    return fail(ErrorKind::Usage, name + ": the picture is cut short");
  out.values.resize(count);
  for (size_t i = 0; i < count; ++i)
    out.values[i] = static_cast<float>(static_cast<unsigned char>(content[at + i])) / static_cast<float>(numbers[2]);
  return out;
}

std::string shortSource(const std::string& source) {
  const auto words = parse(source);
  if (!words) return source;
  const auto& n = words->numbers;
  if (!words->file.empty()) return std::filesystem::path(words->file).filename().string();
  if (words->kind == "constant") return fmt::format("constant {:g}", n[0]);
  if (words->kind == "normal" && n[0] == 0) return n[1] == 1 ? "normal" : fmt::format("normal × {:g}", n[1]);
  if (words->kind == "normal") return fmt::format("normal {:g} ± {:g}", n[0], n[1]);
  if (words->kind == "random") return fmt::format("uniform {:g} … {:g}", n[0], n[1]);
  if (words->kind == "ramp") return fmt::format("ramp {:g} … {:g}", n[0], n[1]);
  return "default values";
}

int64_t firstLeafOf(const Module& module, InstructionId parameter) {
  int64_t leaves = 0;
  for (InstructionId each : module.entryComputation().parameters) {
    if (each == parameter) break;
    if (!each.valid()) continue;
    for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(each))) leaves += !leaf.shape->isToken();
  }
  return leaves;
}

Status checkArgumentSource(const std::string& source) {
  TESSERA_TRY(parse(source));
  return {};
}

std::optional<std::string> fileOfSource(const std::string& source) {
  const auto words = parse(source);
  return words && !words->file.empty() ? std::optional(words->file) : std::nullopt;
}

Result<Literal> argumentFrom(const std::string& source, const Shape& shape, const ArgumentContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const Words words, parse(source));
  if (!shape.isArray()) return fail(ErrorKind::Usage, "only arrays take a value");
  if (words.kind == "constant") return filled(shape, [&](int64_t, int64_t) { return words.numbers[0]; });
  if (words.kind == "ramp")
    return filled(shape, [&](int64_t j, int64_t count) {
      return count > 1 ? words.numbers[0] + (words.numbers[1] - words.numbers[0]) * static_cast<double>(j) /
                                                static_cast<double>(count - 1)
                       : words.numbers[0];
    });
  if (words.kind == "normal") return normalValues(shape, words.numbers[0], words.numbers[1], context);
  if (words.kind == "random") return randomValues(shape, words.numbers[0], words.numbers[1], context);
  if (words.file.empty()) return fillParameter(shape, context.leaf, context.rule);
  TESSERA_ASSIGN_OR_RETURN(const std::string content, context.readFile(words.file));
  if (words.kind == "npy") return npyValues(content, words.file, shape);
  TESSERA_ASSIGN_OR_RETURN(const Samples image, context.decodeImage(content, words.file));
  if (image.width < 1 || image.height < 1) return fail(ErrorKind::Usage, words.file + " is an empty picture");
  return imageValues(image, shape);
}

}  // namespace tessera
