// Attributes of a typed foreign call: the dictionary in MLIR syntax in backend_config, as the frame hands
// it to a handler. `{axis = 1 : i32, eps = 1.0e-3 : f32, name = "x", shape = array<i64: 2, 3>, on = true,
// more = {…}}`. Used by ffi_call.cpp.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/custom_calls/xla_ffi_abi.h"

namespace tessera {

// Owns everything that its frame points to.
class FfiAttributeSet {
 public:
  // Empty text: no attributes. Fails on what is no such dictionary, naming the place.
  static Result<std::unique_ptr<FfiAttributeSet>> parse(std::string_view text);
  const FfiAttributes& frame() const { return frame_; }

 private:
  friend class FfiAttributeParser;
  struct Entry {
    std::string name;
    int kind = 0;
    void* value = nullptr;
  };
  void close(std::vector<Entry> entries);

  FfiAttributes frame_{};
  std::vector<int> kinds_;
  std::vector<FfiSpan> names_;
  std::vector<FfiSpan*> namePointers_;
  std::vector<void*> values_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::byte>> bytes_;
  std::deque<FfiSpan> spans_;
  std::deque<FfiScalar> scalars_;
  std::deque<FfiArray> arrays_;
  std::deque<std::unique_ptr<FfiAttributeSet>> nested_;
};

}  // namespace tessera
