// See far_text.h. What does not fit into one line is broken between words, else within names at their joints; what does
// not fit then loses the mark of a group, what stands behind a colon or a dot, and the first steps of a path; then
// words are broken by a hyphen, and last it loses its end.
#include "core/picture/far_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace tessera {
namespace {

constexpr float kFarSizes[] = {kFarText, 10.5f, 9.5f, 9};  // pixels
constexpr float kFarLine = 1.2f;                           // of the size
constexpr float kFarMargin = 3;                            // pixels
constexpr float kFarNarrowest = 1.2f;                      // of the size: narrower text is not legible

constexpr size_t kMostLines = 3;
constexpr std::ptrdiff_t kMostSteps = 12;  // of a path

constexpr std::string_view kNothing = "…";  // is left of a word without room
constexpr std::string_view kMarks[] = {"▸ ", "▾ "};

std::string_view withoutMark(std::string_view text) {
  for (const std::string_view mark : kMarks)
    if (text.starts_with(mark)) return text.substr(mark.size());
  return text;
}

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isLower(char c) { return c >= 'a' && c <= 'z'; }

// A line may end behind this letter; never behind the mark of a group.
bool isJoint(std::string_view text, size_t place) {
  if (place < text.size() - withoutMark(text).size()) return false;
  const char c = text[place];
  if (c == ' ' || c == '_' || c == '/' || c == '.' || c == ',' || c == ':' || c == '-' || c == ')') return true;
  return isLower(c) && place + 1 < text.size() && isUpper(text[place + 1]);  // GroupNorm
}

// As much of a text as fits, up to a joint; 0: not even the first part.
size_t firstLine(std::string_view text, float size, float width) {
  size_t end = 0;
  for (size_t next = 0; next < text.size(); ++next)
    if (isJoint(text, next)) {
      const std::string_view line = text.substr(0, text[next] == ' ' ? next : next + 1);
      if (textWidth(line, size, true) > width) break;
      end = next + 1;
    }
  return end;
}

// As many letters of the first word as fit before a hyphen; 0: too few, or too few are left.
size_t beforeHyphen(std::string_view text, float size, float width) {
  constexpr size_t kLeastBefore = 3, kLeastBehind = 2;
  const auto isLetter = [](char c) { return isUpper(c) || isLower(c); };
  const auto word = static_cast<size_t>(std::ranges::find_if_not(text, isLetter) - text.begin());
  size_t out = 0;
  for (size_t n = kLeastBefore; n + kLeastBehind <= word; ++n) {
    if (textWidth(std::string(text.substr(0, n)) + '-', size, true) > width) break;
    out = n;
  }
  return out;
}

// "gradient of blk" of "gradient of blk: p['h'][3]".
std::string_view withoutDetail(std::string_view text) {
  return text.substr(0, std::min({text.size(), text.find(": "), text.find(" · ")}));
}

// "3" of "element 3", "×96" of "blk 0…95 ×96": what tells it from its neighbours.
bool isNumber(std::string_view word) {
  if (word.starts_with("×")) word.remove_prefix(std::string_view("×").size());
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}
// "Dense_0 kernel" and "kernel" of "…['Dense_0']['kernel']", "ws 0" of "ws[0]": the last steps of a path tell it from
// its neighbours, numbers alone do not. Empty: it is no path.
std::vector<std::string> lastSteps(std::string_view text) {
  const size_t first = text.find('[');
  if (first == std::string_view::npos || !text.ends_with(']')) return {};
  const std::string_view root = text.substr(0, first);
  std::vector<std::string> steps;
  if (!root.empty() && root != kNothing) steps.emplace_back(root);
  for (size_t open = first, close = 0; open != std::string_view::npos; open = text.find('[', close)) {
    close = text.find(']', open);
    if (close == std::string_view::npos) return {};
    std::string_view step = text.substr(open + 1, close - open - 1);
    if (step.size() > 2 && step.front() == '\'' && step.back() == '\'') step = step.substr(1, step.size() - 2);
    steps.emplace_back(step);
  }
  if (std::ssize(steps) > kMostSteps) steps.erase(steps.begin(), steps.end() - kMostSteps);
  std::vector<std::string> out;
  for (; !steps.empty(); steps.erase(steps.begin())) out.push_back(fmt::format("{}", fmt::join(steps, " ")));
  const auto isOfNumbers = [](const std::string& words) {
    return words.find_first_not_of("0123456789 ") == std::string::npos;
  };
  while (out.size() > 1 && isOfNumbers(out.back())) out.pop_back();
  return out;
}

// What a title that does not fit gives way to, each shorter than the one before.
std::vector<std::string> shorterForms(std::string_view title) {
  const std::string_view bare = withoutMark(title), brief = withoutDetail(bare);
  std::vector<std::string> out{std::string(bare), std::string(brief)};
  for (std::string& steps : lastSteps(brief)) out.push_back(std::move(steps));
  return out;
}

std::string shortened(std::string_view text, float size, float width) {
  const size_t space = text.rfind(' ');
  if (space != std::string_view::npos && isNumber(text.substr(space + 1)) && textWidth(text, size, true) > width) {
    const std::string_view number = text.substr(space);
    std::string word = elideText(text.substr(0, space), size, width - textWidth(number, size, true), true);
    if (!word.empty() && word != kNothing) return word + std::string(number);
  }
  return elideText(text, size, width, true);
}

PictureItem lineOf(const PictureItem& text, std::string words, float size, float top) {
  PictureItem line = text;
  line.text = std::move(words);
  line.size = size;
  const float width = textWidth(line.text, size, true);
  line.bounds = {text.room.x + (text.room.width - width) / 2, top, width, size * 1.25f};
  return line;
}

// The lines of a text that fit its room at a size, in scene units.
struct FarLines {
  float size = 0;
  std::vector<std::string> lines;
  bool whole = false;  // nothing of it is cut
};

enum class Breaks { AtJoints, InWords };

FarLines linesOf(std::string_view text, const RectF& room, float size, float margin, Breaks breaks) {
  const float width = room.width - 2 * margin;
  const auto most = std::clamp(static_cast<size_t>(room.height / (kFarLine * size)), size_t{1}, kMostLines);
  FarLines out{size, {}, true};
  while (!text.empty()) {
    const bool fits = textWidth(text, size, true) <= width;
    const bool goesOn = !fits && out.lines.size() + 1 < most;
    const size_t cut = goesOn ? firstLine(text, size, width) : 0;
    const size_t letters = goesOn && cut == 0 && breaks == Breaks::InWords ? beforeHyphen(text, size, width) : 0;
    if (letters > 0) {
      out.lines.push_back(std::string(text.substr(0, letters)) + '-');
      text.remove_prefix(letters);
      continue;
    }
    if (cut == 0) {
      out.whole = fits;
      out.lines.push_back(shortened(text, size, width));
      break;
    }
    out.lines.emplace_back(text.substr(0, text[cut - 1] == ' ' ? cut - 1 : cut));
    text.remove_prefix(cut);
  }
  std::erase_if(out.lines,
                [](const std::string& line) { return line.empty() || line == kNothing; });  // it says nothing
  return out;
}

// Rather a little smaller than cut.
FarLines largestOf(std::string_view text, const PictureItem& item, float scale, Breaks breaks) {
  FarLines out;
  for (const float pixels : kFarSizes) {
    out = linesOf(text, item.room, std::max(pixels / scale, item.size), kFarMargin / scale, breaks);
    if (out.whole) break;
  }
  return out;
}

}  // namespace

std::vector<PictureItem> seenAt(const PictureItem& text, double zoom) {
  const auto scale = static_cast<float>(zoom);
  if (text.room.width <= 0 || zoom >= kReadableZoom || text.size >= kFarText / scale) return {text};
  const float margin = kFarMargin / scale, smallest = kFarSizes[std::size(kFarSizes) - 1] / scale;
  if (text.room.width - 2 * margin < kFarNarrowest * smallest || text.room.height < smallest) return {};
  const std::string& title = text.whole.empty() ? text.text : text.whole;
  FarLines far = largestOf(title, text, scale, Breaks::AtJoints);
  if (!far.whole) {
    const std::vector<std::string> forms = shorterForms(title);
    for (const Breaks breaks : {Breaks::AtJoints, Breaks::InWords})
      for (const std::string& words : forms)
        if (!far.whole) far = largestOf(words, text, scale, breaks);
  }
  const float step = kFarLine * far.size;
  float top = text.room.y + (text.room.height - step * static_cast<float>(far.lines.size())) / 2;
  std::vector<PictureItem> out;
  for (std::string& line : far.lines) {
    out.push_back(lineOf(text, std::move(line), far.size, top));
    top += step;
  }
  return out;
}

}  // namespace tessera
