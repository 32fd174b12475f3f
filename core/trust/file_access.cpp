// See file_access.h. A file that is not in the folder is known by the path that its name leads to when it is asked for;
// it is opened by that path without following a link, so nothing else can be put in its place.
#include "core/trust/file_access.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "core/base/safe_files.h"
#include "core/base/sha256.h"
#include "core/base/sorting.h"
#include "core/evaluate/argument_source.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

ErrorKind kindOf(FileUse use) { return use == FileUse::Outfeed ? ErrorKind::Output : ErrorKind::Input; }

std::unexpected<Diagnostic> cannotOpen(const FileRequest& request, int error) {
  const char* what = request.use == FileUse::Outfeed ? " cannot be written: " : " cannot be read: ";
  return fail(kindOf(request.use), request.name + what + std::strerror(error));
}

std::unexpected<Diagnostic> refused(const FileAsk& ask) {
  return fail(kindOf(ask.request.use), "the file asks to " + ask.words() + ", which is not allowed yet");
}

// Control characters and those that turn the direction of writing would let a name look like another.
std::string plain(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view three = text.substr(i, 3);
    const bool turns = (three >= "\u202a" && three <= "\u202e") || (three >= "\u2066" && three <= "\u2069");
    out += byte < 0x20 || byte == 0x7f || turns ? '?' : text[i];
    if (turns) i += 2;
  }
  return out;
}

const char* verbOf(FileUse use) {
  switch (use) {
    case FileUse::Library: return "load the library ";
    case FileUse::Infeed: return "read, for infeeds, ";
    case FileUse::Outfeed: return "write what outfeeds give to ";
    case FileUse::Argument: return "read, for arguments, ";
  }
  return "";
}

constexpr size_t kMaxLibraryBytes = size_t{1} << 30;

// The bytes of a regular file.
SystemResult<std::string> bytesOf(const Descriptor& file) {
  std::string out;
  constexpr size_t kStep = size_t{1} << 20;
  while (true) {
    const size_t used = out.size();
    out.resize(used + kStep);
    const ssize_t got = ::read(file.get(), out.data() + used, kStep);
    out.resize(used + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno);
    if (got == 0) return out;
    if (out.size() > kMaxLibraryBytes) return std::unexpected(EFBIG);
  }
}

fs::path wholePath(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::absolute(path, error);
  return error ? path : out;
}

fs::path realPath(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::weakly_canonical(wholePath(path), error);
  return error ? wholePath(path).lexically_normal() : out;
}

}  // namespace

std::vector<FileRequest> filesNamedBy(const RunSettings& settings) {
  std::set<FileRequest> out;
  if (!settings.library.empty()) out.insert({FileUse::Library, settings.library});
  if (!settings.infeed.empty()) out.insert({FileUse::Infeed, settings.infeed});
  if (!settings.outfeed.empty()) out.insert({FileUse::Outfeed, settings.outfeed});
  for (const auto& [leaf, source] : settings.sources)
    if (const auto file = fileOfSource(source)) out.insert({FileUse::Argument, *file});
  return {out.begin(), out.end()};
}

std::string FileAsk::words() const {
  std::string out = verbOf(request.use) + plain(request.name);
  if (path != request.name) out += " (" + plain(path.string()) + ")";
  return out;
}

void FileAccess::setGraph(const Module& graph) { graph_ = sha256Text(printHloText(graph)); }

fs::path FileAccess::pathOf(const FileRequest& request) const {
  const bool elsewhere = request.use == FileUse::Outfeed && !outfeedFolder_.empty();
  return (elsewhere ? outfeedFolder_ : folder_) / request.name;
}

// What the user said, in full: saved elsewhere, the same name is another file.
FileRequest FileAccess::wordOf(const FileRequest& request) const {
  return {request.use, wholePath(folder_ / request.name).string()};
}

void FileAccess::trust(const FileRequest& request) { words_.insert(wordOf(request)); }

void FileAccess::trustNew(const RunSettings& before, const RunSettings& now) {
  const auto old = filesNamedBy(before);
  for (const FileRequest& request : filesNamedBy(now))
    if (std::ranges::find(old, request) == old.end()) trust(request);
}

bool FileAccess::isOwnWord(const FileRequest& request) const { return words_.contains(wordOf(request)); }

std::string FileAccess::hashOf(const FileRequest& request, const fs::path& path, std::string_view library) const {
  const std::string content = request.use == FileUse::Library ? sha256Text(library) : "";
  return sha256Text("tessera allowance 1\n" + graph_ + "\n" + std::to_string(static_cast<int>(request.use)) + "\n" +
                    path.string() + "\n" + content);
}

bool FileAccess::allows(const std::string& hash) const {
  return allowed_.contains(hash) || (!graph_.empty() && isAllowed(hash));
}

Status FileAccess::allow(const FileAsk& ask) {
  allowed_.emplace(ask.hash, ask.words());
  return graph_.empty() ? Status() : addAllowance(ask.hash, ask.words());
}

Status FileAccess::withdraw(const std::string& hash) {
  allowed_.erase(hash);
  return removeAllowance(hash);
}

std::vector<FileAccess::Granted> FileAccess::granted(const RunSettings& settings) const {
  std::set<std::string> used;
  for (const FileRequest& request : requestsOf(settings))
    if (const auto need = isOwnWord(request) ? std::nullopt : needFor(request)) used.insert(need->hash);
  std::map<std::string, std::string> all = allowed_;
  for (Allowance& each : keptAllowances()) all.emplace(std::move(each.hash), std::move(each.words));
  std::vector<Granted> out;
  for (auto& [hash, words] : all) out.push_back({{hash, words}, used.contains(hash)});
  sortWith(out, [](const Granted& a, const Granted& b) {
    return std::tuple(!a.used, a.words, a.hash) < std::tuple(!b.used, b.words, b.hash);
  });
  return out;
}

