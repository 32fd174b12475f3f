// See custom_call_library.h. Literals are dense and row-major; buffers for a target are copies in the layouts it wants.
#include "core/custom_calls/custom_call_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "core/base/descriptor.h"
#include "core/base/own_symbol.h"
#include "core/base/result.h"
#include "core/custom_calls/crash_notice.h"
#include "core/custom_calls/ffi_call.h"
#include "core/custom_calls/tessera_custom_call.h"
#include "core/ops/shared/evaluate_loops.h"

// XLA's status object, by the names that its header declares; the user's library finds them in this one.
struct XlaCustomCallStatus_ {
  bool failed = false;
  std::string message;
};
extern "C" __attribute__((visibility("default"))) void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus_* status) {
  *status = {};
}
extern "C" __attribute__((visibility("default"))) void XlaCustomCallStatusSetFailure(XlaCustomCallStatus_* status,
                                                                                     const char* message,
                                                                                     size_t length) {
  *status = {true, std::string(message, length)};
}

namespace tessera {
namespace {

using Original = void (*)(void* out, const void** in);
using StatusReturning = void (*)(void* out, const void** in, XlaCustomCallStatus_*);
using Unified = void (*)(void* out, const void** in, const char* opaque, size_t length, XlaCustomCallStatus_*);

// An array as the target sees it.
struct Buffer {
  const Shape* shape;
  std::vector<int64_t> minorToMajor;
  std::vector<std::byte> bytes;
};

std::vector<int64_t> orderOf(const Shape& shape) {
  if (shape.layout && shape.layout->minorToMajor.size() == shape.dimensions.size()) return shape.layout->minorToMajor;
  std::vector<int64_t> out(shape.dimensions.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int64_t>(out.size() - 1 - i);
  return out;
}

bool isRowMajor(const std::vector<int64_t>& order) { return std::ranges::is_sorted(order, std::greater()); }

// Elements between a dense row-major array and one of another order.
void permute(const Buffer& buffer, const std::byte* from, std::byte* to, bool toBuffer) {
  const std::vector<int64_t>& dims = buffer.shape->dimensions;
  const auto width = static_cast<size_t>(byteWidth(buffer.shape->type));
  if (isRowMajor(buffer.minorToMajor))
    return void(buffer.bytes.empty() ? nullptr : std::memcpy(to, from, buffer.bytes.size()));
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (int64_t d : buffer.minorToMajor) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= dims[static_cast<size_t>(d)];
  }
  forEachIndex(dims, [&](std::span<const int64_t> index, int64_t linear) {
    const int64_t there = linearIndexOf(index, strides);
    copyElement(to, toBuffer ? there : linear, from, toBuffer ? linear : there, width);
    return true;
  });
}

void appendArrays(const Literal& value, const Shape& shape, std::vector<std::pair<const Literal*, const Shape*>>& out) {
  for (size_t i = 0; i < value.elements().size(); ++i) appendArrays(value.elements()[i], shape.elements[i], out);
  if (value.shape().isArray()) out.emplace_back(&value, &shape);
}

std::vector<Buffer> operandBuffers(const EvaluateContext& context) {
  const auto* wanted = context.instruction.attributes->get<std::vector<Shape>>(Attr::operand_layout_constraints);
  std::vector<std::pair<const Literal*, const Shape*>> arrays;
  for (size_t i = 0; i < context.operands.size(); ++i)
    appendArrays(context.operands[i], wanted && i < wanted->size() ? (*wanted)[i] : *context.operandShapes[i], arrays);
  std::vector<Buffer> out;
  for (const auto& [literal, shape] : arrays) {
    Buffer& buffer = out.emplace_back(shape, orderOf(*shape), std::vector<std::byte>(literal->bytes().size()));
    permute(buffer, literal->bytes().data(), buffer.bytes.data(), true);
  }
  return out;
}

Result<std::vector<Buffer>> resultBuffers(const EvaluateContext& context) {
  std::vector<Buffer> out;
  for (const ShapeLeaf& leaf : leavesOf(context.shape)) {
    if (!leaf.shape->isArray()) continue;
    TESSERA_ASSIGN_OR_RETURN(const Literal zeros, Literal::zeros(withoutLayout(*leaf.shape)));
    out.emplace_back(leaf.shape, orderOf(*leaf.shape),
                     std::vector<std::byte>(zeros.bytes().begin(), zeros.bytes().end()));
  }
  return out;
}

Result<Literal> literalOf(const Shape& shape, std::vector<Buffer>& buffers, size_t& next) {
  if (shape.isToken()) return Literal::token();
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal literal, literalOf(element, buffers, next));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  Buffer& buffer = buffers[next++];
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutLayout(shape)));
  permute(buffer, buffer.bytes.data(), out.mutableBytes().data(), false);
  return out;
}

std::string configOf(const EvaluateContext& context) {
  const auto* config = context.instruction.attributes->get<RawText>(Attr::backend_config);
  return config ? config->text : std::string();
}

