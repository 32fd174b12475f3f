// One function a form. What a form cannot do with its sources it leaves to the plain operation, whose rules then say
// why.
#include "core/edit/palette/palette_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/edit/palette/blocks.h"
#include "core/edit/palette/palette_draft.h"
#include "core/edit/palette/palette_training.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

using Sources = std::span<const InstructionId>;

std::vector<int64_t> counted(int64_t from, size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), from);
  return out;
}

// "{1,2}": 1, 2; empty: nothing is said.
std::vector<int64_t> numbersOf(const std::string* text) {
  std::vector<int64_t> out;
  const char* end = text ? text->data() + text->size() : nullptr;
  for (const char* at = text ? text->data() : nullptr; at && at < end; ++at) {
    int64_t value = 0;
    const auto [stopped, error] = std::from_chars(at, end, value);
    if (error == std::errc()) out.push_back(value), at = stopped;
  }
  return out;
}

void broadcastTo(Draft& d, const std::vector<int64_t>& places, const std::vector<int64_t>& sizes) {
  const Shape* x = d.shape(0);
  if (!x)
    return (void)d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, "{}"}},
                       Shape::array(ElementType::F32, {2}));
  d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, listOf(places)}}, Shape::array(x->type, sizes));
}

// Broadcast(x, sizes): new dimensions before the old ones; 2, or those of a shape that the line says.
void broadcastSizes(Draft& d) {
  const std::vector<int64_t> old = d.shape(0) ? d.shape(0)->dimensions : std::vector<int64_t>{};
  std::vector<int64_t> sizes{2};
  sizes.insert(sizes.end(), old.begin(), old.end());
  if (d.entry.shape && d.entry.shape->dimensions.size() >= old.size()) sizes = d.entry.shape->dimensions;
  broadcastTo(d, counted(static_cast<int64_t>(sizes.size() - old.size()), old.size()), sizes);
}

// BroadcastInDim(x, shape, dimensions): without a shape the old dimensions keep their places before a new last one.
// Dimensions of size 1 that grow go first, by a reshape.
void broadcastInDim(Draft& d) {
  const Shape* x = d.shape(0);
  const std::vector<int64_t> old = x ? x->dimensions : std::vector<int64_t>{};
  std::vector<int64_t> sizes = old, places = numbersOf(d.attribute(Attr::dimensions)), kept, left;
  sizes.push_back(2);
  if (d.entry.shape) sizes = d.entry.shape->dimensions;
  if (places.size() != old.size()) places = counted(0, old.size());
  for (size_t k = 0; k < old.size(); ++k) {
    const bool inside = places[k] >= 0 && places[k] < static_cast<int64_t>(sizes.size());
    const bool grows = inside && old[k] == 1 && sizes[static_cast<size_t>(places[k])] != 1;
    if (!grows) kept.push_back(places[k]), left.push_back(old[k]);
  }
  if (!x || kept.size() == old.size()) return broadcastTo(d, places, sizes);
  const InstructionId narrow = d.add(Opcode::Reshape, {d.source(0)}, {}, Shape::array(x->type, left));
  d.add(Opcode::Broadcast, {narrow}, {{Attr::dimensions, listOf(kept)}}, Shape::array(x->type, sizes));
}

// Collapse(x, {0, 1}): these neighbours, the first two where the line says none, become one dimension.
void collapse(Draft& d) {
  const auto x = d.input(0, Shape::array(ElementType::F32, {2, 3, 4}), "x");
  const std::vector<int64_t>& old = x.shape.dimensions;
  std::vector<int64_t> merged = numbersOf(d.attribute(Attr::dimensions)), sizes;
  if (merged.empty()) merged = counted(0, std::min<size_t>(old.size(), 2));
  for (size_t k = 0; k < merged.size(); ++k)
    if (merged[k] != merged[0] + static_cast<int64_t>(k) || merged[k] < 0 ||
        merged[k] >= static_cast<int64_t>(old.size()))
      return;
  for (int64_t k = 0; k < static_cast<int64_t>(old.size()); ++k) {
    const bool joins = std::ranges::find(merged, k) != merged.end() && k != merged[0];
    if (joins)
      sizes.back() *= old[static_cast<size_t>(k)];
    else
      sizes.push_back(old[static_cast<size_t>(k)]);
  }
  d.add(Opcode::Reshape, {x.id}, {}, Shape::array(x.shape.type, sizes));
}

// Add(x, y, broadcast_dimensions): the smaller one is along the leading dimensions of the larger.
void addAlongLeading(Draft& d) {
  const Shape *x = d.shape(0), *y = d.shape(1);
  InstructionId second = d.source(1);
  const bool leads = x && y && y->dimensions.size() < x->dimensions.size() &&
                     std::equal(y->dimensions.begin(), y->dimensions.end(), x->dimensions.begin());
  if (leads)
    second = d.add(Opcode::Broadcast, {second}, {{Attr::dimensions, listOf(counted(0, y->dimensions.size()))}},
                   Shape::array(y->type, x->dimensions));
  d.add(Opcode::Add, {d.source(0), second});
}

