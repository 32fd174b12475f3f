// Where the corpus' files are: its texts unpacked from the archive into the build folder, small values beside the
// tests, everything else below TESSERA_CORPUS when that is set.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {

inline std::filesystem::path corpusTexts() { return TESSERA_CORPUS_TEXTS; }
inline std::filesystem::path corpusValues() { return TESSERA_CORPUS_VALUES; }

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Every *.hlo of the corpus, as "program/file", sorted; for parameterised tests.
inline std::vector<std::string> corpusFiles() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpusTexts(), error))
    if (entry.path().extension() == ".hlo")
      out.push_back((entry.path().parent_path().filename() / entry.path().filename()).string());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::string testName(std::string file) {
  for (char& c : file)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return file;
}

}  // namespace tessera
