// See size_numbers.h. Small sizes are everybody's number, so nothing below 3 is offered.
#include "core/edit/sizes/size_numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr int64_t kSmallest = 3;
constexpr size_t kMaxSizeNumbers = 200;

struct Meaning {
  std::string words;
  double value = 0;
};

std::optional<Meaning> integerMeaning(int64_t found, int64_t old, int64_t fresh) {
  if (found == old) return Meaning{fmt::format("{} as a number", old), static_cast<double>(fresh)};
  if (found == old - 1 && old > 2 * kSmallest)
    return Meaning{fmt::format("one less than {}", old), static_cast<double>(fresh - 1)};
  return std::nullopt;
}

std::optional<Meaning> floatMeaning(double found, int64_t old, int64_t fresh) {
  const auto near = [&](double wanted) { return std::abs(found - wanted) <= 1e-6 * std::abs(wanted); };
  const double before = static_cast<double>(old), after = static_cast<double>(fresh);
  if (near(before)) return Meaning{fmt::format("{} as a number", old), after};
  if (after == 0) return std::nullopt;
  if (near(1 / before)) return Meaning{fmt::format("1 / {}", old), 1 / after};
  if (near(std::sqrt(before))) return Meaning{fmt::format("the square root of {}", old), std::sqrt(after)};
  if (near(1 / std::sqrt(before))) return Meaning{fmt::format("1 / the square root of {}", old), 1 / std::sqrt(after)};
  return std::nullopt;
}

// From the printed value, which every type has.
std::optional<double> valueOf(const Instruction& instruction) {
  if (instruction.opcode != Opcode::Constant || !instruction.literal || !instruction.shape->isScalar() ||
      instruction.literal->elided())
    return std::nullopt;
  const std::string text = printLiteral(*instruction.literal);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<Resizing::Number> numbersLike(const Module& module, std::span<const std::pair<int64_t, int64_t>> changes) {
  std::vector<Resizing::Number> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const auto value = valueOf(module.at(id));
      if (!value || out.size() >= kMaxSizeNumbers) continue;
      for (const auto& [old, fresh] : changes) {
        if (old < kSmallest || old == fresh) continue;
        const bool whole =
            isFloat(module.at(id).shape->type) ? false : *value == std::floor(*value) && std::abs(*value) < 1e15;
        const auto meaning = whole ? integerMeaning(static_cast<int64_t>(*value), old, fresh)
                             : isFloat(module.at(id).shape->type) ? floatMeaning(*value, old, fresh)
                                                                  : std::nullopt;
        if (!meaning) continue;
        out.push_back(
            {id, meaning->words,
             whole ? fmt::format("{}", static_cast<int64_t>(meaning->value)) : fmt::format("{}", meaning->value)});
        break;
      }
    }
  return out;
}

}  // namespace tessera
