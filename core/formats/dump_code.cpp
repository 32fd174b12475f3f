// See dump_code.h.
#include "core/formats/dump_code.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

namespace tessera {
namespace {

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; }

// Letters and digits; everything else as '_', as compilers write names of kernels.
std::string plainName(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

// "__compute_module_NAME", "NAME_kernel_module", "NAME".
bool isKernelOf(std::string_view subject, std::string_view instruction) {
  for (std::string_view prefix : {"__compute_module_", ""})
    for (std::string_view suffix : {"_kernel_module", "_kernel", ""}) {
      std::string_view rest = subject;
      if (!rest.starts_with(prefix) || !rest.ends_with(suffix) || rest.size() < prefix.size() + suffix.size()) continue;
      rest = rest.substr(prefix.size(), rest.size() - prefix.size() - suffix.size());
      if (rest == instruction || plainName(rest) == plainName(instruction)) return true;
    }
  return false;
}

bool isCodeFile(const DumpFile& file) {
  return (file.role == DumpRole::LlvmIr || file.role == DumpRole::Ptx) && !file.name.ends_with(".bc");
}

// The order in which the compiler writes code, backwards.
int stepsToMachineCode(const DumpFile* file) {
  if (file->role == DumpRole::Ptx) return 0;
  return file->name.find(".ir-no-opt") == file->name.npos ? 1 : 2;
}

bool holdsAllKernels(const DumpFile* file) {
  return file->subject.empty() || file->subject.find("optimizations") != file->subject.npos || file->subject == "ir" ||
         file->subject == "ptx" || file->subject.starts_with("ir-");
}

bool isText(std::string_view name) {
  return name.ends_with(".txt") || name.ends_with(".hlo") || name.ends_with(".pbtxt");
}

// --- lines

std::vector<std::string_view> linesIn(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// The function that a line begins: "define … @NAME(", ".entry NAME(", ".func (…) NAME(".
std::optional<std::string_view> functionIn(std::string_view line) {
  size_t at = line.npos;
  if (line.starts_with("define ")) {
    at = line.find('@');
    if (at != line.npos) ++at;
  } else if (const size_t entry = line.find(".entry "); entry != line.npos) {
    at = entry + 7;
  } else if (const size_t function = line.find(".func "); function != line.npos) {
    at = function + 6;
    if (at < line.size() && line[at] == '(') at = std::min(line.find(')', at), line.size() - 1) + 1;
    at = line.find_first_not_of(' ', at);
  }
  if (at == line.npos || at >= line.size()) return std::nullopt;
  if (line[at] == '"') ++at;
  size_t end = at;
  while (end < line.size() && isNameCharacter(line[end])) ++end;
  return line.substr(at, end - at);
}

bool isFunctionOf(std::string_view function, std::string_view instruction) {
  for (std::string_view suffix : {"", "_impl", "_wrapped", "_kernel"}) {
    if (!function.ends_with(suffix)) continue;
    const std::string_view name = function.substr(0, function.size() - suffix.size());
    if (name == instruction || plainName(name) == plainName(instruction)) return true;
  }
  return false;
}

// To the line that closes the body.
size_t endOfFunction(const std::vector<std::string_view>& lines, size_t first) {
  for (size_t i = first; i < lines.size(); ++i)
    if (lines[i].starts_with('}')) return i;
  return first;
}

// In code a name has a mark before it, so that an instruction "add" is not every addition.
bool names(std::string_view line, std::string_view name, bool isCode) {
  for (size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const bool begins = isCode ? before == '%' || before == '@' || before == '"' : !isNameCharacter(before);
    const size_t end = at + name.size();
    if (begins && (end == line.size() || !isNameCharacter(line[end]))) return true;
  }
  return false;
}

std::vector<LineRange> linesNaming(const std::vector<std::string_view>& lines, std::string_view name, bool isCode) {
  std::vector<LineRange> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!names(lines[i], name, isCode)) continue;
    if (!out.empty() && out.back().last + 1 == i)
      out.back().last = i;
    else
      out.push_back({i, i});
  }
  return out;
}

std::optional<std::string_view> functionAround(const std::vector<std::string_view>& lines, size_t line) {
  for (size_t first = line + 1; first-- > 0;)
    if (const auto function = functionIn(lines[first]))
      return endOfFunction(lines, first) >= line ? function : std::nullopt;
  return std::nullopt;
}

// Two names may be one where a compiler writes '_' for other characters: the exact one is preferred.
InstructionId instructionOfFunction(std::string_view function, const Module& module) {
  InstructionId out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const std::string_view name = module.at(id).name;
      if (function.starts_with(name) && isFunctionOf(function, name)) return id;
      if (!out.valid() && isFunctionOf(function, name)) out = id;
    }
  return out;
}

