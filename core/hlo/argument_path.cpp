// jax replaces every character of a path that is no letter, digit or underscore by an underscore: [0] is _0_, ['wte']
// is __wte__, .mu is _mu. A name that parses so completely is turned back into the path.
#include "core/hlo/argument_path.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tessera {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// A scope has slashes, a path only inside of its keys.
bool isPath(std::string_view opName) {
  int depth = 0;
  for (char c : opName) {
    depth += (c == '[') - (c == ']');
    if (c == '/' && depth == 0) return false;
  }
  return !opName.empty();
}

bool endsOrGoesOn(std::string_view text, size_t at) { return at == text.size() || text[at] == '_'; }

// The next part of a path at `at`, which moves behind it; "": there is none.
std::string nextPart(std::string_view text, size_t& at) {
  const auto cut = [&](size_t begin, size_t end, size_t next) {
    at = next;
    return std::string(text.substr(begin, end - begin));
  };
  if (text[at] != '_') return {};
  size_t end = at + 1;
  while (end < text.size() && isDigit(text[end])) ++end;
  if (end > at + 1 && end < text.size() && text[end] == '_') return "[" + cut(at + 1, end, end + 1) + "]";
  if (text.substr(at).starts_with("__")) {
    end = text.find("__", at + 3);
    while (end != text.npos && !endsOrGoesOn(text, end + 2)) end = text.find("__", end + 1);
    return end == text.npos ? std::string() : "['" + cut(at + 2, end, end + 2) + "']";
  }
  end = std::min(text.find('_', at + 1), text.size());
  const bool isName = end > at + 1 && std::isalpha(static_cast<unsigned char>(text[at + 1]));
  return isName ? "." + cut(at + 1, end, end) : std::string();
}

// Where the first index or key begins; npos: the name holds none.
size_t firstPart(std::string_view name) {
  for (size_t at = name.find('_', 1); at != name.npos; at = name.find('_', at + 1)) {
    size_t end = at + 1;
    while (end < name.size() && isDigit(name[end])) ++end;
    const bool isIndex = end > at + 1 && end < name.size() && name[end] == '_';
    if (isIndex || (end == at + 1 && end < name.size() && name[end] == '_')) return at;
  }
  return name.npos;
}

std::string unmangled(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool numbered = dot != name.npos && std::ranges::all_of(name.substr(dot + 1), isDigit);
  const std::string_view text = numbered ? name.substr(0, dot) : name;
  size_t at = firstPart(text);
  if (at == text.npos) return std::string(name);
  std::string out(text.substr(0, at));
  if (text.substr(at).starts_with("____")) {  // jax keeps only what follows the last slash: w['enc/key']['b']
    out = "…['" + out + "']";
    at += 2;
  }
  while (at < text.size()) {
    const std::string part = nextPart(text, at);
    if (part.empty()) return std::string(name);
    out += part;
  }
  return out;
}

}  // namespace

namespace {

// The same word for all parameters: what PyTorch/XLA and TensorFlow write where jax has a path.
bool namesAll(const Metadata& metadata) {
  constexpr std::string_view kWords[] = {"xla__device_data", "XLA_Args"};
  return std::ranges::find(kWords, metadata.opName) != std::end(kWords);
}

}  // namespace

std::string argumentPath(const Instruction& parameter) {
  const Metadata* metadata = parameter.metadata;
  if (!metadata || !isPath(metadata->opName) || namesAll(*metadata)) return unmangled(parameter.name);
  std::string name = metadata->opName;
  std::erase(name, '\\');
  return name;
}

std::string argumentOf(const std::string& path) { return path.substr(0, path.find_first_of("[.(")); }

}  // namespace tessera
