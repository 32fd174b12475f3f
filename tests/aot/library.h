// Programs compiled ahead of time as C sees them: an object linked by the system's linker in a folder of its own,
// opened in this process and called through its C entry point; and the same programs compiled in memory, which give the
// expected bits. Used by the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/device_values.h"
#include "core/formats/npz.h"
#include "core/hlo/module.h"

namespace tessera::aot {

class Library {
 public:
  using Run = int (*)(const void* const*, void* const*, void*, char*, size_t);

  // `run` stays null where linking or opening fails.
  Library(const CompiledObject& object, const std::string& name);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  Run run = nullptr;
  size_t (*workspaceBytes)() = nullptr;

 private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

struct FreeBytes {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, FreeBytes>;
Memory memoryOf(size_t bytes);

// Computations that the programs of these tests call: sum, before, by_size, more, step, halved, squared.
extern const char* const kComputations;
// Reports a text that does not read.
Module moduleOf(const std::string& text);
// `header` follows "HloModule m", `entry` is the text of the entry.
Module programOf(const std::string& entry, const std::string& header = {});

Result<CompiledObject> objectOf(const Module& module, const std::string& isa = "native", int threads = 2);
std::vector<Literal> filled(const Module& module);
// In memory, by the same backend.
std::vector<Literal> expectedOf(const Module& module, const std::vector<Literal>& arguments);
// In memory, an executable for each device.
Result<DeviceArrays> onDevices(const Module& module, DeviceGrid grid, const DeviceArrays& arguments);
std::vector<Literal> flat(const DeviceArrays& arrays);

struct Called {
  int answer = -1;
  std::string error;
  std::vector<Literal> results;
};
// The results' memory and the bytes behind the workspace are filled with a pattern that no program writes by chance.
Called call(const Library& library, const std::vector<Literal>& arguments, const std::vector<Literal>& like);
// A program with dynamic sizes, called as its header declares: arrays as large as their bounds, sizes behind them.
Called callInBounds(const Module& module, const Library& library, const std::vector<Literal>& arguments);
void expectSame(const std::vector<Literal>& expected, const Called& called);

}  // namespace tessera::aot
