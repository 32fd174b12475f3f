// Which shapes an open input takes. No op says that; but each says whether it takes given ones. So shapes made of the
// sizes that surround the input are tried there, by the op's own inference, and those that it takes are wanted.
#include <algorithm>
#include <iterator>
#include <set>

#include "core/edit/palette/palette.h"
#include "core/edit/wiring/wiring.h"
#include "core/hlo/opcode.h"

namespace tessera {
namespace {

constexpr int64_t kFree = 4;  // a size that nothing round the input says
constexpr size_t kMaxWantedSizes = 6, kMaxTried = 900, kMaxTriedOfTwo = 48;

// Shapes to try, each once, the likely ones first.
class Candidates {
 public:
  void add(Shape shape) {
    shape = withoutLayout(std::move(shape));
    if (shapes_.size() < kMaxTried && said_.insert(toString(shape, false)).second) shapes_.push_back(std::move(shape));
  }
  void add(ElementType type, std::vector<int64_t> sizes) { add(Shape::array(type, std::move(sizes))); }
  std::vector<Shape> take() { return std::move(shapes_); }

 private:
  std::vector<Shape> shapes_;
  std::set<std::string> said_;
};

// Arrays that surround the input: what is connected, the result that was last known, what called computations take.
std::vector<Shape> around(const Module& module, const Instruction& user) {
  std::vector<Shape> out;
  for (const Shape* shape : operandShapes(module, user))
    if (shape) out.push_back(withoutLayout(*shape));
  const bool connected = !out.empty();
  for (ComputationId callee : module.callees(user)) {
    const Computation& called = module.at(callee);
    for (InstructionId parameter : called.parameters)
      if (parameter.valid()) out.push_back(withoutLayout(module.shapeOf(parameter)));
  }
  if (!connected && out.empty()) return {};
  for (const ShapeLeaf& leaf : leavesOf(*user.shape)) out.push_back(withoutLayout(*leaf.shape));
  return out;
}

std::vector<int64_t> sizesOf(const std::vector<Shape>& shapes) {
  std::vector<int64_t> out;
  for (const Shape& shape : shapes)
    for (int64_t size : shape.dimensions)
      if (size >= 0 && out.size() < kMaxWantedSizes && std::ranges::find(out, size) == out.end()) out.push_back(size);
  for (int64_t size : {kFree, int64_t{1}, int64_t{2}, int64_t{3}})
    if (std::ranges::find(out, size) == out.end()) out.push_back(size);
  return out;
}

std::vector<ElementType> typesOf(const std::vector<Shape>& shapes) {
  std::vector<ElementType> out;
  for (const Shape& shape : shapes)
    if (shape.isArray() && std::ranges::find(out, shape.type) == out.end()) out.push_back(shape.type);
  return out;
}

// A shape with one of its sizes left out or another in its place.
void addVariants(Candidates& out, const Shape& shape, const std::vector<int64_t>& sizes) {
  for (size_t d = 0; d < shape.dimensions.size(); ++d) {
    std::vector<int64_t> fewer = shape.dimensions;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(d));
    out.add(shape.type, fewer);
    for (int64_t size : sizes) {
      std::vector<int64_t> other = shape.dimensions;
      other[d] = size;
      out.add(shape.type, std::move(other));
    }
  }
  for (int64_t size : sizes) {
    std::vector<int64_t> longer = shape.dimensions;
    longer.push_back(size);
    out.add(shape.type, std::move(longer));
  }
}

// A kernel of a convolution: windows of 3 and 1, with each size as what goes in.
void addKernels(Candidates& out, const Shape& shape, const std::vector<int64_t>& sizes) {
  const size_t rank = shape.dimensions.size();
  if (rank < 3) return;
  for (int64_t window : {3, 1})
    for (int64_t in : sizes)
      for (int64_t features : {kFree, in}) {
        std::vector<int64_t> last(rank, window), first(rank, window);
        last[rank - 2] = in, last[rank - 1] = features;
        first[0] = features, first[1] = in;
        out.add(shape.type, std::move(last));
        out.add(shape.type, std::move(first));
      }
}

// Places in an array one by one, by lists, by tables: the last size says of how many dimensions.
void addPlaces(Candidates& out, const Shape& shape, const std::vector<int64_t>& sizes) {
  const auto rank = static_cast<int64_t>(shape.dimensions.size());
  out.add(ElementType::S32, {rank});
  for (int64_t count : sizes) out.add(ElementType::S32, {count, rank});
  for (int64_t count : sizes) out.add(ElementType::S32, {rank, count});
  for (size_t k = 0; k + 1 < sizes.size(); ++k) out.add(ElementType::S32, {sizes[k], sizes[k + 1], rank});
}

// What is read or written at places: how many of them, then a window of the array.
void addWindows(Candidates& out, const Shape& places, const Shape& array) {
  for (size_t leave = 0; leave < 2 && leave <= places.dimensions.size(); ++leave) {
    std::vector<int64_t> sizes(places.dimensions.begin(), places.dimensions.end() - static_cast<std::ptrdiff_t>(leave));
    out.add(array.type, sizes);
    for (size_t first : {size_t{0}, size_t{1}}) {
      std::vector<int64_t> joined = sizes;
      if (first < array.dimensions.size())
        joined.insert(joined.end(), array.dimensions.begin() + static_cast<std::ptrdiff_t>(first),
                      array.dimensions.end());
      out.add(array.type, joined);
    }
    std::vector<int64_t> single = sizes;
    single.resize(sizes.size() + array.dimensions.size(), 1);
    out.add(array.type, std::move(single));
  }
}

std::vector<Shape> candidatesFor(const std::vector<Shape>& known) {
  Candidates out;
  for (const Shape& shape : known) out.add(shape);
  const std::vector<int64_t> sizes = sizesOf(known);
  std::vector<ElementType> types = typesOf(known);
  for (ElementType type : {ElementType::S32, ElementType::Pred})
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  for (ElementType type : types) {
    out.add(type, {});
    for (const Shape& shape : known)
      if (shape.isArray()) out.add(type, shape.dimensions);
    for (int64_t size : sizes) out.add(type, {size});
  }
  for (const Shape& shape : known)
    if (shape.isArray()) addPlaces(out, shape, sizes);
  for (size_t rank = 3; rank < 5; ++rank)
    out.add(types[0], std::vector<int64_t>(rank, kFree));  // where nothing but a rank is asked for
  for (ElementType type : types)
    for (int64_t rows : sizes)
      for (int64_t columns : sizes) out.add(type, {rows, columns});
  for (const Shape& places : known)
    for (const Shape& array : known)
      if (places.isArray() && array.isArray() && places.type != array.type) addWindows(out, places, array);
  for (const Shape& shape : known)
    if (shape.isArray()) addVariants(out, shape, sizes);
  for (const Shape& shape : known)
    if (shape.isArray()) addKernels(out, shape, sizes);
  return out.take();
}

// The open inputs of an instruction with values of these shapes.
Edit filled(const Instruction& user, const std::vector<int32_t>& open, std::initializer_list<const Shape*> shapes) {
  Edit edit{"try", {}};
  uint32_t added = 0;
  for (const Shape* shape : shapes) {
    Shape value = *shape;
    fillDefaultLayouts(value);
    edit.actions.push_back(AddInstruction{user.computation, Opcode::Parameter, "", {}, {}, std::move(value), ""});
    edit.actions.push_back(SetOperand{user.id, open[added], newInstruction(added)});
    ++added;
  }
  return edit;
}

bool takes(const Module& module, const Instruction& user, const std::vector<int32_t>& open, const Shape& first,
           const std::vector<Shape>& others) {
  if (open.size() == 1) return tried(module, filled(user, open, {&first}), user.id).has_value();
  for (size_t k = 0; k < std::min(others.size(), kMaxTriedOfTwo); ++k)
    if (tried(module, filled(user, open, {&first, &others[k]}), user.id)) return true;
  return false;
}

}  // namespace

