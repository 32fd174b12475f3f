// See profile_source.h. A log folder is TensorBoard's (plugins/profile/RUN/HOST.xplane.pb) or any folder around such
// files; a RUN's trace.json.gz says the same as its xplane.pb and is read where there is none.
#include "core/profile/sources/profile_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/sorting.h"
#include "core/formats/cut_file.h"
#include "core/formats/file_content.h"
#include "core/formats/foreign_file.h"
#include "core/profile/op_profile_json.h"
#include "core/profile/sources/matching.h"
#include "core/profile/sources/nsight.h"
#include "core/profile/sources/run_source.h"
#include "core/profile/sources/trace_events.h"
#include "core/profile/sources/values.h"
#include "core/profile/sources/xplane.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Given = std::shared_ptr<const Module>;

struct LogFile {
  fs::path path;
  std::string host, run;
};

// The name without the ending; nullopt: another file.
std::optional<std::string> hostOf(const std::string& name, std::string_view ending) {
  for (const char* packed : {"", ".gz", ".zst"}) {
    const std::string whole = std::string(ending) + packed;
    if (name.ends_with("." + whole)) return name.substr(0, name.size() - whole.size() - 1);
    if (name == whole) return std::string();
  }
  return std::nullopt;
}

// Symbolic links are left out: they could lead out of the folder.
std::vector<LogFile> filesBelow(const fs::path& folder, std::string_view ending) {
  constexpr int kDepth = 8;
  std::vector<LogFile> out;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code odd;
    if (at.depth() >= kDepth) at.disable_recursion_pending();
    if (at->is_symlink(odd) || !at->is_regular_file(odd)) continue;
    const auto host = hostOf(at->path().filename().string(), ending);
    if (host) out.push_back({at->path(), *host, at->path().parent_path().filename().string()});
  }
  sortBy(out, &LogFile::path);
  return out;
}

std::string listed(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Result<std::vector<LogFile>> selected(const std::vector<LogFile>& files, const ProfileSelection& selection,
                                      const fs::path& folder) {
  std::vector<LogFile> out;
  std::set<std::string> hosts, runs;
  for (const LogFile& file : files) {
    hosts.insert(file.host);
    runs.insert(file.run);
    const bool host = selection.host.empty() || file.host == selection.host;
    if (host && (selection.run.empty() || file.run == selection.run)) out.push_back(file);
  }
  if (!out.empty()) return out;
  return fail({.kind = ErrorKind::Usage,
               .message = "no profile of that host and run",
               .expected = fmt::format("hosts {}; runs {}", listed(hosts), listed(runs)),
               .found = fmt::format("host {}, run {}", selection.host.empty() ? "any" : selection.host,
                                    selection.run.empty() ? "any" : selection.run),
               .file = folder.string()});
}

constexpr const char* kPackedCut = "the packed data end too early: what they hold before that is shown";

Result<Recorded> recordedFile(const LogFile& file, bool timeline) {
  TESSERA_ASSIGN_OR_RETURN(const CutContent content, readCutFile(file.path));
  const auto kind = foreignKindOf(content.bytes);
  auto out = kind == ForeignKind::ChromeTrace ? readTraceEvents(content.bytes, file.path.string(), timeline)
                                              : readXplane(content.bytes, file.path.string(), timeline);
  if (!out) return out;
  if (content.cut) out->warnings.push_back(kPackedCut);
  if (!file.host.empty()) out->host = file.host;
  out->run = file.run;
  return out;
}

Result<OpProfile> readFolder(const fs::path& folder, Given given, const ProfileSelection& selection) {
  std::vector<LogFile> files = filesBelow(folder, "xplane.pb");
  if (files.empty()) files = filesBelow(folder, "trace.json");
  if (files.empty())
    return fail({.kind = ErrorKind::Input,
                 .message = "holds no profile: " + whatFolderIs(folder).value_or("it is no directory"),
                 .expected = "HOST.xplane.pb or HOST.trace.json.gz in it, or below plugins/profile/RUN",
                 .file = folder.string()});
  TESSERA_ASSIGN_OR_RETURN(files, selected(files, selection, folder));
  std::vector<Recorded> recorded;
  std::vector<Diagnostic> failures;
  for (const LogFile& file : files) {
    auto read = recordedFile(file, selection.timeline);
    if (read)
      recorded.push_back(*std::move(read));
    else
      failures.push_back(std::move(read).error());
  }
  if (recorded.empty()) return std::unexpected(failures[0]);
  OpProfile out = matchProfiles(std::move(recorded), std::move(given));
  for (const Diagnostic& failure : failures) out.warnings.push_back("left out: " + failure.toString());
  return out;
}

Result<OpProfile> matched(Result<Recorded> recorded, Given given) {
  if (!recorded) return std::unexpected(std::move(recorded).error());
  std::vector<Recorded> files;
  files.push_back(*std::move(recorded));
  return matchProfiles(std::move(files), std::move(given));
}

bool looksLikeText(std::string_view content) {
  return std::ranges::none_of(content.substr(0, 4096), [](char c) { return c == '\0'; });
}

// A table has a comma, semicolon or tab in its first line, and no module starts so.
Result<OpProfile> readTable(const std::string& content, Given given, const std::string& name) {
  const std::string_view line = std::string_view(content).substr(0, content.find('\n'));
  const bool table = looksLikeText(content) && line.find_first_of(",;\t") != line.npos &&
                     !line.starts_with("HloModule") && line.find('{') == line.npos;
  if (table) return readCsvValues(content, std::move(given), name);
  return fail({.message = "the file is no profile",
               .expected =
                   "xplane.pb, trace.json (both also .gz), a profile of `tessera run`, an SQLite export of Nsight "
                   "Systems, or a table NAME,VALUE",
               .found = content.empty()                 ? "an empty file"
                        : line.starts_with("HloModule") ? "a module"
                                                        : "another file",
               .file = name});
}

// Of `tessera run --profile`.
Result<Profile> readOwnProfile(const std::string& content, const std::string& name) {
  auto out = readChromeTrace(content);
  if (out) return out;
  auto error = out.error();
  error.file = name;
  return fail(std::move(error));
}

Result<OpProfile> readJson(const std::string& content, ForeignKind kind, Given given, const std::string& name,
                           bool timeline) {
  if (kind == ForeignKind::ProfileTable) return readOpProfileJson(content, name);
  if (kind == ForeignKind::ChromeTrace) return matched(readTraceEvents(content, name, timeline), std::move(given));
  if (kind == ForeignKind::Json) return readJsonValues(content, std::move(given), name);
  TESSERA_ASSIGN_OR_RETURN(const Profile run, readOwnProfile(content, name));
  return fromRun(run, std::move(given));
}

Result<OpProfile> readContentOf(const fs::path& source, const std::string& content, Given given, bool timeline) {
  const std::string name = source.string();
  const auto kind = foreignKindOf(content);
  // A cut or strange one is still what its name says.
  if (kind == ForeignKind::Xplane || (!kind && hostOf(source.filename().string(), "xplane.pb")))
    return matched(readXplane(content, name, timeline), std::move(given));
  if (!kind) return readTable(content, std::move(given), name);
  switch (*kind) {
    case ForeignKind::Sqlite: return matched(readNsight(content, name, timeline), std::move(given));
    case ForeignKind::ChromeTrace:
    case ForeignKind::RunProfile:
    case ForeignKind::ProfileTable:
    case ForeignKind::Json: return readJson(content, *kind, std::move(given), name, timeline);
    default: break;
  }
  return fail({.message = fmt::format("is {} and no profile; {}", nameOf(*kind), adviceFor(*kind)), .file = name});
}

Result<OpProfile> readOneFile(const fs::path& source, Given given, bool timeline) {
  // Gigabytes of them need not be read to say so.
  if (const std::string first = firstBytesOf(source); foreignKindOf(first) == ForeignKind::Zeros)
    return readContentOf(source, first, std::move(given), timeline);
  TESSERA_ASSIGN_OR_RETURN(const CutContent content, readCutFile(source));
  auto out = readContentOf(source, content.bytes, std::move(given), timeline);
  if (out && content.cut) out->warnings.push_back(kPackedCut);
  return out;
}

}  // namespace

