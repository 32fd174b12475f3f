// Condition and body are written as HLO text, which the edit brings along. The state is (row number, carried, array,
// stacked results).
#include "core/edit/palette/palette_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/inference/infer_checks.h"

namespace tessera {
namespace {

struct Parts {
  Shape rows, row, counter = Shape::arrayRowMajor(ElementType::S32, {}), state;
};

Parts partsOf(const Shape& rows) {
  Parts out;
  out.rows = Shape::arrayRowMajor(rows.type, rows.dimensions);
  out.row = Shape::arrayRowMajor(rows.type, {rows.dimensions.begin() + 1, rows.dimensions.end()});
  out.state = Shape::tuple({out.counter, out.row, out.rows, out.rows});
  return out;
}

std::string loopText(const Parts& p) {
  std::vector<int64_t> slice = p.rows.dimensions;
  slice[0] = 1;
  const std::string piece = toString(Shape::arrayRowMajor(p.rows.type, slice)), row = toString(p.row),
                    rows = toString(p.rows), state = toString(p.state);
  std::string starts = "%i";
  for (size_t d = 1; d < slice.size(); ++d) starts += ", %zero";
  return fmt::format(R"(HloModule scan

%scan.condition {{
  %state.now = {0} parameter(0)
  %i.now = s32[] get-tuple-element(%state.now), index=0
  %rows.count = s32[] constant({6})
  ROOT %goes.on = pred[] compare(%i.now, %rows.count), direction=LT
}}

%scan.body {{
  %state = {0} parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %carried = {1} get-tuple-element(%state), index=1
  %rows = {2} get-tuple-element(%state), index=2
  %stacked = {2} get-tuple-element(%state), index=3
  %zero = s32[] constant(0)
  %piece = {3} dynamic-slice(%rows, {4}), dynamic_slice_sizes={5}
  %row = {1} reshape(%piece)
  %next = {1} {7}(%carried, %row)
  %next.piece = {3} reshape(%next)
  %stacked.next = {2} dynamic-update-slice(%stacked, %next.piece, {4})
  %one = s32[] constant(1)
  %i.next = s32[] add(%i, %one)
  ROOT %state.next = {0} tuple(%i.next, %next, %rows, %stacked.next)
}}

ENTRY %none {{
  ROOT %n = s32[] constant(0)
}}
)",
                     state, row, rows, piece, starts, listOf(slice), p.rows.dimensions[0],
                     p.row.type == ElementType::Pred ? "or" : "add");
}

class Scan {
 public:
  Scan(const Module& module, ComputationId computation, std::span<const InstructionId> sources)
      : module_(module), computation_(computation), sources_(sources) {}

  Edit make() {
    const Shape* given = arrayAt(0);
    const Parts p = partsOf(given ? *given : Shape::array(ElementType::F32, {8, 4}));
    edit_.actions.push_back(AddComputations{loopText(p)});
    const InstructionId rows = given                             ? sources_[0]
                               : computation_ == module_.entry() ? add(Opcode::Parameter, "rows", {}, {}, p.rows)
                                                                 : InstructionId();
    const Shape* second = arrayAt(1);
    const bool carries = second && second->type == p.row.type && second->dimensions == p.row.dimensions;
    const InstructionId first = carries ? sources_[1] : zeros(p.row, "carried.first"),
                        stacked = zeros(p.rows, "stacked.first");
    const InstructionId start = add(Opcode::Constant, "start", {}, {}, p.counter, "0");
    const InstructionId state = add(Opcode::Tuple, "", {start, first, rows, stacked}, {}, p.state);
    const InstructionId loop = add(Opcode::While, "scan", {state},
                                   {{Attr::condition, "%scan.condition"}, {Attr::body, "%scan.body"}}, p.state);
    const InstructionId out = add(Opcode::GetTupleElement, "scanned", {loop}, {{Attr::index, "3"}}, p.rows);
    if (becomesRoot(module_, computation_, sources_.first(std::min<size_t>(sources_.size(), 1))))
      edit_.actions.push_back(SetRoot{out});
    return std::move(edit_);
  }

 private:
  const Shape* arrayAt(size_t k) const {
    if (k >= sources_.size() || !module_.contains(sources_[k])) return nullptr;
    const Shape& shape = module_.shapeOf(sources_[k]);
    return shape.isArray() && (k > 0 || !shape.dimensions.empty()) ? &shape : nullptr;
  }
  InstructionId add(Opcode opcode, std::string name, std::vector<InstructionId> operands,
                    std::vector<NewAttribute> attributes, const Shape& shape, std::string literal = {}) {
    edit_.actions.push_back(AddInstruction{computation_, opcode, std::move(name), std::move(operands),
                                           std::move(attributes), shape, std::move(literal)});
    return newInstruction(added_++);
  }
  InstructionId zeros(const Shape& shape, const std::string& name) {
    const std::string zero = shape.type == ElementType::Pred ? "false" : "0";
    const InstructionId number = add(Opcode::Constant, "", {}, {}, Shape::arrayRowMajor(shape.type, {}), zero);
    if (shape.dimensions.empty()) return number;
    return add(Opcode::Broadcast, name, {number}, {{Attr::dimensions, "{}"}}, shape);
  }

  const Module& module_;
  const ComputationId computation_;
  const std::span<const InstructionId> sources_;
  Edit edit_{"Add scan", {}};
  uint32_t added_ = 0;
};

}  // namespace

Edit placingScan(const Module& module, ComputationId computation, std::span<const InstructionId> sources) {
  return Scan(module, computation, sources).make();
}

}  // namespace tessera
