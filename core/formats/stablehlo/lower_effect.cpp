// What reaches outside of the graph: custom calls, random numbers, collectives, tokens, hosts, and manual regions of
// Shardy.
#include "core/base/ascii.h"
#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

// --- custom calls

// dense<[0, 1]> : tensor<2xindex>, one an array, as layouts of the shapes.
bool applyLayouts(const Attribute* layouts, std::vector<Shape>& shapes) {
  if (!layouts) return true;
  if (layouts->items.size() != shapes.size()) return false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].isArray()) continue;
    const std::vector<int64_t> order = integersOf(&layouts->items[i]);
    std::vector<bool> seen(shapes[i].dimensions.size());
    if (order.size() != seen.size()) return false;
    for (int64_t d : order) {
      if (d < 0 || static_cast<size_t>(d) >= seen.size() || seen[static_cast<size_t>(d)]) return false;
      seen[static_cast<size_t>(d)] = true;
    }
    shapes[i].layout = Layout{};
    shapes[i].layout->minorToMajor = order;
  }
  return true;
}

std::string indexText(const Attribute* list) {
  std::string out = "{";
  for (int64_t i : integersOf(list)) out += (out.size() > 1 ? "," : "") + std::to_string(i);
  return out + '}';
}

void setAliases(AttributeSet& out, const Operation& op) {
  const Attribute* given = op.find("output_operand_aliases");
  if (!given || given->items.empty()) return;
  std::string text = "{";
  for (const Attribute& alias : given->items) {
    const Attribute* operand = alias.find("operand_index");
    if (text.size() > 1) text += ", ";
    text += indexText(alias.find("output_tuple_indices")) + ": (" + std::to_string(operand ? operand->integer : 0) +
            ", " + indexText(alias.find("operand_tuple_indices")) + ')';
  }
  out.set(Attr::output_to_operand_aliasing, RawText{text + '}', false});
}

Status setApiVersion(Lowering& l, AttributeSet& out, const Operation& op) {
  constexpr std::string_view kVersions[] = {"", "", "API_VERSION_STATUS_RETURNING",
                                            "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  int64_t version = integer(op, {"api_version"}, 1);
  if (op.find("mhlo.backend_config")) version = 4;
  if (version < 0 || version > 4)
    return l.fault(op, "api_version has an unknown value", "0 to 4", std::to_string(version));
  if (version >= 2) out.set(Attr::api_version, std::string(kVersions[version]));
  return {};
}

void setBackendConfig(AttributeSet& out, const Operation& op) {
  const Attribute* dictionary = op.find("mhlo.backend_config");
  if (!dictionary) dictionary = op.find("backend_config");
  if (!dictionary || dictionary->text.empty()) return;
  out.set(Attr::backend_config, RawText{dictionary->text, dictionary->kind == Attribute::Kind::String});
}

Status setCallees(Lowering& l, const Operation& op, AttributeSet& out) {
  const Attribute* given = op.find("called_computations");
  if (!given || given->items.empty()) return {};
  std::vector<ComputationId> callees;
  for (const Attribute& callee : given->items) {
    TESSERA_ASSIGN_OR_RETURN(ComputationId id, l.functionNamed(op, callee.text));
    callees.push_back(id);
  }
  out.set(Attr::called_computations, std::move(callees));
  return {};
}

// The N best along a dimension, exactly, as XLA:CPU takes it: all are sorted by the comparator, and the first ones
// kept. Operands: arrays that move together, then what each would be filled up with.
Status lowerApproxTopK(Lowering& l, const Operation& op) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Attribute* config = op.find("mhlo.backend_config");
  const Attribute* along = config ? config->find("reduction_dim") : nullptr;
  const size_t n = op.types.size();
  if (n == 0 || operands.size() != 2 * n)
    return l.fault(op, "ApproxTopK takes two operands a result", std::to_string(2 * n),
                   std::to_string(operands.size()));
  if (!along) return l.fault(op, "ApproxTopK needs reduction_dim in its mhlo.backend_config");
  operands.resize(n);
  AttributeSet callees, attributes;
  TESSERA_TRY(setCallees(l, op, callees));
  const auto* comparator = callees.get<std::vector<ComputationId>>(Attr::called_computations);
  if (!comparator || comparator->size() != 1)
    return l.fault(op, "ApproxTopK needs one comparator among its called_computations");
  attributes.set(Attr::dimensions, std::vector<int64_t>{along->integer});
  attributes.set(Attr::to_apply, comparator->front());
  std::vector<Shape> shapes;
  for (InstructionId id : operands) shapes.push_back(l.shapeOf(id));
  const InstructionId sorted =
      l.add(Opcode::Sort, n == 1 ? shapes[0] : Shape::tuple(shapes), operands, std::move(attributes));
  for (size_t i = 0; i < n; ++i) {
    std::vector<SliceDimension> first;
    for (int64_t size : op.types[i].dimensions) first.push_back({0, size, 1});
    AttributeSet slice;
    slice.set(Attr::slice, std::move(first));
    l.defineResult(op, i,
                   l.add(Opcode::Slice, op.types[i], {n == 1 ? sorted : l.tupleElement(sorted, i)}, std::move(slice)));
  }
  return {};
}

