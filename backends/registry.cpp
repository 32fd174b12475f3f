// The backends and engines by name. "evaluator" is linked in; "cpu", "cuda" and the engine "mpi" are modules that are
// opened at the first request, so that programs which never run anything never load LLVM, and nobody else needs MPI.
#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>

#include "backends/backend.h"
#include "backends/engine.h"
#include "backends/evaluator_backend.h"

namespace tessera {
namespace {

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

// what: "the cpu backend". Never closed: executables, and threads of the libraries behind it, outlive any one use.
Result<void*> openLibrary(const std::string& name, const std::string& what, int scope) {
  std::string tried;
  for (const auto& place : placesOf(name)) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) {
      tried += (tried.empty() ? "" : ", ") + place.string();
      continue;
    }
    if (void* library = dlopen(place.c_str(), RTLD_NOW | scope)) return library;
    const char* reason = dlerror();
    return fail(ErrorKind::Unsupported, what + " cannot be opened: " + std::string(reason ? reason : place.string()));
  }
  return fail(ErrorKind::Unsupported, what + " is not installed (looked for " + tried + ")");
}

template <class Entry>
Result<Entry> entryOf(void* library, const std::string& file, const char* name) {
  if (auto entry = reinterpret_cast<Entry>(dlsym(library, name))) return entry;
  return fail(ErrorKind::Unsupported, file + " has no " + name + "; it is of another version");
}

Result<std::unique_ptr<Backend>> makeFromLibrary(const std::string& name) {
  const std::string file = "libtessera_" + name + ".so";
  TESSERA_ASSIGN_OR_RETURN(void* library, openLibrary(file, "the " + name + " backend", RTLD_LOCAL));
  TESSERA_ASSIGN_OR_RETURN(const auto create, entryOf<Backend* (*)()>(library, file, "tesseraCreateBackend"));
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

BackendChoice backendChoice(std::string_view name) {
  const size_t colon = name.find(':');
  return {std::string(name.substr(0, colon)),
          colon == std::string_view::npos ? std::string() : std::string(name.substr(colon + 1))};
}

Result<std::unique_ptr<Executable>> compileOn(std::string_view name, const Module& module, CompileOptions options) {
  const BackendChoice choice = backendChoice(name);
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend(choice.backend));
  options.device = choice.device;
  return backend->compile(module, options);
}

Result<std::unique_ptr<Engine>> openEngine(std::string_view name, const EngineOptions& options) {
  constexpr const char* kLibrary = "libtessera_mpi.so";
  using Opened = Result<std::unique_ptr<Engine>>;
  if (name != "mpi") return fail(ErrorKind::Usage, "there is no engine \"" + std::string(name) + "\" (mpi)");
  // What MPI opens itself later needs its names.
  auto library = openLibrary(kLibrary, "the mpi engine", RTLD_GLOBAL);
  if (!library) {
    library.error().message += "; it needs an MPI: Debian's package openmpi-bin";
    return std::unexpected(library.error());
  }
  TESSERA_ASSIGN_OR_RETURN(const auto open,
                           entryOf<Opened* (*)(const EngineOptions&)>(*library, kLibrary, "tesseraOpenEngine"));
  const std::unique_ptr<Opened> opened(open(options));
  return std::move(*opened);
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
