// See precision.h.
#include "backends/precision.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"

namespace tessera {

Result<Literal> inType(const Literal& literal, ElementType type) {
  if (literal.shape().type == type) return literal;
  if (literal.shape().isTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) {
      const bool changes = isFloat(element.shape().type) || element.shape().isTuple();
      TESSERA_ASSIGN_OR_RETURN(Literal made, changes ? inType(element, type) : Result<Literal>(element));
      elements.push_back(std::move(made));
    }
    return Literal::tuple(std::move(elements));
  }
  if (!isFloat(literal.shape().type) || !isFloat(type))
    return fail(fmt::format("a {} is not taken for a {}", nameOf(literal.shape().type), nameOf(type)));
  Shape shape = literal.shape();
  shape.type = type;
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(std::move(shape)));
  const auto from = literal.bytes();
  const auto to = out.mutableBytes();
  const auto width = static_cast<size_t>(byteWidth(literal.shape().type)), made = static_cast<size_t>(byteWidth(type));
  for (size_t i = 0; i < static_cast<size_t>(literal.elementCount()); ++i)
    storeDouble(type, to.data() + i * made, loadDouble(literal.shape().type, from.data() + i * width));
  out.setElided(literal.elided());
  return out;
}

namespace {

void retype(Shape& shape, ElementType from, ElementType to) {
  if (shape.type == from) shape.type = to;
  for (Shape& element : shape.elements) retype(element, from, to);
}

// The float type that most values have.
std::optional<ElementType> usualFloat(const Module& module) {
  std::unordered_map<uint8_t, size_t> counts;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (isFloat(module.shapeOf(id).type)) ++counts[static_cast<uint8_t>(module.shapeOf(id).type)];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return std::pair(one.second, one.first); });
  return most == counts.end() ? std::nullopt : std::optional(static_cast<ElementType>(most->first));
}

}  // namespace

Result<Module> inPrecision(const Module& module, ElementType type) {
  const auto from = usualFloat(module);
  if (!from) return fail(ErrorKind::Usage, "the module has no floats whose precision could be another");
  Module out = module;
  ModuleConfig config = out.config();
  for (Shape& shape : config.entryParameterLayouts) retype(shape, *from, type);
  if (config.entryResultLayout) retype(*config.entryResultLayout, *from, type);
  out.setConfig(std::move(config));
  for (ComputationId computation : out.order())
    for (InstructionId id : out.at(computation).instructions) {
      Shape shape = out.shapeOf(id);
      retype(shape, *from, type);
      if (shape == out.shapeOf(id)) continue;
      out.setShape(id, shape);
      if (const LiteralPtr literal = out.at(id).literal) {
        TESSERA_ASSIGN_OR_RETURN(Literal made, inType(*literal, type));
        out.edit(id).literal = std::make_shared<const Literal>(std::move(made));
      }
    }
  Diagnostics found = inferModule(out);
  found.addAll(verify(out).items());
  for (const Diagnostic& problem : found.items())
    if (problem.severity == Severity::Error) return fail(problem);
  return out;
}

}  // namespace tessera
