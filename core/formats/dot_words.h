// Words and labels of Graphviz files: where words and blanks end, and the text of a label without its markup. Before
// the grammar of dot_reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::dot {

bool isWordChar(char c);
// Keywords are the same in any case.
bool equalsWord(std::string_view a, std::string_view keyword);
// End of blanks and comments from `at` on; lines that start with '#' are comments.
size_t skipBlanks(std::string_view text, size_t at);
std::string_view wordAt(std::string_view text, size_t at);

// Bytes that are no UTF-8 become '?', so that pictures stay valid text.
std::string cleaned(std::string_view text);
std::string plainHtml(std::string_view html);
// Fields of a record label, without ports.
std::string plainRecord(std::string_view record);
// A label's lines; \N and \G are the names of node and graph.
std::vector<std::string> linesOf(std::string_view text, std::string_view node, std::string_view graph);
std::string joined(const std::vector<std::string>& lines);
// "…" with what has to be escaped.
std::string quoted(std::string_view text);

}  // namespace tessera::dot
