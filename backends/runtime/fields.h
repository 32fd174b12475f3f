// Fields: a step as bytes and back. A step's `fields` names its members once; the writer keeps them in an object that
// is compiled ahead of time, the reader fills a new step from them. Members are numbers and plain structs, vectors,
// optionals, other steps, and structs with `fields` of their own. Bytes are of this processor's order: they never leave
// the object. Used by steps (step.h) and programs (program.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera {
class Module;
}

namespace tessera::cpu {

class Step;
class FieldReader;

// Makes a step from its fields; null: they cannot be read. An object names the loaders of its steps, so that a linker
// takes only those from the run-time library.
using StepLoader = Step* (*)(FieldReader& in);

// Padding between members is zeroed: objects of equal programs shall be equal. (g++ alone.)
template <class T>
void clearPadding([[maybe_unused]] T& value) {
#if __has_builtin(__builtin_clear_padding)
  if constexpr (!std::has_unique_object_representations_v<T>) __builtin_clear_padding(&value);
#endif
}

class FieldWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (write(values), ...);
  }

  std::string bytes;
  std::vector<std::string> loaders;  // by number, as `bytes` names them
  int32_t refused = -1;              // profileIndex of the first step that has no loader
  const Module* module = nullptr;    // the optimised one, for steps that keep an instruction of it

 private:
  template <class T>
  void write(T& value) {
    if constexpr (requires { value.fields(*this); })
      value.fields(*this);
    else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      T copy = value;
      clearPadding(copy);
      bytes.append(reinterpret_cast<const char*>(&copy), sizeof copy);
    }
  }
  template <class T>
  void write(std::vector<T>& values) {
    auto count = static_cast<uint64_t>(values.size());
    write(count);
    for (T& value : values) write(value);
  }
  template <class T>
  void write(std::optional<T>& value) {
    bool has = value.has_value();
    write(has);
    if (has) write(*value);
  }
  void write(std::unique_ptr<Step>& step);
};

class FieldReader {
 public:
  FieldReader(std::string_view bytes, std::span<const StepLoader> loaders) : rest_(bytes), loaders_(loaders) {}
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  bool good() const { return good_; }
  void fail() { good_ = false; }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (requires { value.fields(*this); })
      value.fields(*this);
    else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      if (rest_.size() < sizeof value) return fail();
      std::memcpy(static_cast<void*>(&value), rest_.data(), sizeof value);
      rest_.remove_prefix(sizeof value);
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    uint64_t count = 0;
    read(count);
    if (count > rest_.size()) fail();
    values.clear();
    for (; count > 0 && good_; --count) read(values.emplace_back());
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool has = false;
    read(has);
    if (has) read(value.emplace());
  }
  void read(std::unique_ptr<Step>& step);

  std::string_view rest_;
  std::span<const StepLoader> loaders_;
  bool good_ = true;
};

}  // namespace tessera::cpu
