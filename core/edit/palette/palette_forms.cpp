// One function a form. What a form cannot do with its sources it leaves to the plain operation, whose rules then say
// why.
#include "core/edit/palette/palette_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/edit/palette/blocks.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

using Sources = std::span<const InstructionId>;

// An edit under way: what was added, and the value that stands last.
struct Draft {
  const Module& module;
  ComputationId computation;
  Sources sources;
  Edit edit;
  uint32_t added = 0;

  InstructionId add(Opcode opcode, std::vector<InstructionId> operands, std::vector<NewAttribute> attributes = {},
                    std::optional<Shape> shape = {}, std::string literal = {}) {
    edit.actions.push_back(AddInstruction{computation, opcode, "", std::move(operands), std::move(attributes),
                                          std::move(shape), std::move(literal)});
    return newInstruction(added++);
  }
  InstructionId source(size_t k) const {
    return k < sources.size() && module.contains(sources[k]) ? sources[k] : InstructionId();
  }
  const Shape* shape(size_t k) const {
    const InstructionId id = source(k);
    return id.valid() && module.shapeOf(id).isArray() ? &module.shapeOf(id) : nullptr;
  }
};

std::vector<int64_t> counted(int64_t from, size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), from);
  return out;
}

// Broadcast(x, sizes): new dimensions before the old ones.
void broadcastSizes(Draft& d) {
  const Shape* x = d.shape(0);
  if (!x)
    return (void)d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, "{}"}},
                       Shape::array(ElementType::F32, {2}));
  std::vector<int64_t> sizes{2};
  sizes.insert(sizes.end(), x->dimensions.begin(), x->dimensions.end());
  d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, listOf(counted(1, x->dimensions.size()))}},
        Shape::array(x->type, sizes));
}

// BroadcastInDim(x, shape, dimensions): the old dimensions keep their places before a new last one.
void broadcastInDim(Draft& d) {
  const Shape* x = d.shape(0);
  if (!x)
    return (void)d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, "{}"}},
                       Shape::array(ElementType::F32, {2}));
  std::vector<int64_t> sizes = x->dimensions;
  sizes.push_back(2);
  d.add(Opcode::Broadcast, {d.source(0)}, {{Attr::dimensions, listOf(counted(0, x->dimensions.size()))}},
        Shape::array(x->type, sizes));
}

// Collapse(x, {0, 1}): the first two dimensions become one.
void collapse(Draft& d) {
  const Shape* x = d.shape(0);
  std::vector<int64_t> sizes = x ? x->dimensions : std::vector<int64_t>{};
  if (sizes.size() >= 2) {
    sizes[1] *= sizes[0];
    sizes.erase(sizes.begin());
  }
  d.add(Opcode::Reshape, {d.source(0)}, {}, Shape::array(x ? x->type : ElementType::F32, sizes));
}

// Add(x, y, broadcast_dimensions): the smaller one lies along the leading dimensions of the larger.
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

// ConvWithGeneralPadding on [batch, height, width, features]; the kernel is the second source, or a parameter
// of 3 × 3.
void convolution(Draft& d, bool same) {
  const Shape* x = d.shape(0);
  if (!x || x->dimensions.size() != 4) return (void)d.add(Opcode::Convolution, {d.source(0), d.source(1)});
  const int64_t features = x->dimensions[3];
  const Shape* given = d.shape(1);
  const bool fits = given && given->dimensions.size() == 4 && given->dimensions[2] == features;
  const Shape kernel = fits ? *given : Shape::array(x->type, {3, 3, features, features});
  InstructionId weights = d.source(1);
  if (!weights.valid() && d.computation == d.module.entry()) weights = d.add(Opcode::Parameter, {}, {}, kernel);
  const int64_t high = kernel.dimensions[0], wide = kernel.dimensions[1];
  std::string window = fmt::format("{{size={}x{}", high, wide);
  if (same) window += fmt::format(" pad={}_{}x{}_{}", (high - 1) / 2, high / 2, (wide - 1) / 2, wide / 2);
  d.add(Opcode::Convolution, {d.source(0), weights},
        {{Attr::window, window + "}"}, {Attr::dim_labels, "b01f_01io->b01f"}});
}

