// cuDNN for tests, see README.md: convolutions and their cotangents by loops over the definition, through the fake
// driver's memory.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/cuda/fake/fake_cudnn.h"
#include "tests/cuda/fake/fake_numbers.h"
#include "tests/cuda/fake/fake_settings.h"

namespace {

using tessera::ElementType;

enum Status { kSuccess = 0, kBadParameter = 2000, kNotSupported = 3000, kExecutionFailed = 5000 };
constexpr int kPlainMath = 3, kPrecomputed = 1, kRelu = 1, kIdentity = 5;

struct Array {
  ElementType type;
  std::vector<int> sizes, strides;
};
struct Window {
  std::vector<int> pads, steps, dilations;
  bool isReversed = false;
  int groups = 1, arithmetic = 0;
};
using tessera::fake::Handle;
struct Function {
  int mode = 0;
};
// What follows a forward convolution.
struct End {
  double scale = 1;
  const Array* biasArray = nullptr;
  const void* bias = nullptr;
  int function = kIdentity;
};
struct Choice {
  int algorithm, status;
  float milliseconds;
  size_t workspaceBytes;
  int determinism, arithmetic;
  int reserved[3];
};

bool typeOf(int number, ElementType& out) {
  switch (number) {
    case 0: return out = ElementType::F32, true;
    case 1: return out = ElementType::F64, true;
    case 2: return out = ElementType::F16, true;
    case 9: return out = ElementType::BF16, true;
    default: return false;
  }
}

// An array's numbers on the host.
struct Numbers {
  Numbers(const Array& array, uint64_t address) : array(array), address(address) {
    size_t last = 0;
    for (size_t d = 0; d < array.sizes.size(); ++d)
      last += static_cast<size_t>(array.sizes[d] - 1) * static_cast<size_t>(array.strides[d]);
    bytes.resize((last + 1) * width());
  }
  size_t width() const { return static_cast<size_t>(tessera::byteWidth(array.type)); }
  std::byte* at(const std::vector<int>& index) {
    size_t out = 0;
    for (size_t d = 0; d < index.size(); ++d)
      out += static_cast<size_t>(index[d]) * static_cast<size_t>(array.strides[d]);
    return bytes.data() + out * width();
  }
  int fetch(void* stream) { return cuMemcpyDtoHAsync_v2(bytes.data(), address, bytes.size(), stream); }
  int put(void* stream) { return cuMemcpyHtoDAsync_v2(address, bytes.data(), bytes.size(), stream); }

