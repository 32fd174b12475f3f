// The backends by name. "evaluator" is linked in; "cpu" and "cuda" are modules that are opened at the first request, so
// that programs which never run anything never load LLVM.
#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>

#include "backends/backend.h"
#include "backends/evaluator_backend.h"

namespace tessera {
namespace {

constexpr const char* kEntryPoint = "tesseraCreateBackend";

// The folder of the running program; empty when the system does not tell.
std::filesystem::path programFolder() {
  char buffer[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof buffer)) return {};
  return std::filesystem::path(std::string(buffer, static_cast<size_t>(length))).parent_path();
}

// bin/../lib in a build folder, bin/../lib/tessera when installed, or beside the program.
std::vector<std::filesystem::path> placesOf(const std::string& library) {
  std::filesystem::path folder = programFolder();
  return {folder.parent_path() / "lib" / library, folder.parent_path() / "lib" / "tessera" / library, folder / library};
}

Result<void*> openLibrary(const std::string& backend) {
  std::string tried;
  for (const auto& place : placesOf("libtessera_" + backend + ".so")) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) {
      tried += (tried.empty() ? "" : ", ") + place.string();
      continue;
    }
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = dlerror();
    return fail(ErrorKind::Unsupported,
                "the " + backend + " backend cannot be opened: " + std::string(reason ? reason : place.string()));
  }
  return fail(ErrorKind::Unsupported, "the " + backend + " backend is not installed (looked for " + tried + ")");
}

Result<std::unique_ptr<Backend>> makeFromLibrary(const std::string& name) {
  // Never closed: executables, and threads of the libraries behind it, outlive any one use.
  TESSERA_ASSIGN_OR_RETURN(void* library, openLibrary(name));
  auto create = reinterpret_cast<Backend* (*)()>(dlsym(library, kEntryPoint));
  if (!create)
    return fail(ErrorKind::Unsupported,
                "libtessera_" + name + ".so has no " + kEntryPoint + "; it is of another version");
  Backend* backend = create();
  if (!backend) return fail(ErrorKind::Unsupported, "the " + name + " backend does not know this processor");
  return std::unique_ptr<Backend>(backend);
}

}  // namespace

Result<std::unique_ptr<Backend>> makeBackend(std::string_view name) {
  if (name == "evaluator") return makeEvaluatorBackend();
  if (name == "cpu" || name == "cuda") return makeFromLibrary(std::string(name));
  return fail(ErrorKind::Usage, "there is no backend \"" + std::string(name) + "\" (cpu, cuda, evaluator)");
}

std::string defaultKernelCache() {
  auto valueOf = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string own = valueOf("TESSERA_KERNEL_CACHE"); !own.empty()) return own == "off" ? "" : own;
  if (const std::string caches = valueOf("XDG_CACHE_HOME"); caches.starts_with('/')) return caches + "/tessera/kernels";
  const std::string home = valueOf("HOME");
  return home.starts_with('/') ? home + "/.cache/tessera/kernels" : "";
}

std::vector<std::string_view> backendNames() { return {"cpu", "evaluator"}; }

}  // namespace tessera
