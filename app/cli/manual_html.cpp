// See manual_html.h. md4c turns Markdown into HTML; links between chapters, and to operations ("op:dot"), become links
// between pages.
#include "app/cli/manual_html.h"

#include <md4c-html.h>

#include <string>

#include "app/shared/manual.h"
#include "core/formats/file_content.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStyle =
    "body{max-width:52em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif;color:#161b22;background:#fff}"
    "img{max-width:100%;border:1px solid #7d8899}pre,code{font-family:monospace;background:#f1f4f8}"
    "pre{padding:.7em;overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #b6bfcc;padding:.2em .6em;"
    "text-align:left;vertical-align:top}@media(prefers-color-scheme:dark){body{color:#eef2f7;background:#14171c}"
    "pre,code{background:#232933}a{color:#5aa9ff}}";

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// href="build.md" is build.html, href="op:dot" is dot.html.
void turnLinks(std::string& html) {
  replaceAll(html, ".md\"", ".html\"");
  constexpr std::string_view kOperation = "href=\"op:";
  for (size_t at = html.find(kOperation); at != std::string::npos; at = html.find(kOperation, at + 1)) {
    html.erase(at + 6, 3);
    html.insert(html.find('"', at + 6), ".html");
  }
}

Result<std::string> htmlOf(const Chapter& chapter) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, manualChapter(chapter.name));
  std::string body;
  const auto append = [](const MD_CHAR* part, MD_SIZE size, void* out) {
    static_cast<std::string*>(out)->append(part, size);
  };
  if (md_html(text.data(), static_cast<MD_SIZE>(text.size()), append, &body, MD_DIALECT_GITHUB, 0) != 0)
    return fail(ErrorKind::Runtime, "the chapter " + chapter.name + " cannot be turned into HTML");
  turnLinks(body);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"><title>" +
         chapter.title + "</title><style>" + kStyle + "</style></head>\n<body>\n" +
         (chapter.name == "index" ? "" : "<p><a href=\"index.html\">Contents</a></p>\n") + body + "</body>\n</html>\n";
}

Status copyPictures(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::exists(from, error)) return {};
  fs::create_directories(to, error);  // what is wrong with it, the first file says
  for (const auto& entry : fs::directory_iterator(from, error)) {
    TESSERA_ASSIGN_OR_RETURN(const std::string picture, readFile(entry.path()));
    TESSERA_TRY(writeFileAtomically(to / entry.path().filename(), picture));
  }
  return {};
}

}  // namespace

Status writeManual(const fs::path& folder) {
  TESSERA_ASSIGN_OR_RETURN(const fs::path manual, manualFolder());
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Chapter> chapters, manualChapters());
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Chapter& chapter : chapters) {
    TESSERA_ASSIGN_OR_RETURN(const std::string html, htmlOf(chapter));
    TESSERA_TRY(writeFileAtomically(folder / (chapter.name + ".html"), html));
  }
  return copyPictures(manual / "pictures", folder / "pictures");
}

}  // namespace tessera::cli
