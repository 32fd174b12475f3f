// See file_content.h.
#include "core/formats/file_content.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "core/base/safe_files.h"
#include "core/formats/cut_file.h"

namespace tessera {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd";
// Unpacked text beyond this is refused, so that a small hostile archive cannot eat the memory.
constexpr size_t kMaxUnpacked = size_t{4} << 30;

std::unexpected<Diagnostic> failed(ErrorKind kind, const std::filesystem::path& path, std::string reason) {
  return fail({.kind = kind, .message = std::move(reason), .file = path.string()});
}

std::unexpected<Diagnostic> cannotRead(const std::filesystem::path& path, const std::string& reason) {
  return failed(ErrorKind::Input, path, "cannot be read: " + reason);
}

// The file is fine: memory ends as it does anywhere else.
std::unexpected<Diagnostic> noMemoryFor(const std::filesystem::path& path) {
  return failed(ErrorKind::Runtime, path, "cannot be read: there is not enough memory for its content");
}

std::unexpected<Diagnostic> cannotWrite(const std::filesystem::path& path, const std::string& reason) {
  return failed(ErrorKind::Output, path, "cannot be written: " + reason);
}

std::unexpected<Diagnostic> tooLarge(const std::filesystem::path& path) {
  return cannotRead(path, "it is larger than 4 GiB");
}

// begin: what was read of it already.
Result<std::string> readAll(int fd, size_t sizeHint, const std::filesystem::path& path, std::string begin) {
  std::string out = std::move(begin);
  size_t used = out.size();
  out.resize(used + sizeHint + 1);
  while (true) {
    if (used == out.size()) out.resize(out.size() * 2);
    const ssize_t got = ::read(fd, out.data() + used, out.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannotRead(path, std::strerror(errno));
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (used > kMaxUnpacked) return tooLarge(path);
  }
  out.resize(used);
  return out;
}

// `cut`: where it is given and the data end too early, it becomes true and what was unpacked is the answer.
Result<std::string> unpackGzip(const std::string& packed, const std::filesystem::path& path, bool* cut) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return cannotRead(path, "the gzip decoder cannot start");
  std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  std::string out;
  const size_t total = packed.size();
  size_t fed = 0;
  int status = Z_OK;
  while (true) {
    if (stream.avail_in == 0 && fed < total) {
      const size_t chunk = std::min<size_t>(total - fed, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
      stream.avail_in = static_cast<uInt>(chunk);
      fed += chunk;
    }
    const size_t used = out.size();
    constexpr size_t kBlock = 1u << 20;
    out.resize(used + kBlock);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = kBlock;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(used + kBlock - stream.avail_out);
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0 && fed == total) return out;
      if (inflateReset(&stream) != Z_OK) break;  // another member follows
      continue;
    }
    if (status != Z_OK || out.size() > kMaxUnpacked) break;
  }
  if (out.size() > kMaxUnpacked) return cannotRead(path, "its unpacked content is larger than 4 GiB");
  if (cut && status == Z_BUF_ERROR) return *cut = true, out;
  return cannotRead(path, status == Z_BUF_ERROR ? "the gzip data end too early" : "the gzip data are damaged");
}

Result<std::string> unpackZstd(const std::string& packed, const std::filesystem::path& path, bool* cut) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return cannotRead(path, "the zstd decoder cannot start");
  std::string out;
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  const size_t block = ZSTD_DStreamOutSize();
  size_t status = 1;
  while (true) {
    const size_t used = out.size();
    out.resize(used + block);
    ZSTD_outBuffer output{out.data() + used, block, 0};
    status = ZSTD_decompressStream(context.get(), &output, &input);
    out.resize(used + output.pos);
    if (ZSTD_isError(status))
      return cannotRead(path, std::string("the zstd data are damaged: ") + ZSTD_getErrorName(status));
    if (out.size() > kMaxUnpacked) return cannotRead(path, "its unpacked content is larger than 4 GiB");
    if (input.pos == input.size && output.pos < block) break;
  }
  if (status == 0) return out;
  if (cut) return *cut = true, out;
  return cannotRead(path, "the zstd data end too early");
}

