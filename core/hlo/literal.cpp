// Literals: aligned, shared, immutable storage.
#include "core/hlo/literal.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "core/base/memory.h"

namespace tessera {
namespace {

std::unexpected<Diagnostic> noMemory(const Shape& shape, const std::string& size) {
  return fail(ErrorKind::Runtime, "no memory for a value of shape " + toString(shape, false) + " (" + size + ")");
}

}  // namespace

Literal::Literal() = default;
Literal::~Literal() = default;
Literal::Literal(const Literal& other) = default;
Literal::Literal(Literal&& other) noexcept = default;
Literal& Literal::operator=(const Literal& other) = default;
Literal& Literal::operator=(Literal&& other) noexcept = default;

Result<Literal> Literal::allocate(Shape shape) {
  if (!shape.isArray()) return fail("a literal of shape " + toString(shape) + " has no buffer");
  auto bytes = shape.denseBytes();
  if (!bytes) return noMemory(shape, "more than 2^63 bytes");
  Literal out;
  if (!memoryIsAvailable(*bytes)) return noMemory(shape, std::to_string(*bytes) + " bytes");
  std::byte* memory = allocateForArrays(static_cast<size_t>(*bytes));
  if (!memory) return noMemory(shape, std::to_string(*bytes) + " bytes");
  out.data_ =
      std::shared_ptr<const std::byte[]>(memory, [](const std::byte* p) { std::free(const_cast<std::byte*>(p)); });
  out.size_ = static_cast<size_t>(*bytes);
  out.shape_ = std::move(shape);
  return out;
}

Result<Literal> Literal::fromBytes(Shape shape, std::span<const std::byte> bytes) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, allocate(std::move(shape)));
  if (bytes.size() != out.size_)
    return fail("a value of shape " + toString(out.shape_, false) + " takes " + std::to_string(out.size_) +
                " bytes, not " + std::to_string(bytes.size()));
  if (!bytes.empty()) std::memcpy(out.mutableBytes().data(), bytes.data(), bytes.size());
  return out;
}

Result<Literal> Literal::zeros(Shape shape) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, zeros(element));
      elements.push_back(std::move(literal));
    }
    return tuple(std::move(elements));
  }
  if (shape.isToken()) return token();
  TESSERA_ASSIGN_OR_RETURN(Literal out, allocate(std::move(shape)));
  if (out.size_) std::memset(out.mutableBytes().data(), 0, out.size_);
  return out;
}

Literal Literal::tuple(std::vector<Literal> elements) {
  Literal out;
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  out.shape_ = Shape::tuple(std::move(shapes));
  out.elements_ = std::move(elements);
  return out;
}

Literal Literal::token() {
  Literal out;
  out.shape_ = Shape::token();
  return out;
}

bool Literal::identical(const Literal& other) const {
  if (!sameIgnoringLayout(shape_, other.shape_) || size_ != other.size_) return false;
  if (size_ && std::memcmp(data_.get(), other.data_.get(), size_) != 0) return false;
  if (elements_.size() != other.elements_.size()) return false;
  for (size_t i = 0; i < elements_.size(); ++i)
    if (!elements_[i].identical(other.elements_[i])) return false;
  return true;
}

}  // namespace tessera