std::vector<Shape> shapesWantedAt(const Module& module, InstructionId id, int32_t operand, size_t most) {
  if (!module.contains(id)) return {};
  const Instruction& user = module.at(id);
  if (operand < 0 || static_cast<size_t>(operand) >= user.operands.size()) return {};
  if (const auto same = shapeWantedAt(module, id, operand)) return {*same};
  std::vector<int32_t> open{operand};
  for (size_t k = 0; k < user.operands.size(); ++k)
    if (static_cast<int32_t>(k) != operand && !module.contains(user.operands[k]))
      open.push_back(static_cast<int32_t>(k));
  if (open.size() > 2) return {};  // too much is open to know
  const std::vector<Shape> known = around(module, user);
  if (known.empty()) return {};
  std::vector<Shape> candidates = candidatesFor(known), out;
  if (open.size() == 2 && candidates.size() > kMaxTriedOfTwo) candidates.resize(kMaxTriedOfTwo);
  std::ranges::copy_if(candidates, std::back_inserter(out),
                       [&](const Shape& shape) { return takes(module, user, open, shape, candidates); });
  if (out.size() * 2 > candidates.size()) return {};  // an input that takes nearly everything suggests nothing
  const std::vector<ElementType> types = typesOf(known);
  const auto isAround = [&](const Shape& shape) { return std::ranges::find(types, shape.type) != types.end(); };
  if (std::ranges::any_of(out, isAround)) std::erase_if(out, [&](const Shape& shape) { return !isAround(shape); });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace tessera
