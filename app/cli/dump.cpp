// tessera dump DIR: what is in a folder that XLA dumped into: modules, their passes in order, and which file is what.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/command.h"
#include "core/formats/dump_folder.h"

namespace tessera::cli {
namespace {

constexpr DumpRole kRoles[] = {
    DumpRole::Stage,    DumpRole::BufferAssignment, DumpRole::LiveRange, DumpRole::MemoryReport, DumpRole::LlvmIr,
    DumpRole::Ptx,      DumpRole::MachineCode,      DumpRole::Mlir,      DumpRole::Thunks,       DumpRole::DebugOptions,
    DumpRole::Snapshot, DumpRole::Drawing,          DumpRole::Other};

nlohmann::ordered_json passJson(const DumpPass& pass) {
  return {{"number", pass.number},
          {"pipeline", pass.pipeline},
          {"after", pass.after},
          {"before", pass.before},
          {"files", pass.files}};
}

// Files of one role that belong together: the forms of a moment, the code of a kernel.
std::map<std::string, std::vector<std::string>> bySubject(const DumpModule& module, auto isWanted) {
  std::map<std::string, std::vector<std::string>> out;
  for (const DumpFile& file : module.files)
    if (isWanted(file.role) && !file.subject.empty()) out[file.subject].push_back(file.name);
  return out;
}

bool isCode(DumpRole role) {
  return role == DumpRole::LlvmIr || role == DumpRole::Ptx || role == DumpRole::MachineCode;
}

bool isStage(DumpRole role) { return role == DumpRole::Stage; }

nlohmann::ordered_json subjectsJson(const std::map<std::string, std::vector<std::string>>& subjects) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& [name, files] : subjects) out.push_back({{"name", name}, {"files", files}});
  return out;
}

nlohmann::ordered_json dumpModuleJson(const DumpModule& module) {
  nlohmann::ordered_json out = {{"id", module.id}, {"name", module.name}, {"files", module.files.size()}};
  if (!module.prefix.empty()) out["prefix"] = module.prefix;
  out["passes"] = nlohmann::ordered_json::array();
  for (const DumpPass& pass : module.passes) out["passes"].push_back(passJson(pass));
  for (DumpRole role : kRoles) {
    nlohmann::ordered_json& list = out[std::string(nameOf(role))] = nlohmann::ordered_json::array();
    for (const DumpFile& file : module.files)
      if (file.role == role) list.push_back(file.name);
  }
  out["stages"] = subjectsJson(bySubject(module, isStage));
  out["kernels"] = subjectsJson(bySubject(module, isCode));
  return out;
}

void tellPasses(const DumpModule& module, Report& report) {
  for (const DumpPass& pass : module.passes) {
    const std::string before = pass.before.empty() ? "" : ", before " + pass.before;
    report.line(fmt::format("  {:04}  {}: after {}{}", pass.number, pass.pipeline, pass.after, before));
  }
}

void tellDumpModule(const DumpModule& module, Report& report) {
  report.line(fmt::format("module_{:04} {}: {} passes, {} files", module.id, module.name, module.passes.size(),
                          module.files.size()));
  tellPasses(module, report);
  for (DumpRole role : kRoles) {
    const auto isOfRole = [&](const DumpFile& file) { return file.role == role; };
    if (std::ranges::none_of(module.files, isOfRole)) continue;
    std::string words(nameOf(role));
    std::ranges::replace(words, '_', ' ');
    report.line("  " + words + ":");
    for (const DumpFile& file : module.files)
      if (isOfRole(file)) report.line(fmt::format("    {} ({} bytes)", file.name, file.bytes));
  }
}

void tellDump(const DumpFolder& folder, const std::string& path, Report& report) {
  report.object["folder"] = path;
  report.object["files"] = folder.files;
  report.object["modules"] = nlohmann::ordered_json::array();
  for (const DumpModule& module : folder.modules) {
    report.object["modules"].push_back(dumpModuleJson(module));
    tellDumpModule(module, report);
  }
  report.object["other_files"] = folder.others;
  report.object["warnings"] = folder.warnings;
  if (!folder.others.empty()) report.line(fmt::format("{} files of no module", folder.others.size()));
  for (const std::string& warning : folder.warnings)
    report.failure({.severity = Severity::Warning, .message = warning, .file = path});
  if (folder.modules.empty())
    report.failure({.kind = ErrorKind::Input,
                    .message = "holds no dump of a module",
                    .expected = "files module_0000.NAME.… as --xla_dump_to writes them",
                    .found = fmt::format("{} other files", folder.others.size()),
                    .file = path});
}

}  // namespace

void addDump(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("dump", "List the modules, passes and files of a folder that XLA dumped into");
  auto path = std::make_shared<std::string>();
  command->add_option("DIR", *path, "The folder of --xla_dump_to or of `tessera opt --dump`")->required();
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Files are told by their names; none is read.\nExample: tessera dump dump_folder");
  command->callback([path, &report] {
    const auto folder = readDumpFolder(*path);
    if (!folder) return report.failure(folder.error());
    tellDump(*folder, *path, report);
  });
}

}  // namespace tessera::cli
