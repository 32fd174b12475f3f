// See case_file.h and README.md.
#include "tests/ops/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "tests/support/source_tree.h"

namespace tessera::cases {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return test::inSourceTree("tests/ops"); }
fs::path references() { return test::inSourceTree("resources/examples/reference"); }

bool startsWith(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

// "// case NAME for T in a b for U in c d"
Section opened(const std::string& line, int number) {
  Section out;
  out.line = number;
  const std::vector<std::string> parts = wordsOf(line);
  out.wrong = parts.size() > 1 && parts[1] == "wrong";
  if (parts.size() > 2) out.name = parts[2];
  for (size_t i = 3; i < parts.size(); ++i) {
    if (parts[i] == "for" && i + 2 < parts.size() && parts[i + 2] == "in") {
      out.variables.push_back({parts[i + 1], {}});
      i += 2;
    } else if (!out.variables.empty()) {
      out.variables.back().values.push_back(parts[i]);
    } else {
      ADD_FAILURE() << "line " << number << ": cannot read " << line;
    }
  }
  return out;
}

bool isKey(const std::string& text, size_t colon) {
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '/' || c == '_' || c == ',';
  });
}

// The whole key, or one value of the variant.
bool isOf(const Variant& variant, const std::string& key) {
  return key == keyOf(variant) || std::ranges::any_of(variant, [&](const auto& entry) { return entry.second == key; });
}

std::string substituted(std::string text, const Variant& variant) {
  for (const auto& [name, value] : variant) {
    const std::string placeholder = "$" + name;
    for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at + value.size()))
      text.replace(at, placeholder.size(), value);
  }
  return text;
}

bool sameElement(ElementType type, const std::byte* a, const std::byte* b, size_t width) {
  if (std::memcmp(a, b, width) == 0) return true;
  if (isFloat(type)) return std::isnan(loadDouble(type, a)) && std::isnan(loadDouble(type, b));
  if (!isComplex(type)) return false;
  const auto x = loadComplex(type, a), y = loadComplex(type, b);
  const auto same = [](double p, double q) {
    return (std::isnan(p) && std::isnan(q)) || (p == q && std::signbit(p) == std::signbit(q));
  };
  return same(x.real(), y.real()) && same(x.imag(), y.imag());
}

std::vector<std::string> namesIn(const fs::path& where) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(where))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

File readAt(const fs::path& path) {
  const std::string name = path.stem().string();
  File out{name, {}};
  std::ifstream in(path);
  std::vector<std::string> common;
  bool inCommon = false, inSection = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    inCommon =
        startsWith(line, "// common") || (inCommon && !startsWith(line, "// case") && !startsWith(line, "// wrong"));
    if (startsWith(line, "// common")) common.clear();
    if (inCommon) {
      if (!startsWith(line, "//")) common.push_back(line);
      continue;
    }
    if (startsWith(line, "// case ") || startsWith(line, "// wrong ")) {
      out.sections.push_back(opened(line, number));
      out.sections.back().common = common;
      inSection = true;
    } else if (inSection) {
      out.sections.back().lines.push_back(line);
    } else if (!line.empty() && !startsWith(line, "//")) {
      ADD_FAILURE() << name << ".hlo:" << number << ": stands before the first case";
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> fileNames() { return namesIn(folder()); }
File readFile(const std::string& name) { return readAt(folder() / (name + ".hlo")); }

std::vector<std::string> referenceNames() { return namesIn(references()); }
File readReference(const std::string& name) { return readAt(references() / (name + ".hlo")); }
std::string referenceText(const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(references() / (name + ".hlo")).rdbuf();
  return out.str();
}

std::vector<Variant> variantsOf(const Section& section) {
  std::vector<Variant> out = {{}};
  for (const Variable& variable : section.variables) {
    std::vector<Variant> longer;
    for (const Variant& variant : out)
      for (const std::string& value : variable.values) {
        longer.push_back(variant);
        longer.back().emplace_back(variable.name, value);
      }
    out = std::move(longer);
  }
  return out;
}

std::string keyOf(const Variant& variant) {
  std::string out;
  for (const auto& [name, value] : variant) out += (out.empty() ? "" : "/") + value;
  return out;
}

std::string textOf(const Section& section, const Variant& variant) {
  std::string body;
  bool entry = false, header = false;
  for (const std::string& line : section.lines) {
    if (startsWith(line, "//")) continue;
    entry = entry || startsWith(line, "ENTRY");
    header = header || startsWith(line, "HloModule");
    body += line + "\n";
  }
  if (!entry) body = "ENTRY main {\n" + body + "}\n";
  if (header) return substituted(body, variant);
  std::string out = "HloModule case\n\n";
  for (const std::string& line : section.common) out += line + "\n";
  return substituted(out + body, variant);
}

void forEachCase(const File& file, const std::function<void(const Section&, const Variant&)>& visit) {
  for (const Section& section : file.sections) {
    if (section.wrong) continue;
    for (const Variant& variant : variantsOf(section)) {
      SCOPED_TRACE(file.name + ".hlo:" + std::to_string(section.line) + " case " + section.name + " " + keyOf(variant));
      visit(section, variant);
    }
  }
}

void forEachModule(const File& file, const std::function<void(Module&)>& visit) {
  forEachCase(file, [&](const Section& section, const Variant& variant) {
    ReadResult read = readHloText(textOf(section, variant));
    if (read.module) visit(*read.module);
  });
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::string> directivesOf(const Section& section, const Variant& variant, const std::string& word) {
  std::vector<std::string> out;
  const std::string start = "// " + word;
  for (const std::string& line : section.lines) {
    if (line != start && !startsWith(line, start + " ")) continue;
    std::string rest = line.size() > start.size() ? line.substr(start.size() + 1) : "";
    const size_t colon = rest.find(": ");
    if (colon != std::string::npos && isKey(rest, colon)) {
      if (!isOf(variant, rest.substr(0, colon))) continue;
      rest = rest.substr(colon + 2);
    }
    out.push_back(rest);
  }
  return out;
}

bool has(const Section& section, const Variant& variant, const std::string& word) {
  return !directivesOf(section, variant, word).empty();
}

Result<Literal> argumentOf(const std::string& text, const Shape& shape, size_t leaf) {
  const std::vector<std::string> parts = wordsOf(text);
  if (parts.size() == 3 && parts[0] == "fill")
    return fillParameter(shape, leaf, FillRule{0, std::stod(parts[1]), std::stoull(parts[2])});
  return parseLiteral(text, shape);
}

std::optional<Tolerance> toleranceOf(const Section& section, const Variant& variant) {
  const auto found = directivesOf(section, variant, "tolerance");
  if (found.empty()) return std::nullopt;
  const std::vector<std::string> parts = wordsOf(found[0]);
  return Tolerance{std::stod(parts.at(0)), parts.size() > 1 ? std::stod(parts[1]) : 0};
}

std::string difference(const Literal& expected, const Literal& found, std::optional<Tolerance> tolerance) {
  if (tolerance) return compareLiterals(expected, found, *tolerance, "").firstMismatch;
  if (!compatible(expected.shape(), found.shape()))
    return "expected shape " + toString(expected.shape(), false) + ", found " + toString(found.shape(), false);
  const ElementType type = expected.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= expected.bytes().size(); at += width)
    if (!sameElement(type, expected.bytes().data() + at, found.bytes().data() + at, width))
      return fmt::format("element {}: expected {}, found {}", at / width, printLiteral(expected), printLiteral(found));
  return "";
}

}  // namespace tessera::cases
