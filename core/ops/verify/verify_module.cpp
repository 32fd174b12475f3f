// Module facts against the graph: the entry's layout has the entry's shapes; aliased and donated buffers exist, each
// once, and aliased ones are equally large.
#include "core/ops/verify/verify_module.h"

#include <set>

#include "core/ops/inference/instruction_checks.h"

namespace tessera {
namespace {

using BufferIndex = std::pair<int64_t, std::vector<int64_t>>;

void report(Diagnostics& out, std::string message, std::string label, std::string expected = {},
            std::string found = {}) {
  out.add({.message = std::move(message),
           .label = std::move(label),
           .expected = std::move(expected),
           .found = std::move(found)});
}

// The sub-shape at a tuple index; null when the index leads nowhere.
const Shape* subShape(const Shape& shape, const std::vector<int64_t>& index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->isTuple() || i < 0 || i >= static_cast<int64_t>(at->elements.size())) return nullptr;
    at = &at->elements[static_cast<size_t>(i)];
  }
  return at;
}

std::string indexText(const std::vector<int64_t>& index) {
  std::string out = "{";
  for (size_t i = 0; i < index.size(); ++i) out += (i ? "," : "") + std::to_string(index[i]);
  return out + "}";
}

const Shape* parameterBuffer(const Module& module, int64_t parameter, const std::vector<int64_t>& index) {
  const auto& parameters = module.entryComputation().parameters;
  if (parameter < 0 || parameter >= static_cast<int64_t>(parameters.size())) return nullptr;
  InstructionId id = parameters[static_cast<size_t>(parameter)];
  return id.valid() ? subShape(module.shapeOf(id), index) : nullptr;
}

std::string bufferText(int64_t parameter, const std::vector<int64_t>& index) {
  return "parameter " + std::to_string(parameter) + " " + indexText(index);
}

// The entry's layout as written, else as the graph has it.
const Shape& entryShape(const Module& module, int64_t parameter) {
  const auto& written = module.config().entryParameterLayouts;
  if (parameter < static_cast<int64_t>(written.size())) return written[static_cast<size_t>(parameter)];
  return module.shapeOf(module.entryComputation().parameters[static_cast<size_t>(parameter)]);
}

// A buffer that must be shared has one shape, layout and memory space on both sides.
void checkMustAlias(const Module& module, const Shape& root, const AliasEntry& alias, Diagnostics& out) {
  const Shape* output =
      subShape(module.config().entryResultLayout ? *module.config().entryResultLayout : root, alias.outputIndex);
  const Shape* input = subShape(entryShape(module, alias.parameter), alias.parameterIndex);
  if (input && output && !(*input == *output))
    report(out,
           "input_output_alias has to join " + bufferText(alias.parameter, alias.parameterIndex) +
               " and a result of another shape",
           "alias", toString(*input), toString(*output));
}

void checkAliases(const Module& module, const Shape& root, Diagnostics& out) {
  std::set<BufferIndex> parameters;
  std::set<std::vector<int64_t>> outputs;
  for (const AliasEntry& alias : module.config().inputOutputAlias) {
    const Shape* output = subShape(root, alias.outputIndex);
    const Shape* input = parameterBuffer(module, alias.parameter, alias.parameterIndex);
    if (!output)
      report(out, "input_output_alias names output " + indexText(alias.outputIndex) + ", which is not there", "alias",
             {}, toString(root, false));
    if (!input)
      report(out,
             "input_output_alias names " + bufferText(alias.parameter, alias.parameterIndex) + ", which is not there",
             "alias");
    if (!outputs.insert(alias.outputIndex).second)
      report(out, "input_output_alias names output " + indexText(alias.outputIndex) + " twice", "alias");
    if (!parameters.insert({alias.parameter, alias.parameterIndex}).second)
      report(out, "input_output_alias names " + bufferText(alias.parameter, alias.parameterIndex) + " twice", "alias");
    const bool arrays = input && output && input->isArray() && output->isArray();
    if (input && output && !arrays)
      report(out, "input_output_alias joins what is no array", "alias", toString(*input, false),
             toString(*output, false));
    if (arrays && input->denseBytes() != output->denseBytes())
      report(out, "input_output_alias joins buffers of different size", "alias", toString(*input, false),
             toString(*output, false));
    else if (arrays && alias.must)
      checkMustAlias(module, root, alias, out);
  }
}

void checkDonors(const Module& module, Diagnostics& out) {
  std::set<BufferIndex> taken;
  for (const AliasEntry& alias : module.config().inputOutputAlias)
    taken.insert({alias.parameter, alias.parameterIndex});
  for (const DonorEntry& donor : module.config().bufferDonor) {
    std::string text = bufferText(donor.parameter, donor.parameterIndex);
    if (!parameterBuffer(module, donor.parameter, donor.parameterIndex))
      report(out, "buffer_donor names " + text + ", which is not there", "donor");
    if (!taken.insert({donor.parameter, donor.parameterIndex}).second)
      report(out, "buffer_donor names " + text + ", which is already aliased or donated", "donor");
  }
}

void checkEntryLayout(const Module& module, const Shape& root, Diagnostics& out) {
  const ModuleConfig& config = module.config();
  if (!config.entryResultLayout) return;
  const auto& parameters = module.entryComputation().parameters;
  if (config.entryParameterLayouts.size() != parameters.size())
    report(out, "entry_computation_layout has another number of parameters than the entry", "entry_computation_layout",
           std::to_string(parameters.size()), std::to_string(config.entryParameterLayouts.size()));
  for (size_t i = 0; i < parameters.size() && i < config.entryParameterLayouts.size(); ++i) {
    if (!parameters[i].valid() || compatible(config.entryParameterLayouts[i], module.shapeOf(parameters[i]))) continue;
    out.add(diagnosticAt(module.at(parameters[i]),
                         "entry_computation_layout has another shape for parameter " + std::to_string(i),
                         "entry_computation_layout", toString(module.shapeOf(parameters[i]), false),
                         toString(config.entryParameterLayouts[i], false)));
  }
  if (!compatible(*config.entryResultLayout, root))
    report(out, "entry_computation_layout has another result than the entry", "entry_computation_layout",
           toString(root, false), toString(*config.entryResultLayout, false));
}

}  // namespace

void verifyModuleFacts(const Module& module, Diagnostics& out) {
  if (!module.contains(module.entry())) {
    report(out, "the module has no entry computation", "entry");
    return;
  }
  InstructionId rootId = module.entryComputation().root;
  if (!rootId.valid() || !module.contains(rootId)) return;  // reported with the computation
  const Shape& root = module.shapeOf(rootId);
  checkEntryLayout(module, root, out);
  checkAliases(module, root, out);
  checkDonors(module, out);
}

}  // namespace tessera