// k, which the results' sizes say too, follows the arrays and initial values.
Status lowerDynamicApproxTopK(Lowering& l, Operation op) {
  if (op.operands.size() == 2 * op.types.size() + 1) op.operands.pop_back();
  return lowerApproxTopK(l, op);
}

// Targets that hand their operand on.
bool isTransparent(std::string_view target) {
  return target == "Sharding" || target == "LayoutConstraint" || target == "annotate_device_placement";
}

// An open result of a call that says nothing more about it.
Status settleResults(Lowering& l, Operation& op, std::string_view target) {
  for (Shape& type : op.types) {
    if (!isOpen(type)) continue;
    if (isTransparent(target) && op.operands.size() == 1 && op.types.size() == 1) {
      TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
      if (l.shapeOf(id).type == type.type && l.shapeOf(id).rank() == type.rank()) type = l.shapeOf(id);
    }
  }
  return {};
}

Status lowerCustomCall(Lowering& l, const Operation& given, Opcode opcode) {
  const Attribute* target = given.find("call_target_name");
  const std::string name = target ? target->text : std::string(given.symbol);
  if (name == "ApproxTopK") return lowerApproxTopK(l, given);
  if (const DynamicCall dynamic = dynamicCallNamed(name)) return dynamic(l, given);
  Operation op = given;
  TESSERA_TRY(settleCall(l, op));
  if (name == "stablehlo.dynamic_approx_top_k") return lowerDynamicApproxTopK(l, std::move(op));
  TESSERA_TRY(settleResults(l, op, name));
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  attributes.set(Attr::custom_call_target, name);
  std::vector<Shape> operandShapes, results = op.types;
  for (InstructionId id : operands) operandShapes.push_back(l.shapeOf(id));
  if (!applyLayouts(op.find("operand_layouts"), operandShapes) || !applyLayouts(op.find("result_layouts"), results))
    return l.fault(op, "the layouts do not match the operands and results");
  if (op.find("operand_layouts")) attributes.set(Attr::operand_layout_constraints, std::move(operandShapes));
  if (boolean(op, {"has_side_effect"}, false)) attributes.set(Attr::custom_call_has_side_effect, true);
  TESSERA_TRY(setCallees(l, op, attributes));
  setAliases(attributes, op);
  TESSERA_TRY(setApiVersion(l, attributes, op));
  setBackendConfig(attributes, op);
  const Shape shape = results.size() == 1 ? results[0] : Shape::tuple(results);
  l.define(op, l.add(opcode, shape, operands, std::move(attributes)));
  return {};
}

// --- random numbers

