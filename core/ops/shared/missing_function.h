// `none` in the rows of core/element/scalar_functions.inc: the function is missing for a class of types. It is never
// called, because inference refuses these types. Used by elementwise_unary and elementwise_binary.
#pragma once

namespace tessera {

struct MissingFunction {
  template <class T>
  constexpr operator T() const {
    return T{};
  }
};
inline constexpr MissingFunction none;

}  // namespace tessera
