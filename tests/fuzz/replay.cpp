// Runs a fuzz target once over files and folders (its seeds, and what a fuzzer found), where libFuzzer is not there.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/expect.h"

namespace {

int replay(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::fprintf(stderr, "%s\n", path.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    if (argv[i][0] == '-') continue;  // libFuzzer's options
    if (!std::filesystem::is_directory(path)) files += replay(path);
    else
      for (const auto& entry : std::filesystem::directory_iterator(path)) files += replay(entry.path());
  }
  std::printf("%d inputs\n", files);
  return files > 0 ? 0 : 1;
}
