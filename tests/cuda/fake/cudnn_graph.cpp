// The fake cuDNN's graph API, as far as attention needs it: descriptors with their attributes, a graph of one
// operation, one way to compute it, by its definition, through the fake driver's memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "tests/cuda/fake/fake_cudnn.h"
#include "tests/cuda/fake/fake_numbers.h"
#include "tests/cuda/fake/fake_settings.h"

namespace {

using tessera::ElementType;
using tessera::fake::Handle;

enum Status { kSuccess = 0, kBadParameter = 2000, kNotSupported = 3000, kExecutionFailed = 5000 };
enum Type { kConfig = 3, kHeuristic = 4, kPlan = 5, kGraph = 15, kPack = 16, kTensor = 17, kAttention = 41 };
constexpr int kQuery = 2800, kKey = 2801, kValue = 2802, kResult = 2803, kScale = 2805;

struct Descriptor {
  int type;
  bool isFinal = false;
  std::map<int, std::vector<std::byte>> attributes;

  template <class T>
  std::vector<T> all(int attribute) const {
    const auto found = attributes.find(attribute);
    if (found == attributes.end()) return {};
    std::vector<T> out(found->second.size() / sizeof(T));
    std::memcpy(out.data(), found->second.data(), found->second.size());
    return out;
  }
  template <class T>
  T one(int attribute) const {
    const auto values = all<T>(attribute);
    return values.empty() ? T() : values[0];
  }
  const Descriptor* other(int attribute) const { return one<const Descriptor*>(attribute); }
};

size_t bytesOf(int type) {
  switch (type) {
    case 1:
    case 8: return sizeof(int);
    case 2: return sizeof(bool);
    default: return 8;
  }
}

// Sizes and strides of four, the last one 1.
bool isTensor(const Descriptor* tensor) {
  if (!tensor || !tensor->isFinal || tensor->type != kTensor) return false;
  const auto sizes = tensor->all<int64_t>(902), strides = tensor->all<int64_t>(903);
  return sizes.size() == 4 && strides.size() == 4 && strides[3] == 1 && tensor->one<int64_t>(900) == 16;
}

bool isAttention(const Descriptor& operation) {
  for (const int attribute : {kQuery, kKey, kValue, kResult, kScale})
    if (!isTensor(operation.other(attribute))) return false;
  const auto q = operation.other(kQuery)->all<int64_t>(902), k = operation.other(kKey)->all<int64_t>(902),
             v = operation.other(kValue)->all<int64_t>(902), o = operation.other(kResult)->all<int64_t>(902);
  const int type = operation.other(kQuery)->one<int>(901);
  return (type == 2 || type == 9) && operation.other(kScale)->one<uint8_t>(908) && q[0] == k[0] && q[1] == k[1] &&
         q[3] == k[3] && k[2] == v[2] && k[0] == v[0] && k[1] == v[1] && o[2] == q[2] && o[3] == v[3] && q[3] % 8 == 0;
}

bool canFinish(const Descriptor& d) {
  switch (d.type) {
    case kAttention: return isAttention(d);
    case kGraph: return d.one<void*>(800) && d.other(801) && d.other(801)->isFinal;
    case kHeuristic: return d.other(201) && d.other(201)->isFinal;
    case kPlan: return d.one<void*>(400) && d.other(401) && d.other(401)->type == kConfig;
    default: return true;
  }
}

// A tensor's numbers, by the four indices.
class Numbers {
 public:
  Numbers(const Descriptor& tensor, void* device, void* stream)
      : type_(tensor.one<int>(901) == 9 ? ElementType::BF16 : ElementType::F16),
        sizes_(tensor.all<int64_t>(902)),
        strides_(tensor.all<int64_t>(903)),
        address_(reinterpret_cast<uint64_t>(device)),
        stream_(stream) {
    int64_t last = 0;
    for (size_t d = 0; d < 4; ++d) last += (sizes_[d] - 1) * strides_[d];
    bytes_.resize(static_cast<size_t>(last + 1) * 2);
  }
  int64_t size(size_t d) const { return sizes_[d]; }
  bool fetch() {
    return !cuMemcpyDtoHAsync_v2(bytes_.data(), address_, bytes_.size(), stream_) && !cuStreamSynchronize(stream_);
  }
  bool put() {
    return !cuMemcpyHtoDAsync_v2(address_, bytes_.data(), bytes_.size(), stream_) && !cuStreamSynchronize(stream_);
  }
  double at(int64_t b, int64_t h, int64_t i, int64_t d) { return tessera::fake::load(type_, place(b, h, i, d)); }
  void set(int64_t b, int64_t h, int64_t i, int64_t d, double value) {
    tessera::fake::store(type_, place(b, h, i, d), value);
  }

