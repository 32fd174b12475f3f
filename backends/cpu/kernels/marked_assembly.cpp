// See marked_assembly.h.
#include "backends/cpu/kernels/marked_assembly.h"

#include <charconv>
#include <unordered_map>

#include <fmt/format.h>

namespace tessera::cpu {

namespace {

// Names come from a file: a comment ends with its line.
std::string readable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '_';
  return text;
}

std::string textOf(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  std::string out = fmt::format("%{} = {}", instruction.name, instruction.opcodeName());
  if (instruction.metadata && !instruction.metadata->opName.empty())
    out += fmt::format(", op_name=\"{}\"", instruction.metadata->opName);
  return readable(std::move(out));
}

class Marker {
 public:
  Marker(const Module& module, KernelMarks& out) : module_(module), out_(out) {}
  uint32_t lineOf(InstructionId id) {
    const auto [at, isNew] = lines_.try_emplace(id.value, static_cast<uint32_t>(out_.texts.size()) + 1);
    if (isNew) out_.texts.push_back(textOf(module_, id));
    return at->second;
  }
  void addProgram(const LoopProgram& program, const ProgramOwner& owner) {
    std::vector<uint32_t>& lines = out_.ofNodes.emplace_back();
    for (InstructionId id : owner.origins.of(program.body))
      lines.push_back(lineOf(id.valid() && module_.contains(id) ? id : owner.instruction));
  }

 private:
  const Module& module_;
  KernelMarks& out_;
  std::unordered_map<uint32_t, uint32_t> lines_;
};

constexpr uint32_t kOwnLine = 1;  // as codegen/source_lines

bool isInstruction(std::string_view line) {
  return line.size() > 1 && line[0] == '\t' && line[1] != '.' && line[1] != '#';
}

// The number of a line of `.loc FILE LINE COLUMN …`; 0: it is none.
uint32_t lineNumber(std::string_view line) {
  constexpr std::string_view kLoc = "\t.loc\t";
  if (!line.starts_with(kLoc)) return 0;
  line.remove_prefix(kLoc.size());
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  uint32_t out = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), out);
  return out == 0 ? kOwnLine : out;
}

bool isForDebuggers(std::string_view line) {
  for (std::string_view begin :
       {".Ltmp", ".Lfunc_begin", ".Lfunc_end", "\t.file\t", "\t.loc\t", "\t.size\t", "\t.cfi_"})
    if (line.starts_with(begin)) return true;
  return false;
}

}  // namespace

KernelMarks marksOf(const Module& module, const KernelSource& source, std::span<const ProgramOwner> owners) {
  KernelMarks out;
  if (owners.empty()) return out;
  out.texts.push_back(readable(fmt::format("%{}: loops, addresses", module.at(owners.front().instruction).name)));
  Marker marker(module, out);
  if (!source.region)
    marker.addProgram(source.program, owners.front());
  else if (owners.size() == source.region->programs.size())
    for (size_t p = 0; p < owners.size(); ++p) marker.addProgram(source.region->programs[p], owners[p]);
  return out;
}

std::string withMarks(std::string_view assembly, const std::vector<std::string>& texts) {
  std::string out;
  uint32_t current = 0, shown = 0;
  bool inDebugSection = false;
  for (size_t at = 0; at < assembly.size();) {
    const size_t end = std::min(assembly.find('\n', at), assembly.size());
    const std::string_view line = assembly.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("\t.section\t")) inDebugSection = line.starts_with("\t.section\t.debug_");
    if (const uint32_t number = lineNumber(line)) current = number;
    if (inDebugSection || isForDebuggers(line)) continue;
    if (!line.empty() && line[0] != '\t' && line[0] != ' ') shown = 0;  // a label: another block
    if (isInstruction(line) && current != shown && current >= 1 && current <= texts.size()) {
      out += "\t# " + texts[current - 1] + "\n";
      shown = current;
    }
    out.append(line);
    out += '\n';
  }
  return out;
}

}  // namespace tessera::cpu
