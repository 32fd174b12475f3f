// ArrayForms: the arguments and results of a program as C sees them, and how its header declares them. Shared by
// objects for processors and for devices.
#pragma once

#include <string>
#include <vector>

#include "core/devices/collectives.h"
#include "core/hlo/module.h"

namespace tessera::aot {

// An argument or result in C's eyes.
struct ArrayForm {
  std::string name;  // the parameter's, or "result"
  const Shape* shape = nullptr;
  int64_t argument = -1;  // of a result: the argument in whose memory it may be stored
  std::string note = {};  // what a reader must know beside the shape
};

struct ArrayForms {
  std::vector<ArrayForm> arguments, results;
};

// The entry's parameters and results on each device of the grid, one device after the other, aliases as the module
// declares them. `source` is what the optimised module was made of: where its entry has dynamic dimensions, arrays are
// as large as their bounds, and their sizes follow. The forms point into it.
ArrayForms arrayForms(const Module& source, DeviceGrid grid);

// --- for headers
std::string readable(std::string text);  // nothing of it ends a comment or its line
std::string upper(std::string text);
std::string listOf(const std::vector<ArrayForm>& forms);
// Their numbers and sizes as macros: PREFIX_ARGUMENTS …
std::string macrosOf(const std::string& prefix, const ArrayForms& forms);

}  // namespace tessera::aot
