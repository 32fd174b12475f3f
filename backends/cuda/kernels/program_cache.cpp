// See program_cache.h.
#include "backends/cuda/kernels/program_cache.h"

#include <fmt/format.h>

#include "backends/runtime/fields.h"
#include "core/formats/hlo_text.h"

namespace tessera::cuda {

namespace {

// Plans name instructions by their ids, which the text does not show.
std::string idsOf(const Module& module) {
  std::string out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      out.append(reinterpret_cast<const char*>(&id.value), sizeof id.value);
  return out;
}

}  // namespace

// A program is made by core as well: buffers, and what operations are in terms of elements.
codegen::CodeKey ProgramCache::keyOf(const Module& optimized, const Architecture& architecture,
                                     const std::string& libraries) const {
  static const std::string core = codegen::buildIdOf(reinterpret_cast<const void*>(&printHloText));
  return codegen::hashOf("cuda program\n" + codegen::buildEnvironment() + core + architecture.name +
                         architecture.features + '\n' + libraries + '\n' + idsOf(optimized) + printHloText(optimized));
}

std::optional<DeviceProgram> ProgramCache::find(const codegen::CodeKey& key) const {
  const auto bytes = cache_.find(key);
  if (!bytes) return std::nullopt;
  DeviceProgram out;
  cpu::FieldReader reader(*bytes, {});
  reader(out);
  if (reader.good()) return out;
  cache_.remove(key);
  return std::nullopt;
}

void ProgramCache::store(const codegen::CodeKey& key, DeviceProgram& program) {
  cpu::FieldWriter writer;
  writer(program);
  cache_.store(key, writer.bytes);
}

Result<std::string> ProgramCache::assemble(Device& device, const std::string& ptx, bool isFresh) {
  const DeviceInfo& info = device.info();
  if (info.ordinal < 0 || !isOn()) return device.assemble(ptx);
  const auto key = codegen::hashOf(
      fmt::format("cubin\n{}{}\n{}\n", codegen::buildEnvironment(), info.driverVersion, info.architecture()) + ptx);
  if (!isFresh)
    if (auto known = cache_.find(key)) return *std::move(known);
  TESSERA_ASSIGN_OR_RETURN(std::string code, device.assemble(ptx));
  cache_.store(key, code);
  return code;
}

}  // namespace tessera::cuda
