// Which operand an attribute speaks of is the one thing that is said here an attribute.
#include "core/edit/sizes/dimension_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/edit/sizes/dimension_hues.h"
#include "core/edit/sizes/size_names.h"

namespace tessera {
namespace {

constexpr int kResult = -1, kNone = -2;

// The operand whose dimensions are counted.
int countedBy(const Instruction& instruction, Attr name) {
  const bool scatters = instruction.opcode == Opcode::Scatter;
  const int indices = scatters ? static_cast<int>(instruction.operands.size() / 2) : 1;
  switch (name) {
    case Attr::dimensions: return instruction.opcode == Opcode::Broadcast ? kResult : 0;
    case Attr::iota_dimension:
    case Attr::offset_dims: return kResult;
    case Attr::lhs_contracting_dims:
    case Attr::lhs_batch_dims:
    case Attr::lhs_ragged_dims:
    case Attr::feature_index:
    case Attr::collapsed_slice_dims:
    case Attr::start_index_map:
    case Attr::operand_batching_dims:
    case Attr::inserted_window_dims:
    case Attr::scatter_dims_to_operand_dims:
    case Attr::input_batching_dims: return 0;
    case Attr::rhs_contracting_dims:
    case Attr::rhs_batch_dims:
    case Attr::rhs_group_dims: return 1;
    case Attr::index_vector_dim:
    case Attr::start_indices_batching_dims:
    case Attr::scatter_indices_batching_dims: return indices;
    case Attr::update_window_dims: return indices + 1;
    default: return kNone;
  }
}

InstructionId arrayOf(const Module& module, const Instruction& instruction, Attr name) {
  const int operand = countedBy(instruction, name);
  if (operand == kNone) return {};
  const InstructionId id = operand == kResult ? instruction.id
                           : static_cast<size_t>(operand) < instruction.operands.size()
                               ? instruction.operands[static_cast<size_t>(operand)]
                               : InstructionId();
  return module.contains(id) && module.shapeOf(id).isArray() ? id : InstructionId();
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string listed(const Shape& shape, const std::vector<std::string>& letters) {
  if (letters.empty()) return toString(shape, false) + " has no dimensions";
  return fmt::format("the dimensions of {} are {}, or 0 to {}, or -1 to -{}", toString(shape, false),
                     fmt::join(letters, ", "), letters.size() - 1, letters.size());
}

}  // namespace

const Shape* arrayCounted(const Module& module, const Instruction& instruction, Attr name) {
  const InstructionId id = arrayOf(module, instruction, name);
  return id.valid() ? &module.shapeOf(id) : nullptr;
}

std::string plainLetter(size_t dimension) {
  constexpr std::string_view kLetters = "ijklmnopqrstuvwxyz";
  return dimension < kLetters.size() ? std::string(1, kLetters[dimension]) : "d" + std::to_string(dimension);
}

std::vector<std::string> dimensionLetters(const Module& module, const Instruction& instruction, Attr name,
                                          const SizeNames* names, const DimensionHues* hues) {
  std::vector<std::string> out;
  const InstructionId id = arrayOf(module, instruction, name);
  if (!id.valid()) return out;
  const auto* named = names ? names->find(id) : nullptr;
  for (size_t d = 0; d < module.shapeOf(id).dimensions.size(); ++d) {
    const DimensionHue* known = hues ? hues->find(id, d) : nullptr;
    out.push_back(named && d < named->size() && !(*named)[d].name.empty() ? (*named)[d].name
                  : known                                                 ? known->letter
                                                                          : plainLetter(d));
  }
  return out;
}

Result<std::string> dimensionNumbers(const Module& module, const Instruction& instruction, Attr name,
                                     const std::string& typed, const SizeNames* names, const DimensionHues* hues) {
  const Shape* shape = arrayCounted(module, instruction, name);
  if (!shape) return typed;
  const std::vector<std::string> letters = dimensionLetters(module, instruction, name, names, hues);
  std::string out;
  for (size_t at = 0; at < typed.size();) {
    const bool negative = typed[at] == '-' && at + 1 < typed.size() && isDigit(typed[at + 1]);
    if (!negative && !isWord(typed[at])) {
      out += typed[at++];
      continue;
    }
    size_t end = at + 1;
    while (end < typed.size() && isWord(typed[end])) ++end;
    const std::string word = typed.substr(at, end - at);
    at = end;
    if (!negative && isDigit(word[0])) {
      out += word;
      continue;
    }
    if (negative) {
      const bool number = word.size() < 6 && std::all_of(word.begin() + 1, word.end(), isDigit);
      const size_t back = !number ? 0 : static_cast<size_t>(std::stoul(word.substr(1)));
      if (back == 0 || back > letters.size()) return fail(word + ": " + listed(*shape, letters));
      out += std::to_string(letters.size() - back);
      continue;
    }
    const auto found = std::ranges::find(letters, word);
    if (found == letters.end()) return fail(word + ": " + listed(*shape, letters));
    if (std::ranges::count(letters, word) > 1)
      return fail(fmt::format("{} names several dimensions of {}; say them by number", word, toString(*shape, false)));
    out += std::to_string(found - letters.begin());
  }
  return out;
}

}  // namespace tessera
