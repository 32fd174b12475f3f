// Which files of a dumped module are about an instruction, and which lines of them: kernels of LLVM IR and PTX by the
// names that XLA gives them, texts by the instruction's name. Used by the studio's panel of a dump.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/dump_folder.h"

namespace tessera {

// The file that shows a module as it was compiled: after optimisation, else after its last pass, else before; "": none.
std::string moduleFileOf(const DumpModule& module);
// The buffer assignment that belongs to that file; "": none.
std::string assignmentFileOf(const DumpModule& module);

// Code of the kernel that computes an instruction; of a module whose kernels are in one file that file.
std::vector<const DumpFile*> codeOf(const DumpModule& module, std::string_view instruction);

struct LineRange {
  size_t first = 0, last = 0;  // from 0, both inside
};
// Functions whose name is the instruction's (with a suffix of the compiler's, or '_' in the place of other characters);
// where there is none, lines that name it.
std::vector<LineRange> linesAbout(std::string_view text, std::string_view instruction);

}  // namespace tessera
