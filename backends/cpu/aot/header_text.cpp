// The C header of a program: a comment that says what each argument and result is, its numbers as macros, two
// functions.
#include <fmt/format.h>

#include "backends/cpu/aot/program_object.h"
#include "backends/runtime/program.h"

namespace tessera::aot {

std::string headerText(const ProgramParts& parts, int64_t workspace, const std::vector<std::string>& libraries) {
  const std::string &name = parts.name, big = upper(name);
  std::string link;
  for (const std::string& library : libraries) link += " -l" + library;
  std::string out =
      fmt::format("/* {}: the program {}, compiled ahead of time by tessera.\n", name, readable(parts.module));
  out += fmt::format(" * Link the object with{}.\n", link);
  out += fmt::format(" * Processor: x86-64{}{}. At most {} threads work on a run.\n",
                     parts.features.empty() ? "" : " with ", parts.features, parts.threads);
  if (parts.grid.count() > 1)
    out += fmt::format(
        " * A run is one on {} devices ({}), a thread each; arrays are those of device 0, "
        "then those of 1, …\n",
        parts.grid.count(), parts.grid.text());
  out += " *\n";
  out += " * Arrays are dense and row-major: the last dimension is contiguous.\n * Arguments:\n" +
         listOf(parts.arrays.arguments);
  out += " * Results:\n" + listOf(parts.arrays.results) + " */\n";
  out += fmt::format(
      "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", big);
  out += macrosOf(big, parts.arrays);
  out += fmt::format("#define {}_WORKSPACE_BYTES {}\n\n", big, workspace);
  out += fmt::format(
      "/* What {0}_run answers. */\n"
      "#define {1}_FINE {2}\n"
      "#define {1}_ARGUMENT {3}  /* a pointer is null, not aligned, or memory of a result belongs to another array, "
      "too */\n"
      "#define {1}_PROCESSOR {4} /* this processor lacks what the program was compiled for */\n"
      "#define {1}_MEMORY {5}\n"
      "#define {1}_FAILED {6}\n\n"
      "/* Bytes of the workspace, which is aligned to 64 and need not be cleared. */\n"
      "size_t {0}_workspace_bytes(void);\n\n"
      "/* Runs the program: reads the arguments, writes the results. Runs may overlap, each with a workspace of its "
      "own.\n"
      " * error: where a message goes if it fails, cut to error_bytes; may be null. The first run takes memory that is "
      "kept. */\n"
      "int {0}_run(const void* const* arguments, void* const* results, void* workspace, char* error, size_t "
      "error_bytes);\n\n",
      name, big, static_cast<int>(cpu::kProgramFine), static_cast<int>(cpu::kProgramArgument),
      static_cast<int>(cpu::kProgramProcessor), static_cast<int>(cpu::kProgramMemory),
      static_cast<int>(cpu::kProgramFailed));
  return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace tessera::aot
