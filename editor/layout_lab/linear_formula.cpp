// The linear index as a formula. It follows the three steps of core/hlo/index_math.cpp with text in place of numbers:
// order, padding, tiles. What is always 0 (a block of a dimension that fits into one tile) is left out.
#include "core/base/checked_math.h"
#include "editor/layout_lab/layout_model.h"

namespace tessera {
namespace {

// One dimension of the shape so far: its text, its size, and how far its value can go.
struct Term {
  std::string text;
  bool atom = true;
  int64_t size = 1;
  int64_t bound = 1;  // exclusive; 1: always 0
};

std::string closed(const Term& term) { return term.atom ? term.text : "(" + term.text + ")"; }

// Σ term × stride; terms that are always 0 are left out.
Term sumOf(std::span<const Term> terms) {
  Term out{"0", true, 1, 1};
  int64_t stride = 1;
  int count = 0;
  for (size_t i = terms.size(); i-- > 0;) {
    const Term& term = terms[i];
    if (term.bound > 1) {
      const std::string piece = stride == 1 ? closed(term) : closed(term) + "*" + std::to_string(stride);
      const bool alone = stride == 1;
      out = {count == 0 ? (alone ? term.text : piece) : piece + " + " + out.text, count == 0 && alone && term.atom, 1,
             term.bound};
      ++count;
    }
    stride = checkedMul(stride, term.size).value_or(0);
  }
  if (count == 2) out.atom = false;
  out.size = stride;
  if (count > 0) out.bound = stride;
  return out;
}

Term blockOf(const Term& term, int64_t tile) {
  Term out = term;
  out.size = term.size == 0 ? 0 : (term.size - 1) / tile + 1;
  if (tile == 1) return out;
  out.bound = term.bound == 0 ? 0 : (term.bound - 1) / tile + 1;
  out.text = out.bound <= 1 ? "0" : closed(term) + " / " + std::to_string(tile);
  out.atom = out.bound <= 1;
  return out;
}

Term insideOf(const Term& term, int64_t tile) {
  if (term.bound <= tile) return {term.text, term.atom, tile, term.bound};
  if (tile == 1) return {"0", true, 1, 1};
  return {closed(term) + " % " + std::to_string(tile), false, tile, tile};
}

// The dimensions that a tile sees: leading ones added, `*` merged with the next more minor dimension.
std::vector<Term> combined(std::vector<Term> terms, Tile& tile) {
  if (tile.dims.size() > terms.size()) terms.insert(terms.begin(), tile.dims.size() - terms.size(), Term{"0"});
  const size_t untouched = terms.size() - tile.dims.size();
  std::vector<Term> out(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(untouched));
  Tile kept;
  for (size_t i = 0, from = 0; i < tile.dims.size(); ++i) {
    if (tile.dims[i] == Tile::kCombine) continue;
    out.push_back(sumOf(std::span(terms).subspan(untouched + from, i - from + 1)));
    kept.dims.push_back(tile.dims[i]);
    from = i + 1;
  }
  tile = kept;
  return out;
}

std::vector<Term> tiled(std::vector<Term> terms, Tile tile) {
  terms = combined(std::move(terms), tile);
  const size_t first = terms.size() - tile.dims.size();
  std::vector<Term> inside;
  for (size_t i = 0; i < tile.dims.size(); ++i) {
    inside.push_back(insideOf(terms[first + i], tile.dims[i]));
    terms[first + i] = blockOf(terms[first + i], tile.dims[i]);
  }
  terms.insert(terms.end(), inside.begin(), inside.end());
  return terms;
}

}  // namespace

std::string linearFormula(const Layout& layout, std::span<const int64_t> paddedSizes, std::span<const int64_t> index) {
  std::vector<Term> terms;
  for (size_t i = layout.minorToMajor.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(layout.minorToMajor[i]);
    terms.push_back(
        {index.empty() ? "i" + std::to_string(d) : std::to_string(index[d]), true, paddedSizes[d], paddedSizes[d]});
  }
  for (const Tile& tile : layout.tiles) terms = tiled(std::move(terms), tile);
  return sumOf(terms).text;
}

}  // namespace tessera
