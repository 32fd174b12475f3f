// See matching.h. A program id counts within one file: two processes number their programs again. So each file is
// matched with its own modules, and equal modules (by their normalized bytes) of several files are one.
#include "core/profile/sources/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/sha256.h"
#include "core/base/sorting.h"
#include "core/formats/protobuf.h"
#include "core/ops/inference/infer.h"
#include "core/profile/device_peaks.h"
#include "core/profile/sources/instruction_index.h"
#include "core/profile/sources/recorded_timeline.h"
#include "core/profile/sources/time_stats.h"

namespace tessera {
namespace {

// A module of the profiles with the times of its instructions.
struct MatchedModule {
  std::string name;
  std::optional<uint64_t> program;
  std::unique_ptr<InstructionIndex> index;  // null: only the events' names are known
  std::shared_ptr<const Module> module;
  struct Row {
    TimeSamples times;
    double flops = 0, bytes = 0;  // as the profiler says
  };
  std::map<std::string, Row> rows;                     // by instruction name
  std::unordered_map<std::string, InstructionId> ids;  // of the rows
};

class Matcher {
 public:
  explicit Matcher(std::shared_ptr<const Module> given);
  void add(Recorded recorded);
  OpProfile finish();

 private:
  struct Choice {
    MatchedModule* module = nullptr;
    std::string reason;
  };
  MatchedModule* moduleOf(const RecordedModule& recorded);
  MatchedModule& namesOnly(const RecordedTime& time);
  Choice moduleFor(const RecordedTime& time, const Recorded& file);
  void findGivenPrograms(const Recorded& file);
  Choice givenFor(const RecordedTime& time) const;
  std::string whyAnotherVersions(const InstructionIndex::Found& found) const;
  void addInstruction(const RecordedTime& time, const Recorded& file);
  void addDevice(const RecordedTime& time, const Recorded& file);
  bool placedByKernel(const RecordedTime& time, const Recorded& file, std::string& reason);
  bool placed(MatchedModule& module, const InstructionIndex::Found& found, const RecordedTime& time);
  void lose(const RecordedTime& time, const std::string& reason);
  void addSteps(const Recorded& file);
  size_t mostExecutions() const;
  void note(std::vector<std::string>& list, const std::string& name);
  void finishRows(MatchedModule& module);
  void finishSums();
  void warnOfWhatIsLacking();

