// The arguments of a run: for each leaf of the entry's parameters the first that says something of words for that leaf,
// an array that was given, and the usual source or the fill rule. Used by backends/run_request and by live values.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/evaluate/argument_source.h"
#include "core/evaluate/device_values.h"
#include "core/formats/npz.h"

namespace tessera {

struct ArgumentRules {
  std::map<int64_t, std::string> sources;  // by leaf, in the words of argument_source.h
  NamedArrays given;                       // arg0 …: whole arrays, or one device's block
  std::shared_ptr<const NpzBlocks> file;   // more of them, for a device that reads its own blocks; null: none
  std::string givenFrom;                   // the file that they are of, for messages
  FillRule fill;
  bool usual = false;  // on one device: arguments without a source are of usual_sources.h, else of the fill rule
  FileReader readFile = readNamedFile;
  ImageDecoder decodeImage = decodeNetpbm;
  LeafWatch watch = nullptr;
};

// Fails when an array is given under a name that is no argument's, or in another shape than the program's.
Result<DeviceArrays> argumentsBy(const ArgumentRules& rules, const Module& module, DeviceGrid grid);
// Of one device of the grid.
Result<std::vector<Literal>> argumentsBy(const ArgumentRules& rules, const Module& module, DeviceGrid grid,
                                         int64_t device);
// Of a run on one device.
Result<std::vector<Literal>> argumentsBy(const ArgumentRules& rules, const Module& module);

// The same, as far as they can be made.
struct PossibleArguments {
  std::vector<Literal> values;          // one that cannot be made follows the fill rule
  std::map<int64_t, Diagnostic> wrong;  // why it cannot, by leaf

  const Diagnostic* wrongOf(const Module& module, InstructionId parameter) const;  // null: all its leaves can
};
Result<PossibleArguments> possibleArgumentsBy(const ArgumentRules& rules, const Module& module);

// Leaves by number: "arg0", "arg1" …, as files of inputs name them.
NamedArrays namedLeaves(std::span<const Literal> literals, const std::string& prefix);

}  // namespace tessera