std::vector<TesseraArray> arraysOf(std::vector<Buffer>& buffers) {
  std::vector<TesseraArray> out;
  for (Buffer& buffer : buffers)
    out.push_back({nameOf(buffer.shape->type).data(), static_cast<int32_t>(buffer.shape->dimensions.size()),
                   buffer.shape->dimensions.data(), buffer.minorToMajor.data(), buffer.bytes.data(),
                   buffer.bytes.size()});
  return out;
}

// A frame's dimensions are not const; handlers must not change them.
std::vector<FfiBuffer> ffiBuffersOf(std::vector<Buffer>& buffers) {
  std::vector<FfiBuffer> out;
  for (Buffer& buffer : buffers)
    out.push_back({sizeof(FfiBuffer), nullptr, info(buffer.shape->type).proto, buffer.bytes.data(),
                   static_cast<int64_t>(buffer.shape->dimensions.size()),
                   const_cast<int64_t*>(buffer.shape->dimensions.data())});
  return out;
}

// The name under which the loader opens and remembers a file in memory.
std::string loadedName(const Descriptor& image) { return "/proc/self/fd/" + std::to_string(image.get()); }

class SharedLibrary final : public CustomCallLibrary {
 public:
  // image: the file in memory that was loaded, if it was one.
  SharedLibrary(std::string path, Descriptor image, void* handle, FfiRegistrations registered)
      : path_(std::move(path)),
        image_(std::move(image)),
        handle_(handle, &dlclose),
        registered_(std::move(registered)) {
    readTable();
  }

