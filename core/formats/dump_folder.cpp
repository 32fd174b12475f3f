// See dump_folder.h. A file is PREFIX.module_ID.NAME.REST: NAME may hold dots, so it is taken from the files whose REST
// is known; several processes may have written modules of one ID.
#include "core/formats/dump_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/sorting.h"

namespace tessera {
namespace {

struct RoleRow {
  DumpRole role;
  std::string_view key;
  std::vector<std::string_view> parts, endings;  // of REST
};

// The first row that has a part or an ending of the name.
const std::vector<RoleRow>& roleRows() {
  static const std::vector<RoleRow> rows = {
      {DumpRole::Pass, "passes", {}, {}},
      {DumpRole::BufferAssignment, "buffer_assignment", {"buffer-assignment"}, {}},
      {DumpRole::LiveRange, "live_ranges", {"live-range"}, {}},
      {DumpRole::MemoryReport, "memory_report", {"memory-usage-report"}, {}},
      {DumpRole::LlvmIr, "llvm_ir", {}, {".ll", ".bc"}},
      {DumpRole::Ptx, "ptx", {}, {".ptx"}},
      {DumpRole::MachineCode, "machine_code", {}, {".o", ".s", ".cubin", ".hsaco", ".sass"}},
      {DumpRole::Mlir, "mlir", {}, {".mlir", ".ttir", ".ttgir", ".mlir-passes.log", ".triton-passes.log"}},
      {DumpRole::Thunks, "thunks", {"thunk_sequence"}, {}},
      {DumpRole::DebugOptions, "debug_options", {"debug_options", "execution_options", "flags"}, {".flagfile"}},
      {DumpRole::Snapshot, "snapshots", {"snapshot"}, {}},
      {DumpRole::Drawing, "drawings", {}, {".dot", ".html", ".svg"}},
      {DumpRole::Stage, "stages", {"before_", "after_"}, {}},
      {DumpRole::Other, "other", {}, {}},
  };
  return rows;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

size_t digitsAt(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, isDigit) - text.begin());
}

// What surrounds "module_ID".
struct SplitName {
  std::string file, prefix;
  int64_t id = 0;
  std::string_view rest() const { return std::string_view(file).substr(restAt); }
  size_t restAt = 0;
  uint64_t bytes = 0;
};

std::optional<SplitName> splitName(const std::string& file, uint64_t bytes) {
  constexpr std::string_view kWord = "module_";
  constexpr size_t kLeastDigits = 4, kMostDigits = 9;
  size_t at = file.starts_with(kWord) ? 0 : file.find(".module_");
  if (at == file.npos) return std::nullopt;
  const std::string prefix = file.substr(0, at);
  at += kWord.size() + (file.starts_with(kWord) ? 0 : 1);
  const size_t digits = digitsAt(std::string_view(file).substr(at));
  const size_t end = at + digits;
  if (digits < kLeastDigits || digits > kMostDigits || end >= file.size() || file[end] != '.') return std::nullopt;
  return SplitName{file, prefix, std::stoll(file.substr(at, digits)), end + 1, bytes};
}

// Where ".0012." starts and behind it comes what a pass writes; npos: nowhere.
size_t findNumber(std::string_view rest) {
  for (size_t at = rest.find('.'); at != rest.npos; at = rest.find('.', at + 1)) {
    const std::string_view behind = rest.substr(at + 1);
    const size_t digits = digitsAt(behind);
    if (digits >= 4 && digits < behind.size() && behind[digits] == '.' && behind.find(".after_", digits) != behind.npos)
      return at;
  }
  return rest.npos;
}

// The name that a file tells by itself, as everything before a REST that is known.
std::optional<std::string> nameToldBy(std::string_view rest) {
  size_t at = rest.find(".before_optimizations");
  if (at == rest.npos) at = findNumber(rest);
  for (std::string_view mark : {".cpu_after_optimizations", ".sm_", ".gfx", ".gpu_after_optimizations", ".cl_",
                                ".after_optimizations", ".after_codegen", ".debug_options"})
    if (at == rest.npos) at = rest.find(mark);
  if (at == rest.npos) return std::nullopt;
  return std::string(rest.substr(0, at));
}

bool belongsTo(std::string_view rest, std::string_view name) {
  return rest.starts_with(name) && rest.size() > name.size() && rest[name.size()] == '.';
}

// The longest known name that the file starts with; else what precedes the first dot.
std::string nameFor(std::string_view rest, const std::set<std::string>& known) {
  std::string best;
  for (const std::string& name : known)
    if (name.size() > best.size() && belongsTo(rest, name)) best = name;
  if (!best.empty()) return best;
  const size_t dot = rest.find('.');
  return std::string(dot == rest.npos ? std::string_view() : rest.substr(0, dot));
}

std::string_view uncompressed(std::string_view name) {
  for (std::string_view ending : {".gz", ".zst"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

std::string_view withoutEnding(std::string_view name) {
  name = uncompressed(name);
  for (std::string_view ending : {".hlo.pb", ".txt", ".pbtxt", ".pb", ".hlo", ".dot", ".html", ".svg", ".mlir"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

// `rest` may be an ending alone: "ptx".
DumpRole roleOf(std::string_view rest) {
  const std::string dotted = fmt::format(".{}", rest);
  for (const RoleRow& row : roleRows()) {
    const auto holds = [&](std::string_view part) { return rest.find(part) != rest.npos; };
    const auto ends = [&](std::string_view ending) { return dotted.ends_with(ending); };
    if (std::ranges::any_of(row.parts, holds) || std::ranges::any_of(row.endings, ends)) return row.role;
  }
  return DumpRole::Other;
}

// Of a kernel's code its name; of a stage what it is called.
std::string subjectOf(std::string_view rest, DumpRole role) {
  if (role == DumpRole::Stage) return std::string(withoutEnding(rest));
  if (role != DumpRole::LlvmIr && role != DumpRole::Ptx && role != DumpRole::MachineCode) return {};
  for (std::string_view mark : {".ir-no-opt", ".ir-with-opt", ".ptx", ".ll", ".bc", ".obj-file", ".cubin", ".hsaco"})
    if (const size_t at = rest.find(mark); at != rest.npos) return std::string(rest.substr(0, at));
  return std::string(rest.substr(0, rest.rfind('.')));
}

// "0005.PIPELINE.after_A.before_B", or "0023.PASS.after_STEP".
std::optional<DumpPass> passOf(std::string_view rest) {
  const size_t digits = digitsAt(rest);
  if (digits < 4 || digits > 9 || digits >= rest.size() || rest[digits] != '.') return std::nullopt;
  DumpPass out{.number = std::stoll(std::string(rest.substr(0, digits)))};
  rest = withoutEnding(rest.substr(digits + 1));
  const size_t after = rest.find(".after_");
  out.pipeline = rest.substr(0, after);
  if (after == rest.npos) return out;
  rest.remove_prefix(after + std::string_view(".after_").size());
  const size_t before = rest.find(".before_");
  out.after = rest.substr(0, before);
  if (before != rest.npos) out.before = rest.substr(before + std::string_view(".before_").size());
  return out;
}

void addPass(DumpModule& module, DumpPass pass, const std::string& file) {
  const auto same = [&](const DumpPass& other) {
    return other.number == pass.number && other.pipeline == pass.pipeline && other.after == pass.after &&
           other.before == pass.before;
  };
  auto found = std::ranges::find_if(module.passes, same);
  if (found == module.passes.end()) found = module.passes.insert(found, std::move(pass));
  found->files.push_back(file);
}

void addFile(DumpModule& module, const SplitName& split) {
  std::string_view rest = uncompressed(split.rest());
  if (!module.name.empty()) rest.remove_prefix(std::min(rest.size(), module.name.size() + 1));
  if (auto pass = passOf(rest)) {
    module.files.push_back({split.file, DumpRole::Pass, {}, split.bytes});
    return addPass(module, *std::move(pass), split.file);
  }
  const DumpRole role = roleOf(rest);
  module.files.push_back({split.file, role, subjectOf(rest, role), split.bytes});
}

std::string rangeText(int64_t first, int64_t last) {
  return first == last ? fmt::format("pass {:04} is missing", first)
                       : fmt::format("passes {:04} to {:04} are missing", first, last);
}

void sortPasses(DumpModule& module, std::vector<std::string>& warnings) {
  sortBy(module.passes, &DumpPass::number);
  const std::string where = fmt::format("module_{:04} {}: ", module.id, module.name);
  int64_t expected = 0;
  for (const DumpPass& pass : module.passes) {
    if (pass.number > expected) warnings.push_back(where + rangeText(expected, pass.number - 1));
    if (pass.number < expected)
      warnings.push_back(where + fmt::format("pass {:04} is there twice: two runs wrote into the folder", pass.number));
    expected = pass.number + 1;
  }
}

void warnOfStages(const DumpModule& module, std::vector<std::string>& warnings) {
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(module.files, [&](const DumpFile& file) {
      return file.role == DumpRole::Stage && file.subject.find(word) != std::string::npos;
    });
  };
  const std::string where = fmt::format("module_{:04} {}: ", module.id, module.name);
  if (!has("before_optimizations")) warnings.push_back(where + "the module before optimizations is missing");
  if (!has("after_optimizations") && !has("after_codegen"))
    warnings.push_back(where + "the module after optimizations is missing: was it compiled to the end?");
}

std::set<std::string> namesIn(const std::vector<SplitName>& files) {
  std::set<std::string> out;
  for (const SplitName& file : files)
    if (auto name = nameToldBy(file.rest()); name && !name->empty()) out.insert(*std::move(name));
  return out;
}

// Files of one prefix and id.
void addModules(DumpFolder& folder, const std::vector<SplitName>& files) {
  const std::set<std::string> known = namesIn(files);
  std::map<std::string, DumpModule> byName;
  for (const SplitName& file : files) {
    const std::string name = nameFor(file.rest(), known);
    DumpModule& module = byName[name];
    module.id = file.id;
    module.prefix = file.prefix;
    module.name = name;
    addFile(module, file);
  }
  for (auto& [name, module] : byName) {
    sortPasses(module, folder.warnings);
    warnOfStages(module, folder.warnings);
    folder.modules.push_back(std::move(module));
  }
}

using FilesOfIds = std::map<std::pair<std::string, int64_t>, std::vector<SplitName>>;

FilesOfIds sortedByName(FilesOfIds files) {
  for (auto& [key, list] : files) sortBy(list, &SplitName::file);
  return files;
}

}  // namespace

Result<DumpFolder> readDumpFolder(const std::filesystem::path& path) {
  const auto failed = [&](std::string reason) {
    return fail({.kind = ErrorKind::Input, .message = "cannot be read: " + reason, .file = path.string()});
  };
  std::error_code error;
  DumpFolder out;
  FilesOfIds files;
  if (!std::filesystem::is_directory(path, error)) return failed(error ? error.message() : "it is no directory");
  for (auto at = std::filesystem::directory_iterator(path, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code odd;
    const std::string name = at->path().filename().string();
    if (at->is_symlink(odd)) out.warnings.push_back(name + " is a symbolic link and left out: it may lead anywhere");
    if (at->is_symlink(odd) || !at->is_regular_file(odd)) continue;
    ++out.files;
    if (auto split = splitName(name, at->file_size(odd)))
      files[{split->prefix, split->id}].push_back(*std::move(split));
    else
      out.others.push_back(name);
  }
  if (error) return failed(error.message());
  std::ranges::sort(out.others);
  std::ranges::sort(out.warnings);
  for (const auto& [key, list] : sortedByName(std::move(files))) addModules(out, list);
  return out;
}

bool isDumpFolder(const std::filesystem::path& path) {
  std::error_code error;
  constexpr int kLooked = 2000;
  int left = kLooked;
  for (auto at = std::filesystem::directory_iterator(path, error);
       !error && at != std::filesystem::directory_iterator() && --left > 0; at.increment(error))
    if (splitName(at->path().filename().string(), 0)) return true;
  return false;
}

std::string_view nameOf(DumpRole role) { return std::ranges::find(roleRows(), role, &RoleRow::role)->key; }

}  // namespace tessera
