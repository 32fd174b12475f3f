// See source_files.h.
#include "core/tools/source_files.h"

#include <vector>

#include <fmt/format.h>

#include "core/formats/file_content.h"

namespace tessera {
namespace {

constexpr uintmax_t kMostSourceBytes = 16 << 20;

// The ends of the path, the longest first; none that leads upwards.
std::vector<std::filesystem::path> endsOf(std::string_view recorded) {
  constexpr size_t kMostParts = 64;
  std::vector<std::filesystem::path> parts, out;
  for (const std::filesystem::path& part : std::filesystem::path(recorded).relative_path()) {
    if (part == "..") parts.clear();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  const size_t skipped = parts.size() > kMostParts ? parts.size() - kMostParts : 0;
  for (size_t from = skipped; from < parts.size(); ++from) {
    std::filesystem::path end;
    for (size_t k = from; k < parts.size(); ++k) end /= parts[k];
    out.push_back(std::move(end));
  }
  return out;
}

}  // namespace

Result<SourceFile> findSourceFile(std::string_view recorded, std::span<const std::filesystem::path> folders) {
  if (folders.empty())
    return fail(ErrorKind::Input,
                fmt::format("{} is looked for in folders of sources, and none is named yet", recorded));
  for (const std::filesystem::path& end : endsOf(recorded))
    for (const std::filesystem::path& folder : folders) {
      std::error_code error;
      const std::filesystem::path path = folder / end;
      if (!std::filesystem::is_regular_file(path, error)) continue;
      if (std::filesystem::file_size(path, error) > kMostSourceBytes)
        return fail(ErrorKind::Input, fmt::format("{} is too large for a source file", path.string()));
      TESSERA_ASSIGN_OR_RETURN(std::string text, readFileBeneath(folder, end));
      return SourceFile{path, std::move(text)};
    }
  std::string looked;
  for (const std::filesystem::path& folder : folders) looked += (looked.empty() ? "" : ", ") + folder.string();
  return fail(ErrorKind::Input, fmt::format("{} is not below {}", recorded, looked));
}

}  // namespace tessera
