// Looking up by name; what is not found is answered with the names that come near (edit distance).
#include "core/tools/find_instruction.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/hlo/argument_path.h"

namespace tessera {
namespace {

constexpr std::string_view kOutput = "output ";

std::string_view withoutPercent(std::string_view name) { return name.starts_with('%') ? name.substr(1) : name; }

// Letters to insert, drop or change; names are short, and long ones are not compared.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string_view> instructionNames(const Module& module, std::span<const ComputationId> computations) {
  std::vector<std::string_view> out;
  for (ComputationId computation : computations)
    for (InstructionId id : module.at(computation).instructions) out.push_back(module.at(id).name);
  return out;
}

std::unexpected<Diagnostic> noInstruction(const Module& module, std::string_view name,
                                          std::span<const ComputationId> where) {
  return fail(ErrorKind::Usage,
              fmt::format("no instruction is named {}{}", name, nearMisses(name, instructionNames(module, where))));
}

}  // namespace

std::string nearMisses(std::string_view wanted, std::span<const std::string_view> names) {
  constexpr size_t kLongest = 64, kMaxNames = 20'000, kShown = 3;
  if (wanted.empty() || wanted.size() > kLongest) return {};
  const size_t most = std::max<size_t>(1, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string_view>> near;
  for (std::string_view name : names.first(std::min(names.size(), kMaxNames))) {
    const size_t difference = name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (difference > most) continue;
    if (const size_t distance = editDistance(wanted, name); distance <= most) near.emplace_back(distance, name);
  }
  std::ranges::sort(near);
  near.erase(std::ranges::unique(near).begin(), near.end());
  std::string out;
  for (const auto& [distance, name] : std::span(near).first(std::min(near.size(), kShown)))
    out += fmt::format("{}{}", out.empty() ? "; did you mean " : ", ", name);
  return out.empty() ? out : out + "?";
}

// An argument by its path, or, where it is one array, by its name alone.
std::optional<InstructionId> argumentNamed(const Module& module, std::string_view name) {
  std::optional<InstructionId> only;
  size_t leaves = 0;
  for (InstructionId id : module.entryComputation().parameters) {
    const std::string path = argumentPath(module.at(id));
    if (path == name) return id;
    if (argumentOf(path) == name) only = id, ++leaves;
  }
  return leaves == 1 ? only : std::nullopt;
}

// By the name in the program's interface: an argument, or "output 3" (`tessera overview` lists both).
std::optional<InstructionId> inInterface(const Module& module, std::string_view name) {
  if (!module.contains(module.entry())) return std::nullopt;
  if (const auto argument = argumentNamed(module, name)) return argument;
  const InstructionId root = module.entryComputation().root;
  if (name == "output") return root;
  size_t number = 0;
  const auto read = name.starts_with(kOutput)
                        ? std::from_chars(name.data() + kOutput.size(), name.data() + name.size(), number)
                        : std::from_chars_result{nullptr, std::errc::invalid_argument};
  if (read.ec != std::errc() || read.ptr != name.data() + name.size() || !module.contains(root)) return std::nullopt;
  const Instruction& results = module.at(root);
  const bool isThere = results.opcode == Opcode::Tuple && number < results.operands.size();
  return isThere ? std::optional(results.operands[number]) : std::nullopt;
}

// Names may hold a slash: the first one before which a computation's name stands is the one between the two.
Result<InstructionId> instructionNamed(const Module& module, std::string_view name) {
  name = withoutPercent(name);
  if (auto found = module.findInstruction(name)) return *found;
  if (auto found = inInterface(module, name)) return *found;
  const size_t first = name.find('/');
  if (first == std::string_view::npos) return noInstruction(module, name, module.order());
  size_t slash = first;
  while (slash != std::string_view::npos && !module.findComputation(withoutPercent(name.substr(0, slash))))
    slash = name.find('/', slash + 1);
  if (slash == std::string_view::npos) slash = first;
  TESSERA_ASSIGN_OR_RETURN(const ComputationId computation, computationNamed(module, name.substr(0, slash)));
  const std::string_view inner = withoutPercent(name.substr(slash + 1));
  for (InstructionId id : module.at(computation).instructions)
    if (module.at(id).name == inner) return id;
  return noInstruction(module, inner, std::span(&computation, 1));
}

Result<ComputationId> computationNamed(const Module& module, std::string_view name) {
  name = withoutPercent(name);
  if (auto found = module.findComputation(name)) return *found;
  std::vector<std::string_view> names;
  for (ComputationId id : module.order()) names.push_back(module.at(id).name);
  return fail(ErrorKind::Usage, fmt::format("no computation is named {}{}", name, nearMisses(name, names)));
}

}  // namespace tessera
