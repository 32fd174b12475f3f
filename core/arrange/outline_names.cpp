// Blocks that use parameters x[0].w, x[1].w, x[2].w … are called after them; the parameters compared are those that
// are at the same place of each block.
#include "core/arrange/outline_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/arrange/arrangement.h"
#include "core/hlo/argument_path.h"

namespace tessera {
namespace {

constexpr size_t kMaxTried = 48;  // parameters of a block that are looked at for a number

struct Numbers {
  std::vector<std::pair<size_t, size_t>> spans;  // begin, end of each number
};
Numbers numbersIn(std::string_view text) {
  Numbers out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    out.spans.push_back({begin, at});
  }
  return out;
}

// The parameters that a block reads, in order of use: their titles or, where those leave out what tells, whole paths.
enum class Wording : uint8_t { Titles, Paths };
std::vector<std::string> parametersOf(const Module& module, std::span<const int32_t> block,
                                      const Computation& computation, Wording wording) {
  std::vector<std::string> out;
  for (int32_t i : block)
    for (InstructionId operand : module.at(computation.instructions[static_cast<size_t>(i)]).operands)
      if (module.contains(operand) && module.at(operand).opcode == Opcode::Parameter && out.size() < kMaxTried)
        out.push_back(wording == Wording::Titles ? titleOf(module, operand) : argumentPath(module.at(operand)));
  return out;
}

struct Numbered {
  std::string prefix;
  std::string number;
};
// The text up to the number that tells `name` from `other`, when they differ in exactly one number.
std::optional<Numbered> tellingNumber(const std::string& name, const std::string& other) {
  const auto own = numbersIn(name).spans, theirs = numbersIn(other).spans;
  if (own.size() != theirs.size()) return std::nullopt;
  std::optional<Numbered> out;
  size_t next = 0, otherNext = 0;
  for (size_t k = 0; k <= own.size(); ++k) {
    const size_t end = k < own.size() ? own[k].first : name.size(),
                 otherEnd = k < own.size() ? theirs[k].first : other.size();
    if (name.substr(next, end - next) != other.substr(otherNext, otherEnd - otherNext)) return std::nullopt;
    if (k == own.size()) break;
    const std::string number = name.substr(own[k].first, own[k].second - own[k].first);
    if (number != other.substr(theirs[k].first, theirs[k].second - theirs[k].first)) {
      if (out) return std::nullopt;
      std::string prefix = name.substr(0, own[k].first);
      while (!prefix.empty() && std::string_view("[(_.'\" /").find(prefix.back()) != std::string_view::npos)
        prefix.pop_back();
      if (prefix.find('\'') != std::string::npos && std::count(prefix.begin(), prefix.end(), '\'') % 2 == 1)
        prefix += '\'';
      if (std::count(prefix.begin(), prefix.end(), '[') > std::count(prefix.begin(), prefix.end(), ']')) prefix += ']';
      out = Numbered{prefix, number};
    }
    next = own[k].second;
    otherNext = theirs[k].second;
  }
  return out;
}

// Numbered names of all blocks by the parameter at place `slot`; empty: it does not tell them apart.
std::vector<Numbered> numberedBy(const std::vector<std::vector<std::string>>& parameters, size_t slot) {
  std::vector<Numbered> out;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const size_t other = k == 0 ? 1 : k - 1;
    if (slot >= parameters[k].size() || slot >= parameters[other].size()) return {};
    const auto told = tellingNumber(parameters[k][slot], parameters[other][slot]);
    if (!told || told->prefix == "…" || (!out.empty() && told->prefix != out[0].prefix)) return {};
    out.push_back(*told);
  }
  return out;
}

}  // namespace

BlockNames namesOfBlocks(const Module& module, const Computation& computation, std::span<const int32_t> items,
                         size_t period) {
  const size_t count = items.size() / period;
  BlockNames out;
  for (const Wording wording : {Wording::Titles, Wording::Paths}) {
    std::vector<std::vector<std::string>> parameters;
    for (size_t k = 0; k < count; ++k)
      parameters.push_back(parametersOf(module, items.subspan(k * period, period), computation, wording));
    std::vector<Numbered> best;  // the shortest: a weight rather than the state that an optimizer keeps for it
    for (size_t slot = 0; slot < kMaxTried; ++slot) {
      std::vector<Numbered> numbered = numberedBy(parameters, slot);
      if (numbered.empty() || (!best.empty() && numbered[0].prefix.size() >= best[0].prefix.size())) continue;
      best = std::move(numbered);
    }
    if (best.empty()) continue;
    for (const Numbered& n : best) out.blocks.push_back(fmt::format("{} {}", n.prefix, n.number));
    out.stack = fmt::format("{} {}…{}", best[0].prefix, best[0].number, best.back().number);
    return out;
  }
  out.blocks.resize(count);
  return out;
}

}  // namespace tessera
