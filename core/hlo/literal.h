// Literal: a constant value with a shape. Array data is an immutable shared buffer, 64-byte aligned, dense and in
// row-major logical order whatever the shape's layout says (the layout is what the user wrote; backends lay the
// data out when they take it). Elements have byteWidth(type) bytes each: sub-byte types are unpacked.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/shape.h"

namespace tessera {

class Literal {
 public:
  // Not inline: they are long, and a hundred files need them.
  Literal();
  ~Literal();
  Literal(const Literal& other);
  Literal(Literal&& other) noexcept;
  Literal& operator=(const Literal& other);
  Literal& operator=(Literal&& other) noexcept;

  // Uninitialised storage that the caller fills through mutableBytes(). Fails with ErrorKind::Runtime, naming the size,
  // when the memory cannot be had, and on overflow.
  static Result<Literal> allocate(Shape shape);
  // Takes ownership of nothing: copies. bytes.size() must be the dense size of the shape.
  static Result<Literal> fromBytes(Shape shape, std::span<const std::byte> bytes);
  // Zero bytes need no big buffer to be correct, but are materialised.
  static Result<Literal> zeros(Shape shape);
  static Literal tuple(std::vector<Literal> elements);
  static Literal token();
  template <class T>
  static Literal scalar(ElementType type, T value) {
    Literal out = allocate(Shape::arrayRowMajor(type, {})).value();
    *reinterpret_cast<T*>(out.mutableBytes().data()) = value;
    return out;
  }

  const Shape& shape() const { return shape_; }
  const std::vector<Literal>& elements() const { return elements_; }  // tuple elements
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  // Only for the sole owner of the buffer (right after allocate).
  std::span<std::byte> mutableBytes() { return {const_cast<std::byte*>(data_.get()), size_}; }
  template <class T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(data_.get()), size_ / sizeof(T)};
  }
  template <class T>
  std::span<T> mutableData() {
    return {reinterpret_cast<T*>(const_cast<std::byte*>(data_.get())), size_ / sizeof(T)};
  }
  int64_t elementCount() const { return size_ == 0 ? 0 : static_cast<int64_t>(size_) / byteWidth(shape_.type); }

  // The text had `{...}` in place of the data: values are zero and printing gives `{...}` back.
  bool elided() const { return elided_; }
  void setElided(bool elided) { elided_ = elided; }
  void setLayout(std::optional<Layout> layout) { shape_.layout = std::move(layout); }

  // Bit equality of shape (without layouts) and data.
  bool identical(const Literal& other) const;

 private:
  Shape shape_;
  std::shared_ptr<const std::byte[]> data_;
  size_t size_ = 0;
  bool elided_ = false;
  std::vector<Literal> elements_;
};

using LiteralPtr = std::shared_ptr<const Literal>;

}  // namespace tessera
