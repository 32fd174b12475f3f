// tessera explain FILE INSTRUCTION: its shape and the reasons, its loop nest and what one element reads; with --loops,
// --ir or --asm what it has become in the compiled program.
#include <sstream>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/explain_code.h"
#include "core/tools/explain.h"
#include "core/tools/find_instruction.h"

namespace tessera::cli {
namespace {

struct ExplainArguments {
  std::string file, name;
  std::vector<int64_t> index;
  CodeOptions code;
};

void tellJson(const Explanation& e, nlohmann::ordered_json& out) {
  out["text"] = e.text;
  out["summary"] = e.summary;
  out["execution"] = e.kind;
  out["shape"] = e.shape;
  out["reasons"] = e.reasons;
  out["loop_nest"] = e.loopNest;
  if (!e.without.empty()) out["no_loop_nest"] = e.without;
  out["operands"] = e.buffers;
  out["index"] = e.outputIndex;
  out["reads"] = e.reads;
  out["more_reads"] = e.moreReads;
  out["users"] = e.users;
}

void tellLoops(const Explanation& e, Report& report) {
  if (e.loopNest.empty()) return report.line("loop nest: none; " + e.without);
  for (size_t i = 0; i < e.buffers.size(); ++i) report.line(fmt::format("operand{} is {}", i, e.buffers[i]));
  report.line("loop nest:");
  std::istringstream lines(e.loopNest);
  for (std::string line; std::getline(lines, line);) report.line("  " + line);
  if (e.reads.empty()) return;
  report.line(fmt::format("element [{}] reads:", fmt::join(e.outputIndex, ", ")));
  for (const std::string& read : e.reads) report.line("  " + read);
  if (e.moreReads) report.line("  … and more");
}

void tell(const Explanation& e, Report& report) {
  tellJson(e, report.object);
  report.line(e.text);
  if (!e.summary.empty()) report.line(e.summary);
  report.line("execution: " + e.kind);
  report.line("shape: " + e.shape);
  for (const std::string& reason : e.reasons) report.line("  " + reason);
  tellLoops(e, report);
  if (!e.users.empty()) report.line(fmt::format("used by: {}", fmt::join(e.users, ", ")));
}

Result<Explanation> explanationOf(const Module& module, const ExplainArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionNamed(module, options.name));
  return explain(module, id, options.index.empty() ? std::nullopt : std::optional(options.index));
}

}  // namespace

void addExplain(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "explain", "Explain an instruction: shape with reasons, loop nest, elements read, compiled code");
  auto options = std::make_shared<ExplainArguments>();
  command->add_option("FILE", options->file, "HLO file, or a link: FILE#INSTRUCTION")->required();
  command->add_option("INSTRUCTION", options->name, "Its name; COMPUTATION/NAME where several have it");
  command->add_option("--index", options->index, "The output element whose reads are listed (default: the middle)")
      ->delimiter(',');
  command->add_flag("--loops", options->code.loops,
                    "Compiled for the CPU: its instruction of the optimised module, steps, buffers, and the loop nest");
  command->add_flag("--ir", options->code.ir, "Likewise, with LLVM IR before and after LLVM's passes");
  command->add_flag("--asm", options->code.assembly, "Likewise, with the assembly");
  command->add_flag("--ptx", options->code.ptx, "Compiled for a CUDA device: steps, buffers, and the kernels' PTX");
  command->add_flag("--sass", options->code.sass,
                    "Likewise, with registers, spills, shared memory and occupancy by ptxas, and the machine code by "
                    "nvdisasm, where the CUDA toolkit has them");
  command
      ->add_option("--warp", options->code.warpPlace,
                   "What a warp of the kernels touches, access by access, on the simulated device: BLOCK,WARP, such as "
                   "0,0")
      ->delimiter(',')
      ->expected(2);
  command
      ->add_option("--device", options->code.device,
                   "Of --ptx, --sass and --warp: cuda:sm_80, or another architecture from sm_70 on; with --runs "
                   "cuda:0, or another card")
      ->check([](const std::string& name) {
        return name.starts_with("cuda:") ? "" : "expected cuda:sm_80, or another architecture, found " + name;
      });
  command->add_option("--isa", options->code.isa, "Widest vectors of kernels: native, avx2 or sse4")
      ->check(CLI::IsMember({"native", "avx2", "sse4"}));
  command->add_option("--machine", options->code.machine,
                      "Likewise, with the least time on the machine of this output of `tessera machine --json`");
  command
      ->add_option("--runs", options->code.runs,
                   "Likewise, with the time of its steps, measured in so many runs with arguments by rule")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera explain model.hlo sum --index=3");
  command->callback([options, &report] {
    if (!takeLink(options->file, options->name, "INSTRUCTION", report)) return;
    const auto module = loadModule(options->file, report, true);
    if (!module) return;
    options->code.warp = !options->code.warpPlace.empty();
    if (options->code.any()) {
      if (auto status = explainCode(*module, options->name, options->code, report); !status)
        report.failure(status.error());
      return;
    }
    if (auto found = explanationOf(*module, *options))
      tell(*found, report);
    else
      report.failure(found.error());
  });
}

}  // namespace tessera::cli
