// Sizes of dimensions as terms: a size of its own, a product (a merged dimension), a sum (a concatenation), or what a
// rule makes of another (a window). Terms that the shape rules say are one and the same are united; an atom that a
// reshape takes apart becomes the product of its parts. Used by size_flow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tessera {

using SizeTerm = uint32_t;
using NewSizes = std::map<SizeTerm, int64_t>;  // atoms and their sizes after a change

class SizeTerms {
 public:
  SizeTerm atom(int64_t size);
  SizeTerm sum(std::vector<SizeTerm> parts, int64_t plus);
  // Zero and less is no size: the change is then refused where it shows.
  SizeTerm mapped(SizeTerm of, std::function<int64_t(int64_t)> rule);

  // False: they cannot be made one (their sizes differ now, or both are made of other sizes in unlike ways).
  bool unite(SizeTerm a, SizeTerm b);
  // The factors of both sides laid along each other, as a reshape does; false where they do not meet.
  bool uniteProducts(std::span<const SizeTerm> from, std::span<const SizeTerm> to);

  SizeTerm find(SizeTerm term) const;
  int64_t sizeOf(SizeTerm term) const { return nodes_[find(term)].size; }
  // nullopt: overflow, or nothing left of a size.
  using Known = std::unordered_map<SizeTerm, std::optional<int64_t>>;  // of one change, kept from call to call
  std::optional<int64_t> after(SizeTerm term, const NewSizes& sizes, Known& known) const;
  // Gives atoms the sizes that make a term this large; of several factors the last that divides. False: none does.
  bool solve(SizeTerm term, int64_t size, NewSizes& sizes) const;
  bool contains(SizeTerm term, SizeTerm atom) const;

 private:
  enum class Kind : uint8_t { Atom, Product, Sum, Mapped };
  struct Node {
    Kind kind = Kind::Atom;
    int64_t size = 0, plus = 0;
    std::vector<SizeTerm> parts;
    std::function<int64_t(int64_t)> rule;
    std::optional<SizeTerm> same;  // what it was united with
  };
  SizeTerm add(Node node);
  void replace(SizeTerm atom, SizeTerm by) { nodes_[atom].same = by; }
  void appendFactors(SizeTerm term, std::vector<SizeTerm>& out) const;
  bool split(SizeTerm& large, SizeTerm small);
  bool solveSum(const Node& node, int64_t size, NewSizes& sizes) const;

  std::vector<Node> nodes_;
};

}  // namespace tessera
