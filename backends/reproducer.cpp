// See reproducer.h.
#include "backends/reproducer.h"

#include <fmt/format.h>

#include "core/evaluate/argument_rules.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"

namespace tessera {
namespace {

using Modules = std::vector<std::pair<std::string, const Module*>>;

Result<WrittenReproducer> writeFolder(const std::filesystem::path& folder, const Modules& modules,
                                      const std::vector<Literal>& arguments, std::string command) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder, error))
    return fail({.kind = ErrorKind::Output, .message = "the folder cannot be made", .file = folder.string()});
  WrittenReproducer out{.files = {}, .command = std::move(command)};
  for (const auto& [name, module] : modules) {
    TESSERA_TRY(writeFileAtomically(folder / name, printHloText(*module)));
    out.files.push_back({name, module->instructionCount()});
  }
  TESSERA_TRY(writeNpz(folder / "inputs.npz", namedLeaves(arguments, "arg")));
  TESSERA_TRY(writeFileAtomically(folder / "command.txt", out.command + "\n"));
  return out;
}

std::string toleranceWords(const ComparedTolerance& tolerance) {
  std::string out;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) out += fmt::format(" --{}={}", name, *value);
  };
  add("rtol", tolerance.rtol);
  add("atol", tolerance.atol);
  add("floor", tolerance.floor);
  return out;
}

}  // namespace

Result<WrittenReproducer> writeReproducer(const ComparedPair& pair, bool two, double slow, const BisectOptions& options,
                                          const std::filesystem::path& folder) {
  const std::string &reference = pair.left.backend, &suspect = pair.right.backend;
  const std::string tolerance = toleranceWords(options.tolerance);
  if (two) {
    TESSERA_ASSIGN_OR_RETURN(const ReproducerPair found, bisectVersions(pair.left, pair.right, pair.pairs, options));
    return writeFolder(folder, {{"a.hlo", &found.left}, {"b.hlo", &found.right}}, found.arguments,
                       fmt::format("tessera compare a.hlo b.hlo --backends={},{} --inputs=inputs.npz{}", reference,
                                   suspect, tolerance));
  }
  TESSERA_ASSIGN_OR_RETURN(const Reproducer found,
                           slow > 0
                               ? bisectTime(pair.leftModule, pair.left.arguments, suspect, slow, options)
                               : bisectBackends(pair.leftModule, pair.left.arguments, reference, suspect, options));
  TESSERA_ASSIGN_OR_RETURN(
      WrittenReproducer out,
      writeFolder(folder, {{"module.hlo", &found.module}}, found.arguments,
                  slow > 0 ? fmt::format("tessera run module.hlo --backend={} --inputs=inputs.npz --runs=10", suspect)
                           : fmt::format("tessera compare module.hlo --backends={},{} --inputs=inputs.npz{}", reference,
                                         suspect, tolerance)));
  out.runs = found.runs;
  return out;
}

}  // namespace tessera
