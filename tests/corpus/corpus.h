// Where the corpus' files are: its texts unpacked from the archive into the build folder, small values beside the
// tests, everything else below TESSERA_CORPUS (./test --corpus=DIR) when that is set.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.h"

namespace tessera {

inline std::filesystem::path corpusTexts() { return TESSERA_CORPUS_TEXTS; }
inline std::filesystem::path corpusValues() { return TESSERA_CORPUS_VALUES; }

// The whole corpus; empty when this run was not told where it is.
inline std::filesystem::path wholeCorpus() {
  const char* folder = std::getenv("TESSERA_CORPUS");
  return folder ? folder : "";
}
// ./test --all: what takes minutes runs too.
inline bool longTier() {
  const char* tier = std::getenv("TESSERA_TIER");
  return tier && std::string_view(tier) == "long";
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// "bad_*" are invalid on purpose, "hand_*" are written by hand, all others XLA printed.
inline bool isBad(const std::string& file) { return file.starts_with("bad_"); }
inline bool isHandWritten(const std::string& file) { return file.starts_with("hand_"); }

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
inline std::vector<std::string> corpusFiles(bool (*wanted)(const std::string&)) {
  std::vector<std::string> out = corpusFiles();
  std::erase_if(out, [&](const std::string& file) { return !wanted(file); });
  return out;
}

// The errors among them, a line each.
inline std::string errorsOf(const Diagnostics& found) {
  std::string text;
  for (const Diagnostic& diagnostic : found.items())
    if (diagnostic.severity == Severity::Error) text += diagnostic.toString() + "\n";
  return text;
}

inline std::string testName(std::string file) {
  for (char& c : file)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return file;
}

}  // namespace tessera
