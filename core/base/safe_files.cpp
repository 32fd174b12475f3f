// See safe_files.h.
#include "core/base/safe_files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tessera {
namespace {

namespace fs = std::filesystem;

// O_PATH needs the right to pass through a folder, not to list it.
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::unexpected<int> lastError() { return std::unexpected(errno); }

// O_DIRECTORY says ENOTDIR of a symbolic link; the difference is what the user is told.
int linkOr(int folder, const char* name, int error) {
  struct stat facts {};
  const bool isLink = ::fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
  return isLink ? ELOOP : error;
}

SystemResult<Descriptor> openFolderIn(int folder, const char* name) {
  Descriptor out(::openat(folder, name, kFolderFlags));
  if (!out.isOpen()) return std::unexpected(linkOr(folder, name, errno));
  return out;
}

// The folder that holds the path's last component. `path` is relative and normal, and does not begin with "..".
SystemResult<Descriptor> openParent(Descriptor at, const fs::path& path) {
  for (const fs::path& part : path.parent_path()) {
    if (part.empty() || part == ".") continue;
    auto next = openFolderIn(at.get(), part.c_str());
    if (!next) return next;
    at = *std::move(next);
  }
  return at;
}

SystemResult<Descriptor> openFileIn(int folder, const char* name) {
  // A pipe would wait for a writer.
  Descriptor file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.isOpen()) return lastError();
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return lastError();
  if (!S_ISREG(facts.st_mode)) return std::unexpected(S_ISDIR(facts.st_mode) ? EISDIR : EINVAL);
  return file;
}

SystemResult<Descriptor> openIn(Descriptor folder, const fs::path& name) {
  const fs::path normal = name.lexically_normal();
  if (normal.is_absolute() || normal.empty() || *normal.begin() == "..") return std::unexpected(EXDEV);
  auto parent = openParent(std::move(folder), normal);
  if (!parent) return parent;
  return openFileIn(parent->get(), normal.filename().c_str());
}

bool writeWhole(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t put = ::write(file, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    content.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

std::string temporaryName() {
  static std::atomic<uint64_t> count{0};
  return ".tessera-" + std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
}

// A finished file in the folder, under a name that is returned. Without a mode: what the user's umask leaves.
SystemResult<std::string> writeTemporary(int folder, std::string_view content, std::optional<mode_t> mode) {
  std::string name = temporaryName();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::openat(folder, name.c_str(), kFlags, mode ? 0600 : 0666));
  if (!file.isOpen()) return lastError();
  if (writeWhole(file.get(), content) && (!mode || ::fchmod(file.get(), *mode) == 0) && ::fsync(file.get()) == 0 &&
      file.close())
    return name;
  const int error = errno;
  ::unlinkat(folder, name.c_str(), 0);
  return std::unexpected(error);
}

bool isOursOrRoots(const struct stat& facts) { return facts.st_uid == ::geteuid() || facts.st_uid == 0; }

bool isSafeParent(int folder) {
  struct stat facts {};
  if (::fstat(folder, &facts) != 0 || !isOursOrRoots(facts)) return false;
  return (facts.st_mode & kOthersWrite) == 0 || (facts.st_mode & S_ISVTX) != 0;
}

bool isOursAlone(int folder) {
  struct stat facts {};
  return ::fstat(folder, &facts) == 0 && facts.st_uid == ::geteuid() && (facts.st_mode & kOthersWrite) == 0;
}

SystemResult<Descriptor> makeOrOpenFolderIn(int folder, const char* name) {
  auto there = openFolderIn(folder, name);
  if (there || there.error() != ENOENT) return there;
  if (::mkdirat(folder, name, 0700) != 0 && errno != EEXIST) return lastError();
  return openFolderIn(folder, name);
}

std::optional<UserKey> readKey(int folder, const char* name) {
  const auto file = openFileIn(folder, name);
  UserKey key;
  uint8_t more;
  if (!file || !isPrivateFile(file->get(), false) ||
      ::read(file->get(), key.data(), key.size()) != ssize_t{sizeof key} || ::read(file->get(), &more, 1) != 0)
    return std::nullopt;
  return key;
}

// Two processes may do it at once: a name that is taken stays, unless what has it is no key.
void makeKey(int folder, const char* name) {
  UserKey key;
  if (::getrandom(key.data(), key.size(), 0) != ssize_t{sizeof key}) return;
  const auto temporary = writeTemporary(folder, {reinterpret_cast<const char*>(key.data()), key.size()}, 0600);
  if (!temporary) return;
  if (::linkat(folder, temporary->c_str(), folder, name, 0) == 0 || readKey(folder, name))
    ::unlinkat(folder, temporary->c_str(), 0);
  else if (::renameat(folder, temporary->c_str(), folder, name) != 0)
    ::unlinkat(folder, temporary->c_str(), 0);
}

}  // namespace