std::string lowerCase(std::string word) {
  for (char& c : word) c = asciiLower(c);
  return word;
}

Status lowerRng(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  operands.resize(2);  // the third is the shape
  AttributeSet attributes;
  TESSERA_ASSIGN_OR_RETURN(const std::string distribution,
                           l.choice(op, {"rng_distribution", "distribution"}, "UNIFORM NORMAL"));
  attributes.set(Attr::distribution, "rng_" + lowerCase(distribution));
  return l.emit(op, opcode, operands, std::move(attributes));
}

Status lowerRngBits(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId state, l.operand(op, 0));
  AttributeSet attributes;
  TESSERA_ASSIGN_OR_RETURN(const std::string algorithm,
                           l.choice(op, {"rng_algorithm", "algorithm"}, "DEFAULT THREE_FRY PHILOX"));
  attributes.set(Attr::algorithm, "rng_" + lowerCase(algorithm));
  return l.emit(op, opcode, {state}, std::move(attributes));
}

// --- collectives

void setGroups(AttributeSet& out, const Operation& op) {
  const Attribute* given = op.find("replica_groups");
  ReplicaGroups groups;
  groups.groups = integerRows(given);
  // Groups of different size are padded with -1.
  for (auto& group : groups.groups) std::erase_if(group, [](int64_t id) { return id < 0; });
  groups.text = "{";
  for (const auto& group : groups.groups) {
    groups.text += groups.text.size() > 1 ? ",{" : "{";
    for (size_t i = 0; i < group.size(); ++i) groups.text += (i ? "," : "") + std::to_string(group[i]);
    groups.text += '}';
  }
  groups.text += '}';
  out.set(Attr::replica_groups, Boxed<ReplicaGroups>(std::move(groups)));
}

void setChannel(AttributeSet& out, const Operation& op) {
  const Attribute* channel = op.find("channel_handle");
  const Attribute* handle = channel ? channel->find("handle") : op.find("channel_id");
  if (handle && handle->integer > 0) out.set(Attr::channel_id, handle->integer);
}

// Where the row's dimension stands; reductions come with a region.
Status lowerCollective(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  AttributeSet attributes;
  setChannel(attributes, op);
  if (const Attribute* pairs = op.find("source_target_pairs"))
    attributes.set(Attr::source_target_pairs, integerRows(pairs));
  else
    setGroups(attributes, op);
  const int64_t dimension = integer(op, {"all_gather_dim", "scatter_dimension"}, -1);
  if (dimension >= 0) attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
  if (boolean(op, {"use_global_device_ids"}, false)) attributes.set(Attr::use_global_device_ids, true);
  if (!op.regions.empty()) {
    TESSERA_ASSIGN_OR_RETURN(ComputationId body, l.regionComputation(op, 0, "collective_region"));
    attributes.set(Attr::to_apply, body);
  }
  return l.emit(op, opcode, operands, std::move(attributes));
}

// StableHLO splits one dimension and joins another; HLO's form for arrays does so for one dimension only: what was
// split off becomes a leading dimension, is exchanged, and is merged in front of the dimension to join.
Status lowerAllToAll(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const int64_t split = integer(op, {"split_dimension"}, 0), join = integer(op, {"concat_dimension"}, 0),
                count = integer(op, {"split_count"}, 1);
  if (operands.size() != 1) return l.fault(op, "all_to_all of several operands is not read");
  const Shape from = l.shapeOf(operands[0]);
  const bool good = split >= 0 && split < from.rank() && join >= 0 && join < from.rank() && count > 0 &&
                    from.dimensions[static_cast<size_t>(split)] % count == 0;
  if (!good) return l.fault(op, "the split and concat dimensions do not fit the operand");
  AttributeSet attributes;
  setChannel(attributes, op);
  setGroups(attributes, op);
  attributes.set(Attr::dimensions, std::vector<int64_t>{split});
  if (split == join) return l.emit(op, opcode, operands, std::move(attributes));
  const InstructionId exchanged = l.add(opcode, from, operands, std::move(attributes));
  // [.., count, size/count, ..], then count to its place before the joined dimension.
  std::vector<int64_t> sizes = from.dimensions, order;
  sizes[static_cast<size_t>(split)] /= count;
  sizes.insert(sizes.begin() + split, count);
  const InstructionId parts = l.add(Opcode::Reshape, Shape::arrayRowMajor(from.type, sizes), {exchanged});
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (d == join) order.push_back(split);
    order.push_back(d < split ? d : d + 1);
  }
  std::vector<int64_t> moved;
  for (int64_t d : order) moved.push_back(sizes[static_cast<size_t>(d)]);
  AttributeSet transposition;
  transposition.set(Attr::dimensions, order);
  const InstructionId ordered =
      l.add(Opcode::Transpose, Shape::arrayRowMajor(from.type, moved), {parts}, std::move(transposition));
  return l.emit(op, Opcode::Reshape, {ordered});
}