void crossReplicaSum(Draft& d) {
  const Shape* x = d.shape(0);
  const ElementType type = x ? x->type : ElementType::F32;
  const std::string reducer = "add." + std::string(nameOf(type));
  d.edit.actions.push_back(AddReducer{reducer, Opcode::Add, type});
  const std::string* groups = d.attribute(Attr::replica_groups);
  d.add(Opcode::AllReduce, {d.source(0)},
        {{Attr::replica_groups, groups ? *groups : "{}"}, {Attr::to_apply, "%" + reducer}});
}

constexpr DraftForm kForms[] = {
    {"broadcast sizes", "Builder forms", "New dimensions before those of the operand", "broadcast tile repeat",
     Opcode::Broadcast, broadcastSizes},
    {"broadcast in dim", "Builder forms", "The operand's dimensions in chosen places of a larger shape",
     "broadcast expand", Opcode::Broadcast, broadcastInDim},
    {"collapse", "Builder forms", "Neighbouring dimensions become one: collapse 1,2",
     "reshape merge dimensions=", Opcode::Reshape, collapse},
    {"add along leading dimensions", "Builder forms", "A smaller array is added along the first dimensions of a larger",
     "broadcast_dimensions add plus", Opcode::Add, addAlongLeading},
    {"cross-replica sum", "Builder forms", "The sum over all replicas", "crossreplicasum all-reduce psum",
     Opcode::AllReduce, crossReplicaSum},
};

std::vector<const DraftForm*> allForms() {
  std::vector<const DraftForm*> out;
  for (std::span<const DraftForm> each :
       {layerForms(), shapeForms(), matrixForms(), statisticsForms(), std::span<const DraftForm>(kForms)})
    for (const DraftForm& form : each) out.push_back(&form);
  return out;
}

constexpr std::string_view kBlock = "block ";

// Of the plain operation: the sources, further inputs open.
std::vector<InstructionId> plainOperands(const Draft& d) {
  const int arity = arityOf(d.entry.opcode);
  const OpDef* op = findOp(d.entry.opcode);
  const size_t count = arity >= 0 ? static_cast<size_t>(arity) : op ? std::max<size_t>(op->operands.size(), 1) : 1;
  std::vector<InstructionId> out;
  for (size_t k = 0; k < count; ++k) out.push_back(d.source(k));
  return out;
}

// Of the sources those that it reads: an identity matrix takes none.
std::vector<InstructionId> readBy(const Edit& edit, Sources sources) {
  std::vector<InstructionId> out;
  for (InstructionId source : sources)
    if (std::ranges::any_of(edit.actions, [&](const EditAction& action) {
          const auto* added = std::get_if<AddInstruction>(&action);
          return added && std::ranges::find(added->operands, source) != added->operands.end();
        }))
      out.push_back(source);
  return out;
}

}  // namespace

const std::vector<PaletteForm>& paletteForms() {
  static const std::vector<PaletteForm> forms = [] {
    std::vector<PaletteForm> out;
    for (const DraftForm* form : allForms())
      out.push_back(
          {{form->title, form->category, form->summary, form->opcode, Opcode::Unknown, {}, {}, {}, form->title},
           form->words});
    for (PaletteForm& form : trainingForms()) out.push_back(std::move(form));
    for (const Block& block : shippedBlocks()) {
      std::string title = block.name + " block";
      std::ranges::replace(title, '_', ' ');
      out.push_back({{title,
                      std::string(block.category),
                      block.summary,
                      Opcode::Call,
                      Opcode::Unknown,
                      {},
                      {},
                      {},
                      std::string(kBlock) + block.name},
                     block.name + " composite layer " + std::string(block.words)});
    }
    return out;
  }();
  return forms;
}

Edit placingForm(const Module& module, ComputationId computation, const PaletteEntry& entry, Sources sources) {
  if (entry.form.starts_with(kBlock)) {
    Block block{entry.form.substr(kBlock.size()), {}, 1, {}};
    block.number = entry.literal;
    if (auto edit = placingBlock(module, computation, block, sources)) return *std::move(edit);
    // Shapes that it cannot take: made for its own small ones, with its inputs as parameters.
    if (auto edit = placingBlock(module, computation, block, {})) return *std::move(edit);
  }
  if (auto training = placingTraining(module, computation, entry, sources)) return *std::move(training);
  Draft draft{module, computation, sources, entry, {"Add " + entry.title, {}}, 0};
  const auto forms = allForms();
  const auto form = std::ranges::find_if(forms, [&](const DraftForm* each) { return entry.form == each->title; });
  if (form != forms.end()) (*form)->make(draft);
  if (draft.added == 0) draft.add(entry.opcode, plainOperands(draft));
  if (becomesRoot(module, computation, readBy(draft.edit, sources)))
    draft.edit.actions.push_back(SetRoot{newInstruction(draft.added - 1)});
  return std::move(draft.edit);
}

}  // namespace tessera
