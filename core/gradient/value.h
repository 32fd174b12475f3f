// Value: a node of the graph that a gradient is made in, with operators that make further nodes. Rules are written in
// it as formulas. An invalid one is a zero, which is not materialised: rules check before they compute with it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"

namespace tessera::gradient {

class Emitter;

struct Value {
  Emitter* emitter = nullptr;
  InstructionId id;

  explicit operator bool() const { return id.valid(); }
  const Shape& shape() const;
  const std::vector<int64_t>& dims() const { return shape().dimensions; }
  ElementType type() const { return shape().type; }
};

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator-(Value a);
// With a number of the other one's type, over its shape.
Value operator+(double a, Value b);
Value operator-(double a, Value b);
Value operator*(double a, Value b);
Value operator/(double a, Value b);
Value operator+(Value a, double b);
Value operator-(Value a, double b);
Value operator*(Value a, double b);
Value operator/(Value a, double b);

}  // namespace tessera::gradient
