// See window_kernel.h.
#include "core/edit/window_kernel.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/edit/resized_constant.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// The kernel's shape with the sizes of a window.
std::optional<Shape> kernelFor(const Window& window, const ConvolutionDimensions& labels, Shape kernel) {
  if (window.dimensions.size() != labels.kernelSpatial.size()) return std::nullopt;
  for (size_t k = 0; k < labels.kernelSpatial.size(); ++k) {
    const auto dimension = static_cast<size_t>(labels.kernelSpatial[k]);
    if (dimension >= kernel.dimensions.size()) return std::nullopt;
    kernel.dimensions[dimension] = window.dimensions[k].size;
  }
  return kernel;
}

bool isReadOnce(const Module& module, InstructionId value) {
  const Computation& computation = module.at(module.at(value).computation);
  const auto readers = std::ranges::count_if(computation.instructions, [&](InstructionId id) {
    return std::ranges::find(module.at(id).operands, value) != module.at(id).operands.end();
  });
  return readers == 1 && computation.root != value;
}

// Whether what makes it has a rule for any size.
bool grows(const Module& module, const Instruction& made, const Shape& shape) {
  if (made.opcode == Opcode::Constant) return made.literal && regrown(*made.literal, shape);
  if (made.opcode != Opcode::Broadcast) return made.opcode == Opcode::Iota;
  return !made.operands.empty() && module.contains(made.operands[0]) && module.shapeOf(made.operands[0]).isScalar();
}

std::optional<EditAction> resizing(const Module& module, InstructionId kernel, const Shape& shape) {
  const Instruction& made = module.at(kernel);
  if (made.opcode == Opcode::Parameter && made.computation == module.entry()) return SetParameterShape{kernel, shape};
  if (grows(module, made, shape)) return SetShape{kernel, shape};
  return std::nullopt;
}

}  // namespace

Edit withKernelOfWindow(const Module& module, Edit edit) {
  const auto* set = edit.actions.size() == 1 ? std::get_if<SetAttribute>(&edit.actions[0]) : nullptr;
  if (!set || set->name != Attr::window || !module.contains(set->instruction)) return edit;
  const Instruction& convolution = module.at(set->instruction);
  if (convolution.opcode != Opcode::Convolution || convolution.operands.size() != 2) return edit;
  const InstructionId kernel = convolution.operands[1];
  const auto* labels = convolution.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const auto value = parseAttributeValue(module, Attr::window, set->text);
  const Window* window = value ? std::get_if<Window>(&*value) : nullptr;
  if (!labels || !window || !module.contains(kernel) || !isReadOnce(module, kernel)) return edit;
  const auto shape = kernelFor(*window, *labels, module.shapeOf(kernel));
  if (!shape || *shape == module.shapeOf(kernel)) return edit;
  if (auto resized = resizing(module, kernel, *shape)) edit.actions.insert(edit.actions.begin(), *std::move(resized));
  return edit;
}

}  // namespace tessera