  const Array& array;
  uint64_t address;
  std::vector<std::byte> bytes;
};

// The places [0, sizes[0]) × …
void overAll(const std::vector<int>& sizes, const std::function<void(const std::vector<int>&)>& body) {
  std::vector<int> at(sizes.size(), 0);
  for (;;) {
    body(at);
    size_t d = sizes.size();
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

// Each product of the definition: its places in x, w and y.
template <class Body>
void overProducts(const Array& x, const Array& w, const Window& window, const Array& y, Body body) {
  const int perGroup = y.sizes[1] / window.groups;
  const std::vector<int> taps(w.sizes.begin() + 2, w.sizes.end());
  overAll(y.sizes, [&](const std::vector<int>& yAt) {
    for (int c = 0; c < w.sizes[1]; ++c)
      overAll(taps, [&](const std::vector<int>& tap) {
        std::vector<int> xAt{yAt[0], yAt[1] / perGroup * w.sizes[1] + c}, wAt{yAt[1], c};
        for (size_t d = 0; d < tap.size(); ++d) {
          xAt.push_back(yAt[d + 2] * window.steps[d] + tap[d] * window.dilations[d] - window.pads[d]);
          wAt.push_back(window.isReversed ? taps[d] - 1 - tap[d] : tap[d]);
          if (xAt.back() < 0 || xAt.back() >= x.sizes[d + 2]) return;
        }
        body(xAt, wAt, yAt);
      });
  });
}

bool fits(const Array& x, const Array& w, const Window& window, const Array& y) {
  if (x.sizes[0] != y.sizes[0] || w.sizes[0] != y.sizes[1] || x.sizes[1] != w.sizes[1] * window.groups) return false;
  for (size_t d = 0; d < window.pads.size(); ++d) {
    const int room = x.sizes[d + 2] + 2 * window.pads[d] - ((w.sizes[d + 2] - 1) * window.dilations[d] + 1);
    if (room < 0 || room / window.steps[d] + 1 != y.sizes[d + 2]) return false;
  }
  return true;
}

int propose(const void* x, const void* w, const void* window, const void* y, int wanted, int* count, Choice* found) {
  const auto* described = static_cast<const Window*>(window);
  *count = 0;
  if (!fits(*static_cast<const Array*>(x), *static_cast<const Array*>(w), *described, *static_cast<const Array*>(y)))
    return kBadParameter;
  if (wanted < 4) return kBadParameter;
  *count = 4;
  found[0] = {0, kNotSupported, 0, 0, 1, described->arithmetic, {}};
  found[1] = {3, kSuccess, 1, 0, 0, described->arithmetic, {}};  // other bits each time
  found[2] = {2, kSuccess, 1, static_cast<size_t>(tessera::fake::setting("workspace", 256)), 1, described->arithmetic,
              {}};
  found[3] = {kPrecomputed, kSuccess, 2, 0, 1, described->arithmetic, {}};
  return kSuccess;
}

enum class Sum { Y, X, W };

int convolve(void* handle, Sum sum, const void* xArray, const void* x, const void* wArray, const void* w,
             const void* windowAt, const void* yArray, const void* y, int algorithm, void* workspace,
             size_t workspaceBytes, const End& end = {}) {
  void* const stream = static_cast<Handle*>(handle)->stream;
  const auto& window = *static_cast<const Window*>(windowAt);
  const auto at = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
  Numbers xs(*static_cast<const Array*>(xArray), at(x)), ws(*static_cast<const Array*>(wArray), at(w)),
      ys(*static_cast<const Array*>(yArray), at(y));
  int isCapturing = 0;
  if (cuStreamIsCapturing(stream, &isCapturing) || isCapturing) return kNotSupported;  // it computes at once
  if ((algorithm != 2 && algorithm != kPrecomputed) || (workspaceBytes > 0 && !workspace) ||
      !fits(xs.array, ws.array, window, ys.array))
    return kBadParameter;
  if (end.biasArray && end.function == kIdentity && algorithm != kPrecomputed) return kNotSupported;
  if (xs.array.type == ElementType::F32 && window.arithmetic != kPlainMath) return kBadParameter;
  if (xs.fetch(stream) || ws.fetch(stream) || ys.fetch(stream) || cuStreamSynchronize(stream)) return kExecutionFailed;
  Numbers& out = sum == Sum::Y ? ys : sum == Sum::X ? xs : ws;
  std::vector<double> sums(out.bytes.size() / out.width(), 0);
  const auto placeOf = [&](const std::vector<int>& index) {
    return static_cast<size_t>(out.at(index) - out.bytes.data()) / out.width();
  };
  overProducts(xs.array, ws.array, window, ys.array, [&](const auto& xAt, const auto& wAt, const auto& yAt) {
    const auto number = [](Numbers& of, const std::vector<int>& index) {
      return tessera::fake::load(of.array.type, of.at(index));
    };
    switch (sum) {
      case Sum::Y: sums[placeOf(yAt)] += number(xs, xAt) * number(ws, wAt); break;
      case Sum::X: sums[placeOf(xAt)] += number(ys, yAt) * number(ws, wAt); break;
      case Sum::W: sums[placeOf(wAt)] += number(xs, xAt) * number(ys, yAt); break;
    }
  });
  for (double& each : sums) each *= end.scale;
  if (end.biasArray) {
    Numbers bias(*end.biasArray, at(end.bias));
    if (bias.array.sizes[1] != ys.array.sizes[1] || bias.fetch(stream) || cuStreamSynchronize(stream))
      return kBadParameter;
    overAll(ys.array.sizes, [&](const std::vector<int>& yAt) {
      double& sum = sums[placeOf(yAt)];
      sum += tessera::fake::load(bias.array.type, bias.at({0, yAt[1], 0, 0}));
      if (end.function == kRelu) sum = std::max(sum, 0.0);
    });
  }
  for (size_t i = 0; i < sums.size(); ++i)
    tessera::fake::store(out.array.type, out.bytes.data() + i * out.width(), sums[i]);
  return out.put(stream) || cuStreamSynchronize(stream) ? kExecutionFailed : kSuccess;
}

std::vector<int> listOf(const int* values, int count) { return {values, values + count}; }

// Dense, in the order of the dimensions.
std::vector<int> strides(const std::vector<int>& sizes) {
  std::vector<int> out(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) out[d - 1] = out[d] * sizes[d];
  return out;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API size_t cudnnGetVersion() { return static_cast<size_t>(tessera::fake::setting("cudnn", 91300)); }
API int cudnnCreate(void** out) { return *out = new Handle, kSuccess; }
API int cudnnDestroy(void* handle) { return delete static_cast<Handle*>(handle), kSuccess; }
API int cudnnSetStream(void* handle, void* stream) { return static_cast<Handle*>(handle)->stream = stream, kSuccess; }
API int cudnnCreateTensorDescriptor(void** out) { return *out = new Array, kSuccess; }
API int cudnnDestroyTensorDescriptor(void* array) { return delete static_cast<Array*>(array), kSuccess; }
API int cudnnSetTensorNdDescriptor(void* array, int type, int rank, const int* sizes, const int* strides) {
  auto& out = *static_cast<Array*>(array);
  if (rank < 4 || rank > 5 || !typeOf(type, out.type)) return kBadParameter;
  out.sizes = listOf(sizes, rank), out.strides = listOf(strides, rank);
  return kSuccess;
}
API int cudnnCreateFilterDescriptor(void** out) { return *out = new Array, kSuccess; }
API int cudnnDestroyFilterDescriptor(void* array) { return delete static_cast<Array*>(array), kSuccess; }
API int cudnnSetFilterNdDescriptor(void* array, int type, int format, int rank, const int* sizes) {
  auto& out = *static_cast<Array*>(array);
  if (rank < 4 || rank > 5 || !typeOf(type, out.type)) return kBadParameter;
  out.sizes = listOf(sizes, rank);
  out.strides = strides(out.sizes);
  if (format == 0) return kSuccess;
  std::vector<int> stored = out.sizes;  // k, window, c
  stored.erase(stored.begin() + 1);
  stored.push_back(out.sizes[1]);
  std::vector<int> last = strides(stored);
  out.strides = last;
  out.strides.insert(out.strides.begin() + 1, 1);
  out.strides.pop_back();
  return kSuccess;
}
API int cudnnCreateConvolutionDescriptor(void** out) { return *out = new Window, kSuccess; }
API int cudnnDestroyConvolutionDescriptor(void* window) { return delete static_cast<Window*>(window), kSuccess; }
API int cudnnSetConvolutionNdDescriptor(void* window, int rank, const int* pads, const int* steps, const int* dilations,
                                        int mode, int) {
  auto& out = *static_cast<Window*>(window);
  out.pads = listOf(pads, rank), out.steps = listOf(steps, rank), out.dilations = listOf(dilations, rank);
  out.isReversed = mode == 0;
  return kSuccess;
}
API int cudnnSetConvolutionGroupCount(void* window, int groups) {
  return static_cast<Window*>(window)->groups = groups, kSuccess;
}
API int cudnnSetConvolutionMathType(void* window, int arithmetic) {
  return static_cast<Window*>(window)->arithmetic = arithmetic, kSuccess;
}
API int cudnnGetConvolutionForwardAlgorithm_v7(void*, void* x, void* w, void* window, void* y, int wanted, int* count,
                                               Choice* found) {
  return propose(x, w, window, y, wanted, count, found);
}
API int cudnnGetConvolutionBackwardDataAlgorithm_v7(void*, void* w, void* y, void* window, void* x, int wanted,
                                                    int* count, Choice* found) {
  return propose(x, w, window, y, wanted, count, found);
}
API int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void*, void* x, void* y, void* window, void* w, int wanted,
                                                      int* count, Choice* found) {
  return propose(x, w, window, y, wanted, count, found);
}
API int cudnnConvolutionForward(void* handle, const void*, void* xArray, const void* x, void* wArray, const void* w,
                                void* window, int algorithm, void* workspace, size_t bytes, const void*, void* yArray,
                                void* y) {
  return convolve(handle, Sum::Y, xArray, x, wArray, w, window, yArray, y, algorithm, workspace, bytes);
}
API int cudnnCreateActivationDescriptor(void** out) { return *out = new Function, kSuccess; }
API int cudnnDestroyActivationDescriptor(void* function) { return delete static_cast<Function*>(function), kSuccess; }
API int cudnnSetActivationDescriptor(void* function, int mode, int nan, double) {
  static_cast<Function*>(function)->mode = mode;
  return (mode == kRelu || mode == kIdentity) && nan == 1 ? kSuccess : kBadParameter;
}
API int cudnnConvolutionBiasActivationForward(void* handle, const void* alpha, void* xArray, const void* x,
                                              void* wArray, const void* w, void* window, int algorithm, void* workspace,
                                              size_t bytes, const void*, void* zArray, const void*, void* biasArray,
                                              const void* bias, void* function, void* yArray, void* y) {
  if (!zArray || !biasArray || !bias || !function) return kBadParameter;
  const ElementType type = static_cast<Array*>(xArray)->type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  const End end{tessera::fake::load(type, static_cast<const std::byte*>(alpha)), static_cast<const Array*>(biasArray),
                bias, static_cast<const Function*>(function)->mode};
  return convolve(handle, Sum::Y, xArray, x, wArray, w, window, yArray, y, algorithm, workspace, bytes, end);
}
API int cudnnConvolutionBackwardData(void* handle, const void*, void* wArray, const void* w, void* yArray,
                                     const void* y, void* window, int algorithm, void* workspace, size_t bytes,
                                     const void*, void* xArray, void* x) {
  return convolve(handle, Sum::X, xArray, x, wArray, w, window, yArray, y, algorithm, workspace, bytes);
}
API int cudnnConvolutionBackwardFilter(void* handle, const void*, void* xArray, const void* x, void* yArray,
                                       const void* y, void* window, int algorithm, void* workspace, size_t bytes,
                                       const void*, void* wArray, void* w) {
  return convolve(handle, Sum::W, xArray, x, wArray, w, window, yArray, y, algorithm, workspace, bytes);
}
