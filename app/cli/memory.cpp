// tessera memory FILE: which bytes live when, what lives at the peak, and which edits lower it.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/one_partition.h"
#include "backends/run_request.h"
#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/evaluate/compare.h"
#include "core/formats/module_file.h"
#include "core/hlo/source_frames.h"
#include "core/memory/memory_edits.h"
#include "core/memory/xla_buffers.h"
#include "core/passes/pipeline.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MemoryArguments {
  std::string file, assignment, apply, out;
  bool optimized = false, byPadding = false, check = false;
  size_t top = 20;
  int64_t partitions = 0;
};

std::string readable(int64_t bytes) { return bytesText(static_cast<double>(bytes)); }

std::string textOf(const SourceFrame& frame) { return fmt::format("{}:{}", frame.file, frame.line); }

Json placeOfInstruction(const Module& module, const UserTable& users, InstructionId id) {
  const Instruction& instruction = module.at(id);
  Json out{{"name", instruction.name},
           {"computation", module.at(instruction.computation).name},
           {"opcode", instruction.opcodeName()}};
  const std::vector<SourceFrame> frames = framesNear(module, users, id);
  if (!frames.empty()) out["source"] = textOf(frames[0]);
  if (const SourceFrame* own = ownFrame(frames); own && own != frames.data()) out["called_from"] = textOf(*own);
  return out;
}

const Shape& shapeOfBuffer(const MemoryReport& report, const MemoryBuffer& buffer) {
  return *leavesOf(report.module.shapeOf(buffer.instruction))[buffer.leaf].shape;
}

Json toJson(const MemoryReport& report, const UserTable& users, const MemoryBuffer& buffer) {
  Json out = placeOfInstruction(report.module, users, buffer.instruction);
  out["leaf"] = buffer.leaf;
  out["shape"] = toString(shapeOfBuffer(report, buffer));
  out["kind"] = nameOf(buffer.kind);
  out["bytes"] = buffer.bytes;
  out["padding"] = buffer.padding;
  out["begin"] = buffer.begin;
  out["end"] = buffer.end;
  out["allocation"] = buffer.allocation;
  out["offset"] = buffer.offset;
  Json& later = out["reused_by"] = Json::array();
  for (InstructionId id : buffer.later) later.push_back(report.module.at(id).name);
  return out;
}

// The largest that live at the peak; by bytes or by padding.
std::vector<size_t> atPeak(const MemoryReport& report, bool byPadding) {
  std::vector<size_t> out = report.liveAt(report.peakMoment);
  if (byPadding) sortDescending(out, [&](size_t i) { return report.buffers[i].padding; });
  return out;
}

int64_t paddingOf(const MemoryReport& report, const std::vector<size_t>& buffers) {
  int64_t sum = 0;
  for (size_t i : buffers) sum += report.buffers[i].padding;
  return sum;
}

int64_t usedBytes(const MemoryReport& report, const MemoryAllocation& one) {
  int64_t sum = 0;
  for (size_t i : one.buffers) sum += report.buffers[i].bytes;
  return sum;
}

Json toJson(const MemoryReport& report, const MemoryAllocation& one) {
  const int64_t used = usedBytes(report, one);
  return {{"name", one.name},
          {"kind", nameOf(one.kind)},
          {"bytes", one.bytes},
          {"buffers", one.buffers},
          {"reuse", one.bytes > 0 ? static_cast<double>(used) / static_cast<double>(one.bytes) : 0.0}};
}

void putReport(const MemoryReport& report, const MemoryArguments& options, Json& object) {
  const std::vector<size_t> peak = atPeak(report, options.byPadding);
  const UserTable users(report.module);
  object["module"] = report.module.name;
  object["assignment"] = options.assignment.empty() ? "tessera" : "xla";
  object["peak"] = report.peakBytes();
  if (!report.moments.empty()) {
    object["peak_at"] = placeOfInstruction(report.module, users, report.moments[report.peakMoment]);
    object["peak_at"]["moment"] = report.peakMoment;
  }
  object["allocated"] = report.allocatedBytes();
  object["fragmentation"] = report.fragmentationBytes();
  object["padding_at_peak"] = paddingOf(report, peak);
  if (report.unplaced > 0) object["unplaced"] = report.unplaced;
  for (const char* list : {"live_at_peak", "over_schedule", "buffers", "allocations"}) object[list] = Json::array();
  for (size_t i : peak) object["live_at_peak"].push_back(toJson(report, users, report.buffers[i]));
  for (size_t i = 0; i < report.moments.size(); ++i)
    object["over_schedule"].push_back({{"name", report.module.at(report.moments[i]).name}, {"bytes", report.live[i]}});
  for (const MemoryBuffer& buffer : report.buffers) object["buffers"].push_back(toJson(report, users, buffer));
  for (const MemoryAllocation& one : report.allocations) object["allocations"].push_back(toJson(report, one));
}

// --- lines for people

std::string bar(double share, size_t width) {
  const auto count = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) + 0.5);
  std::string out;
  for (size_t i = 0; i < width; ++i) out += i < count ? "█" : " ";
  return out;
}

