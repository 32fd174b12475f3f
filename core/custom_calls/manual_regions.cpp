// The borders of manual regions, inside which a program sees the blocks of one device: Shardy's GlobalToLocalShape and
// LocalToGlobalShape with their shardings in frontend attributes, GSPMD's SPMDFullToShardShape and SPMDShardToFullShape
// with a sharding={…}. On the way in each device takes its block of the global value, which all of them have; on the
// way out the devices that hold different blocks exchange them.
#include "core/base/result.h"
#include "core/custom_calls/custom_calls.h"
#include "core/devices/sharding.h"
#include "core/devices/shardy.h"
#include "core/ops/shared/collective_groups.h"

namespace tessera {
namespace {

std::string_view frontendOf(const Instruction& instruction) {
  const auto* text = instruction.attributes->get<RawText>(Attr::frontend_attributes);
  return text ? std::string_view(text->text) : std::string_view();
}

int64_t partitionOf(const EvaluateContext& context) {
  return context.communicator ? context.communicator->partition() : 0;
}

// A tiling of every operand, by the manual axes alone.
Result<std::vector<Tiling>> shardyTilingsOf(const EvaluateContext& context, std::string_view key) {
  if (!context.module) return failUnsupported("a manual region's border needs its module's meshes");
  TESSERA_ASSIGN_OR_RETURN(const Meshes meshes, meshesOf(*context.module));
  const std::string_view frontend = frontendOf(context.instruction);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::string> axes,
                           manualAxesOf(frontendAttribute(frontend, "xla.sdy.manual_axes")));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Tiling> tilings, shardyTilings(frontendAttribute(frontend, key), meshes, axes));
  if (tilings.size() != context.operands.size())
    return failUnsupported(std::string(key) + " has " + std::to_string(tilings.size()) + " shardings for " +
                           std::to_string(context.operands.size()) + " operands");
  return tilings;
}

const Shape& resultShape(const EvaluateContext& context, size_t operand) {
  return context.shape.isTuple() ? context.shape.elements[operand] : context.shape;
}

Status checkResults(const EvaluateContext& context) {
  const size_t results = context.shape.isTuple() ? context.shape.elements.size() : 1;
  if (results == context.operands.size()) return {};
  return failUnsupported("a manual region's border has " + std::to_string(context.operands.size()) + " operands and " +
                         std::to_string(results) + " results");
}

Literal joinResults(const EvaluateContext& context, std::vector<Literal> values) {
  return context.shape.isTuple() ? Literal::tuple(std::move(values)) : std::move(values[0]);
}

Result<Literal> takeBlocks(const EvaluateContext& context, const std::vector<Tiling>& tilings) {
  TESSERA_TRY(checkResults(context));
  std::vector<Literal> blocks;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(const Shape whole, globalShape(resultShape(context, i), tilings[i]));
    if (!compatible(whole, context.operands[i].shape()))
      return failUnsupported(toString(context.operands[i].shape(), false) + " cannot be cut into " +
                             toString(resultShape(context, i), false) + " by its sharding");
    TESSERA_ASSIGN_OR_RETURN(Literal block, blockOf(context.operands[i], withoutLayout(resultShape(context, i)),
                                                    tilings[i], partitionOf(context)));
    blocks.push_back(std::move(block));
  }
  return joinResults(context, std::move(blocks));
}

// The devices of this replica that hold the blocks of one whole, this device among them.
Result<std::vector<int64_t>> holdersOf(const EvaluateContext& context, const Tiling& tiling) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<int64_t> holders, blockHolders(tiling, partitionOf(context)));
  const int64_t first =
      context.communicator ? context.communicator->replica() * context.communicator->grid().partitions : 0;
  for (int64_t& device : holders) device += first;
  return holders;
}

Result<Literal> gatherBlocks(const EvaluateContext& context, const std::vector<Tiling>& tilings) {
  TESSERA_TRY(checkResults(context));
  std::vector<Literal> wholes;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const Literal& block = context.operands[i];
    TESSERA_ASSIGN_OR_RETURN(const Shape whole, globalShape(block.shape(), tilings[i]));
    if (!compatible(whole, resultShape(context, i)))
      return failUnsupported("blocks " + toString(block.shape(), false) + " do not make " +
                             toString(resultShape(context, i), false) + " by their sharding");
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> holders, holdersOf(context, tilings[i]));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> blocks, exchangeAmong(context, holders, block));
    TESSERA_ASSIGN_OR_RETURN(Literal joined, joinTiles(blocks, tilings[i]));
    wholes.push_back(std::move(joined));
  }
  return joinResults(context, std::move(wholes));
}

Result<Literal> globalToLocal(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Tiling> tilings, shardyTilingsOf(context, "xla.sdy.in_shardings"));
  return takeBlocks(context, tilings);
}

Result<Literal> localToGlobal(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Tiling> tilings, shardyTilingsOf(context, "xla.sdy.out_shardings"));
  return gatherBlocks(context, tilings);
}

// The one operand's tiling by a sharding={…}; dimensions in which block and whole agree are not cut.
Result<Tiling> gspmdTiling(const Instruction& holder, const Shape& whole, const Shape& block) {
  const auto* text = holder.attributes->get<RawText>(Attr::sharding);
  TESSERA_ASSIGN_OR_RETURN(Tiling tiling, tilingOf(text ? std::string_view(text->text) : std::string_view()));
  if (compatible(whole, block)) return Tiling{};
  TESSERA_ASSIGN_OR_RETURN(const Shape found, globalShape(block, tiling));
  if (!compatible(found, whole))
    return failUnsupported("the sharding " + (text ? text->text : std::string("{replicated}")) + " does not cut " +
                           toString(whole, false) + " into " + toString(block, false));
  return tiling;
}

Result<Literal> fullToShard(const EvaluateContext& context) {
  if (context.operands.size() != 1 || !context.module) return failUnsupported("SPMDFullToShardShape takes one operand");
  // What the value is cut by is on the Sharding annotation before it.
  const Instruction& annotated = context.module->at(context.instruction.operands[0]);
  TESSERA_ASSIGN_OR_RETURN(const Tiling tiling, gspmdTiling(annotated, context.operands[0].shape(), context.shape));
  return takeBlocks(context, {tiling});
}

Result<Literal> shardToFull(const EvaluateContext& context) {
  if (context.operands.size() != 1) return failUnsupported("SPMDShardToFullShape takes one operand");
  TESSERA_ASSIGN_OR_RETURN(const Tiling tiling,
                           gspmdTiling(context.instruction, context.shape, context.operands[0].shape()));
  return gatherBlocks(context, {tiling});
}

constexpr CustomCallTarget kManualRegionTargets[] = {
    {"xla.sdy.GlobalToLocalShape", globalToLocal},
    {"xla.sdy.LocalToGlobalShape", localToGlobal},
    {"SPMDFullToShardShape", fullToShard},
    {"SPMDShardToFullShape", shardToFull},
};

}  // namespace

std::span<const CustomCallTarget> manualRegionTargets() { return kManualRegionTargets; }

}  // namespace tessera
