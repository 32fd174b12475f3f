// Where a parameter's value comes from, as a person says it in a word or two: "rule", "constant 0.5", "ramp 0 1",
// "random -1 1", "npy FILE", "image FILE". Before: run settings and `tessera run --argument`; after: evaluate.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/evaluate/evaluate.h"

namespace tessera {

// A picture's samples, row by row, 0 … 1.
struct Samples {
  int64_t width = 0, height = 0, channels = 1;
  std::vector<float> values;
};
using ImageReader = std::function<Result<Samples>(const std::filesystem::path&)>;
// Binary pgm and ppm; other kinds are for whoever has a decoder.
Result<Samples> readNetpbm(const std::filesystem::path& path);

struct ArgumentContext {
  FillRule rule;                 // of "rule"; "random" takes its seed
  uint64_t leaf = 0;             // which argument it is
  std::filesystem::path folder;  // relative files lie here
  ImageReader readImage = readNetpbm;
};

// Fails with what is wrong with the words, the file, or its shape. A ramp runs through the elements in row-major order.
// An image is sampled to the array's size: [height, width], [height, width, channels] or [channels, height, width],
// ones before them repeated; floats get 0 … 1, integers 0 … 255.
Result<Literal> argumentFrom(const std::string& source, const Shape& shape, const ArgumentContext& context);
// Whether the words alone make sense; files are not looked at.
Status checkArgumentSource(const std::string& source);

// The number of an entry parameter's first leaf among the arguments.
int64_t firstLeafOf(const Module& module, InstructionId parameter);

}  // namespace tessera
