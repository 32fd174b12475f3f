// See lesson_checks.h. What a check names and the graph has no longer is not done.
#include "editor/controllers/lesson_checks.h"

#include <algorithm>
#include <optional>

#include "core/hlo/numbers.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

// Nothing, while the value is being computed or has no such element.
std::optional<double> elementOf(const Check& check, InstructionId id, const Document& document) {
  const Literal* value = document.live().valueOf(id);
  if (!value || !value->shape().isArray() || check.element >= value->elementCount()) return std::nullopt;
  const ElementType type = value->shape().type;
  return loadDouble(type, value->bytes().data() + check.element * byteWidth(type));
}

bool looksInto(const Check& check, InstructionId id, const Document& document) {
  return std::ranges::any_of(document.live().callPath(), [&](const CallFrame& frame) {
    return frame.caller == id && static_cast<double>(frame.application) >= check.number;
  });
}

}  // namespace

bool holds(const Check& check, const Document& document) {
  if (check.kind == Check::Kind::Answered || !document.isOpen()) return false;
  const auto id = document.module().findInstruction(check.of);
  if (!id) return false;
  const auto element = elementOf(check, *id, document);
  switch (check.kind) {
    case Check::Kind::Equals: return element && *element == check.number;
    case Check::Kind::Above: return element && *element > check.number;
    case Check::Kind::Shaped: return toString(document.module().shapeOf(*id), false) == check.shape;
    case Check::Kind::LaidOut: return toString(document.module().shapeOf(*id)) == check.shape;
    case Check::Kind::LooksInto: return looksInto(check, *id, document);
    case Check::Kind::Answered: return false;
  }
  return false;
}

}  // namespace tessera
