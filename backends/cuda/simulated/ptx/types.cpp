#include "backends/cuda/simulated/ptx/types.h"

#include <algorithm>
#include <iterator>

namespace tessera::cuda::simulated {

namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  int bits;
  char kind;  // 'u'nsigned, 's'igned, 'b'its, 'f'loat, 'p'redicate
};

constexpr TypeRow kTypes[] = {
    {Type::None, "", 0, ' '},          {Type::Pred, "pred", 1, 'p'},      {Type::B8, "b8", 8, 'b'},
    {Type::B16, "b16", 16, 'b'},       {Type::B32, "b32", 32, 'b'},       {Type::B64, "b64", 64, 'b'},
    {Type::B128, "b128", 128, 'b'},    {Type::U8, "u8", 8, 'u'},          {Type::U16, "u16", 16, 'u'},
    {Type::U32, "u32", 32, 'u'},       {Type::U64, "u64", 64, 'u'},       {Type::S8, "s8", 8, 's'},
    {Type::S16, "s16", 16, 's'},       {Type::S32, "s32", 32, 's'},       {Type::S64, "s64", 64, 's'},
    {Type::F16, "f16", 16, 'f'},       {Type::F16x2, "f16x2", 32, 'f'},   {Type::BF16, "bf16", 16, 'f'},
    {Type::BF16x2, "bf16x2", 32, 'f'}, {Type::F32, "f32", 32, 'f'},       {Type::F64, "f64", 64, 'f'},
    {Type::TF32, "tf32", 32, 'f'},     {Type::E4M3x2, "e4m3x2", 16, 'f'}, {Type::E5M2x2, "e5m2x2", 16, 'f'},
    {Type::U16x2, "u16x2", 32, 'u'},   {Type::S16x2, "s16x2", 32, 's'},
};

const TypeRow& rowOf(Type type) { return kTypes[static_cast<size_t>(type)]; }

struct SpaceRow {
  std::string_view name;
  Space space;
};
constexpr SpaceRow kSpaces[] = {
    {"generic", Space::Generic},    {"global", Space::Global},      {"shared", Space::Shared},
    {"local", Space::Local},        {"const", Space::Const},        {"param", Space::Param},
    {"shared::cta", Space::Shared}, {"param::entry", Space::Param}, {"param::func", Space::Param},
};

}  // namespace

std::optional<Type> typeNamed(std::string_view name) {
  const auto* row = std::find_if(std::begin(kTypes) + 1, std::end(kTypes), [&](auto& r) { return r.name == name; });
  return row == std::end(kTypes) ? std::nullopt : std::optional(row->type);
}

std::string_view nameOf(Type type) { return rowOf(type).name; }

std::optional<Space> spaceNamed(std::string_view name) {
  const auto* row = std::find_if(std::begin(kSpaces), std::end(kSpaces), [&](auto& r) { return r.name == name; });
  return row == std::end(kSpaces) ? std::nullopt : std::optional(row->space);
}

std::string_view nameOf(Space space) {
  return std::find_if(std::begin(kSpaces), std::end(kSpaces), [&](auto& r) { return r.space == space; })->name;
}

int bitsOf(Type type) { return rowOf(type).bits; }
bool isSigned(Type type) { return rowOf(type).kind == 's'; }
bool isInteger(Type type) { return rowOf(type).kind == 'u' || rowOf(type).kind == 's' || rowOf(type).kind == 'b'; }
bool isFloat(Type type) { return rowOf(type).kind == 'f'; }

}  // namespace tessera::cuda::simulated
