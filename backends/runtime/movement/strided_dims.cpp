// See strided_dims.h.
#include "backends/runtime/movement/strided_dims.h"

#include <algorithm>
#include <numeric>

namespace tessera::cpu {

int64_t product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, [](int64_t p, const Dim& d) { return p * d.size; });
}

Dims denseDims(const Shape& shape) {
  Dims out(shape.dimensions.size());
  int64_t stride = 1;
  for (size_t d = out.size(); d-- > 0;) {
    out[d] = {shape.dimensions[d], stride};
    stride *= shape.dimensions[d];
  }
  return out;
}

Dims pick(const Dims& dims, const std::vector<int64_t>& which) {
  Dims out;
  for (int64_t d : which) out.push_back(dims[static_cast<size_t>(d)]);
  return out;
}

Dims others(const Dims& dims, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  Dims out;
  for (size_t d = 0; d < dims.size(); ++d) {
    auto named = [&](const std::vector<int64_t>& v) {
      return std::ranges::find(v, static_cast<int64_t>(d)) != v.end();
    };
    if (!named(a) && !named(b)) out.push_back(dims[d]);
  }
  return out;
}

std::optional<Dim> collapse(const Dims& dims) {
  Dim out{1, 1};
  bool first = true;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].size == 1) continue;
    if (first)
      out = dims[i];
    else if (dims[i].stride != out.stride * out.size)
      return std::nullopt;
    else
      out.size *= dims[i].size;
    first = false;
  }
  return out;
}

int64_t offsetAt(const Dims& dims, int64_t index) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    offset += index % dims[d].size * dims[d].stride;
    index /= dims[d].size;
  }
  return offset;
}

std::vector<int64_t> allOffsets(const Dims& dims) {
  std::vector<int64_t> out(static_cast<size_t>(product(dims)));
  for (size_t i = 0; i < out.size(); ++i) out[i] = offsetAt(dims, static_cast<int64_t>(i));
  return out;
}

}  // namespace tessera::cpu
