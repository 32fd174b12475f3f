// See library_file.h.
#include "backends/cuda/libraries/library_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::cuda {

namespace {

namespace fs = std::filesystem;

std::string valueOf(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Folders in it whose name begins so, the last first: newer versions sort behind older ones.
std::vector<fs::path> foldersIn(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
  std::sort(out.rbegin(), out.rend());
  return out;
}

std::vector<fs::path> sitePackages() {
  std::vector<fs::path> roots;
  if (const std::string environment = valueOf("VIRTUAL_ENV"); !environment.empty())
    roots.push_back(fs::path(environment) / "lib");
  if (const std::string environment = valueOf("CONDA_PREFIX"); !environment.empty())
    roots.push_back(fs::path(environment) / "lib");
  if (const std::string home = valueOf("HOME"); !home.empty()) roots.push_back(fs::path(home) / ".local/lib");
  roots.insert(roots.end(), {"/usr/local/lib", "/usr/lib"});
  std::vector<fs::path> out;
  for (const fs::path& root : roots)
    for (const fs::path& python : foldersIn(root, "python3"))
      for (const char* packages : {"site-packages", "dist-packages"}) out.push_back(python / packages);
  return out;
}

std::vector<fs::path> folders(const std::vector<std::string>& wheels) {
  std::vector<fs::path> out;
  std::istringstream named(valueOf("TESSERA_CUDA_LIBRARIES"));
  for (std::string folder; std::getline(named, folder, ':');)
    if (!folder.empty()) out.emplace_back(folder);
  if (const std::string home = valueOf("CUDA_HOME"); !home.empty()) out.push_back(fs::path(home) / "lib64");
  for (const fs::path& toolkit : foldersIn("/usr/local", "cuda")) out.push_back(toolkit / "lib64");
  for (const fs::path& packages : sitePackages()) {
    for (const std::string& wheel : wheels) out.push_back(packages / "nvidia" / wheel / "lib");
    for (const fs::path& joined : foldersIn(packages / "nvidia", "cu1")) out.push_back(joined / "lib");
  }
  return out;
}

}  // namespace

// The user's own folder comes first, then what the system finds by itself.
Result<void*> openLibraryFile(const char* title, const std::vector<std::string>& names,
                              const std::vector<std::string>& wheels) {
  const auto none = [&](std::string_view why) { return failUnsupported(fmt::format("no {}: {}", title, why)); };
  const std::string own = valueOf("TESSERA_CUDA_LIBRARIES");
  if (own == "off") return none("$TESSERA_CUDA_LIBRARIES is off");
  const bool hasOwn = !own.empty();
  for (const std::string& name : names)
    if (void* library = hasOwn ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  std::string refused;
  for (const fs::path& folder : folders(wheels))
    for (const std::string& name : names) {
      std::error_code error;
      if (!fs::exists(folder / name, error)) continue;
      if (void* library = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      const char* reason = dlerror();
      refused = reason ? reason : (folder / name).string();
    }
  if (!refused.empty()) return none(fmt::format("it cannot be opened: {}", refused));
  return none(
      fmt::format("{} was found neither by the system nor in CUDA's or Python's folders", fmt::join(names, " or ")));
}

void* symbolOf(void* library, const char* name) { return dlsym(library, name); }

}  // namespace tessera::cuda