  // The loader knows an image by the name of its descriptor: while it stays loaded, the number must not be another's.
  ~SharedLibrary() override {
    if (!image_.isOpen()) return;
    handle_.reset();
    if (void* still = dlopen(loadedName(image_).c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      dlclose(still);
      image_.release();
    }
  }

  bool has(const std::string& target) const override {
    return !target.empty() &&
           (table_.contains(target) || registered_.contains(target) || ownSymbol(handle_.get(), target) != nullptr);
  }

  Result<Literal> call(const std::string& target, const EvaluateContext& context) const override {
    std::vector<Buffer> operands = operandBuffers(context);
    TESSERA_ASSIGN_OR_RETURN(std::vector<Buffer> results, resultBuffers(context));
    TESSERA_TRY(guarded(target, context, operands, results));
    size_t next = 0;
    return literalOf(context.shape, results, next);
  }

 private:
  void readTable() {
    const auto targets =
        reinterpret_cast<const TesseraTarget* (*)(size_t*)>(ownSymbol(handle_.get(), "tessera_custom_call_targets"));
    size_t count = 0;
    const TesseraTarget* rows = targets ? targets(&count) : nullptr;
    for (size_t i = 0; rows && i < count; ++i)
      if (rows[i].name && rows[i].function) table_[rows[i].name] = rows[i].function;
  }

  // Nothing that a target does passes for success: what it throws is a failure, and a crash names it.
  Status guarded(const std::string& target, const EvaluateContext& context, std::vector<Buffer>& operands,
                 std::vector<Buffer>& results) const {
    const std::string what = "the custom call \"" + target + "\"";
    const CrashNotice notice(what);
    try {
      return invoke(target, context, operands, results);
    } catch (const std::exception& thrown) {
      return fail(ErrorKind::Runtime, what + " failed: it threw " + thrown.what());
    } catch (...) {
      return fail(ErrorKind::Runtime, what + " failed: it threw something");
    }
  }

  Status invoke(const std::string& target, const EvaluateContext& context, std::vector<Buffer>& operands,
                std::vector<Buffer>& results) const {
    if (const auto row = table_.find(target); row != table_.end())
      return invokeTable(row->second, target, context, operands, results);
    if (const auto row = registered_.find(target); row != registered_.end())
      return invokeFfi(row->second, target, context, operands, results);
    // Of this library alone: what it depends on (the C library's system, exit, puts) is no target.
    void* symbol = ownSymbol(handle_.get(), target);
    if (!symbol) return failUnsupported(path_ + " has no target \"" + target + "\"");
    if (context.instruction.attributes->textOr(Attr::api_version, "") == "API_VERSION_TYPED_FFI")
      return invokeFfi({nullptr, nullptr, nullptr, reinterpret_cast<FfiHandler*>(symbol)}, target, context, operands,
                       results);
    return invokePlain(symbol, target, context, operands, results);
  }

  static Status invokeTable(TesseraFunction function, const std::string& target, const EvaluateContext& context,
                            std::vector<Buffer>& operands, std::vector<Buffer>& results) {
    const std::vector<TesseraArray> in = arraysOf(operands), out = arraysOf(results);
    const std::string config = configOf(context);
    const TesseraCall call{sizeof(TesseraCall), target.c_str(), config.c_str(), in.size(),
                           in.data(),           out.size(),     out.data()};
    const char* failure = function(&call);
    if (failure) return fail(ErrorKind::Runtime, "the custom call \"" + target + "\" failed: " + failure);
    return {};
  }

  static Status invokeFfi(const FfiBundle& bundle, const std::string& target, const EvaluateContext& context,
                          std::vector<Buffer>& operands, std::vector<Buffer>& results) {
    std::vector<FfiBuffer> in = ffiBuffersOf(operands), out = ffiBuffersOf(results);
    return callFfi(bundle, target, in, out, configOf(context));
  }

  static Status invokePlain(void* symbol, const std::string& target, const EvaluateContext& context,
                            std::vector<Buffer>& operands, std::vector<Buffer>& results) {
    std::vector<const void*> in;
    std::vector<void*> outs;
    for (const Buffer& each : operands) in.push_back(each.bytes.data());
    for (Buffer& each : results) outs.push_back(each.bytes.data());
    void* out = context.shape.isTuple() ? static_cast<void*>(outs.data()) : outs.empty() ? nullptr : outs[0];
    const std::string_view version = context.instruction.attributes->textOr(Attr::api_version, "API_VERSION_ORIGINAL");
    const std::string config = configOf(context);
    XlaCustomCallStatus_ status;
    if (version == "API_VERSION_ORIGINAL" || version == "API_VERSION_UNSPECIFIED")
      reinterpret_cast<Original>(symbol)(out, in.data());
    else if (version == "API_VERSION_STATUS_RETURNING")
      reinterpret_cast<StatusReturning>(symbol)(out, in.data(), &status);
    else if (version == "API_VERSION_STATUS_RETURNING_UNIFIED")
      reinterpret_cast<Unified>(symbol)(out, in.data(), config.data(), config.size(), &status);
    else
      return failUnsupported(
          "the custom call \"" + target + "\" wants " + std::string(version) +
          "; a library's functions are called as API_VERSION_ORIGINAL, _STATUS_RETURNING or _TYPED_FFI");
    if (status.failed) return fail(ErrorKind::Runtime, "the custom call \"" + target + "\" failed: " + status.message);
    return {};
  }

  std::string path_;
  Descriptor image_;
  std::unique_ptr<void, int (*)(void*)> handle_;
  std::map<std::string, TesseraFunction, std::less<>> table_;
  FfiRegistrations registered_;
};

// Loading runs code of the library. A child does it first: what crashes, ends the process or hangs there is no library
// of ours. "": fine, or no child can be had.
std::string crashWhileLoading(const std::string& file) {
  constexpr int kCameBack = 113;  // no exit code that an initialisation would choose
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) {
    FfiRegistrations registered;
    const FfiRegistrationScope scope(registered);
    for (int stream : {STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
    for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(crash, SIG_DFL);
    (void)::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    ::_exit(kCameBack);
  }
  constexpr auto kLongest = std::chrono::seconds(20);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return "its initialisation does not end";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (WIFSIGNALED(status)) return std::string("its initialisation crashes: ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) != kCameBack ? "its initialisation ends the process" : "";
}

std::unexpected<Diagnostic> cannotLoad(const std::string& path, const std::string& reason) {
  return fail(ErrorKind::Input, "the library " + path + " cannot be loaded: " + reason);
}

// path: as the user knows it; file: what the loader opens.
Result<std::shared_ptr<const CustomCallLibrary>> load(const std::string& path, const std::string& file,
                                                      Descriptor image) {
  if (const std::string crash = crashWhileLoading(file); !crash.empty()) return cannotLoad(path, crash);
  FfiRegistrations registered;
  const FfiRegistrationScope scope(registered);
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    return cannotLoad(path, reason ? reason : "unknown reason");
  }
  return std::make_shared<const SharedLibrary>(path, std::move(image), handle, std::move(registered));
}

// The content as a file in memory that cannot be changed any more.
Result<Descriptor> sealedFile(const std::string& path, std::string_view content) {
  Descriptor out(::memfd_create("custom calls", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (out.isOpen() && !content.empty()) {
    const ssize_t put = ::write(out.get(), content.data(), content.size());
    if (put <= 0) return cannotLoad(path, "there is no memory for it");
    content.remove_prefix(static_cast<size_t>(put));
  }
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (!out.isOpen() || ::fcntl(out.get(), F_ADD_SEALS, kSeals) != 0)
    return cannotLoad(path, "this system keeps no files in memory");
  return out;
}

}  // namespace

Result<std::shared_ptr<const CustomCallLibrary>> CustomCallLibrary::open(const std::string& path) {
  // A name without a slash would be searched in the system's folders.
  return load(path, path.find('/') == std::string::npos ? "./" + path : path, Descriptor());
}

Result<std::shared_ptr<const CustomCallLibrary>> CustomCallLibrary::openContent(const std::string& path,
                                                                                std::string_view content) {
  TESSERA_ASSIGN_OR_RETURN(Descriptor image, sealedFile(path, content));
  const std::string file = loadedName(image);
  return load(path, file, std::move(image));
}

}  // namespace tessera