bool looksLikeProfile(const fs::path& source) {
  std::error_code error;
  if (fs::is_directory(source, error)) return holdsProfiles(source);
  const std::string name = source.filename().string();
  if (hostOf(name, "xplane.pb") || hostOf(name, "trace.json") || name.ends_with(".csv")) return true;
  switch (foreignKindOf(firstBytesOf(source)).value_or(ForeignKind::MlirBytecode)) {
    case ForeignKind::Xplane:
    case ForeignKind::ChromeTrace:
    case ForeignKind::RunProfile:
    case ForeignKind::ProfileTable:
    case ForeignKind::Json:
    case ForeignKind::Sqlite: return true;
    default: return false;
  }
}

Result<OpProfile> readProfileSource(const fs::path& source, Given given, const ProfileSelection& selection) try {
  std::error_code error;
  if (fs::is_directory(source, error)) return readFolder(source, std::move(given), selection);
  return readOneFile(source, std::move(given), selection.timeline);
} catch (const std::bad_alloc&) {
  return fail(
      {.kind = ErrorKind::Runtime, .message = "there is not enough memory for the profile", .file = source.string()});
}

Result<Profile> readProfileFor(const Module& module, const fs::path& source) {
  if (foreignKindOf(firstBytesOf(source)) == ForeignKind::RunProfile) {
    TESSERA_ASSIGN_OR_RETURN(const std::string content, readFile(source));
    return readOwnProfile(content, source.string());
  }
  TESSERA_ASSIGN_OR_RETURN(const OpProfile found, readProfileSource(source, std::make_shared<const Module>(module)));
  if (!found.instructions.empty()) return toProfile(found, module);
  return fail({.kind = ErrorKind::Usage,
               .message = found.warnings.empty() ? "nothing of the profile lands on the module " + module.name
                                                 : found.warnings.back(),
               .file = source.string()});
}

}  // namespace tessera