void crossReplicaSum(Draft& d) {
  const Shape* x = d.shape(0);
  const ElementType type = x ? x->type : ElementType::F32;
  const std::string reducer = "add." + std::string(nameOf(type));
  d.edit.actions.push_back(AddReducer{reducer, Opcode::Add, type});
  d.add(Opcode::AllReduce, {d.source(0)}, {{Attr::replica_groups, "{}"}, {Attr::to_apply, "%" + reducer}});
}

using Make = void (*)(Draft&);
struct Form {
  const char *title, *category, *summary, *words;
  Opcode opcode;
  Make make;
};
constexpr Form kForms[] = {
    {"broadcast sizes", "Builder forms", "New dimensions before those of the operand", "broadcast tile repeat",
     Opcode::Broadcast, broadcastSizes},
    {"broadcast in dim", "Builder forms", "The operand's dimensions in chosen places of a larger shape",
     "broadcast expand", Opcode::Broadcast, broadcastInDim},
    {"collapse", "Builder forms", "Neighbouring dimensions become one", "reshape flatten merge", Opcode::Reshape,
     collapse},
    {"add along leading dimensions", "Builder forms", "A smaller array is added along the first dimensions of a larger",
     "broadcast_dimensions add plus", Opcode::Add, addAlongLeading},
    {"convolution same", "Builder forms", "A convolution whose result is as large as its input",
     "conv padding same general", Opcode::Convolution, [](Draft& d) { convolution(d, true); }},
    {"convolution valid", "Builder forms", "A convolution without padding", "conv padding valid general",
     Opcode::Convolution, [](Draft& d) { convolution(d, false); }},
    {"cross-replica sum", "Builder forms", "The sum over all replicas", "crossreplicasum all-reduce psum",
     Opcode::AllReduce, crossReplicaSum},
};

constexpr std::string_view kBlock = "block ";

// Not made of instructions here: the edit asks what the selection means when it is done.
constexpr std::string_view kGradient = "gradient";

}  // namespace

const std::vector<PaletteForm>& paletteForms() {
  static const std::vector<PaletteForm> forms = [] {
    std::vector<PaletteForm> out;
    for (const Form& form : kForms)
      out.push_back({{form.title, form.category, form.summary, form.opcode, Opcode::Unknown, {}, {}, {}, form.title},
                     form.words});
    PaletteEntry gradient;
    gradient.title = gradient.form = kGradient;
    gradient.category = "Training";
    gradient.summary = "The gradient of the selected value with respect to what else is selected, or to all parameters";
    out.push_back({gradient, "derivative backward backprop backpropagation grad differentiate vjp autodiff"});
    for (const Block& block : shippedBlocks()) {
      std::string title = block.name + " block";
      std::ranges::replace(title, '_', ' ');
      out.push_back({{title,
                      "Blocks",
                      block.summary,
                      Opcode::Call,
                      Opcode::Unknown,
                      {},
                      {},
                      {},
                      std::string(kBlock) + block.name},
                     block.name + " composite layer"});
    }
    return out;
  }();
  return forms;
}

Edit placingForm(const Module& module, ComputationId computation, const PaletteEntry& entry, Sources sources) {
  if (entry.form.starts_with(kBlock)) {
    const Block block{entry.form.substr(kBlock.size()), {}, 1, {}};
    if (auto edit = placingBlock(module, computation, block, sources)) return *std::move(edit);
    // Shapes that it cannot take: made for its own small ones, with its inputs as parameters.
    if (auto edit = placingBlock(module, computation, block, {})) return *std::move(edit);
  }
  if (entry.form == kGradient) return {"Gradient", {AddGradient{{}, {sources.begin(), sources.end()}}}};
  Draft draft{module, computation, sources, {"Add " + entry.title, {}}, 0};
  const auto form = std::ranges::find_if(kForms, [&](const Form& each) { return entry.form == each.title; });
  if (form != std::end(kForms)) form->make(draft);
  if (draft.added == 0) draft.add(entry.opcode, {draft.source(0)});
  if (becomesRoot(module, computation, sources)) draft.edit.actions.push_back(SetRoot{newInstruction(draft.added - 1)});
  return std::move(draft.edit);
}

}  // namespace tessera
