#include "tests/support/source_tree.h"

namespace tessera::test {

std::string inSourceTree(std::string_view path) { return std::string(TESSERA_SOURCE_DIR "/").append(path); }

}  // namespace tessera::test