Status writeAll(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t put = ::write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return cannotWrite(path, std::strerror(errno));
    content.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

// Devices and pipes (/dev/stdout) cannot be replaced by a rename.
Status writeInPlace(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return cannotWrite(path, std::strerror(errno));
  return writeAll(file.get(), content, path);
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& path) try {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen()) return cannotRead(path, std::strerror(errno));
  return readFile(file, path);
} catch (const std::bad_alloc&) {
  return noMemoryFor(path);
}

Result<std::string> readFileBeneath(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const auto file = openBeneath(folder, name);
  if (file) return readFile(*file, folder / name);
  if (file.error() == EXDEV)
    return cannotRead(folder / name, "it lies outside the folder of the file that names it; open it by itself");
  if (file.error() == ELOOP)
    return cannotRead(folder / name,
                      "it is a symbolic link, and a project's are not followed; open the file that it leads to");
  return cannotRead(folder / name, std::strerror(file.error()));
}

namespace {

// Waits until somebody writes into a pipe, but not for ever; the answer is what had to be read for that.
Result<std::string> beginOfPipe(int fd, const std::filesystem::path& path) {
  constexpr int kStepMs = 50, kSteps = 40;
  std::string begin;
  for (int step = 0;; ++step) {
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, kStepMs) > 0) break;  // there are data, or the writer has gone
    char first = 0;
    const ssize_t got = ::read(fd, &first, 1);
    if (got > 0) begin = first;
    if (got != 0) break;  // EAGAIN: a writer has it open
    if (step >= kSteps) return cannotRead(path, "it is a pipe that nobody writes into");
  }
  return begin;
}

Result<std::string> readDescriptor(const Descriptor& file, const std::filesystem::path& path, bool* cut) try {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannotRead(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return cannotRead(path, "it is a directory");
  const size_t hint = S_ISREG(facts.st_mode) ? static_cast<size_t>(facts.st_size) : 0;
  if (hint > kMaxUnpacked) return tooLarge(path);
  std::string begin;
  if (S_ISFIFO(facts.st_mode)) {
    TESSERA_ASSIGN_OR_RETURN(begin, beginOfPipe(file.get(), path));
  }
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);  // it was to return from opening alone
  auto content = readAll(file.get(), hint, path, std::move(begin));
  if (!content) return content;
  if (content->size() < hint)
    return cannotRead(path, "it became shorter while it was read; open it again when it is written");
  if (content->starts_with(kGzip)) return unpackGzip(*content, path, cut);
  if (content->starts_with(kZstd)) return unpackZstd(*content, path, cut);
  return content;
} catch (const std::bad_alloc&) {
  return noMemoryFor(path);
}

}  // namespace

Result<std::string> readFile(const Descriptor& file, const std::filesystem::path& path) {
  return readDescriptor(file, path, nullptr);
}

Result<CutContent> readCutFile(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen()) return cannotRead(path, std::strerror(errno));
  CutContent out;
  TESSERA_ASSIGN_OR_RETURN(out.bytes, readDescriptor(file, path, &out.cut));
  return out;
}

bool isPacked(std::string_view content) { return content.starts_with(kGzip) || content.starts_with(kZstd); }

std::string firstBytesOf(const std::filesystem::path& path) {
  constexpr size_t kLooked = size_t{64} << 10;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string out(kLooked, '\0');
  const ssize_t got = file.isOpen() ? ::pread(file.get(), out.data(), out.size(), 0) : 0;
  out.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return out;
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return cannotWrite(path, "it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return writeInPlace(path, content);
  std::filesystem::path target = path;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
    target = std::filesystem::weakly_canonical(path, error);
    if (error) target = path;
  }
  std::string temporary = target.string() + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) return cannotWrite(path, std::strerror(errno));
  struct stat old {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;
  Status written = writeAll(file.get(), content, path);
  if (written && (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0 || !file.close() ||
                  ::rename(temporary.c_str(), target.c_str()) != 0))
    written = cannotWrite(path, std::strerror(errno));
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace tessera