void FileAccess::save(const fs::path& folder, const Module& graph, const RunSettings& settings) {
  std::vector<std::pair<FileRequest, fs::path>> used;
  for (const FileRequest& request : filesNamedBy(settings))
    if (isOwnWord(request) || !askFor(request)) used.emplace_back(request, pathOf(request));
  folder_ = folder;
  graph_.clear();
  if (filesNamedBy(settings).empty()) return;
  setGraph(graph);
  for (const auto& [request, path] : used)
    if (pathOf(request) == path)
      if (const auto ask = askFor(request)) (void)allow(*ask);
}

// The name as one below the folder, where reading needs no asking.
std::optional<fs::path> FileAccess::beneath(const FileRequest& request) const {
  if (folder_.empty() || request.use == FileUse::Library || request.use == FileUse::Outfeed) return std::nullopt;
  std::error_code error;
  const fs::path folder = fs::absolute(folder_, error).lexically_normal();
  fs::path name = wholePath(pathOf(request)).lexically_normal().lexically_relative(folder);
  if (error || name.empty() || *name.begin() == "..") return std::nullopt;
  return name;
}

// Absent: it is in the folder. The user's own word is not looked at.
std::optional<FileAsk> FileAccess::needFor(const FileRequest& request) const {
  if (const auto name = beneath(request)) {
    const auto file = openBeneath(folder_, *name);
    if (file || (file.error() != ELOOP && file.error() != EXDEV)) return std::nullopt;
  }
  FileAsk out{request, realPath(pathOf(request)), {}};
  std::string library;
  if (request.use == FileUse::Library)
    if (const auto file = openWithoutLinks(out.path)) library = bytesOf(*file).value_or("");
  out.hash = hashOf(request, out.path, library);
  return out;
}

std::optional<FileAsk> FileAccess::askFor(const FileRequest& request) const {
  auto need = needFor(request);
  return need && allows(need->hash) ? std::nullopt : need;
}

std::optional<FileRequest> FileAccess::inputs() const {
  const FileRequest request{FileUse::Argument, "inputs.npz"};
  std::error_code error;
  if (folder_.empty() || !fs::exists(fs::symlink_status(folder_ / request.name, error))) return std::nullopt;
  return request;
}

std::vector<FileRequest> FileAccess::requestsOf(const RunSettings& settings) const {
  std::vector<FileRequest> out = filesNamedBy(settings);
  if (auto beside = inputs()) out.push_back(*std::move(beside));
  return out;
}

std::vector<FileAsk> FileAccess::asks(const RunSettings& settings) const {
  std::vector<FileAsk> out;
  for (const FileRequest& request : requestsOf(settings)) {
    if (isOwnWord(request)) continue;
    if (auto ask = askFor(request)) out.push_back(*std::move(ask));
  }
  return out;
}

Status FileAccess::check(const RunSettings& settings) const {
  const std::vector<FileAsk> missing = asks(settings);
  return missing.empty() ? Status() : refused(missing.front());
}

// For reading, by a name out of a file: what askFor() lets pass.
Result<Descriptor> FileAccess::open(const FileRequest& request) const {
  if (const auto ask = askFor(request)) return refused(*ask);
  const auto name = beneath(request);
  auto file = name ? openBeneath(folder_, *name) : openWithoutLinks(realPath(pathOf(request)));
  if (!file && name && (file.error() == ELOOP || file.error() == EXDEV))
    file = openWithoutLinks(realPath(pathOf(request)));
  if (!file) return cannotOpen(request, file.error());
  return *std::move(file);
}

Result<std::string> FileAccess::read(const FileRequest& request) const {
  if (isOwnWord(request)) return readFile(pathOf(request));
  TESSERA_ASSIGN_OR_RETURN(const Descriptor file, open(request));
  return readFile(file, pathOf(request));
}

Result<NamedArrays> FileAccess::readArrays(const FileRequest& request) const {
  if (isOwnWord(request)) return readNpz(pathOf(request));
  TESSERA_ASSIGN_OR_RETURN(Descriptor file, open(request));
  return readNpz(std::move(file), pathOf(request));
}

Result<std::string> FileAccess::readLibrary(const FileRequest& request) const {
  const fs::path path = realPath(pathOf(request));
  const auto file = openWithoutLinks(path);
  if (!file)
    return fail(kindOf(request.use),
                "the library " + request.name + " cannot be loaded: " + std::strerror(file.error()));
  auto content = bytesOf(*file);
  if (!content) return cannotOpen(request, content.error());
  const std::string hash = hashOf(request, path, *content);
  if (!allows(hash)) return refused({request, path, hash});
  return *std::move(content);
}

Status FileAccess::writeArrays(const FileRequest& request, const NamedArrays& arrays) const {
  if (isOwnWord(request)) return writeNpz(pathOf(request), arrays);
  const fs::path path = realPath(pathOf(request));
  const std::string hash = hashOf(request, path, {});
  if (!allows(hash)) return refused({request, path, hash});
  TESSERA_ASSIGN_OR_RETURN(const std::string bytes, npzBytes(arrays));
  if (const auto written = writeWithoutLinks(path, bytes); !written) return cannotOpen(request, written.error());
  return {};
}

}  // namespace tessera