// The schedule in at most so many parts, each by its fullest moment.
void tellSchedule(const MemoryReport& report, Report& out) {
  constexpr size_t kRows = 24, kWidth = 50;
  const size_t count = report.moments.size(), rows = std::min(kRows, count);
  out.line("bytes live over the schedule:");
  for (size_t row = 0; row < rows; ++row) {
    const size_t begin = row * count / rows, end = (row + 1) * count / rows;
    const auto first = report.live.begin();
    const auto most =
        std::max_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
    const auto at = static_cast<size_t>(most - first);
    const double share =
        report.peakBytes() > 0 ? static_cast<double>(*most) / static_cast<double>(report.peakBytes()) : 0;
    out.line(fmt::format("  {:>11} {} {}%{}", readable(*most), bar(share, kWidth),
                         at == report.peakMoment ? "peak " : "", report.module.at(report.moments[at]).name));
  }
}

// ", train.py:120", where the file says it; of a library's line also who called it.
std::string sourceText(const Module& module, const UserTable& users, InstructionId id) {
  const std::vector<SourceFrame> frames = framesNear(module, users, id);
  if (frames.empty()) return {};
  const SourceFrame* own = ownFrame(frames);
  return ", " + textOf(frames[0]) + (own && own != frames.data() ? " from " + textOf(*own) : "");
}

void tellPeak(const MemoryReport& report, const MemoryArguments& options, Report& out) {
  const std::vector<size_t> peak = atPeak(report, options.byPadding);
  const UserTable users(report.module);
  out.line(
      fmt::format("live at the peak ({} buffers, {} of padding):", peak.size(), readable(paddingOf(report, peak))));
  for (size_t k = 0; k < peak.size() && k < options.top; ++k) {
    const MemoryBuffer& buffer = report.buffers[peak[k]];
    const std::string padding = buffer.padding > 0 ? fmt::format(", padding {}", readable(buffer.padding)) : "";
    const Instruction& instruction = report.module.at(buffer.instruction);
    out.line(fmt::format(
        "  {:>11} {:>5.1f} % {:<9} %{} {}, moments {} to {}{}{}", readable(buffer.bytes),
        100.0 * static_cast<double>(buffer.bytes) / static_cast<double>(std::max<int64_t>(1, report.peakBytes())),
        nameOf(buffer.kind), instruction.name, toString(shapeOfBuffer(report, buffer)), buffer.begin, buffer.end,
        padding, sourceText(report.module, users, buffer.instruction)));
  }
  if (peak.size() > options.top) out.line(fmt::format("  … and {} more", peak.size() - options.top));
}

