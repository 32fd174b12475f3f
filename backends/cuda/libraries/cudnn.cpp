// See cudnn.h.
#include "backends/cuda/libraries/cudnn.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

// Numbers of the library's header.
enum Type { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9 };
enum Format { kFeaturesFirst = 0, kFeaturesLast = 1 };
enum Mode { kReversed = 0, kStraight = 1 };
enum Arithmetic { kDefaultMath = 0, kTensorMath = 1, kPlainMath = 3 };
enum Function { kRelu = 1, kIdentity = 5 };
constexpr int kKeepsNan = 1, kDeterministic = 1, kMostChoices = 8;
constexpr int kPrecomputed = 1;  // the one algorithm of forward convolutions that ends with the identity
constexpr size_t kMostWorkspaceBytes = size_t{64} << 20;

Status check(int status, const char* doing) {
  if (status == 0) return {};
  return fail(ErrorKind::Runtime, fmt::format("cuDNN: status {}, {}", status, doing));
}

std::optional<int> typeOf(ElementType type) {
  switch (type) {
    case ElementType::F32: return kFloat;
    case ElementType::F64: return kDouble;
    case ElementType::F16: return kHalf;
    case ElementType::BF16: return kBfloat16;
    default: return std::nullopt;
  }
}

std::vector<int> narrow(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

bool isNarrow(const std::vector<int64_t>& values) {
  return std::ranges::all_of(values, [](int64_t v) { return v <= INT32_MAX; });
}

// A convolution's scale and 0 as the library takes them: double for f64, float for all else.
struct Scalars {
  Scalars(ElementType type, double by) {
    if (type == ElementType::F64)
      scale.wide = by, zero.wide = 0;
    else
      scale.narrow = static_cast<float>(by);
  }
  union Value {
    float narrow;
    double wide;
  };
  Value scale = {.narrow = 1}, zero = {.narrow = 0};
};

}  // namespace

Result<const Cudnn*> Cudnn::get() { return openedOnce<Cudnn>(); }

