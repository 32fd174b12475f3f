// See manual.h.
#include "app/shared/manual.h"

#include <algorithm>

#include "core/base/sorting.h"
#include "core/formats/file_content.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string titleIn(const std::string& text) {
  const size_t at = text.starts_with("# ") ? 2 : 0;
  return text.substr(at, text.find('\n') - at);
}

bool isChapterName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

Result<fs::path> manualFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share" / "tessera" / "manual";
  if (!error && fs::exists(folder / "index.md", error)) return folder;
  return fail(ErrorKind::Input, "the manual is not installed (looked for " + folder.string() + ")");
}

Result<std::vector<Chapter>> manualChapters() {
  TESSERA_ASSIGN_OR_RETURN(const fs::path folder, manualFolder());
  std::vector<Chapter> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".md" || !isChapterName(name)) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::string text, readFile(entry.path()));
    out.push_back({name, titleIn(text)});
  }
  sortBy(out, [](const Chapter& c) { return std::pair(c.name != "index", c.name); });
  return out;
}

Result<std::string> manualChapter(std::string_view name) {
  TESSERA_ASSIGN_OR_RETURN(const fs::path folder, manualFolder());
  const fs::path file = folder / (std::string(name) + ".md");
  if (std::error_code error; !isChapterName(name) || !fs::exists(file, error))
    return fail(ErrorKind::Usage, "the manual has no chapter " + std::string(name));
  return readFile(file);
}

}  // namespace tessera