InstructionId firstNamedIn(std::string_view line, const Module& module) {
  std::unordered_map<std::string_view, InstructionId> byName;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) byName.try_emplace(module.at(id).name, id);
  for (size_t at = 0; at < line.size(); ++at) {
    size_t end = at;
    while (end < line.size() && isNameCharacter(line[end])) ++end;
    if (const auto found = byName.find(line.substr(at, end - at)); found != byName.end()) return found->second;
    at = end;
  }
  return {};
}

}  // namespace

std::vector<std::string> moduleFilesOf(const DumpModule& module) {
  std::vector<std::string> out, before;
  for (const DumpFile& file : module.files) {
    if (file.role != DumpRole::Stage) continue;
    (file.subject.find("after_") != file.subject.npos ? out : before).push_back(file.name);
  }
  std::ranges::stable_partition(out, isText);
  for (size_t i = module.passes.size(); i-- > 0;) {
    std::vector<std::string> forms = module.passes[i].files;
    std::ranges::stable_partition(forms, isText);
    out.insert(out.end(), forms.begin(), forms.end());
  }
  std::ranges::stable_partition(before, isText);
  out.insert(out.end(), before.begin(), before.end());
  return out;
}

// Beside the values, whose file has the longer name.
std::string assignmentFileOf(const DumpModule& module) {
  std::string out;
  for (const DumpFile& file : module.files)
    if (file.role == DumpRole::BufferAssignment && file.name.ends_with("-buffer-assignment.txt")) out = file.name;
  return out;
}

std::vector<const DumpFile*> codeOf(const DumpModule& module, std::span<const std::string> names) {
  std::vector<const DumpFile*> code;
  for (const DumpFile& file : module.files)
    if (isCodeFile(file)) code.push_back(&file);
  std::ranges::stable_sort(code, {}, stepsToMachineCode);
  const auto where = [&](const auto& test) {
    std::vector<const DumpFile*> out;
    std::ranges::copy_if(code, std::back_inserter(out), test);
    return out;
  };
  for (const std::string& name : names)
    if (auto own = where([&](const DumpFile* file) { return isKernelOf(file->subject, name); }); !own.empty())
      return own;
  return where(holdsAllKernels);
}

CodeLines linesAbout(std::string_view text, std::span<const std::string> names) {
  if (names.empty() || names[0].empty()) return {};
  const std::vector<std::string_view> lines = linesIn(text);
  std::vector<std::pair<size_t, std::string_view>> functions;
  for (size_t i = 0; i < lines.size(); ++i)
    if (const auto function = functionIn(lines[i])) functions.emplace_back(i, *function);
  for (const std::string& name : names) {
    CodeLines out{name, {}};
    for (const auto& [line, function] : functions)
      if (isFunctionOf(function, name)) out.lines.push_back({line, endOfFunction(lines, line)});
    if (!out.lines.empty()) return out;
  }
  return {names[0], linesNaming(lines, names[0], !functions.empty())};
}

InstructionId instructionAt(std::string_view text, size_t line, const Module& module) {
  const std::vector<std::string_view> lines = linesIn(text);
  if (line >= lines.size()) return {};
  if (const auto function = functionAround(lines, line)) return instructionOfFunction(*function, module);
  const bool isCode = std::ranges::any_of(lines, [](std::string_view each) { return functionIn(each).has_value(); });
  return isCode ? InstructionId() : firstNamedIn(lines[line], module);
}

}  // namespace tessera
