// Frames are a tree; what all leaves share is its trunk.
#include "core/arrange/source_functions.h"

#include <algorithm>
#include <array>

#include "core/hlo/source_frames.h"

namespace tessera {
namespace {

constexpr size_t kDeepestNest = 6;  // functions that one instruction is in

// Names that every library gives to what a function returns or a class calls: the part before says more.
constexpr std::array<std::string_view, 14> kGeneric{"update_fn", "update",   "init_fn", "init",       "fn",
                                                    "f",         "inner",    "wrapper", "wrapped",    "forward",
                                                    "__call__",  "apply_fn", "fun",     "wrapped_fun"};
// Functions of libraries that do nothing but call another one.
constexpr std::array<std::string_view, 15> kPlumbing{"with_extra_args_support",
                                                     "wrapped_module_method",
                                                     "_call_wrapped_method",
                                                     "scope_fn",
                                                     "maybe_distributed_mean",
                                                     "chain",
                                                     "wrap_method_once",
                                                     "process",
                                                     "without_apply_rng",
                                                     "without_state",
                                                     "transform_with_state",
                                                     "with_empty_state",
                                                     "resolve_kwargs_wrapper",
                                                     "merge_inputs_wrapper",
                                                     "update_context_manager_wrapper"};

bool isOneOf(std::string_view name, auto& names) { return std::ranges::find(names, name) != names.end(); }

std::vector<std::string_view> partsOf(std::string_view qualified) {
  std::vector<std::string_view> out;
  while (!qualified.empty()) {
    const size_t dot = std::min(qualified.find('.'), qualified.size());
    const std::string_view part = qualified.substr(0, dot);
    if (!part.empty() && part.front() != '<' && part != "_") out.push_back(part);
    qualified.remove_prefix(std::min(dot + 1, qualified.size()));
  }
  return out;
}

std::string_view functionOf(const StackFrameTables& tables, const StackFrameTables::StackFrame& frame) {
  const auto location = static_cast<size_t>(frame.fileLocationId) - 1;
  if (location >= tables.fileLocations.size()) return {};
  const auto name = static_cast<size_t>(tables.fileLocations[location].functionNameId) - 1;
  return name < tables.functionNames.size() ? std::string_view(tables.functionNames[name]) : std::string_view();
}

// "step" of "jit(step)/jvp()/dot_general": what calls it is no part of the program.
std::string_view tracedFunction(std::string_view opName) {
  constexpr std::string_view kTrace = "jit(";
  const size_t end = opName.find(')');
  return opName.starts_with(kTrace) && end != opName.npos ? opName.substr(kTrace.size(), end - kTrace.size()) : "";
}

// How many of the outermost frames have one function, whatever comes below.
size_t sharedFrames(const StackFrameTables& tables) {
  std::vector<int32_t> depth(tables.stackFrames.size(), -1);
  std::vector<std::string_view> functionAt;  // by depth: of all frames there, while it is one
  size_t shared = tables.stackFrames.size();
  for (size_t k = 0; k < tables.stackFrames.size(); ++k) {
    const auto parent = static_cast<size_t>(tables.stackFrames[k].parentFrameId) - 2;
    if (tables.stackFrames[k].parentFrameId >= 2 && (parent >= k || depth[parent] < 0))
      return 0;  // no order to read in
    depth[k] = tables.stackFrames[k].parentFrameId < 2 ? 0 : depth[parent] + 1;
    const auto at = static_cast<size_t>(depth[k]);
    const std::string_view function = functionOf(tables, tables.stackFrames[k]);
    if (at == functionAt.size()) functionAt.push_back(function);
    if (functionAt[at] != function) shared = std::min(shared, at);
  }
  return std::min(shared, functionAt.size());
}

}  // namespace

std::string shortFunctionName(std::string_view qualified) {
  const std::vector<std::string_view> parts = partsOf(qualified);
  for (size_t k = parts.size(); k-- > 0;)
    if (!isOneOf(parts[k], kGeneric)) return std::string(parts[k]);
  return {};
}

std::string innermostFunction(const Module& module, const Metadata& metadata) {
  for (const SourceFrame& frame : sourceFrames(module, metadata)) {
    std::string name = shortFunctionName(frame.function);
    if (!name.empty() && !isOneOf(std::string_view(name), kPlumbing)) return name;
  }
  return {};
}

SourceFunctions::SourceFunctions(const Module& module) : module_(module) {
  if (module.stackFrames) shared_ = sharedFrames(*module.stackFrames);
}

std::vector<std::string> SourceFunctions::namesOf(const Metadata& metadata) const {
  std::vector<std::string> out;
  if (!module_.stackFrames || metadata.stackFrameId <= 0) return out;
  const std::vector<SourceFrame> frames = sourceFrames(module_, metadata);
  const std::string_view traced = tracedFunction(metadata.opName);
  size_t begin = frames.size() - std::min(shared_, frames.size());
  for (size_t k = 0; k < begin; ++k)
    if (!traced.empty() && shortFunctionName(frames[k].function) == traced) begin = k;
  for (size_t k = begin; k-- > 0 && out.size() < kDeepestNest;) {
    std::string name = shortFunctionName(frames[k].function);
    if (name.empty() || isOneOf(std::string_view(name), kPlumbing)) continue;
    if (out.empty() || out.back() != name) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace tessera
