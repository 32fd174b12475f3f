// The case files tests/ops/NAME.hlo, read: an ordered list of cases and wrong uses with the values that XLA or the
// definition gives. The format is in README.md of this folder. Used by the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate/compare.h"
#include "core/hlo/module.h"

namespace tessera::cases {

// `name in values`: the section is one module per value; `$name` in its text is the value.
struct Variable {
  std::string name;
  std::vector<std::string> values;
};
using Variant = std::vector<std::pair<std::string, std::string>>;  // variable, value

struct Section {
  bool wrong = false;
  std::string name;  // of the case, or the label that the wrong use must get
  int line = 0;      // of its first line in the file, 1-based
  std::vector<Variable> variables;
  std::vector<std::string> lines;   // without the first one
  std::vector<std::string> common;  // computations before the entry, from `// common`
};

struct File {
  std::string name;  // opcode
  std::vector<Section> sections;
};

// At blanks.
std::vector<std::string> wordsOf(const std::string& text);
// Every *.hlo file of tests/ops by name; reports what is no case file as a test failure.
std::vector<std::string> fileNames();
File readFile(const std::string& name);
// The same of resources/examples/reference, whose files are one case each and open unchanged.
std::vector<std::string> referenceNames();
File readReference(const std::string& name);
std::string referenceText(const std::string& name);

std::vector<Variant> variantsOf(const Section& section);
std::string keyOf(const Variant& variant);  // the values joined by "/"
// A whole module's text.
std::string textOf(const Section& section, const Variant& variant);
// Each variant of each case, wrong uses left out; what fails within is reported with the place in the file.
void forEachCase(const File& file, const std::function<void(const Section&, const Variant&)>& visit);
// Its modules. One that does not read is left out: `cases_test` reports it.
void forEachModule(const File& file, const std::function<void(Module&)>& visit);
// The text behind `// word ` and, where it is written, behind `KEY: `.
std::vector<std::string> directivesOf(const Section& section, const Variant& variant, const std::string& word);
bool has(const Section& section, const Variant& variant, const std::string& word);
// `fill SCALE IMAX` or a literal.
Result<Literal> argumentOf(const std::string& text, const Shape& shape, size_t leaf);
std::optional<Tolerance> toleranceOf(const Section& section, const Variant& variant);  // nullopt: exact

// Exact: the same bits, or both not a number. "" when equal, else where and how they differ.
std::string difference(const Literal& expected, const Literal& found, std::optional<Tolerance> tolerance);

// Of a test of one file or op: "all-gather" is all_gather.
std::string testName(const testing::TestParamInfo<std::string>& info);

}  // namespace tessera::cases
