// See entry_arrays.h.
#include "backends/cpu/entry_arrays.h"

#include <algorithm>

#include <fmt/format.h>

namespace tessera {
namespace {

void collectArrays(const Shape& shape, std::vector<const Shape*>& out) {
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) out.push_back(leaf.shape);
}

}  // namespace

EntryArrays::EntryArrays(const Module& module) {
  const Computation& entry = module.entryComputation();
  for (InstructionId p : entry.parameters) collectArrays(module.shapeOf(p), arguments_);
  collectArrays(module.shapeOf(entry.root), outputs_);
}

Status EntryArrays::check(std::span<const Literal> arguments) const {
  if (arguments.size() != arguments_.size())
    return fail(ErrorKind::Usage,
                fmt::format("the program takes {} arrays, {} were given", arguments_.size(), arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (compatible(arguments[i].shape(), *arguments_[i])) continue;
    return fail({.kind = ErrorKind::Usage,
                 .message = fmt::format("argument {} has the wrong shape", i),
                 .expected = toString(*arguments_[i], false),
                 .found = toString(arguments[i].shape(), false)});
  }
  return {};
}

Status EntryArrays::allocate(std::span<const Literal> arguments, std::vector<Literal>& outputs) const {
  outputs.resize(outputs_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    Literal& output = outputs[i];
    const bool isArgument =
        std::ranges::any_of(arguments, [&](const Literal& a) { return a.bytes().data() == output.bytes().data(); });
    if (output.shape() == *outputs_[i] && !isArgument) continue;
    output = {};
    TESSERA_ASSIGN_OR_RETURN(output, Literal::allocate(*outputs_[i]));
  }
  return {};
}

}  // namespace tessera
