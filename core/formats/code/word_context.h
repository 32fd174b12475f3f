// What a word of a form is written from, and the tables of words by theme. Stands between words.cpp, which resolves the
// placeholders, and the files of words: structured_words.cpp and collective_words.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/code/words.h"

namespace tessera::code {

using Ints = std::vector<int64_t>;

struct Context {
  const Module& module;
  const Instruction& in;
  Language language;
  const Names& names;

  bool python() const { return language == Language::Python; }
  const AttributeSet& attributes() const { return *in.attributes; }
  std::string operand(size_t i) const { return i < in.operands.size() ? names.value(in.operands[i]) : "?"; }
  std::string ints(const Ints& values) const { return intsOf(language, values); }
  std::string operands(size_t begin, size_t end) const {
    std::vector<std::string> items;
    for (size_t i = begin; i < end && i < in.operands.size(); ++i) items.push_back(operand(i));
    return listOf(language, items);
  }
  const Shape& operandShape(size_t i) const { return module.shapeOf(in.operands[i]); }
  const Shape& part(size_t i) const {
    return in.shape->isTuple() && i < in.shape->elements.size() ? in.shape->elements[i] : *in.shape;
  }
  std::string truth(bool value) const { return python() ? (value ? "True" : "False") : (value ? "true" : "false"); }
};

using Word = Result<std::string> (*)(const Context&);

struct NamedWord {
  std::string_view name;
  Word word;
};
// Operands, shapes, windows, dimension numbers, computations.
std::span<const NamedWord> structuredWords();
// Groups of devices, channels, pairs.
std::span<const NamedWord> collectiveWords();

std::string upper(std::string_view text);

}  // namespace tessera::code
