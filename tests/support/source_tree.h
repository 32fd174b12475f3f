// Where the tree that tests read from stands.
#pragma once

#include <string>
#include <string_view>

namespace tessera::test {

// The whole path of a file or folder of the tree: "tests/ops". In one file, because objects that hold a path cannot
// share a compilation with others, nor be the same in two checkouts.
std::string inSourceTree(std::string_view path);

}  // namespace tessera::test
