// Line index, search and folding. All linear in the text; no Qt.
#include "editor/text/hlo_text.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tessera {
namespace {

// Where the words begin first in [begin, end), case ignored; sublinear in the text, as 15 MB must not take a frame.
template <class Iterator, class Word>
Iterator searched(Iterator begin, Iterator end, Word wordBegin, Word wordEnd) {
  const auto hash = [](char c) { return static_cast<size_t>(static_cast<unsigned char>(asciiLower(c))); };
  const auto equal = [](char a, char b) { return asciiLower(a) == asciiLower(b); };
  return std::search(begin, end, std::boyer_moore_horspool_searcher(wordBegin, wordEnd, hash, equal));
}

// One past the parenthesis that closes the one at `open`; npos when it does not close.
size_t closing(std::string_view line, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < line.size(); ++i) {
    if (line[i] == '"' && line[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (line[i] == '(') ++depth;
    if (line[i] == ')' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view HloText::line(size_t number) const {
  const size_t begin = lineBegins[number];
  const size_t end = number + 1 < lineBegins.size() ? lineBegins[number + 1] - 1 : text.size();
  return std::string_view(text).substr(begin, end - begin);
}

InstructionId HloText::instructionAt(size_t number) const {
  return number < instructions.size() ? instructions[number] : InstructionId();
}

int32_t HloText::lineOf(InstructionId id) const { return id.value < lines.size() ? lines[id.value] : -1; }

std::optional<size_t> HloText::find(std::string_view words, size_t from, bool backwards) const {
  if (words.empty()) return std::nullopt;
  if (words.size() > text.size()) return std::nullopt;
  const std::string_view all(text);
  const auto lineAt = [&](size_t offset) {
    return static_cast<size_t>(std::ranges::upper_bound(lineBegins, offset) - lineBegins.begin()) - 1;
  };
  if (backwards) {
    const size_t end = from + 1 < lineCount() ? lineBegins[from + 1] : text.size();
    for (size_t stop : {end, text.size()}) {
      const auto first = std::make_reverse_iterator(all.begin() + static_cast<std::ptrdiff_t>(stop));
      const auto found = searched(first, all.rend(), words.rbegin(), words.rend());
      if (found != all.rend()) return lineAt(static_cast<size_t>(found.base() - all.begin()) - words.size());
    }
    return std::nullopt;
  }
  for (size_t start : {lineBegins[from], size_t{0}}) {
    const auto found =
        searched(all.begin() + static_cast<std::ptrdiff_t>(start), all.end(), words.begin(), words.end());
    if (found != all.end()) return lineAt(static_cast<size_t>(found - all.begin()));
  }
  return std::nullopt;
}

std::shared_ptr<const HloText> makeHloText(const Module& module) {
  auto out = std::make_shared<HloText>();
  std::vector<PrintedRange> ranges;
  out->text = printHloText(module, &ranges);
  out->lineBegins.push_back(0);
  for (size_t at = out->text.find('\n'); at != std::string::npos; at = out->text.find('\n', at + 1)) {
    out->longestLine = std::max(out->longestLine, at - out->lineBegins.back());
    if (at + 1 < out->text.size()) out->lineBegins.push_back(at + 1);
  }
  out->instructions.resize(out->lineCount());
  out->lines.assign(module.instructionSlots(), -1);
  for (const PrintedRange& range : ranges) {
    auto after = std::ranges::upper_bound(out->lineBegins, range.begin);
    const auto line = static_cast<size_t>(after - out->lineBegins.begin()) - 1;
    out->instructions[line] = range.instruction;
    if (range.instruction.value < out->lines.size()) out->lines[range.instruction.value] = static_cast<int32_t>(line);
  }
  return out;
}

std::string foldedLine(std::string_view line, size_t most) {
  const size_t at = line.find(" constant(");
  if (at == std::string_view::npos) return std::string(line);
  const size_t open = at + std::string_view(" constant").size();
  const size_t end = closing(line, open);
  if (end == std::string_view::npos || end - open <= most) return std::string(line);
  std::string out(line.substr(0, open + 1));
  out += line.substr(open + 1, most / 3);
  out += " … " + std::to_string(end - open - 2) + " characters … )";
  out += line.substr(end);
  return out;
}

}  // namespace tessera
