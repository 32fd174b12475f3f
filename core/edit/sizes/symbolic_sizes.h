// Sizes of dimensions as terms: a size of its own, a product (a merged dimension), a sum (a concatenation), or what a
// rule makes of another (a window). Terms that the shape rules say are one and the same are unified; a variable that a
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

using SymbolicSize = uint32_t;
using NewSizes = std::map<SymbolicSize, int64_t>;  // variables and their sizes after a change

class SymbolicSizes {
 public:
  SymbolicSize variable(int64_t size);
  SymbolicSize sum(std::vector<SymbolicSize> parts, int64_t plus);
  // Zero and less is no size: the change is then refused where it shows.
  SymbolicSize mapped(SymbolicSize of, std::function<int64_t(int64_t)> rule);

  // False: they cannot be made one (their sizes differ now, or both are made of other sizes in unlike ways).
  bool unify(SymbolicSize a, SymbolicSize b);
  // The factors of both sides laid along each other, as a reshape does; false if they cannot be aligned.
  bool uniteProducts(std::span<const SymbolicSize> from, std::span<const SymbolicSize> to);

  SymbolicSize find(SymbolicSize term) const;
  int64_t sizeOf(SymbolicSize term) const { return nodes_[find(term)].size; }
  // nullopt: overflow, or nothing left of a size.
  using Known = std::unordered_map<SymbolicSize, std::optional<int64_t>>;  // of one change, kept from call to call
  std::optional<int64_t> after(SymbolicSize term, const NewSizes& sizes, Known& known) const;
  // Gives variables the sizes that make a term this large; of several factors the last that divides. False: none does.
  bool solve(SymbolicSize term, int64_t size, NewSizes& sizes) const;
  bool contains(SymbolicSize term, SymbolicSize variable) const;

 private:
  enum class Kind : uint8_t { Atom, Product, Sum, Mapped };
  struct Node {
    Kind kind = Kind::Atom;
    int64_t size = 0, plus = 0;
    std::vector<SymbolicSize> parts;
    std::function<int64_t(int64_t)> rule;
    std::optional<SymbolicSize> same;  // what it was unified with
  };
  SymbolicSize add(Node node);
  void replace(SymbolicSize variable, SymbolicSize by) { nodes_[variable].same = by; }
  void appendFactors(SymbolicSize term, std::vector<SymbolicSize>& out) const;
  bool split(SymbolicSize& large, SymbolicSize small);
  bool solveSum(const Node& node, int64_t size, NewSizes& sizes) const;

  std::vector<Node> nodes_;
};

}  // namespace tessera
