// Where a parameter's value comes from, as a short text of the user: "rule", "constant 0.5", "ramp 0 1",
// "uniform -1 1" (or "random"), "normal 0 1" (mean, deviation), "npy FILE", "image FILE". Used by run requests, the run
// panel and core/trust.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/evaluate/evaluate.h"

namespace tessera {

// A picture's samples, row by row, 0 … 1.
struct Samples {
  int64_t width = 0, height = 0, channels = 1;
  std::vector<float> values;
};
// Of a file's content; the name is for messages.
using ImageDecoder = std::function<Result<Samples>(std::string_view content, const std::string& name)>;
// Binary pgm and ppm; other kinds need a decoder of the caller.
Result<Samples> decodeNetpbm(std::string_view content, const std::string& name);
// The content of a file that a source names: see core/trust for the rules of access.
using FileReader = std::function<Result<std::string>(const std::string& name)>;
Result<std::string> readNamedFile(const std::string& name);

struct ArgumentContext {
  FillRule rule;      // of "rule"; "uniform" and "normal" take its seed
  uint64_t leaf = 0;  // which argument it is
  FileReader readFile = readNamedFile;
  ImageDecoder decodeImage = decodeNetpbm;
};

// Fails with what is wrong with the words, the file, or its shape. A ramp runs through the elements in row-major order.
// An image is sampled to the array's size: [height, width], [height, width, channels] or [channels, height, width],
// ones before them repeated; floats get 0 … 1, integers 0 … 255.
Result<Literal> argumentFrom(const std::string& source, const Shape& shape, const ArgumentContext& context);
// Whether the words alone make sense; files are not looked at.
Status checkArgumentSource(const std::string& source);
// The file that the words name; absent: none, or they make no sense.
std::optional<std::string> fileOfSource(const std::string& source);

// Words as a node has room for them: "normal", "normal × 0.35", "uniform 0 … 9", "ramp 0 … 1", "3", a file's name.
std::string shortSource(const std::string& source);

// The number of an entry parameter's first leaf among the arguments.
int64_t firstLeafOf(const Module& module, InstructionId parameter);

}  // namespace tessera
