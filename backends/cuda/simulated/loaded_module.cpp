#include "backends/cuda/simulated/loaded_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "backends/cuda/simulated/decode/decoder.h"
#include "backends/cuda/simulated/ptx/parser.h"

namespace tessera::cuda::simulated {

namespace {

// 80 of "sm_80"; 0: another kind of target.
int numberOf(std::string_view target) {
  if (!target.starts_with("sm_")) return 0;
  int number = 0;
  std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

Status checkTarget(const PtxModule& module, int architecture) {
  const int wanted = numberOf(module.target);
  const bool isOfOneAlone = module.target.ends_with('a');  // "sm_90a" has instructions that sm_100 lacks
  if (wanted > 0 && (isOfOneAlone ? wanted == architecture : wanted <= architecture)) return {};
  return fail({.kind = ErrorKind::Runtime,
               .message = "CUDA_ERROR_NO_BINARY_FOR_GPU: the PTX is made for another architecture",
               .expected = fmt::format("sm_{} or older", architecture),
               .found = module.target});
}

bool isInGlobalMemory(const Variable& variable) {
  return variable.space == Space::Global || variable.space == Space::Const;
}

}  // namespace

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(std::string_view ptx, int architecture, GlobalMemory& memory) {
  auto loaded = std::make_unique<LoadedModule>(memory);
  TESSERA_ASSIGN_OR_RETURN(loaded->module_, parsePtx(std::string(ptx)));
  TESSERA_TRY(checkTarget(loaded->module_, architecture));
  TESSERA_TRY(loaded->placeVariables());
  TESSERA_TRY(loaded->decodeKernels());
  return loaded;
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, address] : addresses_) (void)memory_.release(address);
}

Status LoadedModule::placeVariables() {
  for (const Variable& variable : module_.variables) {
    if (!isInGlobalMemory(variable)) continue;
    if (variable.isExternal)
      return fail({.message = fmt::format("the variable {} is external, and modules are not linked", variable.name),
                   .position = {variable.line, 1}});
    if (addresses_.contains(variable.name))
      return fail(
          {.message = fmt::format("the variable {} is there twice", variable.name), .position = {variable.line, 1}});
    TESSERA_ASSIGN_OR_RETURN(addresses_[variable.name], memory_.allocate(std::max<int64_t>(variable.bytes, 1)));
  }
  for (const Variable& variable : module_.variables)
    if (isInGlobalMemory(variable)) TESSERA_TRY(initialise(variable));
  return {};
}

Status LoadedModule::initialise(const Variable& variable) {
  const auto size = static_cast<int64_t>(variable.initial.size());
  if (size == 0) return {};
  TESSERA_ASSIGN_OR_RETURN(std::byte * host, memory_.range(addresses_[variable.name], size, "an initial value"));
  std::memcpy(host, variable.initial.data(), variable.initial.size());
  for (const AddressPatch& patch : variable.patches) {
    const auto found = addresses_.find(patch.name);
    if (found == addresses_.end())
      return fail(
          {.message = fmt::format("the initial value of {} names {}, which is no variable", variable.name, patch.name),
           .position = {variable.line, 1}});
    const uint64_t address = found->second + static_cast<uint64_t>(patch.addend);
    std::memcpy(host + patch.at, &address, static_cast<size_t>(patch.bytes));
  }
  return {};
}

Status LoadedModule::decodeKernels() {
  for (const Function& function : module_.functions) {
    if (!function.isEntry || !function.hasBody) continue;
    TESSERA_ASSIGN_OR_RETURN(Kernel kernel, Decoder(module_, addresses_).decode(function));
    kernels_[std::string(function.name)] = std::make_shared<const Kernel>(std::move(kernel));
  }
  return {};
}

std::shared_ptr<const Kernel> LoadedModule::kernel(std::string_view name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second;
}

std::string LoadedModule::kernelNames() const {
  std::string names;
  for (const auto& [name, kernel] : kernels_) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace tessera::cuda::simulated
