// See lowering.h.
#include "core/passes/partition/lowering.h"

#include <algorithm>

#include "core/formats/padding.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/shared/random_bits.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/partition/factor_choice.h"
#include "core/passes/partition/halo.h"
#include "core/passes/partition/places.h"
#include "core/passes/partition/reshape.h"
#include "core/passes/partition/reshard.h"

namespace tessera::partition {

// One computation.
class ComputationLowering {
 public:
  ComputationLowering(Lowering& program, ComputationId source)
      : program_(program),
        shardings_(program.shardings_),
        source_(source),
        build_(program.rewriter_, program.grid_,
               program.rewriter_.module().addComputation(module().at(source).name + "_spmd")) {}

  Result<ComputationId> run() {
    const Computation from = module().at(source_);
    for (InstructionId id : from.instructions) {
      build_.worksFor(id);
      auto blocks = lower(Instruction(module().at(id)));
      if (!blocks) return std::unexpected(placedAt(module().at(id), blocks.error()));
      keepAssigned(id, std::move(*blocks));
    }
    build_.worksFor(from.root);
    module().setRoot(build_.computation(), packed(from.root, shardings_.of(module().at(from.root))));
    return build_.computation();
  }

 private:
  Module& module() { return program_.rewriter_.module(); }
  const Shape& shapeOf(InstructionId id, size_t leaf) { return *leavesOf(module().shapeOf(id))[leaf].shape; }

  // What was computed is kept as propagation wants it, so that all users share one exchange.
  void keepAssigned(InstructionId id, Blocks blocks) {
    for (size_t k = 0; k < blocks.size(); ++k) {
      const ArraySharding& assigned = shardings_.of(id, k);
      if (blocks[k].sharding.manual || assigned.manual) continue;
      blocks[k] = {reshard(build_, blocks[k].id, shapeOf(id, k), blocks[k].sharding, assigned), assigned};
    }
    values_[id.value] = std::move(blocks);
  }

  // The block of an array under a sharding. The value of a scalar everywhere is made anew, equal blocks are made once.
  InstructionId wanted(InstructionId id, size_t leaf, const ArraySharding& sharding) {
    const Block& block = values_.at(id.value)[leaf];
    if (block.sharding == sharding || block.sharding.manual || sharding.manual) return block.id;
    for (const Block& known : resharded_[block.id.value])
      if (known.sharding == sharding) return known.id;
    const Instruction& instruction = module().at(id);
    const bool isSplat =
        instruction.opcode == Opcode::Broadcast && module().shapeOf(instruction.operands[0]).isScalar();
    const InstructionId made = isSplat ? build_.broadcastScalar(wanted(instruction.operands[0], 0, {}),
                                                                localShape(*instruction.shape, sharding))
                                       : reshard(build_, block.id, shapeOf(id, leaf), block.sharding, sharding);
    resharded_[block.id.value].push_back({made, sharding});
    return made;
  }

  // A tuple that is there is used as it is: a transfer in flight cannot be taken apart.
  InstructionId packed(InstructionId id, const std::vector<ArraySharding>& shardings) {
    std::vector<InstructionId> leaves;
    for (size_t k = 0; k < shardings.size(); ++k) leaves.push_back(wanted(id, k, shardings[k]));
    const Shape shape = localShapeOf(module().shapeOf(id), shardings);
    const auto known = tuples_.find(leaves);
    const bool isThere = known != tuples_.end() && sameIgnoringLayout(build_.shapeOf(known->second), shape);
    return isThere ? known->second : build_.pack(shape, leaves);
  }

  std::vector<ArraySharding> wholeOf(const Shape& shape) const {
    std::vector<ArraySharding> out;
    for (const ShapeLeaf& leaf : leavesOf(shape)) out.push_back(wholeArray(*leaf.shape));
    return out;
  }

  Blocks unpacked(InstructionId value, const std::vector<ArraySharding>& shardings) {
    Blocks out;
    const std::vector<InstructionId> leaves = build_.unpack(value);
    if (build_.shapeOf(value).isTuple() && !leaves.empty()) tuples_[leaves] = value;
    for (size_t k = 0; k < leaves.size(); ++k) out.push_back({leaves[k], shardings[k]});
    return out;
  }

  // The shape of a value whose arrays are cut so.
  static Shape localShapeOf(const Shape& shape, std::span<const ArraySharding> shardings) {
    if (!shape.isTuple()) return localShape(shape, shardings[0]);
    Shape out = shape;
    size_t at = 0;
    for (Shape& element : out.elements) {
      const size_t count = leavesOf(element).size();
      element = localShapeOf(element, shardings.subspan(at, count));
      at += count;
    }
    return out;
  }