// --- tokens and hosts

Status lowerInfeed(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  if (op.types.empty()) return l.fault(op, "the result types are missing");
  std::vector<Shape> data(op.types.begin(), op.types.end() - 1);
  const Shape shape = Shape::tuple({data.size() == 1 ? data[0] : Shape::tuple(data), Shape::token()});
  AttributeSet attributes;
  if (std::string config = word(op, {"infeed_config"}); !config.empty()) attributes.set(Attr::infeed_config, config);
  const InstructionId infeed = l.add(opcode, shape, operands, std::move(attributes));
  const InstructionId values = l.tupleElement(infeed, 0);
  if (data.size() == 1) l.defineResult(op, 0, values);
  for (size_t i = 0; data.size() != 1 && i < data.size(); ++i) l.defineResult(op, i, l.tupleElement(values, i));
  l.defineResult(op, data.size(), l.tupleElement(infeed, 1));
  return {};
}

Status lowerOutfeed(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const InstructionId token = operands.back();
  operands.pop_back();
  std::vector<Shape> shapes;
  for (InstructionId id : operands) shapes.push_back(l.shapeOf(id));
  const InstructionId data = operands.size() == 1 ? operands[0] : l.add(Opcode::Tuple, Shape::tuple(shapes), operands);
  AttributeSet attributes;
  attributes.set(Attr::outfeed_shape, Boxed<Shape>(l.shapeOf(data)));
  if (std::string config = word(op, {"outfeed_config"}); !config.empty()) attributes.set(Attr::outfeed_config, config);
  return l.emit(op, opcode, {data, token}, std::move(attributes));
}

// One operand, or a tuple of several.
Status lowerBarrier(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  if (operands.size() == 1) return l.emit(op, opcode, operands);
  std::vector<Shape> shapes;
  for (InstructionId id : operands) shapes.push_back(l.shapeOf(id));
  if (shapes.size() != op.types.size()) return l.fault(op, "a barrier gives what it takes");
  const Shape shape = Shape::tuple(std::move(shapes));
  l.define(op, l.add(opcode, shape, {l.add(Opcode::Tuple, shape, operands)}));
  return {};
}

// --- Shardy

AttributeSet manualFacts(const Operation& op, std::string_view target, const std::string& shardings, const char* key) {
  AttributeSet out;
  out.set(Attr::custom_call_target, std::string(target));
  out.set(Attr::custom_call_has_side_effect, true);
  const Attribute* axes = op.find("manual_axes");
  out.set(Attr::frontend_attributes,
          RawText{frontendText(
                      {{key, "#sdy.sharding_per_value<" + shardings + ">"},
                       {"xla.sdy.manual_axes", "#sdy<manual_axes" + (axes ? axes->text : std::string("{}")) + ">"}}),
                  false});
  return out;
}

