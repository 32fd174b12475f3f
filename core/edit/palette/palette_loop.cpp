// Condition and body are written as HLO text, which the edit brings along.
#include "core/edit/palette/palette_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::string bodyText(const Shape& state, const std::string& stateText, const std::string& limit) {
  std::string elements, wires = "%counter.next";
  for (size_t i = 1; i < state.elements.size(); ++i) {
    elements +=
        fmt::format("  %carried.{0} = {1} get-tuple-element(%state), index={0}\n", i, toString(state.elements[i]));
    wires += fmt::format(", %carried.{}", i);
  }
  return fmt::format(R"(HloModule loop

%loop.condition {{
  %state.now = {0} parameter(0)
  %counter.now = s32[] get-tuple-element(%state.now), index=0
  %limit = s32[] constant({3})
  ROOT %goes.on = pred[] compare(%counter.now, %limit), direction=LT
}}

%loop.body {{
  %state = {0} parameter(0)
  %counter = s32[] get-tuple-element(%state), index=0
  %one = s32[] constant(1)
  %counter.next = s32[] add(%counter, %one)
{1}  ROOT %state.next = {0} tuple({2})
}}

ENTRY %none {{
  ROOT %n = s32[] constant(0)
}}
)",
                     stateText, elements, wires, limit);
}

}  // namespace

Edit placingCountingLoop(const Module& module, ComputationId computation, std::span<const InstructionId> sources,
                         const std::string& limit) {
  const Shape counter = Shape::arrayRowMajor(ElementType::S32, {});
  std::vector<Shape> shapes{counter};
  std::vector<InstructionId> state{newInstruction(0)};
  for (InstructionId id : sources) {
    if (!module.contains(id) || module.at(id).computation != computation || !module.shapeOf(id).isArray()) continue;
    shapes.push_back(module.shapeOf(id));
    state.push_back(id);
  }
  const Shape tuple = Shape::tuple(shapes);
  const size_t result = shapes.size() > 1 ? 1 : 0;
  Edit edit{"Add counting loop", {}};
  edit.actions.push_back(AddComputations{bodyText(tuple, toString(tuple), limit)});
  edit.actions.push_back(AddInstruction{computation, Opcode::Constant, "start", {}, {}, counter, "0"});
  edit.actions.push_back(AddInstruction{computation, Opcode::Tuple, "", state, {}, tuple, ""});
  edit.actions.push_back(AddInstruction{computation,
                                        Opcode::While,
                                        "loop",
                                        {newInstruction(1)},
                                        {{Attr::condition, "%loop.condition"}, {Attr::body, "%loop.body"}},
                                        tuple,
                                        ""});
  edit.actions.push_back(AddInstruction{computation,
                                        Opcode::GetTupleElement,
                                        "",
                                        {newInstruction(2)},
                                        {{Attr::index, std::to_string(result)}},
                                        shapes[result],
                                        ""});
  const InstructionId root = module.at(computation).root;
  if (!root.valid() || (state.size() > 1 && std::ranges::find(sources, root) != sources.end()))
    edit.actions.push_back(SetRoot{newInstruction(3)});
  return edit;
}

}  // namespace tessera
