// See kernel_key.h. A program is written as bytes field by field, and the bytes are hashed.
#include "backends/cpu/kernels/kernel_key.h"

#include <link.h>

#include <cstring>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/TargetParser/Host.h>

#include "core/base/tuning_constants.h"

namespace tessera::cpu {

namespace {

KernelKey hashOf(std::string_view bytes) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  return hash.final<32>();
}

// --- what code depends on beside its program

struct BuildIdSearch {
  uintptr_t address;
  std::string found;
};

std::string buildIdIn(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = (note.n_namesz + 3) / 4 * 4, content = (note.n_descsz + 3) / 4 * 4,
                 whole = sizeof note + name + content;
    if (whole > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + sizeof note, "GNU", 4) == 0)
      return {notes + sizeof note + name, note.n_descsz};
    notes += whole;
    size -= whole;
  }
  return {};
}

int visitObject(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<BuildIdSearch*>(data);
  bool holds = false;
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) holds = holds || (search.address >= begin && search.address - begin < header.p_memsz);
    if (header.p_type == PT_NOTE && id.empty()) id = buildIdIn(reinterpret_cast<const char*>(begin), header.p_memsz);
  }
  if (holds) search.found = std::move(id);
  return holds ? 1 : 0;
}

// The linker's hash of the shared object that holds the address; "": it has none.
std::string buildIdOf(const void* address) {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visitObject, &search);
  return std::move(search.found);
}

// --- the program as bytes

class Bytes {
 public:
  void number(int64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void numbers(std::span<const int64_t> values) {
    number(static_cast<int64_t>(values.size()));
    for (int64_t value : values) number(value);
  }
  void nodes(std::span<const NodeId> ids) {
    number(static_cast<int64_t>(ids.size()));
    for (NodeId id : ids) number(id.value);
  }
  void shapes(std::span<const Shape> shapes) {
    number(static_cast<int64_t>(shapes.size()));
    for (const Shape& shape : shapes) {
      number(static_cast<int64_t>(shape.type));
      numbers(shape.dimensions);
    }
  }
  std::string out;
};

void append(Bytes& out, const ElementProgram& program) {
  out.shapes(program.operands);
  out.numbers(program.outputDims);
  out.number(static_cast<int64_t>(program.nodes.size()));
  for (const Node& node : program.nodes) {
    out.number(static_cast<int64_t>(node.op) << 8 | static_cast<int64_t>(node.type));
    out.number(static_cast<int64_t>(node.firstInput) << 32 | node.inputCount);
    out.number(static_cast<int64_t>(node.bits0));
    out.number(static_cast<int64_t>(node.bits1));
  }
  out.nodes(program.inputs);
  out.number(static_cast<int64_t>(program.loops.size()));
  for (const Loop& loop : program.loops) {
    out.numbers(loop.ranges);
    out.nodes(loop.inits);
    out.nodes(loop.next);
    out.number(loop.associative);
  }
  out.nodes(program.results);
}

void append(Bytes& out, const LoopProgram& program) {
  append(out, program.body);
  out.shapes(program.outputs);
  out.numbers(program.initialOperand);
  out.number(static_cast<int64_t>(program.stores.size()));
  for (const Store& store : program.stores) {
    out.number(static_cast<int64_t>(store.output));
    out.nodes(store.indices);
    out.number(store.guard.value);
    out.number(store.value.value);
  }
  out.number(program.parallelDims);
}

void append(Bytes& out, const codegen::TileShape& tile) {
  for (int64_t value : {static_cast<int64_t>(tile.type), int64_t{tile.rows}, int64_t{tile.vectors}, int64_t{tile.lanes},
                        int64_t{tile.fused}})
    out.number(value);
}

void append(Bytes& out, const RegionProgram& region) {
  out.number(static_cast<int64_t>(region.buffers.size()));
  for (const RegionBuffer& buffer : region.buffers) {
    out.number(buffer.bytes);
    out.number(buffer.inRegister | buffer.in << 1 | buffer.out << 2);
  }
  out.number(static_cast<int64_t>(region.mayAlias.size()));
  for (const auto& [lower, higher] : region.mayAlias) out.number(static_cast<int64_t>(lower) << 32 | higher);
  out.number(static_cast<int64_t>(region.programs.size()));
  for (const LoopProgram& program : region.programs) append(out, program);
  auto numbers = [&](const std::vector<uint32_t>& values) {
    out.number(static_cast<int64_t>(values.size()));
    for (uint32_t value : values) out.number(value);
  };
  out.number(static_cast<int64_t>(region.blocks.size()));
  for (const std::vector<RegionStep>& block : region.blocks) {
    out.number(static_cast<int64_t>(block.size()));
    for (const RegionStep& step : block) {
      out.number(static_cast<int64_t>(step.kind) << 1 | step.byPredicate);
      out.number(step.program);
      out.number(step.bytes);
      numbers(step.buffers);
      numbers(step.blocks);
    }
  }
}

}  // namespace

std::string kernelEnvironment(const HostProcessor& host) {
  static const std::string ours = buildIdOf(reinterpret_cast<const void*>(&kernelEnvironment));
  static const std::string theirs = buildIdOf(reinterpret_cast<const void*>(&llvm::sys::getProcessTriple));
  if (ours.empty()) return {};
  std::string out;
  for (const std::string& part :
       {ours, theirs, std::string(LLVM_VERSION_STRING), host.name, host.features, bytesOf(tuning())}) {
    out += part;
    out += '\0';
  }
  return out;
}

KernelKey kernelKey(const std::string& environment, const KernelSource& source) {
  Bytes bytes;
  bytes.out = environment;
  bytes.number(source.tile ? 1 : source.region ? 2 : 0);
  if (source.tile)
    append(bytes, *source.tile);
  else if (source.region)
    append(bytes, *source.region);
  else
    append(bytes, source.program);
  bytes.number(source.streams ? 1 : 0);
  return hashOf(bytes.out);
}

}  // namespace tessera::cpu
