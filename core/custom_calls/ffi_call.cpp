// See ffi_call.h.
#include "core/custom_calls/ffi_call.h"

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/custom_calls/ffi_attributes.h"

struct FfiError {
  std::string message;
  int code = 0;
};

struct FfiFuture {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  FfiError* error = nullptr;
};

// What lives as long as one call: the state that an earlier stage leaves to the later ones.
struct FfiContext {
  void* state = nullptr;
  int64_t stateType = 0;
};

namespace tessera {
namespace {

constexpr int kMajor = 0, kMinor = 3;
thread_local FfiRegistrations* registering = nullptr;

// User-defined types by name; their numbers are good for the whole process, as those that libraries keep in statics.
struct UserTypes {
  std::mutex mutex;
  std::map<std::string, int64_t, std::less<>> ids;
  std::map<int64_t, FfiTypeInfo> infos;
};
UserTypes& userTypes() {
  static UserTypes types;
  return types;
}

FfiError* error(int code, std::string message) { return new FfiError{std::move(message), code}; }

FfiError* createError(FfiErrorCreate* args) { return error(args->code, args->message ? args->message : ""); }
void errorMessage(FfiErrorMessage* args) { args->message = args->error->message.c_str(); }
void destroyError(FfiErrorDestroy* args) { delete args->error; }

FfiError* registerHandler(FfiRegister* args) {
  if (!registering) return error(FFI_UNIMPLEMENTED, "handlers register while their library is loaded");
  if (!args->bundle.execute) return error(FFI_INVALID_ARGUMENT, "a handler without execution");
  const std::string_view platform(args->platform.data, args->platform.size);
  if (platform == "Host" || platform == "host" || platform == "cpu" || platform == "CPU")
    (*registering)[std::string(args->name.data, args->name.size)] = args->bundle;
  return nullptr;
}

FfiError* stream(FfiStream*) { return error(FFI_UNIMPLEMENTED, "the CPU has no streams"); }

FfiError* registerType(FfiTypeRegister* args) {
  UserTypes& types = userTypes();
  const std::lock_guard lock(types.mutex);
  const auto [found, isNew] =
      types.ids.emplace(std::string(args->name.data, args->name.size), static_cast<int64_t>(types.ids.size()) + 1);
  if (args->id->id != 0 && args->id->id != found->second) {
    if (!isNew) return error(FFI_INVALID_ARGUMENT, "a type of that name has another number");
    found->second = args->id->id;
  }
  args->id->id = found->second;
  if (args->info) types.infos[found->second] = *args->info;
  return nullptr;
}

FfiError* contextGet(FfiContextGet*) { return error(FFI_NOT_FOUND, "the execution context holds no such value"); }

FfiError* setState(FfiState* args) {
  if (args->context->state) return error(FFI_INVALID_ARGUMENT, "the state is set already");
  args->context->state = args->state;
  args->context->stateType = args->id->id;
  return nullptr;
}
FfiError* getState(FfiState* args) {
  if (!args->context->state || args->context->stateType != args->id->id)
    return error(FFI_NOT_FOUND, "there is no state of that type");
  args->state = args->context->state;
  return nullptr;
}

FfiError* allocate(FfiAllocate* args) {
  const size_t alignment = std::max<size_t>(args->alignment, 64);
  args->data = std::aligned_alloc(alignment, (args->size + alignment - 1) / alignment * alignment);
  return args->data || args->size == 0 ? nullptr
                                       : error(FFI_INTERNAL, fmt::format("{} bytes cannot be had", args->size));
}
FfiError* release(FfiFree* args) {
  std::free(args->data);
  return nullptr;
}

// A task may run where it is scheduled: handlers must not rely on others running beside it.
FfiError* schedule(FfiSchedule* args) {
  args->task(args->data);
  return nullptr;
}
FfiError* threads(FfiThreads* args) {
  *args->count = 1;
  return nullptr;
}

FfiError* createFuture(FfiFutureCreate* args) {
  args->future = new FfiFuture;
  return nullptr;
}
void finish(FfiFuture* future, FfiError* failure) {
  const std::lock_guard lock(future->mutex);
  future->error = failure;
  future->done = true;
  future->changed.notify_all();
}
FfiError* futureDone(FfiFutureDone* args) { return finish(args->future, nullptr), nullptr; }
FfiError* futureFail(FfiFutureFail* args) { return finish(args->future, args->error), nullptr; }
FfiError* runId(FfiRunId* args) { return args->id = 0, nullptr; }
FfiError* device(FfiDevice* args) { return args->ordinal = 0, nullptr; }

const FfiApi kApi = {sizeof(FfiApi), nullptr,         {sizeof(FfiVersion), nullptr, kMajor, kMinor},
                     nullptr,        createError,     errorMessage,
                     destroyError,   registerHandler, stream,
                     registerType,   contextGet,      setState,
                     getState,       allocate,        release,
                     schedule,       threads,         createFuture,
                     futureDone,     futureFail,      runId,
                     device};

Status failed(const std::string& target, FfiError* failure) {
  const std::unique_ptr<FfiError> owned(failure);
  if (!owned) return {};
  return fail(ErrorKind::Runtime, "the custom call \"" + target + "\" failed: " + owned->message);
}

// Asks a handler what it was compiled against.
Status checkVersion(FfiHandler* handler, const std::string& target) {
  FfiMetadata metadata{sizeof(FfiMetadata), {sizeof(FfiVersion), nullptr, -1, -1}, 0, {0}};
  FfiMetadataExtension extension{{sizeof(FfiMetadataExtension), 1, nullptr}, &metadata};
  FfiCallFrame frame{};
  frame.struct_size = sizeof(FfiCallFrame);
  frame.extension_start = &extension.base;
  frame.api = &kApi;
  frame.stage = FFI_EXECUTE;
  TESSERA_TRY(failed(target, handler(&frame)));
  if (metadata.version.major == kMajor || metadata.version.major == -1) return {};
  return failUnsupported(
      fmt::format("the custom call \"{}\" was compiled for version {}.{} of XLA's foreign functions; {}.{} is known",
                  target, metadata.version.major, metadata.version.minor, kMajor, kMinor));
}

FfiBuffers buffersOf(std::span<FfiBuffer> buffers, std::vector<int>& types, std::vector<void*>& values) {
  for (FfiBuffer& buffer : buffers) {
    types.push_back(FFI_BUFFER);
    values.push_back(&buffer);
  }
  return {sizeof(FfiBuffers), nullptr, static_cast<int64_t>(buffers.size()), types.data(), values.data()};
}

Status await(const std::string& target, FfiFuture* future) {
  const std::unique_ptr<FfiFuture> owned(future);
  if (!owned) return {};
  std::unique_lock lock(owned->mutex);
  owned->changed.wait(lock, [&] { return owned->done; });
  FfiError* failure = owned->error;
  lock.unlock();
  return failed(target, failure);
}

// Destroys what the handlers left.
struct OwnedContext {
  FfiContext context;
  ~OwnedContext() {
    if (!context.state) return;
    UserTypes& types = userTypes();
    const std::lock_guard lock(types.mutex);
    const auto info = types.infos.find(context.stateType);
    if (info != types.infos.end() && info->second.deleter) info->second.deleter(context.state);
  }
};

}  // namespace

FfiRegistrationScope::FfiRegistrationScope(FfiRegistrations& into) { registering = &into; }
FfiRegistrationScope::~FfiRegistrationScope() { registering = nullptr; }

Status callFfi(const FfiBundle& bundle, const std::string& target, std::span<FfiBuffer> arguments,
               std::span<FfiBuffer> results, const std::string& config) {
  TESSERA_TRY(checkVersion(bundle.execute, target));
  TESSERA_ASSIGN_OR_RETURN(const auto attributes, FfiAttributeSet::parse(config));
  std::vector<int> argumentTypes, resultTypes;
  std::vector<void*> argumentValues, resultValues;
  const FfiBuffers in = buffersOf(arguments, argumentTypes, argumentValues),
                   out = buffersOf(results, resultTypes, resultValues);
  OwnedContext owned;
  FfiHandler* const stages[] = {bundle.instantiate, bundle.prepare, bundle.initialize, bundle.execute};
  for (int stage = FFI_INSTANTIATE; stage <= FFI_EXECUTE; ++stage) {
    if (!stages[stage]) continue;
    FfiCallFrame frame{};
    frame.struct_size = sizeof(FfiCallFrame);
    frame.api = &kApi;
    frame.context = &owned.context;
    frame.stage = stage;
    frame.arguments.struct_size = frame.results.struct_size = sizeof(FfiBuffers);
    if (stage != FFI_INSTANTIATE) frame.arguments = in, frame.results = out;
    frame.attributes = attributes->frame();
    FfiError* failure = stages[stage](&frame);
    TESSERA_TRY(failed(target, failure));
    TESSERA_TRY(await(target, frame.future));
  }
  return {};
}

}  // namespace tessera

// XLA's name of the table, for libraries that register their handlers themselves.
extern "C" __attribute__((visibility("default"))) const FfiApi* XLA_FFI_GetApi() { return &tessera::kApi; }
