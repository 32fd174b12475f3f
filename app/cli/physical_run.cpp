// See physical_run.h.
#include "app/cli/physical_run.h"

#include "core/hlo/physical.h"

namespace tessera::cli {
namespace {

// The layout is the entry's; padding, which HLO text keeps with the instruction, may be in either.
void appendLeaves(const Shape& entry, const Shape& own, std::vector<Shape>& out) {
  const std::vector<ShapeLeaf> outer = leavesOf(entry), inner = leavesOf(own);
  for (size_t i = 0; i < outer.size(); ++i) {
    if (!outer[i].shape->isArray()) continue;
    Shape& shape = out.emplace_back(*outer[i].shape);
    if (!shape.layout) shape.layout = Layout::rowMajor(shape.rank());
    if (i >= inner.size() || !inner[i].shape->layout) continue;
    const Layout& layout = *inner[i].shape->layout;
    if (shape.layout->paddedDimensions.empty()) shape.layout->paddedDimensions = layout.paddedDimensions;
    if (!shape.layout->paddingValue) shape.layout->paddingValue = layout.paddingValue;
  }
}

}  // namespace

EntryMemory entryMemoryOf(const Module& module) {
  EntryMemory out;
  const ModuleConfig& config = module.config();
  const Computation& entry = module.entryComputation();
  const bool given = config.entryResultLayout && config.entryParameterLayouts.size() == entry.parameters.size();
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Shape& own = module.shapeOf(entry.parameters[i]);
    appendLeaves(given ? config.entryParameterLayouts[i] : own, own, out.arguments);
  }
  const Shape& root = module.shapeOf(entry.root);
  appendLeaves(given ? *config.entryResultLayout : root, root, out.results);
  return out;
}

Result<Literal> fromMemory(const Literal& bytes, const Shape& shape, const std::string& name) {
  if (bytes.shape().type != ElementType::U8)
    return fail(ErrorKind::Input, name + " must be an array of u8, the bytes of " + toString(shape));
  auto value = unpackLiteral(bytes.bytes(), shape);
  if (value) return value;
  Diagnostic d = std::move(value).error();
  d.message = name + ": " + d.message;
  d.kind = ErrorKind::Input;
  return fail(std::move(d));
}

Result<Literal> toMemory(const Literal& value, const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> buffer, packLiteral(value, shape));
  return Literal::fromBytes(Shape::arrayRowMajor(ElementType::U8, {static_cast<int64_t>(buffer.size())}), buffer);
}

Result<NamedArrays> argumentsFromMemory(NamedArrays given, const EntryMemory& memory) {
  for (size_t i = 0; i < memory.arguments.size(); ++i) {
    const std::string key = "arg" + std::to_string(i);
    const auto found = given.find(key);
    if (found == given.end()) continue;
    TESSERA_ASSIGN_OR_RETURN(found->second, fromMemory(found->second, memory.arguments[i], key));
  }
  return given;
}

Result<std::vector<Literal>> resultsToMemory(const std::vector<Literal>& outputs, const EntryMemory& memory) {
  std::vector<Literal> out;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal bytes, toMemory(outputs[i], memory.results[i]));
    out.push_back(std::move(bytes));
  }
  return out;
}

}  // namespace tessera::cli