void tellAllocations(const MemoryReport& report, const MemoryArguments& options, Report& out) {
  std::vector<size_t> order(report.allocations.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  sortDescending(order, [&](size_t i) { return report.allocations[i].bytes; });
  out.line(fmt::format("allocations: {} of {}, fragmentation {}", order.size(), readable(report.allocatedBytes()),
                       readable(report.fragmentationBytes())));
  for (size_t k = 0; k < order.size() && k < options.top; ++k) {
    const MemoryAllocation& one = report.allocations[order[k]];
    out.line(fmt::format("  {:>11} {}: {} buffers of {}", readable(one.bytes), one.name, one.buffers.size(),
                         readable(usedBytes(report, one))));
  }
  if (order.size() > options.top) out.line(fmt::format("  … and {} more", order.size() - options.top));
}

void tellReport(const MemoryReport& report, const MemoryArguments& options, Report& out) {
  if (report.moments.empty()) return out.line("nothing is executed");
  const Instruction& at = report.module.at(report.moments[report.peakMoment]);
  out.line(fmt::format("peak {} at %{} ({} of {}), allocated {}", readable(report.peakBytes()), at.name,
                       report.peakMoment, report.moments.size(), readable(report.allocatedBytes())));
  if (report.unplaced > 0)
    out.line(fmt::format("{} values of the assignment are of no instruction of the module", report.unplaced));
  tellSchedule(report, out);
  tellPeak(report, options, out);
  tellAllocations(report, options, out);
}

void tellEdits(const std::vector<MemoryEdit>& edits, const MemoryReport& now, Report& out) {
  Json& list = out.object["suggestions"] = Json::array();
  if (edits.empty()) return out.line("no edit that was tried lowers the peak");
  out.line("edits that lower the peak (--apply=WORDS -o FILE makes one):");
  for (const MemoryEdit& edit : edits) {
    list.push_back({{"apply", edit.words},
                    {"reason", edit.reason},
                    {"peak", edit.peakBytes},
                    {"saves", now.peakBytes() - edit.peakBytes},
                    {"more_flops", edit.flops},
                    {"more_bytes", edit.bytesAccessed}});
    const std::string price =
        edit.flops > 0 || edit.bytesAccessed > 0
            ? fmt::format(", for {:.0f} flops and {:.0f} bytes more", edit.flops, edit.bytesAccessed)
            : "";
    out.line(fmt::format("  {:>11} less: {}: {}{}", readable(now.peakBytes() - edit.peakBytes), edit.words, edit.reason,
                         price));
  }
}

// --- what is measured

Result<MemoryReport> reportOf(const Module& module, const MemoryArguments& options) {
  if (options.assignment.empty()) return memoryReport(module);
  TESSERA_ASSIGN_OR_RETURN(const std::string text, readFile(options.assignment));
  TESSERA_ASSIGN_OR_RETURN(const auto allocations, readXlaBuffers(text, options.assignment));
  TESSERA_ASSIGN_OR_RETURN(MemoryReport out, memoryReport(module, allocations));
  if (out.buffers.empty() && out.unplaced > 0)
    return fail({.kind = ErrorKind::Invalid,
                 .message = "the buffer assignment is of another module",
                 .expected = "values of %" + std::string(module.at(module.entryComputation().root).name) +
                             " and others of " + options.file,
                 .found = fmt::format("{} values with other names", out.unplaced),
                 .file = options.assignment});
  return out;
}

// Both on the CPU with arguments by rule: an edit for memory changes no value.
Status checkByRunning(const Module& before, const Module& after, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(const RunReport one, runModule(before, RunRequest()));
  TESSERA_ASSIGN_OR_RETURN(const RunReport other, runModule(after, RunRequest()));
  Comparison all;
  for (size_t device = 0; device < one.outputs.size(); ++device)
    for (size_t i = 0; i < one.outputs[device].size(); ++i)
      all.add(compareLiterals(one.outputs[device][i], other.outputs[device][i],
                              defaultTolerance(one.outputs[device][i].shape().type), "out" + std::to_string(i)));
  report.object["check"] = {
      {"equal", all.equal}, {"run_peak_before", one.peakBytes}, {"run_peak_after", other.peakBytes}};
  report.line(fmt::format("checked by running: the results are {}, the CPU took {} before and {} after",
                          all.equal ? "equal" : "different", readable(one.peakBytes), readable(other.peakBytes)));
  if (all.equal) return {};
  report.failure({.message = "values differ: " + all.firstMismatch});
  report.exit = kDiffers;
  return {};
}

Status tellMemory(Module module, const MemoryArguments& options, Report& report) {
  if (options.optimized) {
    TESSERA_ASSIGN_OR_RETURN(module, optimize(module));
  }
  if (!options.apply.empty()) {
    const Module before = module;
    TESSERA_ASSIGN_OR_RETURN(module, editedForMemory(module, options.apply));
    if (options.check) TESSERA_TRY(checkByRunning(before, module, report));
    TESSERA_TRY(writeFileAtomically(options.out, printHloText(module)));
  }
  TESSERA_ASSIGN_OR_RETURN(const MemoryReport found, reportOf(module, options));
  if (report.json)  // which has a record a buffer
    putReport(found, options, report.object);
  else
    tellReport(found, options, report);
  if (options.apply.empty() && options.assignment.empty()) tellEdits(memoryEdits(module, found), found, report);
  return {};
}

}  // namespace

void addMemory(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "memory", "Bytes live over the schedule, what lives at the peak, allocations, and edits that lower the peak");
  auto options = std::make_shared<MemoryArguments>();
  command->add_option("FILE", options->file, "HLO file; measured in the order that it has")->required();
  auto* optimized =
      command->add_flag("--optimized", options->optimized, "After all passes, as a run on the CPU has it");
  command
      ->add_option("--buffer-assignment", options->assignment,
                   "XLA's …-buffer-assignment.txt of a dump; FILE is its after_optimizations module")
      ->excludes(optimized);
  auto* out = command->add_option("-o,--output", options->out, "The file for --apply");
  auto* apply = command->add_option("--apply", options->apply,
                                    "Make an edit and measure again: schedule, donate:N (parameter N), donate:all or "
                                    "rematerialise:NAME");
  command->add_flag("--check", options->check, "Run the module before and after the edit on the CPU and compare")
      ->needs(apply);
  apply->needs(out);
  out->needs(apply);
  apply->excludes("--buffer-assignment");
  addPartitions(*command, options->partitions);
  command->add_flag("--by-padding", options->byPadding, "What lives at the peak by padding instead of size");
  command->add_option("--top", options->top, "Lines of each list (--json has all)");
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer(
      "Arguments and constants live all the time. Donated arguments count where the caller gives their memory away.\n"
      "Example: tessera memory model.hlo\n"
      "         tessera memory model.hlo --apply=schedule -o scheduled.hlo --check");
  command->callback([options, &report] {
    auto module = loadProgram(options->file, options->partitions, report);
    if (!module) return;
    if (auto told = tellMemory(std::move(*module), *options, report); !told) {
      Diagnostic& problem = told.error();
      if (problem.file.empty() && problem.kind != ErrorKind::Usage && problem.kind != ErrorKind::Output)
        problem.file = options->file;
      report.failure(problem);
    }
  });
}

}  // namespace tessera::cli
