// Which files a run may use. A project names the sources of values, the targets of outfeeds and the library of its
// custom calls, and it may come from an untrusted source. So a name in a file does not grant access:
//   - arrays and pictures in the project's own folder are read (through no symbolic link, see safe_files.h);
//   - all else needs permission: a library and an outfeed always, a file to read if it is elsewhere. The user allows
//     each one; this holds for the graph that was opened, the place that the name leads to and a library's content.
// What the user enters in this session, on the command line or in the run panel, needs no
// permission. Used by `tessera run`, the studio and backends/run_request.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/formats/npz.h"
#include "core/formats/run_settings.h"
#include "core/hlo/module.h"
#include "core/trust/allowances.h"

namespace tessera {

enum class FileUse : uint8_t { Library, Infeed, Outfeed, Argument };

// A file as the settings name it.
struct FileRequest {
  FileUse use = FileUse::Argument;
  std::string name;
  auto operator<=>(const FileRequest&) const = default;
};
std::vector<FileRequest> filesNamedBy(const RunSettings& settings);

// What the user has to allow first.
struct FileAsk {
  FileRequest request;
  std::filesystem::path path;  // where the name leads: absolute, over no symbolic link
  std::string hash;            // of all that the allowance holds for
  std::string words() const;   // "load the library notes.dat (/home/me/project/notes.dat)"
};

class FileAccess {
 public:
  // Relative names are relative to the folder; "": there is no file yet, and to the working directory.
  explicit FileAccess(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}
  // The graph as its file has it. Without one, allowances last for the session alone.
  void setGraph(const Module& graph);
  // Outfeeds with relative names go to another folder than the project's.
  void setOutfeedFolder(std::filesystem::path folder) { outfeedFolder_ = std::move(folder); }

  // The user's own word.
  void trust(const FileRequest& request);
  void trustNew(const RunSettings& before, const RunSettings& now);
  bool isOwnWord(const FileRequest& request) const;
  // Allowed from now on; fails where it cannot be kept for later sessions.
  Status allow(const FileAsk& ask);
  Status withdraw(const std::string& hash);
  // All that the user has allowed, whatever the graph; what a run with these settings uses of it comes first.
  struct Granted : Allowance {
    bool used = false;
  };
  std::vector<Granted> granted(const RunSettings& settings) const;
  // What the document may use as it is saved, it may use when it is opened again.
  void save(const std::filesystem::path& folder, const Module& graph, const RunSettings& settings);

  // What a run with these settings needs and may not use yet.
  std::vector<FileAsk> asks(const RunSettings& settings) const;
  Status check(const RunSettings& settings) const;  // refuses with the words of the first

  // inputs.npz in the folder; absent: there is none.
  std::optional<FileRequest> inputs() const;
  // Each refuses with the words of the ask.
  Result<std::string> read(const FileRequest& request) const;  // whole; gz and zst are unpacked
  Result<NamedArrays> readArrays(const FileRequest& request) const;
  Result<std::string> readLibrary(const FileRequest& request) const;  // as it is
  Status writeArrays(const FileRequest& request, const NamedArrays& arrays) const;
  // Where the name leads, links not followed yet.
  std::filesystem::path pathOf(const FileRequest& request) const;

 private:
  bool allows(const std::string& hash) const;
  FileRequest wordOf(const FileRequest& request) const;
  std::vector<FileRequest> requestsOf(const RunSettings& settings) const;
  std::optional<FileAsk> needFor(const FileRequest& request) const;
  std::optional<FileAsk> askFor(const FileRequest& request) const;
  std::string hashOf(const FileRequest& request, const std::filesystem::path& path, std::string_view library) const;
  std::optional<std::filesystem::path> beneath(const FileRequest& request) const;
  Result<Descriptor> open(const FileRequest& request) const;

  std::filesystem::path folder_, outfeedFolder_;
  std::string graph_;                           // its hash
  std::set<FileRequest> words_;                 // with absolute names
  std::map<std::string, std::string> allowed_;  // in this session: words by hash
};

}  // namespace tessera
