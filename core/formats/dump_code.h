// Which files of a dumped module are about an instruction, and which lines of them: kernels of LLVM IR and PTX by the
// names that XLA gives them (core/tools/passes/kernel_names), texts by the instruction's name. Used by the studio's
// panel of a dump.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/dump_folder.h"
#include "core/hlo/module.h"

namespace tessera {

// The files that hold a module, from the one that shows it as it was compiled on: after optimisation, after the last
// pass and those before it, before optimisation; of each the text first.
std::vector<std::string> moduleFilesOf(const DumpModule& module);
// The buffer assignment that belongs to that file; "": none.
std::string assignmentFileOf(const DumpModule& module);

// Code of the kernel with the first of the names that has one, the final form first: PTX, LLVM IR after and before
// optimisation. Where none has: the files with the code of all kernels.
std::vector<const DumpFile*> codeOf(const DumpModule& module, std::span<const std::string> names);

struct LineRange {
  size_t first = 0, last = 0;  // from 0, both inside
};
struct CodeLines {
  std::string name;  // of those asked for, the one that the lines are about
  std::vector<LineRange> lines;
};
// Functions with the first of the names that has any (with a suffix of the compiler's, or '_' in the place of other
// characters); where none has, lines that name the first.
CodeLines linesAbout(std::string_view text, std::span<const std::string> names);
// Back: the instruction after which the function around the line (from 0) is named; where no function is, the first
// that the line names. Invalid: none.
InstructionId instructionAt(std::string_view text, size_t line, const Module& module);

}  // namespace tessera