  std::shared_ptr<const Module> given_;
  std::set<uint64_t> otherPrograms_;            // of the file, of the given module's name and of other instructions
  std::vector<const MatchedModule*> versions_;  // of the file: modules of that name, where none is the given one
  bool isNamedOnly_ = true;                     // the file holds no module of that name
  std::set<std::string> foreignNames_;          // of the given module by name, and not in it
  std::map<std::string, std::unique_ptr<MatchedModule>> modules_;  // by hash of the bytes, or by name
  std::map<std::pair<std::string, std::string>, std::pair<TimeSamples, std::string>> lost_, host_;  // by name, reason
  std::map<std::string, TimeSamples> givenNames_;
  std::set<std::string> otherModules_;
  bool isCut_ = false;
  std::set<std::pair<std::string, int64_t>> steps_;
  std::map<const MatchedModule*, std::map<std::string, size_t>> executions_;  // by run, on the host of most
  TimeSamples stepTimes_;
  OpProfile out_;
};

std::unique_ptr<MatchedModule> matchedModule(std::string name, std::optional<uint64_t> program,
                                             std::shared_ptr<const Module> module) {
  auto out = std::make_unique<MatchedModule>();
  out->name = std::move(name);
  out->program = program;
  if (module) out->index = std::make_unique<InstructionIndex>(module);
  out->module = std::move(module);
  return out;
}

Matcher::Matcher(std::shared_ptr<const Module> given) : given_(std::move(given)) {
  if (!given_) return;
  modules_["given"] = matchedModule(given_->name, std::nullopt, given_);
}

// Null where the bytes are no module; read once, however many hosts hold them.
MatchedModule* Matcher::moduleOf(const RecordedModule& recorded) {
  auto& slot = modules_[recorded.hash];
  if (slot) return slot.get();
  ProtoContent read = readProto(recorded.proto, recorded.name);
  std::shared_ptr<const Module> module;
  if (read.module) {
    inferModule(*read.module);
    module = std::make_shared<const Module>(*std::move(read.module));
  } else {
    out_.warnings.push_back(fmt::format("the module {} inside the profile does not read", recorded.name));
  }
  slot = matchedModule(recorded.name, recorded.program, module);
  return slot.get();
}

MatchedModule& Matcher::namesOnly(const RecordedTime& time) {
  auto& slot = modules_["name " + time.module];
  if (!slot) slot = matchedModule(time.module, time.program, nullptr);
  return *slot;
}

// A function that was traced twice is two modules of one name. Where none of them is the given one, that may be another
// stage or version of them: it takes the times of what it has in common with them.
void Matcher::findGivenPrograms(const Recorded& file) {
  otherPrograms_.clear();
  versions_.clear();
  isNamedOnly_ = true;
  bool found = false;
  for (const RecordedModule& recorded : file.modules) {
    if (!given_ || recorded.name != given_->name) continue;
    const MatchedModule* named = moduleOf(recorded);
    if (!named->module) continue;
    isNamedOnly_ = false;
    const bool same = haveSameInstructions(*named->module, *given_);
    found |= same;
    versions_.push_back(named);
    std::optional<uint64_t>& ofGiven = modules_.at("given")->program;
    if (same && !ofGiven) ofGiven = recorded.program;
    if (!same && recorded.program) otherPrograms_.insert(*recorded.program);
  }
  if (found) return versions_.clear();
  otherPrograms_.clear();
  if (versions_.empty()) return;
  const std::string which =  // said once, however many files there are
      versions_.size() == 1
          ? fmt::format("the module {} of the profile is not the given one, though it has its name", given_->name)
          : fmt::format("none of the {} modules {} is the given one", versions_.size(), given_->name);
  note(out_.warnings, which + ": times are laid on what is the same instruction in both");
}

// "": one of them has the same instruction, or none has one of that name.
std::string Matcher::whyAnotherVersions(const InstructionIndex::Found& found) const {
  if (versions_.empty() || !found.id.valid()) return {};
  const Instruction& here = given_->at(found.id);
  const auto formOf = [](const Instruction& one) {
    return fmt::format("{} {}", nameOf(one.opcode), toString(*one.shape, false));
  };
  std::string out;
  for (const MatchedModule* version : versions_) {
    const InstructionId id = version->index->find(here.name).id;
    if (!id.valid()) continue;
    const Instruction& there = version->module->at(id);
    if (there.opcode == here.opcode && sameIgnoringLayout(*there.shape, *here.shape)) return {};
    out = fmt::format("it is {} in the profile's module, and {} in the given one", formOf(there), formOf(here));
  }
  return out;
}

Matcher::Choice Matcher::givenFor(const RecordedTime& time) const {
  MatchedModule* given = modules_.at("given").get();
  if (time.program && otherPrograms_.contains(*time.program))
    return {nullptr, fmt::format("it is of another module that is called {}", given_->name)};
  if (time.module.empty() || time.module == given_->name) return {given, {}};
  return {nullptr, fmt::format("it is of the module {}, and {} is given", time.module, given_->name)};
}

Matcher::Choice Matcher::moduleFor(const RecordedTime& time, const Recorded& file) {
  if (given_) return givenFor(time);
  std::vector<const RecordedModule*> byProgram, byName;
  for (const RecordedModule& module : file.modules) {
    const bool sameName = time.module.empty() || module.name == time.module;
    if (sameName && time.program && module.program == time.program) byProgram.push_back(&module);
    if (sameName && (!time.module.empty() || file.modules.size() == 1)) byName.push_back(&module);
  }
  const auto& found = byProgram.empty() ? byName : byProgram;
  const auto isFirst = [&](const RecordedModule* module) { return module->hash == found[0]->hash; };
  if (!found.empty() && std::ranges::all_of(found, isFirst)) return {moduleOf(*found[0]), {}};
  if (found.size() > 1)
    return {nullptr, fmt::format("{} modules are called {}, and the event does not say which program it is of",
                                 found.size(), time.module)};
  return {&namesOnly(time), {}};
}

void Matcher::lose(const RecordedTime& time, const std::string& reason) {
  auto& [times, where] = lost_[{time.name, reason}];
  times.add(time.times);
  if (where.empty()) where = time.where;
}

bool Matcher::placed(MatchedModule& module, const InstructionIndex::Found& found, const RecordedTime& time) {
  if (!found.reason.empty()) return false;
  const std::string name(module.module->at(found.id).name);
  MatchedModule::Row& row = module.rows[name];
  row.times.add(time.times);
  row.flops += time.flops;
  row.bytes += time.bytes;
  module.ids[name] = found.id;
  return true;
}

void Matcher::addInstruction(const RecordedTime& time, const Recorded& file) {
  if (!time.module.empty()) otherModules_.insert(time.module);
  const Choice choice = moduleFor(time, file);
  if (!choice.module) return lose(time, choice.reason);
  MatchedModule& module = *choice.module;
  if (!module.index) {
    MatchedModule::Row& row = module.rows[time.name];
    row.times.add(time.times);
    row.flops += time.flops;
    row.bytes += time.bytes;
    return;
  }
  auto found = module.index->find(time.name);
  if (const std::string why = whyAnotherVersions(found); !why.empty()) found = {{}, why};
  if (placed(module, found, time)) return;
  lose(time, found.reason);
  if (given_ && isNamedOnly_ && time.module == given_->name && !found.id.valid()) foreignNames_.insert(time.name);
}

// A kernel or event that names no instruction: its own name may be one's, of the given module or of one that the file
// holds.
void Matcher::addDevice(const RecordedTime& time, const Recorded& file) {
  std::string reason = "the event names no instruction";
  if (!placedByKernel(time, file, reason)) lose(time, reason);
}

bool Matcher::placedByKernel(const RecordedTime& time, const Recorded& file, std::string& reason) {
  std::map<MatchedModule*, InstructionIndex::Found> found;
  const auto look = [&](MatchedModule* module) {
    if (!module || !module->index) return;
    for (const auto& each : {module->index->find(time.name), module->index->findKernel(time.name)})
      if (each.reason.empty()) found.try_emplace(module, each);
  };
  if (given_)
    look(modules_.at("given").get());
  else if (const Choice choice = moduleFor(time, file); choice.module && !time.module.empty())
    look(choice.module);
  else
    for (const RecordedModule& module : file.modules) look(moduleOf(module));
  if (found.size() == 1) return placed(*found.begin()->first, found.begin()->second, time);
  if (found.size() > 1)
    reason =
        fmt::format("the event names no instruction, and {} modules of the profile have such a kernel", found.size());
  return false;
}

void Matcher::note(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::ranges::find(list, name) == list.end()) list.push_back(name);
}

void Matcher::addSteps(const Recorded& file) {
  for (int64_t step : file.steps) steps_.insert({file.run, step});
  stepTimes_.add(file.stepTimes);
  for (const auto& [module, runs] : file.runsOf) {
    RecordedTime any;
    any.module = module.first;
    any.program = module.second;
    size_t& executions = executions_[moduleFor(any, file).module][file.run];
    executions = std::max(executions, runs.size());
  }
}

// The table knows each type's peak; a profile, that of the matrix unit.
std::shared_ptr<const DevicePeaks> peaksOf(const RecordedDevice& device) {
  if (device.name.empty()) return nullptr;
  if (const DevicePeaks* known = findRecordedDevice(device.name)) return std::make_shared<const DevicePeaks>(*known);
  if (!(device.flopsPerSecond > 0 && device.bytesPerSecond > 0)) return nullptr;
  return std::make_shared<const DevicePeaks>(DevicePeaks{.name = device.name,
                                                         .flopsPerSecond = {{"bf16", device.flopsPerSecond}},
                                                         .bytesPerSecond = device.bytesPerSecond,
                                                         .source = "as the profile says"});
}

void Matcher::add(Recorded file) {
  out_.format = file.format;
  isCut_ |= file.isCut;
  if (!out_.device) out_.device = peaksOf(file.device);
  findGivenPrograms(file);
  note(out_.hosts, file.host);
  note(out_.runs, file.run);
  for (const std::string& warning : file.warnings)
    out_.warnings.push_back(file.host.empty() ? warning : file.host + ": " + warning);
  for (const RecordedTime& time : file.times) {
    if (time.kind != TimeKind::Host) note(out_.devices, time.where);
    if (time.kind == TimeKind::Instruction) addInstruction(time, file);
    if (time.kind == TimeKind::Device) addDevice(time, file);
    if (time.kind != TimeKind::Host) continue;
    auto& [times, where] = host_[{time.name, {}}];
    times.add(time.times);
    where = time.where;
  }
  addSteps(file);
}

void Matcher::finishRows(MatchedModule& module) {
  std::unordered_set<InstructionId> timed;
  for (const auto& [name, id] : module.ids) timed.insert(id);
  for (auto& [name, row] : module.rows) {
    InstructionTime out{.name = name, .module = module.name};
    if (module.index) {
      const InstructionId id = module.ids.at(name);
      out = module.index->describe(id);
      const Cost cost = module.index->costOf(id, timed);
      out.flops = (cost.flops + cost.transcendentals) * static_cast<double>(row.times.count);
      out.bytes = cost.bytesAccessed * static_cast<double>(row.times.count);
    }
    if (out.flops == 0 && out.bytes == 0) out.flops = row.flops, out.bytes = row.bytes;
    out.program = module.program;
    out.times = statsOf(std::move(row.times));
    out_.instructions.push_back(std::move(out));
  }
  out_.modules.push_back({module.module ? module.module->name : module.name, module.program, module.module});
}

std::vector<LostTime> lostRows(std::map<std::pair<std::string, std::string>, std::pair<TimeSamples, std::string>> rows,
                               int64_t TimeStats::*by) {
  std::vector<LostTime> out;
  for (auto& [key, value] : rows)
    out.push_back({key.first, key.second, std::move(value.second), statsOf(std::move(value.first)), 0});
  sortDescending(out, [by](const LostTime& row) { return row.times.*by; });
  return out;
}

void Matcher::finishSums() {
  for (const InstructionTime& row : out_.instructions) {
    out_.placedNs = saturatingAdd(out_.placedNs, row.times.totalNs);
    out_.selfNs = saturatingAdd(out_.selfNs, row.times.selfNs);
  }
  for (const LostTime& row : out_.unmatched) {
    out_.unmatchedNs = saturatingAdd(out_.unmatchedNs, row.times.totalNs);
    out_.selfNs = saturatingAdd(out_.selfNs, row.times.selfNs);
  }
  out_.totalNs = saturatingAdd(out_.placedNs, out_.unmatchedNs);
}

void Matcher::warnOfWhatIsLacking() {
  if (out_.instructions.empty() && out_.unmatched.empty() && !out_.host.empty() && !isCut_)
    out_.warnings.push_back("no event names an instruction or is a device's work: only the host was recorded");
  if (!foreignNames_.empty() && !out_.instructions.empty())
    out_.warnings.push_back(
        fmt::format("{} of the {} instructions that the profile names of {} are not in the given module: it is of "
                    "another version, and names that both have may be other instructions",
                    foreignNames_.size(), foreignNames_.size() + out_.instructions.size(), given_->name));
  if (!given_ || !out_.instructions.empty() || out_.unmatched.empty()) return;
  std::string names;
  for (const std::string& name : otherModules_)
    if (name != given_->name) names += (names.empty() ? "" : ", ") + name;
  out_.warnings.push_back(fmt::format("nothing of the profile lands on the module {}{}", given_->name,
                                      names.empty() ? "" : ": its events are of " + names));
}

// Of one module over all runs: what ran less often is a part of some steps, or the step of another run.
size_t Matcher::mostExecutions() const {
  size_t most = 0;
  for (const auto& [module, byRun] : executions_) {
    size_t all = 0;
    for (const auto& [run, count] : byRun) all += count;
    most = std::max(most, all);
  }
  return most;
}

OpProfile Matcher::finish() {
  for (auto& [key, module] : modules_)
    if (!module->rows.empty() || key == "given") finishRows(*module);
  sortDescending(out_.instructions, [](const InstructionTime& row) { return row.times.selfNs; });
  out_.unmatched = lostRows(std::move(lost_), &TimeStats::totalNs);
  out_.host = lostRows(std::move(host_), &TimeStats::selfNs);
  out_.steps = static_cast<int64_t>(steps_.empty() ? mostExecutions() : steps_.size());
  out_.stepTimes = statsOf(std::move(stepTimes_));
  finishSums();
  warnOfWhatIsLacking();
  return std::move(out_);
}

// Profilers write the maps of a module in any order. Where all modules of a name have the same bytes, they stay.
void identifyModules(std::vector<Recorded>& files) {
  std::map<std::string_view, std::vector<RecordedModule*>> named;
  for (Recorded& file : files)
    for (RecordedModule& module : file.modules) named[module.name].push_back(&module);
  for (auto& [name, modules] : named) {
    const auto isFirst = [&](const RecordedModule* module) { return module->proto == modules[0]->proto; };
    const bool differ = !std::ranges::all_of(modules, isFirst);
    for (RecordedModule* module : modules) {
      if (differ) module->proto = normalizedProto(std::move(module->proto));
      module->hash = sha256Text(module->proto);
    }
  }
}

}  // namespace

OpProfile matchProfiles(std::vector<Recorded> recorded, std::shared_ptr<const Module> given) {
  identifyModules(recorded);
  Matcher matcher(std::move(given));
  std::shared_ptr<Timeline> timeline = recordedTimeline(recorded);
  for (Recorded& file : recorded) matcher.add(std::move(file));
  OpProfile out = matcher.finish();
  out.timeline = std::move(timeline);
  return out;
}

}  // namespace tessera
