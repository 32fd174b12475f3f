// See allowances.h. Changes are made under a lock, so that two programs do not lose each other's.
#include "core/trust/allowances.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

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

// Of the whole file, for as long as it lives; closing the file ends it, too.
class Lock {
 public:
  explicit Lock(const Descriptor& file) : file_(file) { ::flock(file_.get(), LOCK_EX); }
  ~Lock() { ::flock(file_.get(), LOCK_UN); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  const Descriptor& file_;
};

Status write(const Descriptor& file, const std::string& text) {
  const bool whole = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return whole ? Status() : cannotKeep(std::strerror(errno));
}

}  // namespace

std::vector<Allowance> keptAllowances() {
  std::vector<Allowance> out;
  const auto file = openAllowances(O_RDONLY);
  const auto lines = file ? readFile(*file, kFile) : Result<std::string>("");
  if (!lines) return out;
  std::istringstream stream(*lines);
  for (std::string line; std::getline(stream, line);)
    if (const size_t space = line.find(' '); space != std::string::npos)
      out.push_back({line.substr(0, space), line.substr(space + 1)});
  return out;
}

bool isAllowed(const std::string& hash) {
  return std::ranges::any_of(keptAllowances(), [&](const Allowance& each) { return each.hash == hash; });
}

Status addAllowance(const std::string& hash, const std::string& words) {
  if (isAllowed(hash)) return {};
  const auto file = openAllowances(O_WRONLY | O_APPEND | O_CREAT);
  if (!file) return cannotKeep(std::strerror(file.error()));
  const Lock lock(*file);
  return write(*file, hash + " " + words + "\n");
}

// In place: another program may hold the file open to add to it. What is cut short here is an allowance less.
Status removeAllowance(const std::string& hash) {
  const auto file = openAllowances(O_WRONLY | O_APPEND);
  if (!file) return file.error() == ENOENT ? Status() : cannotKeep(std::strerror(file.error()));
  const Lock lock(*file);
  std::string left;
  for (const Allowance& each : keptAllowances())
    if (each.hash != hash) left += each.hash + " " + each.words + "\n";
  if (::ftruncate(file->get(), 0) != 0) return cannotKeep(std::strerror(errno));
  return write(*file, left);
}

}  // namespace tessera
