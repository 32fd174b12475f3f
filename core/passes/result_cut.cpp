// See result_cut.h.
#include "core/passes/result_cut.h"

#include "core/devices/sharding.h"
#include "core/devices/shardy.h"
#include "core/formats/padding.h"

namespace tessera {
namespace {

std::string_view textIn(const Instruction& instruction, Attr name) {
  const auto* text = instruction.attributes->get<RawText>(name);
  return text ? std::string_view(text->text) : std::string_view();
}

}  // namespace

ResultCut::ResultCut(const Module& module) {
  if (!module.contains(module.entry()) || !module.contains(module.entryComputation().root)) return;
  const Instruction& root = module.at(module.entryComputation().root);
  sharding_ = textIn(root, Attr::sharding);
  if (sharding_.empty()) return;
  whole_ = frontendAttribute(textIn(root, Attr::frontend_attributes), kWholeShape);
  shape_ = *root.shape;
}

void ResultCut::keep(Module& module) const {
  if (sharding_.empty()) return;
  const InstructionId id = module.entryComputation().root;
  const Instruction& root = module.at(id);
  if (root.opcode == Opcode::Parameter || root.attributes->has(Attr::sharding)) return;
  if (!sameIgnoringLayout(*root.shape, shape_)) return;
  AttributeSet attributes = *root.attributes;
  attributes.set(Attr::sharding, RawText{sharding_});
  if (!whole_.empty())
    attributes.set(Attr::frontend_attributes,
                   RawText{withFrontendAttribute(textIn(root, Attr::frontend_attributes), kWholeShape, whole_)});
  module.setAttributes(id, std::move(attributes));
}

}  // namespace tessera