 private:
  std::byte* place(int64_t b, int64_t h, int64_t i, int64_t d) {
    return bytes_.data() + 2 * (b * strides_[0] + h * strides_[1] + i * strides_[2] + d * strides_[3]);
  }
  ElementType type_;
  std::vector<int64_t> sizes_, strides_;
  uint64_t address_;
  void* stream_;
  std::vector<std::byte> bytes_;
};

void attendRow(Numbers& q, Numbers& k, Numbers& v, Numbers& o, double scale, int64_t b, int64_t h, int64_t i) {
  std::vector<double> weights(static_cast<size_t>(k.size(2)));
  for (int64_t j = 0; j < k.size(2); ++j) {
    double sum = 0;
    for (int64_t d = 0; d < q.size(3); ++d) sum += q.at(b, h, i, d) * k.at(b, h, j, d);
    weights[static_cast<size_t>(j)] = scale * sum;
  }
  const double most = *std::ranges::max_element(weights);
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - most);
  for (int64_t d = 0; d < v.size(3); ++d) {
    double sum = 0;
    for (int64_t j = 0; j < k.size(2); ++j) sum += weights[static_cast<size_t>(j)] * v.at(b, h, j, d);
    o.set(b, h, i, d, sum / total);
  }
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API int cudnnBackendCreateDescriptor(int type, void** out) {
  if (type == kAttention && tessera::fake::setting("attention", 1) == 0) return kNotSupported;  // of an older version
  return *out = new Descriptor{type, false, {}}, kSuccess;
}
API int cudnnBackendDestroyDescriptor(void* d) { return delete static_cast<Descriptor*>(d), kSuccess; }
API int cudnnBackendSetAttribute(void* d, int attribute, int type, int64_t count, const void* values) {
  auto& descriptor = *static_cast<Descriptor*>(d);
  if (descriptor.isFinal || count < 1) return kBadParameter;
  const auto* from = static_cast<const std::byte*>(values);
  descriptor.attributes[attribute].assign(from, from + static_cast<size_t>(count) * bytesOf(type));
  return kSuccess;
}
API int cudnnBackendGetAttribute(void* d, int attribute, int, int64_t most, int64_t* count, void* values) {
  const auto& descriptor = *static_cast<const Descriptor*>(d);
  if (!descriptor.isFinal || most < 1) return kBadParameter;
  *count = 1;
  if (descriptor.type == kHeuristic && attribute == 202) {
    auto* config = static_cast<Descriptor**>(values)[0];
    config->attributes = descriptor.attributes;
    return config->isFinal = true, kSuccess;
  }
  if (descriptor.type != kPlan || attribute != 402) return kBadParameter;
  const int64_t workspace = tessera::fake::setting("workspace", 256);
  return std::memcpy(values, &workspace, sizeof workspace), kSuccess;
}
API int cudnnBackendFinalize(void* d) {
  auto& descriptor = *static_cast<Descriptor*>(d);
  if (!canFinish(descriptor)) return kBadParameter;
  return descriptor.isFinal = true, kSuccess;
}
API int cudnnBackendExecute(void* handle, void* plan, void* pack) {
  void* const stream = static_cast<Handle*>(handle)->stream;
  int isCapturing = 0;
  if (cuStreamIsCapturing(stream, &isCapturing) || isCapturing) return kNotSupported;  // it computes at once
  const Descriptor* graph = static_cast<const Descriptor*>(plan)->other(401)->other(201);
  const Descriptor& operation = *graph->other(801);
  const auto& given = *static_cast<const Descriptor*>(pack);
  if (!given.isFinal || !given.one<void*>(1003)) return kBadParameter;
  const auto ids = given.all<int64_t>(1000);
  const auto pointers = given.all<void*>(1001);
  const auto pointerOf = [&](const Descriptor& tensor) {
    const auto found = std::ranges::find(ids, tensor.one<int64_t>(906));
    return pointers[static_cast<size_t>(found - ids.begin())];
  };
  const auto numbers = [&](int attribute) {
    return Numbers(*operation.other(attribute), pointerOf(*operation.other(attribute)), stream);
  };
  Numbers q = numbers(kQuery), k = numbers(kKey), v = numbers(kValue), o = numbers(kResult);
  if (!q.fetch() || !k.fetch() || !v.fetch() || !o.fetch()) return kExecutionFailed;
  const double scale = *static_cast<const float*>(pointerOf(*operation.other(kScale)));
  for (int64_t b = 0; b < q.size(0); ++b)
    for (int64_t h = 0; h < q.size(1); ++h)
      for (int64_t i = 0; i < q.size(2); ++i) attendRow(q, k, v, o, scale, b, h, i);
  return o.put() ? kSuccess : kExecutionFailed;
}
