// Attributes that the IR keeps as the text in braces: words that XLA does not have there are refused. What stands
// behind the first word of a sharding is left to those who read it.
#include <algorithm>
#include <array>

#include "core/base/ascii.h"
#include "core/devices/sharding.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The next word at or behind `at`, which moves behind it; empty when there is none.
std::string_view nextWord(std::string_view text, size_t& at) {
  while (at < text.size() && !isLetter(text[at])) ++at;
  const size_t begin = at;
  while (at < text.size() && (isLetter(text[at]) || (text[at] >= '0' && text[at] <= '9'))) ++at;
  return text.substr(begin, at - begin);
}

void refuse(const Instruction& instruction, std::string_view attribute, std::string_view choices,
            std::string_view found, Diagnostics& out) {
  out.add(diagnosticAt(instruction,
                       instruction.reference() + " has a " + std::string(attribute) + " that is not understood",
                       "attribute", "one of " + std::string(choices), std::string(found)));
}

// {mode=highest} or {tolerance={atol=1, rtol=0.5, ulps=2}}
void checkAccuracy(const Instruction& instruction, Diagnostics& out) {
  const auto* text = instruction.attributes->get<RawText>(Attr::result_accuracy);
  if (!text) return;
  constexpr std::array<std::string_view, 2> kModes = {"default", "highest"};
  constexpr std::array<std::string_view, 3> kTolerances = {"atol", "rtol", "ulps"};
  size_t at = 0;
  const std::string_view form = nextWord(text->text, at);
  if (form == "mode") {
    std::string mode(nextWord(text->text, at));
    std::ranges::transform(mode, mode.begin(), asciiLower);
    if (std::ranges::find(kModes, mode) == kModes.end())
      refuse(instruction, "result_accuracy", "default highest", mode, out);
    return;
  }
  if (form != "tolerance") return refuse(instruction, "result_accuracy", "mode tolerance", text->text, out);
  // An exponent's letter follows a digit.
  for (std::string_view name = nextWord(text->text, at); !name.empty(); name = nextWord(text->text, at)) {
    const auto begin = static_cast<size_t>(name.data() - text->text.data());
    const bool exponent =
        begin > 0 && (text->text[begin - 1] == '.' || (text->text[begin - 1] >= '0' && text->text[begin - 1] <= '9'));
    if (!exponent && name != "inf" && name != "nan" && std::ranges::find(kTolerances, name) == kTolerances.end())
      refuse(instruction, "result_accuracy", "atol rtol ulps", name, out);
  }
}

void checkSharding(const Instruction& instruction, Diagnostics& out) {
  const auto* text = instruction.attributes->get<RawText>(Attr::sharding);
  if (!text) return;
  constexpr std::array<std::string_view, 13> kForms = {
      "replicated",     "maximal",  "manual",       "unknown",  "unreduced",
      "devices",        "mesh",     "maximal_mesh", "metadata", "last_tile_dim_replicate",
      "last_tile_dims", "shard_as", "shard_like"};
  for (std::string_view one : shardingsOf(text->text)) {
    size_t at = 0;
    const std::string_view form = nextWord(one, at);
    if (!form.empty() && std::ranges::find(kForms, form) == kForms.end())
      refuse(instruction, "sharding", "replicated maximal manual unknown unreduced devices mesh maximal_mesh", form,
             out);
  }
}

}  // namespace

void verifyTexts(const Module& module, Diagnostics& out) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      checkAccuracy(module.at(id), out);
      checkSharding(module.at(id), out);
    }
}

}  // namespace tessera
