// The smallest module that shows a difference or most of the time, as a folder that runs alone: module, recorded
// inputs, command. Used by `tessera bisect` and the studio's panel of numerics.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/bisect.h"

namespace tessera {

struct WrittenReproducer {
  struct File {
    std::string name;
    size_t instructions = 0;
  };
  std::vector<File> files;  // modules; inputs.npz and command.txt are beside them
  std::string command;      // run in the folder
  int64_t runs = 0;         // of candidates; 0: two modules, none was needed
};

// two: of two versions, the first instruction that differs; else of one module on two backends. slow: a share of the
// time, instead of a difference; 0: values. The folder is made.
Result<WrittenReproducer> writeReproducer(const ComparedPair& pair, bool two, double slow, const BisectOptions& options,
                                          const std::filesystem::path& folder);

}  // namespace tessera