SystemResult<Descriptor> openBeneath(const fs::path& folder, const fs::path& name) {
  // The folder itself is where the user's own file lies, whatever its path leads over.
  Descriptor start(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!start.isOpen()) return lastError();
  return openIn(std::move(start), name);
}

SystemResult<Descriptor> openWithoutLinks(const fs::path& path) {
  Descriptor root(::open("/", kFolderFlags));
  if (!root.isOpen()) return lastError();
  return openIn(std::move(root), path.relative_path());
}

SystemResult<void> writeWithoutLinks(const fs::path& path, std::string_view content) {
  Descriptor root(::open("/", kFolderFlags));
  if (!root.isOpen()) return lastError();
  const fs::path normal = path.lexically_normal().relative_path();
  auto folder = openParent(std::move(root), normal);
  if (!folder) return std::unexpected(folder.error());
  struct stat old {};
  const bool there = ::fstatat(folder->get(), normal.filename().c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && !S_ISREG(old.st_mode)) return std::unexpected(S_ISLNK(old.st_mode) ? ELOOP : EINVAL);
  const auto temporary =
      writeTemporary(folder->get(), content, there ? std::optional(old.st_mode & 0777) : std::nullopt);
  if (!temporary) return std::unexpected(temporary.error());
  if (::renameat(folder->get(), temporary->c_str(), folder->get(), normal.filename().c_str()) == 0) return {};
  const int error = errno;
  ::unlinkat(folder->get(), temporary->c_str(), 0);
  return std::unexpected(error);
}

SystemResult<Descriptor> openPrivateFolder(const fs::path& folder) {
  std::error_code error;
  fs::path whole = fs::absolute(folder, error).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  // Links above it may be the system's (/home -> /usr/home); the walk then meets none.
  whole = fs::weakly_canonical(whole.parent_path(), error) / whole.filename();
  if (error) return std::unexpected(error.value());
  Descriptor at(::open("/", kFolderFlags));
  if (!at.isOpen()) return lastError();
  for (const fs::path& part : whole.relative_path()) {
    if (!isSafeParent(at.get())) return std::unexpected(EPERM);
    auto next = makeOrOpenFolderIn(at.get(), part.c_str());
    if (!next) return next;
    at = *std::move(next);
  }
  if (!isOursAlone(at.get())) return std::unexpected(EPERM);
  return at;
}

bool isPrivateFile(int descriptor, bool readableByOthers) {
  struct stat facts {};
  const mode_t forbidden = readableByOthers ? kOthersWrite : S_IRWXG | S_IRWXO;
  return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & forbidden) == 0;
}

fs::path userConfigFolder() {
  const auto valueOf = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string own = valueOf("XDG_CONFIG_HOME"); own.starts_with('/')) return fs::path(own) / "tessera";
  const std::string home = valueOf("HOME");
  return home.starts_with('/') ? fs::path(home) / ".config" / "tessera" : fs::path();
}

std::optional<UserKey> userKey(const std::string& name) {
  const fs::path path = userConfigFolder();
  if (path.empty()) return std::nullopt;
  const auto folder = openPrivateFolder(path);
  if (!folder) return std::nullopt;
  if (const auto key = readKey(folder->get(), name.c_str())) return key;
  makeKey(folder->get(), name.c_str());
  return readKey(folder->get(), name.c_str());
}

}  // namespace tessera
