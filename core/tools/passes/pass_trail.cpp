// See pass_trail.h. The modules of our own pipeline share what did not change; of those of a folder the last few stay.
#include "core/tools/passes/pass_trail.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/sorting.h"
#include "core/cost/cost.h"
#include "core/formats/module_file.h"
#include "core/ops/inference/infer.h"
#include "core/tools/find_instruction.h"
#include "core/tools/passes/pass_run.h"

namespace tessera {
namespace {

constexpr size_t kKeptInstructions = 2'000'000;

Diagnostic firstErrorOf(const ReadResult& read, const std::filesystem::path& path) {
  for (const Diagnostic& each : read.diagnostics.items())
    if (each.severity == Severity::Error) return each;
  return {.kind = ErrorKind::Input, .message = "holds no module", .file = path.string()};
}

std::string numberOf(const DumpModule& module) { return fmt::format("module_{:04}", module.id); }
std::string labelOf(const DumpModule& module) { return numberOf(module) + "." + module.name; }

bool isNamed(const DumpModule& module, std::string_view wanted) {
  return wanted == module.name || wanted == std::to_string(module.id) || wanted == numberOf(module) ||
         wanted == labelOf(module) || std::ranges::find(module.files, wanted, &DumpFile::name) != module.files.end();
}

Result<const DumpModule*> chooseModule(const DumpFolder& folder, std::string_view wanted,
                                       const std::filesystem::path& path) {
  if (folder.modules.empty())
    return fail({.kind = ErrorKind::Input,
                 .message = "holds no dump of a module",
                 .expected = "files module_0000.NAME.… as --xla_dump_to writes them",
                 .file = path.string()});
  std::vector<std::string> labels;
  for (const DumpModule& module : folder.modules) labels.push_back(labelOf(module));
  if (wanted.empty())
    return &*std::ranges::max_element(folder.modules, {}, [](const DumpModule& one) { return one.passes.size(); });
  const auto isIt = [&](const DumpModule& module) { return isNamed(module, wanted); };
  const auto count = std::ranges::count_if(folder.modules, isIt);
  if (count == 1) return &*std::ranges::find_if(folder.modules, isIt);
  return fail(ErrorKind::Usage, fmt::format("{} of its modules is named {}: it has {}", count == 0 ? "none" : "not one",
                                            wanted, fmt::join(labels, ", ")));
}

// The text first: it is what a person reads beside it.
void sortForms(std::vector<std::string>& files) {
  std::erase_if(files,
                [](const std::string& name) { return name.find(".html") != name.npos || name.ends_with(".dot"); });
  sortDescending(files, [](const std::string& name) { return name.find(".txt") != name.npos; });
}

// before_optimizations, then the others.
std::vector<PassMoment> stagesOf(const DumpModule& module) {
  std::vector<PassMoment> out;
  for (const bool first : {true, false})
    for (const DumpFile& file : module.files) {
      if (file.role != DumpRole::Stage || (file.subject.find("before_optimizations") == std::string::npos) == first)
        continue;
      if (out.empty() || out.back().pass != file.subject)
        out.push_back({static_cast<int64_t>(out.size()), "stage", file.subject, {}});
      out.back().files.push_back(file.name);
    }
  return out;
}

std::vector<PassMoment> momentsOf(const DumpModule& module) {
  std::vector<PassMoment> out;
  for (const DumpPass& pass : module.passes)
    out.push_back({pass.number, pass.pipeline, pass.after == "pipeline-start" ? "" : pass.after, pass.files});
  if (out.empty()) out = stagesOf(module);
  for (PassMoment& moment : out) sortForms(moment.files);
  std::erase_if(out, [](const PassMoment& moment) { return moment.files.empty(); });
  return out;
}

}  // namespace

std::string PassMoment::title() const {
  return fmt::format("{:04} {}: {}", number, pipeline, pass.empty() ? "start" : pass);
}

Result<PassTrail> PassTrail::ofFolder(const std::filesystem::path& folder, std::string_view wanted) {
  TESSERA_ASSIGN_OR_RETURN(const DumpFolder found, readDumpFolder(folder));
  TESSERA_ASSIGN_OR_RETURN(const DumpModule* module, chooseModule(found, wanted, folder));
  PassTrail out;
  out.folder_ = folder;
  out.name_ = module->name;
  out.moments_ = momentsOf(*module);
  for (const DumpModule& other : found.modules)
    if (&other != module) out.otherModules_.push_back(labelOf(other));
  const std::string where = fmt::format("{} {}: ", numberOf(*module), module->name);
  for (const std::string& warning : found.warnings)
    if (warning.starts_with(where)) out.warnings_.push_back(warning);
  if (out.moments_.empty())
    return fail({.kind = ErrorKind::Input,
                 .message = fmt::format("has no module of {} between passes", module->name),
                 .expected = "a dump with --xla_dump_hlo_pass_re=.*",
                 .file = folder.string()});
  out.modules_.resize(out.moments_.size());
  out.changes_.resize(out.moments_.size());
  return out;
}

PassTrail PassTrail::ofStart(const Module& source) {
  PassTrail out;
  out.name_ = source.name;
  out.moments_.push_back({0, "optimize", "", {}});
  out.modules_.push_back(std::make_shared<const Module>(derive(source)));
  out.changes_.resize(1);
  return out;
}

Result<PassTrail> PassTrail::ofPipeline(const Module& source, const std::vector<std::string>& passes,
                                        const std::atomic<bool>* cancel) {
  TESSERA_ASSIGN_OR_RETURN(const auto chosen, choosePasses(passes));
  PassTrail out = ofStart(source);
  const auto observe = [&](const PassStep& step, const Module& now) -> Status {
    out.moments_.push_back({static_cast<int64_t>(out.moments_.size()), "optimize", std::string(step.pass->name), {}});
    out.modules_.push_back(std::make_shared<const Module>(now));
    if (cancel && cancel->load()) return failCancelled();
    return {};
  };
  TESSERA_ASSIGN_OR_RETURN(const Module last, runPasses(source, chosen, observe));
  out.changes_.resize(out.moments_.size());
  return out;
}

Result<PassTrail::ModulePtr> PassTrail::read(size_t moment) const {
  Diagnostic first{.kind = ErrorKind::Input, .message = "holds no module"};
  for (const std::string& file : moments_[moment].files) {
    ReadResult read = readModule(folder_ / file);
    if (read.module && !read.diagnostics.hasErrors()) {
      inferModule(*read.module);
      return std::make_shared<const Module>(std::move(*read.module));
    }
    if (file == moments_[moment].files.front()) first = firstErrorOf(read, folder_ / file);
  }
  return fail(std::move(first));
}

Result<PassTrail::ModulePtr> PassTrail::moduleAt(size_t moment) {
  if (modules_[moment]) return modules_[moment];
  TESSERA_ASSIGN_OR_RETURN(modules_[moment], read(moment));
  kept_.push_back(moment);
  size_t sum = 0;
  for (size_t each : kept_) sum += modules_[each]->instructionCount();
  while (sum > kKeptInstructions && kept_.size() > 2) {
    sum -= modules_[kept_.front()]->instructionCount();
    modules_[kept_.front()].reset();
    kept_.pop_front();
  }
  return modules_[moment];
}

Result<size_t> PassTrail::momentBefore(size_t moment) {
  for (size_t at = moment; at-- > 0;)
    if (moduleAt(at)) return at;
  return fail({.kind = ErrorKind::Input, .message = "no moment before it can be read", .file = folder_.string()});
}

Result<std::shared_ptr<const PassChanges>> PassTrail::changesTo(size_t moment) {
  if (changes_[moment]) return changes_[moment];
  TESSERA_ASSIGN_OR_RETURN(const ModulePtr after, moduleAt(moment));
  const auto from = momentBefore(moment);
  auto out = std::make_shared<PassChanges>();
  if (from) {
    TESSERA_ASSIGN_OR_RETURN(const ModulePtr before, moduleAt(*from));
    *out = passChanges(*before, *after, folder_.empty() ? SameIds::Yes : SameIds::No);
  } else {
    out->toBefore.resize(after->instructionSlots());
  }
  return changes_[moment] = std::move(out);
}

Result<PassCost> PassTrail::costAt(size_t moment) {
  TESSERA_ASSIGN_OR_RETURN(const ModulePtr module, moduleAt(moment));
  const Cost cost = costOf(*module);
  return PassCost{module->instructionCount(), cost.flops, cost.bytesAccessed, peakMemory(*module)};
}

}  // namespace tessera