Status Cudnn::open() {
  TESSERA_ASSIGN_OR_RETURN(void* file, openLibraryFile("cuDNN", {"libcudnn.so.9", "libcudnn.so.8"}, {"cudnn"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "cuDNN", #symbol, name));
#include "backends/cuda/libraries/cudnn.inc"
#undef TESSERA_LIBRARY_FUNCTION
  const auto versionOf = reinterpret_cast<size_t (*)()>(symbolOf(file, "cudnnGetVersion"));
  const size_t version = versionOf ? versionOf() : 0;  // 8907: 8.9.7; 91300: 9.13.0
  constexpr size_t kOldest = 8000, kNew = 90000;
  if (version < kOldest) return failUnsupported(fmt::format("no cuDNN: version {} is older than 8", version));
  const size_t major = version >= kNew ? 10000 : 1000;
  version_ = fmt::format("{}.{}", version / major, version % major / 100);
  return {};
}

CudnnHandle::~CudnnHandle() {
  if (handle_) (void)library_->destroy(handle_);
}

Status CudnnHandle::open(const Cudnn& library) {
  library_ = &library;
  return check(library.create(&handle_), "beginning");
}

// The library's descriptions of a convolution, given back with it.
struct CudnnHandle::Site {
  explicit Site(const Cudnn& dnn) : dnn(dnn) {}
  ~Site() {
    for (void* tensor : {x, y, bias})
      if (tensor) (void)dnn.destroyTensor(tensor);
    if (function) (void)dnn.destroyFunction(function);
    if (w) (void)dnn.destroyFilter(w);
    if (convolution) (void)dnn.destroyConvolution(convolution);
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  Status describe(const LibraryCall& call) {
    const auto type = typeOf(call.in);
    const ConvolutionCall& c = call.convolution;
    if (!type || call.in != call.out) return failUnsupported("cuDNN has no convolutions of this type");
    for (const auto* values : {&c.xSizes, &c.xStrides, &c.ySizes, &c.yStrides, &c.wSizes})
      if (!isNarrow(*values)) return failUnsupported("too large for cuDNN");
    TESSERA_TRY(tensor(x, *type, c.xSizes, c.xStrides));
    TESSERA_TRY(tensor(y, *type, c.ySizes, c.yStrides));
    TESSERA_TRY(check(dnn.createFilter(&w), "describing a filter"));
    TESSERA_TRY(taken(dnn.setFilter(w, *type, c.hasFeaturesLast ? kFeaturesLast : kFeaturesFirst,
                                    static_cast<int>(c.wSizes.size()), narrow(c.wSizes).data())));
    TESSERA_TRY(describeWindow(c, *type));
    return call.hasBias ? describeEnd(call, *type) : Status{};
  }

  // The first that is exact, repeats its bits and needs no more memory.
  Result<Cudnn::Choice> find(void* handle, const LibraryCall& call, size_t mostWorkspace) const {
    std::array<Cudnn::Choice, kMostChoices> found = {};
    int count = 0;
    const int status = call.operation == LibraryOperation::ConvolutionInput
                           ? dnn.findInput(handle, w, y, convolution, x, kMostChoices, &count, found.data())
                       : call.operation == LibraryOperation::ConvolutionFilter
                           ? dnn.findFilter(handle, x, y, convolution, w, kMostChoices, &count, found.data())
                           : dnn.findForward(handle, x, w, convolution, y, kMostChoices, &count, found.data());
    for (int i = 0; status == 0 && i < std::min(count, kMostChoices); ++i) {
      const Cudnn::Choice& choice = found[static_cast<size_t>(i)];
      const bool isExact = call.in != ElementType::F32 || choice.arithmetic == kPlainMath;
      const bool hasEnd = !call.hasBias || call.ending == ProductEnding::Relu || choice.algorithm == kPrecomputed;
      if (choice.status == 0 && choice.determinism == kDeterministic && isExact && hasEnd &&
          choice.workspaceBytes <= mostWorkspace)
        return choice;
    }
    return failUnsupported(fmt::format("cuDNN has no algorithm for it (status {}, {} proposed)", status, count));
  }

  Status run(void* handle, const LibraryCall& call, const Cudnn::Choice& choice,
             std::span<const DeviceAddress> operands, void* result, void* workspace, size_t workspaceBytes) const {
    TESSERA_TRY(check(dnn.setArithmetic(convolution, choice.arithmetic), "choosing arithmetic"));
    const Scalars scalars(call.in, call.scale);
    const void *first = pointer(operands[0]), *second = pointer(operands[1]);
    if (call.hasBias)
      return check(
          dnn.runEnded(handle, &scalars.scale, x, first, w, second, convolution, choice.algorithm, workspace,
                       workspaceBytes, &scalars.zero, y, result, bias, pointer(operands[2]), function, y, result),
          "convolving with an end");
    switch (call.operation) {
      case LibraryOperation::ConvolutionInput:
        return check(dnn.runInput(handle, &scalars.scale, w, second, y, first, convolution, choice.algorithm, workspace,
                                  workspaceBytes, &scalars.zero, x, result),
                     "convolving backwards to the input");
      case LibraryOperation::ConvolutionFilter:
        return check(dnn.runFilter(handle, &scalars.scale, x, first, y, second, convolution, choice.algorithm,
                                   workspace, workspaceBytes, &scalars.zero, w, result),
                     "convolving backwards to the filter");
      default:
        return check(dnn.runForward(handle, &scalars.scale, x, first, w, second, convolution, choice.algorithm,
                                    workspace, workspaceBytes, &scalars.zero, y, result),
                     "convolving");
    }
  }

  const Cudnn& dnn;
  void *x = nullptr, *y = nullptr, *w = nullptr, *convolution = nullptr;
  void *bias = nullptr, *function = nullptr;  // of an end

 private:
  static Status taken(int status) {
    if (status == 0) return {};
    return failUnsupported(fmt::format("cuDNN does not take its arrays (status {})", status));
  }
  Status tensor(void*& out, int type, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
    TESSERA_TRY(check(dnn.createTensor(&out), "describing an array"));
    return taken(
        dnn.setTensor(out, type, static_cast<int>(sizes.size()), narrow(sizes).data(), narrow(strides).data()));
  }
  // A bias of the features, and what follows it.
  Status describeEnd(const LibraryCall& call, int type) {
    const std::vector<int64_t>& sizes = call.convolution.ySizes;
    std::vector<int64_t> ones(sizes.size(), 1), strides(sizes.size(), 1);
    ones[1] = strides[0] = sizes[1];
    TESSERA_TRY(tensor(bias, type, ones, strides));
    TESSERA_TRY(check(dnn.createFunction(&function), "describing an end"));
    return taken(dnn.setFunction(function, call.ending == ProductEnding::Relu ? kRelu : kIdentity, kKeepsNan, 0));
  }
  Status describeWindow(const ConvolutionCall& c, int type) {
    TESSERA_TRY(check(dnn.createConvolution(&convolution), "describing a window"));
    TESSERA_TRY(taken(dnn.setConvolution(convolution, static_cast<int>(c.pads.size()), narrow(c.pads).data(),
                                         narrow(c.steps).data(), narrow(c.dilations).data(),
                                         c.isReversed ? kReversed : kStraight, type == kDouble ? kDouble : kFloat)));
    TESSERA_TRY(taken(dnn.setGroups(convolution, static_cast<int>(c.groups))));
    const int arithmetic = type == kFloat ? kPlainMath : type == kDouble ? kDefaultMath : kTensorMath;
    return taken(dnn.setArithmetic(convolution, arithmetic));
  }
};

Status CudnnHandle::choose(LibraryCall& call) const {
  Site site(*library_);
  TESSERA_TRY(site.describe(call));
  TESSERA_ASSIGN_OR_RETURN(const Cudnn::Choice choice, site.find(handle_, call, kMostWorkspaceBytes));
  call.workspaceBytes = static_cast<int64_t>(choice.workspaceBytes);
  return {};
}

Status CudnnHandle::run(const LibraryCall& call, std::span<const DeviceAddress> operands, DeviceAddress result,
                        DeviceAddress workspace, void* stream) const {
  Site site(*library_);
  TESSERA_TRY(site.describe(call));
  const auto bytes = static_cast<size_t>(call.workspaceBytes);
  TESSERA_ASSIGN_OR_RETURN(const Cudnn::Choice choice, site.find(handle_, call, bytes));
  TESSERA_TRY(check(library_->setStream(handle_, stream), "choosing a stream"));
  return site.run(handle_, call, choice, operands, pointer(result), pointer(workspace), bytes);
}

}  // namespace tessera::cuda