  Result<Blocks> lower(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Parameter: return parameter(instruction);
      case Opcode::Tuple: return tuple(instruction);
      case Opcode::GetTupleElement: return tupleElement(instruction);
      case Opcode::While: return loop(instruction);
      case Opcode::Conditional: return conditional(instruction);
      default: break;
    }
    if (isAnnotationCall(instruction)) return Blocks(values_.at(instruction.operands[0].value));
    if (borderOf(instruction) != Border::None) {
      TESSERA_ASSIGN_OR_RETURN(auto blocks, border(instruction));
      if (blocks) return std::move(*blocks);
    }
    if (hasManualOperand(instruction)) return verbatim(instruction);
    if (instruction.opcode == Opcode::Domain) return Blocks(values_.at(instruction.operands[0].value));
    if (instruction.opcode == Opcode::Reshape && !instruction.shape->hasDynamicDimensions())
      return reshape(instruction);
    if (instruction.opcode == Opcode::Iota) return iota(instruction);
    if (const auto rule = ruleOf(module(), instruction)) return byRule(instruction, *rule);
    return verbatim(instruction);
  }

  bool hasManualOperand(const Instruction& instruction) const {
    return std::ranges::any_of(instruction.operands, [&](InstructionId operand) {
      return std::ranges::any_of(values_.at(operand.value), [](const Block& block) { return block.sharding.manual; });
    });
  }

  // Without what was said to the partitioner. A call reads its texts itself.
  static AttributeSet withoutAnnotations(AttributeSet attributes, Opcode opcode) {
    attributes.remove(Attr::control_predecessors);
    if (opcode == Opcode::CustomCall) return attributes;
    attributes.remove(Attr::sharding);
    const auto* frontend = attributes.get<RawText>(Attr::frontend_attributes);
    if (frontend && frontend->text.contains("xla.sdy.sharding=")) attributes.remove(Attr::frontend_attributes);
    return attributes;
  }
  static AttributeSet plainAttributes(const Instruction& instruction) {
    return withoutAnnotations(*instruction.attributes, instruction.opcode);
  }

  Blocks parameter(const Instruction& instruction) {
    const std::vector<ArraySharding> shardings = shardings_.of(instruction);
    const InstructionId made =
        build_.copy(instruction, localShapeOf(*instruction.shape, shardings), {}, plainAttributes(instruction));
    return unpacked(made, shardings);
  }

  Blocks tuple(const Instruction& instruction) {
    Blocks out;
    for (InstructionId operand : instruction.operands)
      for (const Block& block : values_.at(operand.value)) out.push_back(block);
    return out;
  }

  Blocks tupleElement(const Instruction& instruction) {
    const InstructionId operand = instruction.operands[0];
    const size_t first =
        firstLeafOf(module().shapeOf(operand), static_cast<size_t>(instruction.attributes->intOr(Attr::index, 0)));
    const Blocks& all = values_.at(operand.value);
    const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
    return {begin, begin + static_cast<ptrdiff_t>(leavesOf(*instruction.shape).size())};
  }

  // The copy draws what the source draws.
  static void keepStream(AttributeSet& attributes, const Instruction& source) {
    const auto* said = attributes.get<RawText>(Attr::frontend_attributes);
    attributes.set(Attr::frontend_attributes, RawText{withFrontendAttribute(said ? said->text : "", kStreamNumber,
                                                                            std::to_string(source.id.value))});
  }

