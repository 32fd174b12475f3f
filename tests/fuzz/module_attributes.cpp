// See module_bytes.h. Values of attributes: numbers near ranks and sizes, windows, words of the op's own row.
#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

#include "core/formats/hlo_text.h"
#include "tests/fuzz/module_bytes.h"

namespace tessera {
namespace {

std::vector<std::string> wordsOf(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

std::vector<int64_t> ModuleMaker::chooseInts(int64_t rank) {
  std::vector<int64_t> out(static_cast<size_t>(choices_.below(static_cast<uint64_t>(rank) + 1)));
  if (choices_.chance(30)) out.resize(static_cast<size_t>(rank));
  std::iota(out.begin(), out.end(), choices_.chance(25) ? 1 : 0);
  switch (choices_.below(5)) {
    case 0:
      for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[choices_.below(i)]);
      break;
    case 1:
      for (int64_t& value : out) value = static_cast<int64_t>(choices_.below(static_cast<uint64_t>(rank) + 1));
      break;
    case 2:
      for (int64_t& value : out) value = static_cast<int64_t>(1 + choices_.below(3));
      break;
    default: break;
  }
  return out;
}

Window ModuleMaker::chooseWindow(int64_t rank) {
  Window out;
  out.dimensions.resize(static_cast<size_t>(std::max<int64_t>(0, rank)));
  for (WindowDimension& d : out.dimensions) {
    d.size = static_cast<int64_t>(1 + choices_.below(3));
    if (choices_.chance(30)) d.stride = static_cast<int64_t>(1 + choices_.below(3));
    if (choices_.chance(30)) d.paddingLow = static_cast<int64_t>(choices_.below(4)) - 1;
    if (choices_.chance(30)) d.paddingHigh = static_cast<int64_t>(choices_.below(4)) - 1;
    if (choices_.chance(15)) d.windowDilation = 2;
    if (choices_.chance(15)) d.baseDilation = 2;
    d.reversal = choices_.chance(5);
  }
  return out;
}

AttributeValue ModuleMaker::chooseValue(const AttributeRow& row, const std::vector<Operand>& operands, bool& good) {
  const Shape* like = operands.empty() ? nullptr : &choices_.of(operands).shape;
  const int64_t rank = like ? like->rank() : 2;
  const auto perDimension = [&](auto make) {
    std::vector<decltype(make(int64_t{}))> out;
    for (int64_t d = 0; d < rank; ++d) out.push_back(make(like ? like->dimensions[static_cast<size_t>(d)] : 2));
    return out;
  };
  const auto upTo = [&](int64_t most) { return static_cast<int64_t>(choices_.below(static_cast<uint64_t>(most) + 1)); };
  switch (kindOf(row.name)) {
    case AttributeKind::Bool: return choices_.chance(50);
    case AttributeKind::Int: return static_cast<int64_t>(choices_.below(choices_.chance(80) ? 3 : 9));
    case AttributeKind::Float: return 0.5 * static_cast<double>(choices_.below(3));
    case AttributeKind::Enum:
      if (const auto words = wordsOf(row.choices); !words.empty()) return choices_.of(words);
      break;
    case AttributeKind::Ints:
    case AttributeKind::IntsOrIntLists: return chooseInts(rank);
    case AttributeKind::Slices:
      return perDimension([&](int64_t size) {
        const int64_t limit = upTo(size);
        return SliceDimension{upTo(limit), limit, 1 + upTo(2)};
      });
    case AttributeKind::Padding:
      return perDimension([&](int64_t) {
        return PaddingDimension{upTo(4) - 2, upTo(4) - 2, choices_.chance(30) ? upTo(2) : 0};
      });
    case AttributeKind::Window: return chooseWindow(choices_.chance(50) ? rank : rank - 2);
    case AttributeKind::DimLabels: {
      constexpr std::array kLabels = {"bf_io->bf",       "b0f_0io->b0f",    "bf0_oi0->bf0",      "b01f_01io->b01f",
                                      "bf01_oi01->bf01", "01bf_io01->f01b", "012bf_oi012->bf012"};
      if (auto value = parseAttributeValue(module_, row.name, kLabels[choices_.below(kLabels.size())]))
        return *std::move(value);
      break;
    }
    default: break;
  }
  good = false;  // kinds that a made module has no use for
  return false;
}

}  // namespace tessera
