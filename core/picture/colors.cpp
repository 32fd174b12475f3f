// Colours of both themes. Chosen for contrast: text on every fill it may be on has at least 4.5 : 1 (the test
// computes it), borders and wires at least 2 : 1 on the page.
#include <algorithm>
#include <array>

#include "core/ops/op.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

struct Colors {
  ColorRole role;
  uint32_t light, dark;  // 0xrrggbb
};
constexpr Colors kColors[] = {
    {ColorRole::Background, 0xf7f8fa, 0x14171c},    {ColorRole::Grid, 0xe4e7ec, 0x232831},
    {ColorRole::NodeFill, 0xffffff, 0x232933},      {ColorRole::NodeBorder, 0x7d8899, 0x5f6b80},
    {ColorRole::NodeText, 0x161b22, 0xeef2f7},      {ColorRole::NodeSubtext, 0x4b5563, 0xaab6c6},
    {ColorRole::GroupFill, 0xe9edf3, 0x1c222b},     {ColorRole::GroupBorder, 0x8792a4, 0x57637a},
    {ColorRole::GroupText, 0x2d3748, 0xd5deea},     {ColorRole::Wire, 0x76828f, 0x74829a},
    {ColorRole::Selection, 0x0b62d6, 0x5aa9ff},     {ColorRole::Error, 0xc81e1e, 0xff6b6b},
    {ColorRole::Hatch, 0x6b7280, 0x9aa5b5},         {ColorRole::Elementwise, 0xcfe3fb, 0x23466e},
    {ColorRole::DataMovement, 0xe0e4e9, 0x3b434f},  {ColorRole::Reduction, 0xfde0b8, 0x6b4a17},
    {ColorRole::LinearAlgebra, 0xd9cdf7, 0x4b3a86}, {ColorRole::Control, 0xf9cfdc, 0x74304a},
    {ColorRole::Parameter, 0xc9efd2, 0x1f5a35},     {ColorRole::Constant, 0xf3ecc2, 0x5a5320},
    {ColorRole::Collective, 0xc4ecec, 0x175a5c},    {ColorRole::Other, 0xdedede, 0x454545},
    {ColorRole::Heat0, 0xf1f5f9, 0x2c333d},         {ColorRole::Heat1, 0xfef6d8, 0x3d3b26},
    {ColorRole::Heat2, 0xfdecb0, 0x4b421d},         {ColorRole::Heat3, 0xfddf8a, 0x5a4818},
    {ColorRole::Heat4, 0xfccf6b, 0x694b15},         {ColorRole::Heat5, 0xfabb57, 0x784a14},
    {ColorRole::Heat6, 0xf8a54d, 0x884516},         {ColorRole::Heat7, 0xf48d4a, 0x973d1a},
    {ColorRole::Heat8, 0xee7550, 0xa53420},         {ColorRole::Heat9, 0xe55f5a, 0xb02c2c},
    {ColorRole::Cool0, 0xe3edf9, 0x26333f},         {ColorRole::Cool1, 0xc2dbf7, 0x22405a},
    {ColorRole::Cool2, 0x9cc6f3, 0x1f4d74},         {ColorRole::Cool3, 0x7db4ee, 0x1c5a8e},
    {ColorRole::Cool4, 0x62a2e8, 0x1f66a5},         {ColorRole::BoundCompute, 0xf3b276, 0x85461a},
    {ColorRole::BoundMemory, 0x9ccaf2, 0x1f5687},   {ColorRole::BoundOverhead, 0xdbbdee, 0x5b3a7c},
    {ColorRole::Hue0, 0x1d5fbf, 0x7ab4ff},          {ColorRole::Hue1, 0xa34a0a, 0xffa95e},
    {ColorRole::Hue2, 0x14702e, 0x6fd68a},          {ColorRole::Hue3, 0xa3258c, 0xff8fdc},
    {ColorRole::Hue4, 0x6a3fc4, 0xbfa2ff},          {ColorRole::Hue5, 0x0b6a75, 0x5fd3df},
    {ColorRole::Hue6, 0x6a5c00, 0xdccb55},          {ColorRole::Hue7, 0xb8233a, 0xff9499},
};
constexpr bool inOrder() {
  for (size_t i = 0; i < std::size(kColors); ++i)
    if (static_cast<size_t>(kColors[i].role) != i) return false;
  return std::size(kColors) == static_cast<size_t>(ColorRole::Hue7) + 1;
}
static_assert(inOrder(), "a row for every role, in the order of the enumeration");

}  // namespace

Rgba colorOf(ColorRole role, Theme theme) {
  const Colors& row = kColors[static_cast<size_t>(role)];
  const uint32_t rgb = theme == Theme::Light ? row.light : row.dark;
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb), 255};
}

ColorRole heatRole(double heat) {
  const int step = std::clamp(static_cast<int>(heat * 10), 0, 9);
  return static_cast<ColorRole>(static_cast<int>(ColorRole::Heat0) + step);
}

ColorRole coolRole(double heat) {
  const int step = std::clamp(static_cast<int>(heat * 5), 0, 4);
  return static_cast<ColorRole>(static_cast<int>(ColorRole::Cool0) + step);
}

ColorRole hueRole(int hue) {
  return hue < 0 ? ColorRole::NodeSubtext : static_cast<ColorRole>(static_cast<int>(ColorRole::Hue0) + hue % kHues);
}

ColorRole typeRole(ElementType type) {
  if (type == ElementType::Pred) return ColorRole::Hue3;
  if (isComplex(type)) return ColorRole::Hue4;
  if (isFloat(type)) return byteWidth(type) < 4 ? ColorRole::Hue5 : ColorRole::Hue0;
  if (isUnsigned(type)) return ColorRole::Hue6;
  return isInteger(type) ? ColorRole::Hue2 : ColorRole::NodeSubtext;
}

namespace {

ColorRole roleOf(OpCategory category) {
  switch (category) {
    case OpCategory::Elementwise: return ColorRole::Elementwise;
    case OpCategory::DataMovement:
    case OpCategory::DynamicShapes: return ColorRole::DataMovement;
    case OpCategory::Reduction:
    case OpCategory::Normalization: return ColorRole::Reduction;
    case OpCategory::LinearAlgebra: return ColorRole::LinearAlgebra;
    case OpCategory::Control:
    case OpCategory::Structure: return ColorRole::Control;
    case OpCategory::Communication: return ColorRole::Collective;
    case OpCategory::Random: return ColorRole::Other;
  }
  return ColorRole::Other;
}

}  // namespace

ColorRole categoryOf(const Instruction& instruction) {
  const OpDef* op = findOp(instruction.opcode);
  if (!op) return ColorRole::Other;
  switch (op->category.color) {
    case OpColor::OfCategory: return roleOf(op->category.category);
    case OpColor::Parameter: return ColorRole::Parameter;
    case OpColor::Constant: return ColorRole::Constant;
    case OpColor::Control: return ColorRole::Control;
    case OpColor::Other: return ColorRole::Other;
  }
  return ColorRole::Other;
}

}  // namespace tessera