  // On whole arrays, or on a device's own values: as it stands.
  Blocks verbatim(const Instruction& instruction) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : instruction.operands)
      operands.push_back(packed(operand, wholeOf(module().shapeOf(operand))));
    AttributeSet attributes = plainAttributes(instruction);
    if (instruction.opcode == Opcode::Rng) keepStream(attributes, instruction);
    const InstructionId made = build_.copy(instruction, *instruction.shape, operands, std::move(attributes));
    std::vector<ArraySharding> shardings = wholeOf(*instruction.shape);
    for (size_t k = 0; k < shardings.size(); ++k) shardings[k].manual = shardings_.of(instruction.id, k).manual;
    return unpacked(made, shardings);
  }

  // The block under the sharding of a region's border is what the border gives or takes.
  Result<std::optional<Blocks>> border(const Instruction& instruction) {
    const bool in = borderOf(instruction) == Border::In;
    if (in && hasManualOperand(instruction)) return std::nullopt;
    TESSERA_ASSIGN_OR_RETURN(const auto shardings, borderShardings(program_.context_, instruction));
    if (!shardings || (!in && shardings_.of(instruction.id, 0).manual)) return std::nullopt;
    Blocks out;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const InstructionId operand = instruction.operands[i];
      ArraySharding manual{.cuts = Cuts(module().shapeOf(operand).dimensions.size()), .manual = true};
      out.push_back(in ? Block{wanted(operand, 0, (*shardings)[i]), std::move(manual)}
                       : Block{values_.at(operand.value)[0].id, (*shardings)[i]});
    }
    return out;
  }

  // Under the sharding that needs the least exchange: the operand's, or that from which the wanted one follows.
  Blocks reshape(const Instruction& instruction) {
    const InstructionId operand = instruction.operands[0];
    const Shape &from = module().shapeOf(operand), &to = *instruction.shape;
    const ArraySharding& assigned = shardings_.of(instruction.id, 0);
    const ReshapedSharding backward = reshapeSharding(to, from, assigned);
    ReshapedSharding used = reshapeSharding(from, to, values_.at(operand.value)[0].sharding);
    if (backward.from == assigned) used = {backward.to, assigned};
    const InstructionId block = wanted(operand, 0, used.from);
    const InstructionId made =
        build_.copy(instruction, localShape(to, used.to), {&block, 1}, plainAttributes(instruction));
    return {{made, used.to}};
  }

  // Indices from 0 in each block, to which the block's first index is added.
  Blocks iota(const Instruction& instruction) {
    const ArraySharding& assigned = shardings_.of(instruction.id, 0);
    const Shape block = localShape(*instruction.shape, assigned);
    InstructionId made = build_.copy(instruction, block, {}, plainAttributes(instruction));
    const auto along = static_cast<size_t>(instruction.attributes->intOr(Attr::iota_dimension, 0));
    if (const CutPtr& cut = assigned.cuts[along]) {
      std::vector<int64_t> first = cut->blockOf;
      for (int64_t& index : first) index *= block.dimensions[along];
      InstructionId offset = build_.ofDevice(first);
      if (block.type != ElementType::S32)
        offset = build_.add(Opcode::Convert, Shape::arrayRowMajor(block.type, {}), {&offset, 1});
      made = build_.binary(Opcode::Add, made, build_.broadcastScalar(offset, block));
    }
    return {{made, assigned}};
  }

  Blocks byRule(const Instruction& instruction, const Rule& rule) {
    std::vector<FactorArray> operands, results;
    for (InstructionId operand : instruction.operands)
      operands.push_back({&module().shapeOf(operand), &values_.at(operand.value)[0].sharding});
    const std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
    for (size_t k = 0; k < leaves.size(); ++k) results.push_back({leaves[k].shape, &shardings_.of(instruction.id, k)});
    const Cuts chosen = chooseCuts(rule, operands, results);

    std::vector<InstructionId> blocks;
    std::vector<Shape> shapes;
    for (size_t i = 0; i < operands.size(); ++i) {
      blocks.push_back(operandBlock(instruction, rule, chosen, i, blocks));
      shapes.push_back(build_.shapeOf(blocks.back()));
    }
    std::vector<ArraySharding> shardings;
    for (size_t k = 0; k < leaves.size(); ++k)
      shardings.push_back(shardingBy(rule, chosen, k, *leaves[k].shape, &Factor::results));
    Shape local = localShapeOf(*instruction.shape, shardings);

    if (rule.outside == Outside::OtherOperands && reachesAlongAny(rule, chosen)) return {{blocks.back(), shardings[0]}};
    const Cuts summed = summedCuts(rule, chosen);
    InstructionId seed;
    if (!summed.empty() && rule.seed) {
      seed = blocks[*rule.seed];
      blocks[*rule.seed] = build_.neutral(rule.combiner, shapes[*rule.seed]);
    }
    PlacedBlocks placed(build_, instruction, rule, chosen, blocks);
    AttributeSet attributes = withoutAnnotations(localAttributesOf(instruction, shapes, local), instruction.opcode);
    localizeReaches(attributes, rule, chosen);
    if (rule.givesRange) local.dimensions = shapes[0].dimensions;
    InstructionId made = placed.masked(build_.copy(instruction, local, blocks, std::move(attributes)), rule.combiner);
    if (rule.givesRange) made = ownPart(made, rule, chosen);
    if (summed.empty()) return unpacked(made, shardings);
    if (rule.joinsItself) return joined(instruction, made, shardings, summed, blocks);
    Block sum = summedUp({made, shardings[0]}, rule.combiner, summed, shardings_.of(instruction.id, 0));
    if (seed.valid()) sum = withSeed(sum, *leaves[0].shape, rule.combiner, seed, shardings[0]);
    return {std::move(sum)};
  }

  // Of the range along each factor that reaches.
  InstructionId ownPart(InstructionId range, const Rule& rule, const Cuts& chosen) {
    for (size_t f = 0; f < chosen.size(); ++f) {
      const Factor& factor = rule.factors[f];
      if (!chosen[f] || factor.reaches.empty()) continue;
      const int64_t begin = -factor.reaches[0]->offset, block = blockSize(factor.size, chosen[f]->parts);
      range = build_.slice(range, factor.results[0], begin, begin + block);
    }
    return range;
  }

  // The parts of all devices, in the order of their blocks, go through the operation once more.
  Blocks joined(const Instruction& instruction, InstructionId parts, const std::vector<ArraySharding>& shardings,
                const Cuts& summed, std::span<const InstructionId> blocks) {
    const BlockBuilder::Groups groups = groupsAlong(shardings[0].cuts, summed);
    std::vector<InstructionId> operands;
    for (InstructionId part : build_.unpack(parts)) {
      std::vector<int64_t> dimensions = build_.shapeOf(part).dimensions;
      dimensions.insert(dimensions.begin(), 1);
      operands.push_back(build_.allGather(build_.reshape(part, std::move(dimensions)), 0, groups));
    }
    for (InstructionId initial : blocks.subspan(operands.size())) operands.push_back(initial);
    AttributeSet attributes = plainAttributes(instruction);
    attributes.set(Attr::dimensions, std::vector<int64_t>{0});
    return unpacked(build_.add(instruction.opcode, build_.shapeOf(parts), operands, std::move(attributes)), shardings);
  }

  static void localizeReaches(AttributeSet& attributes, const Rule& rule, const Cuts& chosen) {
    for (size_t f = 0; f < chosen.size(); ++f) {
      const Factor& factor = rule.factors[f];
      if (!chosen[f] || factor.reaches.empty()) continue;
      const BlockRanges ranges = *rangesOf(*factor.reaches[0], factor.size, chosen[f]->parts);
      localizeReach(attributes, factor, blockSize(factor.size, chosen[f]->parts), ranges.paddingLow,
                    ranges.paddingHigh);
    }
  }

  static bool reachesAlongAny(const Rule& rule, const Cuts& chosen) {
    for (size_t f = 0; f < chosen.size(); ++f)
      if (chosen[f] && !rule.factors[f].reaches.empty()) return true;
    return false;
  }

  // Operand `i` as the device's block of the work needs it; `before` are those of the operands before it.
  InstructionId operandBlock(const Instruction& instruction, const Rule& rule, const Cuts& chosen, size_t i,
                             std::span<const InstructionId> before) {
    const InstructionId operand = instruction.operands[i];
    const Shape& whole = module().shapeOf(operand);
    ArraySharding sharding = shardingBy(rule, chosen, i, whole, &Factor::operands);
    const auto forEach = [&](const auto& visit) {
      for (size_t f = 0; f < chosen.size(); ++f)
        if (const int64_t d = rule.factors[f].operands[i]; chosen[f] && d >= 0)
          visit(rule.factors[f], chosen[f], d, Rule::reachOf(rule.factors[f], i));
    };
    // What every device has is not exchanged.
    forEach([&](const Factor&, const CutPtr&, int64_t d, const Reach* reach) {
      const ArraySharding& there = values_.at(operand.value)[0].sharding;
      if (reach && !there.cuts[static_cast<size_t>(d)]) sharding.cuts[static_cast<size_t>(d)] = nullptr;
    });
    InstructionId block = wanted(operand, 0, sharding);
    forEach([&](const Factor& factor, const CutPtr& cut, int64_t d, const Reach* reach) {
      const ReachedArray array{block, d, whole.dimensions[static_cast<size_t>(d)], sharding};
      if (reach) {
        block = takeRange(build_, array, *rangesOf(*reach, factor.size, cut->parts), *cut,
                          outsideOf(instruction, rule, i, before));
        sharding.cuts[static_cast<size_t>(d)] = cut;
      } else if (Rule::isSummed(factor) && !factor.place && !rule.holdsPlaces(i)) {
        block = withoutPadding(build_, array,
                               rule.joinsItself ? outsideOf(instruction, rule, i, before)
                                                : build_.neutral(rule.combiner, Shape::arrayRowMajor(whole.type, {})));
      }
    });
    return block;
  }

  // What operand `i` has beyond its dimension.
  InstructionId outsideOf(const Instruction& instruction, const Rule& rule, size_t i,
                          std::span<const InstructionId> before) {
    const Shape scalar = Shape::arrayRowMajor(module().shapeOf(instruction.operands[i]).type, {});
    switch (rule.outside) {
      case Outside::Anything: return {};
      case Outside::Zero: return build_.zero(scalar.type);
      case Outside::Neutral: return build_.neutral(rule.neutrals.empty() ? rule.combiner : rule.neutrals[i], scalar);
      case Outside::InitialValues:
        return wanted(instruction.operands[i + instruction.operands.size() / 2], 0, wholeArray(scalar));
      case Outside::SecondOperand: return wanted(instruction.operands[1], 0, wholeArray(scalar));
      case Outside::OtherOperands: return before.empty() ? InstructionId() : before.back();
    }
    return {};
  }

  static Cuts summedCuts(const Rule& rule, const Cuts& chosen) {
    Cuts out;
    for (size_t f = 0; f < rule.factors.size(); ++f)
      if (chosen[f] && Rule::isSummed(rule.factors[f])) out.push_back(chosen[f]);
    return out;
  }

  // The sum of the devices' parts: a reduce-scatter where the wanted sharding cuts a dimension as the sum is cut.
  Block summedUp(const Block& parts, Opcode combiner, const Cuts& summed, const ArraySharding& assigned) {
    const BlockBuilder::Groups groups = groupsAlong(parts.sharding.cuts, summed);
    for (size_t d = 0; summed.size() == 1 && d < assigned.cuts.size(); ++d) {
      if (!assigned.cuts[d] || parts.sharding.cuts[d] || !sameCut(assigned.cuts[d], summed[0])) continue;
      Block out = parts;
      out.sharding.cuts[d] = summed[0];
      out.id = build_.reduceScatter(parts.id, combiner, static_cast<int64_t>(d), groups);
      return out;
    }
    return {build_.allReduce(parts.id, combiner, groups), parts.sharding};
  }

  // `seed` is a scalar, or an array under the sharding `before` of the parts.
  Block withSeed(Block sum, const Shape& whole, Opcode combiner, InstructionId seed, const ArraySharding& before) {
    const Shape shape = build_.shapeOf(sum.id);
    seed = build_.shapeOf(seed).isScalar() ? build_.broadcastScalar(seed, shape)
                                           : reshard(build_, seed, whole, before, sum.sharding);
    sum.id = build_.binary(combiner, sum.id, seed);
    return sum;
  }

  Result<Blocks> loop(const Instruction& instruction) {
    const std::vector<ArraySharding> shardings = shardings_.of(instruction);
    AttributeSet attributes = plainAttributes(instruction);
    for (const Attr name : {Attr::condition, Attr::body}) {
      TESSERA_ASSIGN_OR_RETURN(const ComputationId lowered,
                               program_.lower(*instruction.attributes->get<ComputationId>(name)));
      attributes.set(name, lowered);
    }
    const InstructionId state = packed(instruction.operands[0], shardings);
    return unpacked(
        build_.copy(instruction, localShapeOf(*instruction.shape, shardings), {&state, 1}, std::move(attributes)),
        shardings);
  }

  Result<Blocks> conditional(const Instruction& instruction) {
    const std::vector<ComputationId> branches = branchesOf(*instruction.attributes);
    std::vector<InstructionId> operands{wanted(instruction.operands[0], 0, wholeArray({}))};
    AttributeSet attributes = plainAttributes(instruction);
    std::vector<ComputationId> lowered;
    for (size_t b = 0; b < branches.size(); ++b) {
      operands.push_back(
          packed(instruction.operands[b + 1], shardings_.of(module().at(module().at(branches[b]).parameters[0]))));
      TESSERA_ASSIGN_OR_RETURN(lowered.emplace_back(), program_.lower(branches[b]));
    }
    if (attributes.has(Attr::branch_computations)) {
      attributes.set(Attr::branch_computations, lowered);
    } else {
      attributes.set(Attr::true_computation, lowered[0]);
      attributes.set(Attr::false_computation, lowered[1]);
    }
    const std::vector<ArraySharding> shardings = shardings_.of(instruction);
    return unpacked(
        build_.copy(instruction, localShapeOf(*instruction.shape, shardings), operands, std::move(attributes)),
        shardings);
  }

  Lowering& program_;
  const Propagation& shardings_;
  ComputationId source_;
  BlockBuilder build_;
  std::unordered_map<uint32_t, Blocks> values_;                 // by instruction of the source
  std::map<std::vector<InstructionId>, InstructionId> tuples_;  // by their arrays
  std::unordered_map<uint32_t, Blocks> resharded_;              // by block: the same under other shardings
};

Result<ComputationId> Lowering::lower(ComputationId source) { return ComputationLowering(*this, source).run(); }

}  // namespace tessera::partition