// A manual region: each operand is cut to this device's block, the body is called, the results are joined again.
Status lowerManualComputation(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Region& body = op.regions[0];
  if (body.arguments.size() != operands.size()) return l.fault(op, "the region does not take the operands");
  TESSERA_ASSIGN_OR_RETURN(ComputationId callee, l.regionComputation(op, 0, "xla.sdy.manual_computation_body"));
  std::vector<Shape> local;
  for (const BlockArgument& argument : body.arguments) local.push_back(argument.type);
  auto shapeOf = [](const std::vector<Shape>& shapes) { return shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes); };
  auto shardings = [&](const char* key) { return op.find(key) ? op.find(key)->text : std::string("[]"); };
  Ids blocks;
  if (!operands.empty()) {
    const InstructionId cut =
        l.add(Opcode::CustomCall, shapeOf(local), operands,
              manualFacts(op, "xla.sdy.GlobalToLocalShape", shardings("in_shardings"), "xla.sdy.in_shardings"));
    if (local.size() == 1) blocks.push_back(cut);
    for (size_t i = 0; local.size() != 1 && i < local.size(); ++i) blocks.push_back(l.tupleElement(cut, i));
  }
  AttributeSet attributes;
  attributes.set(Attr::to_apply, callee);
  attributes.set(Attr::frontend_attributes, RawText{"{inlineable=\"false\"}", false});
  const Shape result = l.shapeOf(l.module().at(callee).root);
  const InstructionId call = l.add(Opcode::Call, result, blocks, std::move(attributes));
  Ids parts;
  if (!result.isTuple()) parts.push_back(call);
  for (size_t i = 0; result.isTuple() && i < result.elements.size(); ++i) parts.push_back(l.tupleElement(call, i));
  if (parts.empty()) return {};
  return l.emit(op, Opcode::CustomCall, parts,
                manualFacts(op, "xla.sdy.LocalToGlobalShape", shardings("out_shardings"), "xla.sdy.out_shardings"));
}

// A constraint only says how a value is on devices.
Status lowerShardingConstraint(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  const Attribute* sharding = findAny(op, {"value", "sharding"});
  AttributeSet attributes;
  std::string text = sharding ? sharding->text : "";
  if (!text.starts_with('<')) text = '<' + text + '>';
  attributes.set(Attr::frontend_attributes,
                 RawText{frontendText({{"xla.sdy.sharding", "#sdy.sharding" + text}}), false});
  return l.emit(op, opcode, {id}, std::move(attributes));
}

const LoweringRow kEffectRows[] = {
    {"custom_call", 0, Opcode::CustomCall, lowerCustomCall},
    {"rng", 2, Opcode::Rng, lowerRng},
    {"rng_bit_generator", 1, Opcode::RngBitGenerator, lowerRngBits},
    {"partition_id", 0, Opcode::PartitionId},
    {"replica_id", 0, Opcode::ReplicaId},
    {"all_gather", 1, Opcode::AllGather, lowerCollective},
    {"all_reduce", 1, Opcode::AllReduce, lowerCollective},
    {"reduce_scatter", 1, Opcode::ReduceScatter, lowerCollective},
    {"collective_broadcast", 1, Opcode::CollectiveBroadcast, lowerCollective},
    {"collective_permute", 1, Opcode::CollectivePermute, lowerCollective},
    {"all_to_all", 1, Opcode::AllToAll, lowerAllToAll},
    {"create_token", 0, Opcode::AfterAll},
    {"after_all", 0, Opcode::AfterAll},
    {"infeed", 1, Opcode::Infeed, lowerInfeed},
    {"outfeed", 1, Opcode::Outfeed, lowerOutfeed},
    {"optimization_barrier", 1, Opcode::OptBarrier, lowerBarrier},
    {"sdy.manual_computation", 0, Opcode::Call, lowerManualComputation},
    {"sdy.sharding_constraint", 1, Opcode::Copy, lowerShardingConstraint},
};

}  // namespace

std::span<const LoweringRow> effectRows() { return kEffectRows; }

}  // namespace tessera::mlir
