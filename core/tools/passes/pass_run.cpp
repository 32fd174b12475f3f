// The run and XLA's file names.
#include "core/tools/passes/pass_run.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/passes/rewriter.h"
#include "core/tools/find_instruction.h"

namespace tessera {
namespace {

std::string fileNameOf(std::string_view text) {
  constexpr size_t kLongest = 100;  // a file system takes 255 for the whole name
  std::string out(text.substr(0, kLongest));
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  return out;
}

// Operands first in every computation, callees first, nothing that the entry does not reach.
Status putInOrder(Module& module) {
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, computation));
    module.edit(computation).instructions = std::move(order);
  }
  if (auto ordered = restoreComputationOrder(module); !ordered) return fail(ordered.error());
  return {};
}

}  // namespace

Result<std::vector<const Pass*>> choosePasses(std::span<const std::string> names) {
  std::vector<const Pass*> out;
  if (names.empty())
    for (const Pass& pass : passes())
      if (pass.isFor(PassTarget::Processor)) out.push_back(&pass);
  std::vector<std::string_view> known;
  for (const Pass& pass : passes()) known.push_back(pass.name);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(passes(), name, &Pass::name);
    if (found == passes().end())
      return fail(ErrorKind::Usage, fmt::format("no pass is named {}{}", name, nearMisses(name, known)));
    out.push_back(&*found);
  }
  return out;
}

Result<Module> runPasses(const Module& source, std::span<const Pass* const> chosen,
                         const std::function<Status(const PassStep&, const Module&)>& observe) {
  Module module = derive(source);
  TESSERA_TRY(putInOrder(module));
  DeviceFusions device;
  for (const Pass* pass : chosen) {
    TESSERA_ASSIGN_OR_RETURN(const bool changed, pass->apply(module, device));
    TESSERA_TRY(observe({pass, changed}, module));
  }
  return module;
}

std::string dumpName(const Module& module, std::span<const Pass* const> chosen, size_t number) {
  const std::string_view after = number == 0 ? "pipeline-start" : chosen[number - 1]->name;
  const std::string_view before = number < chosen.size() ? chosen[number]->name : "pipeline-end";
  return fmt::format("module_0000.{}.{:04}.optimize.after_{}.before_{}.txt", fileNameOf(module.name), number, after,
                     before);
}

std::string dumpName(const Module& module, std::string_view moment) {
  return fmt::format("module_0000.{}.{}.txt", fileNameOf(module.name), moment);
}

}  // namespace tessera
