// See kernel_key.h. A program is written as bytes field by field, and the bytes are hashed.
#include "backends/cpu/kernels/kernel_key.h"

#include "backends/codegen/code_cache.h"

namespace tessera::cpu {

namespace {

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
                        int64_t{tile.fused}, int64_t{tile.pairs}})
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
  const std::string build = codegen::buildEnvironment();
  return build.empty() ? std::string() : build + host.name + '\0' + host.features + '\0';
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
  return codegen::hashOf(bytes.out);
}

}  // namespace tessera::cpu
