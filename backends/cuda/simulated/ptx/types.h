// The types of PTX: their names, their widths and what kind of number they are. Used by the parser and by what turns
// statements into instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::cuda::simulated {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  TF32,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2,
};

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

std::optional<Type> typeNamed(std::string_view name);  // "f32", without the dot
std::string_view nameOf(Type type);
std::optional<Space> spaceNamed(std::string_view name);  // "shared"; also "shared::cta"
std::string_view nameOf(Space space);
int bitsOf(Type type);
inline int bytesOf(Type type) { return (bitsOf(type) + 7) / 8; }
bool isSigned(Type type);   // s8 … s64
bool isInteger(Type type);  // u, s and b
bool isFloat(Type type);

}  // namespace tessera::cuda::simulated
