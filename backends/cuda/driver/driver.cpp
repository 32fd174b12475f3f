#include "backends/cuda/driver/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

namespace tessera::cuda::driver {

namespace {

constexpr int kOldestVersion = 11080;
constexpr const char* kOldestWords = "CUDA 11.8 (NVIDIA's driver 520) or newer is needed";

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::unexpected<Diagnostic> noDriver(const std::string& reason) {
  return failUnsupported(
      fmt::format("there is no CUDA driver here: {}. Install NVIDIA's driver (Debian: nvidia-driver), "
                  "or choose the simulated device",
                  reason));
}

std::unexpected<Diagnostic> tooOld(const std::string& what) {
  return failUnsupported(fmt::format("the CUDA driver is too old: {}; {}", what, kOldestWords));
}

}  // namespace

Result<const Driver*> Driver::get() {
  static std::mutex mutex;
  static std::unique_ptr<Driver> driver;
  const std::lock_guard lock(mutex);
  if (driver) return driver.get();
  auto opened = std::make_unique<Driver>();
  TESSERA_TRY(opened->open());
  TESSERA_TRY(opened->initialise());
  driver = std::move(opened);
  return driver.get();
}

// The library stays open for the life of the process: it has threads of its own.
Status Driver::open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return noDriver(reason ? reason : "libcuda.so.1 cannot be opened");
  }
#define TESSERA_DRIVER_FUNCTION(symbol, name, parameters)           \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #symbol)); \
  if (!name) return tooOld("it has no function " #symbol);
#define TESSERA_DRIVER_OPTIONAL(symbol, name, parameters) \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #symbol));
#include "backends/cuda/driver/driver_functions.inc"
#undef TESSERA_DRIVER_FUNCTION
  return {};
}

Status Driver::initialise() {
  const Code code = init(0);
  switch (code) {
    case Code::Success: break;
    case Code::NoDevice:
      return failUnsupported("the CUDA driver sees no card: there is none, or this user or container may not use it");
    case Code::StubLibrary: return noDriver("libcuda.so.1 is the stub that the CUDA toolkit links against");
    case Code::SystemDriverMismatch:
      return failUnsupported(
          "the CUDA driver's library and its kernel module have different versions: restart the machine");
    default: return failUnsupported("the CUDA driver does not start: " + nameOf(code));
  }
  TESSERA_TRY(check(driverGetVersion(&version_), "asking for the driver's version"));
  if (version_ < kOldestVersion) return tooOld(fmt::format("it knows CUDA {}", versionText(version_)));
  return {};
}

bool Driver::hasConditionals() const {
  constexpr int kFirstVersion = 12040;
  return version_ >= kFirstVersion && streamGetCaptureInfo && streamUpdateCaptureDependencies &&
         streamBeginCaptureToGraph && graphConditionalHandleCreate && graphAddNode;
}

bool spoilsContext(Code code) {
  switch (code) {
    case Code::DeviceUnavailable:
    case Code::UncorrectableEcc:
    case Code::NvlinkUncorrectable:
    case Code::IllegalAddress:
    case Code::LaunchTimeout:
    case Code::ContextIsDestroyed:
    case Code::Assert:
    case Code::HardwareStackError:
    case Code::IllegalInstruction:
    case Code::MisalignedAddress:
    case Code::InvalidAddressSpace:
    case Code::InvalidPc:
    case Code::LaunchFailed:
    case Code::Unknown: return true;
    default: return false;
  }
}

std::string Driver::nameOf(Code code) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(code, &name) != Code::Success || !name) return fmt::format("error {}", static_cast<int>(code));
  if (getErrorString(code, &text) != Code::Success || !text) return name;
  return fmt::format("{}: {}", name, text);
}

Status Driver::check(Code code, const char* doing) const {
  if (code == Code::Success) return {};
  return fail(ErrorKind::Runtime, fmt::format("{}, {}", nameOf(code), doing));
}

}  // namespace tessera::cuda::driver
