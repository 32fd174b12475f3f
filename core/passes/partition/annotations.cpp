// See annotations.h.
#include "core/passes/partition/annotations.h"

#include <algorithm>

#include "core/custom_calls/custom_calls.h"

namespace tessera::partition {
namespace {

std::string_view textOf(const Instruction& instruction, Attr name) {
  const auto* text = instruction.attributes->get<RawText>(name);
  return text ? std::string_view(text->text) : std::string_view();
}

std::string_view targetOf(const Instruction& instruction) {
  return instruction.opcode == Opcode::CustomCall ? instruction.attributes->textOr(Attr::custom_call_target, "") : "";
}

std::vector<std::string> allAxes(const Meshes& meshes) {
  std::vector<std::string> out;
  for (const auto& [name, mesh] : meshes)
    for (const auto& [axis, size] : mesh.axes) out.push_back(axis);
  return out;
}

// A mesh of one device that all the others copy, and a tiling of one tile, cut nothing.
Tiling withoutOneTile(Tiling tiling) { return deviceCount(tiling.tiles) == 1 ? Tiling() : std::move(tiling); }

// One of the texts of a sharding={…}.
Result<Annotation> readGspmd(const AnnotationContext& context, std::string_view text, const Shape& shape) {
  if (text == "{manual}") return Annotation{.sharding = {.cuts = Cuts(shape.dimensions.size()), .manual = true}};
  TESSERA_ASSIGN_OR_RETURN(Tiling tiling, tilingOf(text));
  TESSERA_ASSIGN_OR_RETURN(ArraySharding sharding,
                           shardingOf(withoutOneTile(std::move(tiling)), shape, context.devices));
  return Annotation{.sharding = std::move(sharding)};
}

Result<std::vector<Annotation>> readAll(const AnnotationContext& context, const Instruction& instruction) {
  const std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
  std::vector<Annotation> out;
  const std::string_view gspmd = textOf(instruction, Attr::sharding);
  const std::string shardy = frontendAttribute(textOf(instruction, Attr::frontend_attributes), "xla.sdy.sharding");
  if (gspmd.empty() && shardy.empty()) return out;
  std::vector<std::string_view> texts;
  std::vector<Tiling> tilings;
  if (!gspmd.empty()) {
    texts = shardingsOf(gspmd);
    if (texts.size() == 1) texts.resize(leaves.size(), texts[0]);
  } else {
    TESSERA_ASSIGN_OR_RETURN(tilings, shardyTilings(shardy, context.meshes, allAxes(context.meshes)));
  }
  const size_t found = gspmd.empty() ? tilings.size() : texts.size();
  if (found != leaves.size())
    return fail({.kind = ErrorKind::Invalid,
                 .message = "the sharding has another number of parts than the value has arrays",
                 .expected = std::to_string(leaves.size()),
                 .found = std::to_string(found)});
  const bool open = shardy.contains('?') || textOf(instruction, Attr::backend_config).contains("unspecified_dims");
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Shape& shape = *leaves[k].shape;
    Annotation& one = out.emplace_back();
    if (!shape.isArray()) continue;
    if (gspmd.empty()) {
      TESSERA_ASSIGN_OR_RETURN(one.sharding, shardingOf(withoutOneTile(std::move(tilings[k])), shape, context.devices));
    } else {
      TESSERA_ASSIGN_OR_RETURN(one, readGspmd(context, texts[k], shape));
    }
    one.open = open;
  }
  return out;
}

// Of a border of Shardy's: the manual axes cut, all others copy.
Result<std::vector<Tiling>> shardyBorder(const AnnotationContext& context, const Instruction& border,
                                         std::string_view key) {
  const std::string_view frontend = textOf(border, Attr::frontend_attributes);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::string> axes,
                           manualAxesOf(frontendAttribute(frontend, "xla.sdy.manual_axes")));
  return shardyTilings(frontendAttribute(frontend, key), context.meshes, axes);
}

// The tiling cuts the whole into blocks of this shape.
bool fits(const Shape& whole, const Shape& block, const ArraySharding& sharding) {
  return compatible(localShape(whole, sharding), block);
}

}  // namespace

Result<std::vector<Annotation>> AnnotationContext::of(const Instruction& instruction) const {
  auto out = readAll(*this, instruction);
  if (!out) return std::unexpected(placedAt(instruction, out.error()));
  return out;
}

bool isAnnotationCall(const Instruction& instruction) {
  const auto targets = annotationTargets();
  return std::ranges::find(targets, targetOf(instruction), &CustomCallTarget::name) != targets.end();
}

Border borderOf(const Instruction& instruction) {
  const std::string_view target = targetOf(instruction);
  if (target == "xla.sdy.GlobalToLocalShape" || target == "SPMDFullToShardShape") return Border::In;
  if (target == "xla.sdy.LocalToGlobalShape" || target == "SPMDShardToFullShape") return Border::Out;
  return Border::None;
}

Result<std::optional<std::vector<ArraySharding>>> borderShardings(const AnnotationContext& context,
                                                                  const Instruction& border) {
  const bool in = borderOf(border) == Border::In;
  std::vector<Tiling> tilings;
  if (targetOf(border).starts_with("xla.sdy.")) {
    TESSERA_ASSIGN_OR_RETURN(tilings,
                             shardyBorder(context, border, in ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings"));
  } else {
    // What a value is cut by is on the annotation before the border in, and on the border out itself.
    const Instruction& annotated = in ? context.module.at(border.operands[0]) : border;
    TESSERA_ASSIGN_OR_RETURN(Tiling tiling, tilingOf(textOf(annotated, Attr::sharding)));
    tilings.push_back(std::move(tiling));
  }
  const std::vector<ShapeLeaf> results = leavesOf(*border.shape);
  if (tilings.size() != border.operands.size() || results.size() != tilings.size()) return std::nullopt;
  std::vector<ArraySharding> out;
  for (size_t i = 0; i < tilings.size(); ++i) {
    const Shape &operand = context.module.shapeOf(border.operands[i]), &result = *results[i].shape;
    const Shape &whole = in ? operand : result, &block = in ? result : operand;
    if (compatible(whole, block)) tilings[i] = {};
    TESSERA_ASSIGN_OR_RETURN(ArraySharding sharding,
                             shardingOf(withoutOneTile(std::move(tilings[i])), whole, context.devices));
    if (!fits(whole, block, sharding)) return std::nullopt;
    out.push_back(std::move(sharding));
  }
  return out;
}

}  // namespace tessera::partition
