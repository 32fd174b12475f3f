// See allowances.h. Lines are appended by one write, so that two programs do not lose each other's.
#include "core/trust/allowances.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "core/base/safe_files.h"
#include "core/formats/file_content.h"

namespace tessera {
namespace {

constexpr const char* kFile = "allowed_files";

std::unexpected<Diagnostic> cannotKeep(const std::string& reason) {
  return fail(ErrorKind::Output, "what is allowed cannot be kept for the next time: " + reason);
}

SystemResult<Descriptor> openAllowances(int flags) {
  const std::filesystem::path path = userConfigFolder();
  if (path.empty()) return std::unexpected(ENOENT);
  const auto folder = openPrivateFolder(path);
  if (!folder) return std::unexpected(folder.error());
  Descriptor file(::openat(folder->get(), kFile, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file.isOpen()) return std::unexpected(errno);
  if (!isPrivateFile(file.get(), false)) return std::unexpected(EPERM);
  return file;
}

}  // namespace

bool isAllowed(const std::string& hash) {
  const auto file = openAllowances(O_RDONLY);
  if (!file) return false;
  const auto lines = readFile(*file, kFile);
  return lines && ("\n" + *lines).find("\n" + hash + " ") != std::string::npos;
}

Status addAllowance(const std::string& hash, const std::string& words) {
  if (isAllowed(hash)) return {};
  const auto file = openAllowances(O_WRONLY | O_APPEND | O_CREAT);
  if (!file) return cannotKeep(std::strerror(file.error()));
  const std::string line = hash + " " + words + "\n";
  if (::write(file->get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return cannotKeep(std::strerror(errno));
  return {};
}

}  // namespace tessera
