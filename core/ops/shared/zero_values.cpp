// See zero_values.h.
#include "core/ops/shared/zero_values.h"

namespace tessera {

Result<Literal> zerosOf(const Shape& shape) {
  if (shape.isToken()) return Literal::token();
  if (!shape.isTuple()) return Literal::zeros(shape);
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements) {
    TESSERA_ASSIGN_OR_RETURN(Literal zeros, zerosOf(element));
    elements.push_back(std::move(zeros));
  }
  return Literal::tuple(std::move(elements));
}

}  // namespace tessera
