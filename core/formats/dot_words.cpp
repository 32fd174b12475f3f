// See dot_words.h.
#include "core/formats/dot_words.h"

#include "core/base/ascii.h"

#include <algorithm>

namespace tessera::dot {
namespace {

struct Entity {
  std::string_view name, text;
};
constexpr Entity kEntities[] = {{"&lt;", "<"},    {"&gt;", ">"},   {"&amp;", "&"},
                                {"&quot;", "\""}, {"&nbsp;", " "}, {"&#45;", "-"}};

}  // namespace

bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool equalsWord(std::string_view a, std::string_view keyword) {
  return a.size() == keyword.size() && std::ranges::equal(a, keyword, {}, asciiLower);
}

// End of blanks and comments from `at` on; lines that start with '#' are comments.
size_t skipBlanks(std::string_view text, size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const std::string_view rest = text.substr(at, 2);
    size_t end = at;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')
      end = at + 1;
    else if (rest == "//" || (c == '#' && (at == 0 || text[at - 1] == '\n')))
      end = std::min(text.find('\n', at), text.size());
    else if (rest == "/*")
      end = text.find("*/", at + 2) == std::string_view::npos ? text.size() : text.find("*/", at + 2) + 2;
    if (end == at) return at;
    at = end;
  }
  return at;
}

std::string_view wordAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && isWordChar(text[end])) ++end;
  return text.substr(at, end - at);
}

// Bytes that are no UTF-8 become '?', so that pictures stay valid text.
std::string cleaned(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80                ? 1
                          : c >= 0xC2 && c < 0xE0 ? 2
                          : c >= 0xE0 && c < 0xF0 ? 3
                          : c >= 0xF0 && c < 0xF5 ? 4
                                                  : 0;
    bool good = length > 0 && i + length <= text.size() && (c >= 0x20 || c == '\n');
    for (size_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    out += good ? std::string(text.substr(i, length)) : "?";
    i += good ? length : 1;
  }
  return out;
}

std::string plainHtml(std::string_view html) {
  std::string out;
  for (size_t i = 0; i < html.size();) {
    if (html[i] == '<') {
      const size_t end = html.find('>', i);
      const std::string_view tag = html.substr(i + 1, 3);
      if (equalsWord(tag.substr(0, 2), "br") || equalsWord(tag, "/tr")) out += '\n';
      if (equalsWord(tag, "/td")) out += ' ';
      i = end == std::string_view::npos ? html.size() : end + 1;
      continue;
    }
    const auto* entity =
        std::ranges::find_if(kEntities, [&](const Entity& e) { return html.substr(i).starts_with(e.name); });
    out += entity == std::end(kEntities) ? std::string(1, html[i] == '\n' ? ' ' : html[i]) : std::string(entity->text);
    i += entity == std::end(kEntities) ? 1 : entity->name.size();
  }
  return out;
}

// Fields of a record label, without ports.
std::string plainRecord(std::string_view record) {
  std::string out;
  for (size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (c == '\\' && i + 1 < record.size()) {
      out += {c, record[++i]};
    } else if (c == '<') {
      i = std::min(record.find('>', i), record.size());
    } else if (c == '|' || c == '{' || c == '}') {
      out += out.empty() || out.back() == '\n' ? "" : "\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> linesOf(std::string_view text, std::string_view node, std::string_view graph) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\\' || i + 1 == text.size()) {
      lines.back() += c;
    } else if (const char escaped = text[++i]; escaped == 'n' || escaped == 'l' || escaped == 'r') {
      lines.emplace_back();
    } else {
      lines.back() += escaped == 'N'   ? std::string(node)
                      : escaped == 'G' ? std::string(graph)
                                       : std::string(1, escaped);
    }
  }
  std::erase_if(lines, [](const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; });
  for (std::string& line : lines) line = cleaned(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : " ") + line;
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

}  // namespace tessera::dot
