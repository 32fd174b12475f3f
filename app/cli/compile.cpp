// tessera compile FILE -o OUT.o|OUT.so [--header=OUT.h]: a program ahead of time, as an object file with a C entry
// point or as a library that the system's compiler links, and its header, for this machine's processor or for a CUDA
// device. backends/cpu/aot and backends/cuda/aot write them; here they get their places.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/cli/one_partition.h"
#include "app/cli/progress.h"
#include "backends/backend.h"
#include "core/base/child_process.h"
#include "core/formats/module_file.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

struct CompileArguments {
  std::string file, out, header, name, device;
  CompileOptions compile;
  int64_t partitions = 0;
};

bool isIdentifier(const std::string& name) {
  const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), isWord);
}

// The module's name as C can have it.
std::string identifierOf(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return isIdentifier(name) ? name : "program_" + name;
}

// bin/../lib in a build folder or where it is installed.
std::string runtimeFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const char* place : {"../lib", "../lib/tessera", "."}) {
    const fs::path folder = program.parent_path() / place;
    if (fs::exists(folder / "libtessera_runtime.a", error)) return fs::weakly_canonical(folder, error).string();
  }
  return {};
}

// A folder that is removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "tessera-XXXXXX").string();
    if (::mkdtemp(name.data())) folder_ = name;
  }
  ~ScratchFolder() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  bool exists() const { return !folder_.empty(); }
  std::string at(const char* name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

std::string contentOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The first lines of what a linker complains of.
std::string complaintIn(const std::string& path) {
  std::string text = contentOf(path).substr(0, 2000);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Result<std::string> linkLibrary(const CompiledObject& object) {
  const std::string folder = runtimeFolder();
  if (folder.empty())
    return fail(ErrorKind::Unsupported, "the run-time library is not installed; an object (-o OUT.o) needs no linker");
  const InterruptsForChildren interrupts;  // before the folder, which is to be removed
  const ScratchFolder scratch;
  if (!scratch.exists()) return fail(ErrorKind::Output, "no folder for temporary files can be made");
  TESSERA_TRY(writeFileAtomically(scratch.at("program.o"), object.bytes));
  TESSERA_TRY(writeFileAtomically(scratch.at("said"), ""));
  const char* chosen = std::getenv("CC");
  std::vector<std::string> words = {chosen && *chosen ? chosen : "cc",
                                    "-shared",
                                    "-Wl,-z,noexecstack",
                                    "-Wl,-z,defs",
                                    "-Wl,--exclude-libs,ALL",  // callers see the program, not the run-time library
                                    "-o",
                                    scratch.at("program.so"),
                                    scratch.at("program.o"),
                                    "-L" + folder};
  if (std::ranges::find(object.libraries, "tessera_core") != object.libraries.end())
    words.push_back("-Wl,-rpath," + folder);
  for (const std::string& library : object.libraries) words.push_back("-l" + library);
  constexpr double kSeconds = 300;
  auto ended = runProcess(words, kSeconds, scratch.at("said"));
  if (!ended && ended.error().kind == ErrorKind::Runtime) return fail(std::move(ended).error());
  if (!ended)
    return fail(ErrorKind::Unsupported, "no linker was found: " + ended.error().message +
                                            "; set CC, or write an object (-o OUT.o), which needs none");
  if (ended->exit != 0)
    return fail(ErrorKind::Unsupported, words[0] + " cannot link the library" + (ended->timedOut ? " in time" : "") +
                                            ": " + complaintIn(scratch.at("said")));
  std::string out = contentOf(scratch.at("program.so"));
  if (out.empty()) return fail(ErrorKind::Output, words[0] + " has written no library");
  return out;
}

Status write(const CompileArguments& options, const CompiledObject& object) {
  std::string content = object.bytes;
  if (options.out.ends_with(".so")) {
    TESSERA_ASSIGN_OR_RETURN(content, linkLibrary(object));
  }
  TESSERA_TRY(writeFileAtomically(options.out, content));
  return options.header.empty() ? Status{} : writeFileAtomically(options.header, object.header);
}

void tell(const CompileArguments& options, const CompiledObject& object, Report& report) {
  report.object["output"] = options.out;
  report.object["name"] = options.name;
  if (!options.device.empty()) report.object["device"] = options.device;
  if (options.out.ends_with(".ptx")) return report.line(options.out + ": PTX for " + options.compile.device);
  report.object["libraries"] = object.libraries;
  std::string link = options.header.empty() ? "" : " beside " + options.header;
  report.line(options.out + ": " + options.name + "_run and " + options.name + "_workspace_bytes" + link);
  if (options.out.ends_with(".so")) return;
  const std::string folder = runtimeFolder();
  report.object["library_folder"] = folder;
  std::string words = "link with" + (folder.empty() ? "" : " -L" + folder);
  const bool needsCore = std::ranges::find(object.libraries, "tessera_core") != object.libraries.end();
  if (needsCore && !folder.empty()) words += " -Wl,-rpath," + folder;
  for (const std::string& library : object.libraries) words += " -l" + library;
  report.line(words);
}

// "cuda:sm_90": for such devices. PTX is for one, and has no header.
Status takeDevice(CompileArguments& options) {
  const bool isPtx = options.out.ends_with(".ptx");
  if (options.device.empty() && !isPtx) return {};
  if (!options.device.starts_with("cuda:sm_"))
    return fail({.kind = ErrorKind::Usage,
                 .message = isPtx ? "OUT.ptx takes the device that it is for" : "the device has no such name",
                 .expected = "--device=cuda:sm_90, or an architecture from sm_70 on",
                 .found = options.device.empty() ? "no --device" : "--device=" + options.device});
  if (isPtx && !options.header.empty()) return fail(ErrorKind::Usage, "PTX has no C header");
  options.compile.device = options.device.substr(5);
  return {};
}

Result<CompiledObject> objectOf(Executable& executable, const CompileArguments& options) {
  if (!options.out.ends_with(".ptx")) return executable.object(options.name);
  TESSERA_ASSIGN_OR_RETURN(std::string text, executable.ptx(options.name));
  return CompiledObject{std::move(text), "", {}};
}

Status compile(const Module& module, CompileArguments& options, Report& report) {
  if (options.name.empty()) options.name = identifierOf(module.name);
  if (!isIdentifier(options.name)) return fail(ErrorKind::Usage, "\"" + options.name + "\" is no name of a C function");
  TESSERA_TRY(takeDevice(options));
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(options.device.empty() ? "cpu" : "cuda"));
  auto line = std::make_unique<ProgressLine>();
  options.compile.progress = line->teller();
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options.compile));
  line->tell("the object", -1);
  TESSERA_ASSIGN_OR_RETURN(const CompiledObject object, objectOf(*executable, options));
  line.reset();
  TESSERA_TRY(write(options, object));
  tell(options, object, report);
  return {};
}

}  // namespace

void addCompile(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand(
      "compile", "Compile a module ahead of time: an object or a library with a C entry point, and its header");
  auto options = std::make_shared<CompileArguments>();
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("-o,--output", options->out, "OUT.o, OUT.so (linked by $CC, else cc), or OUT.ptx (with --device)")
      ->required()
      ->check([](const std::string& out) {
        const bool fits = out.ends_with(".o") || out.ends_with(".so") || out.ends_with(".ptx");
        return fits ? "" : "an output is named OUT.o, OUT.so or OUT.ptx";
      });
  command->add_option("--header", options->header, "Write the C header that says how to call it");
  command->add_option("--name", options->name,
                      "Of its functions, NAME_run and NAME_workspace_bytes (default: the module's)");
  command
      ->add_option("--target", options->compile.isa,
                   "Processor: native (this one) or a level, x86-64-v2, x86-64-v3 or x86-64-v4")
      ->check(CLI::IsMember({"native", "x86-64-v2", "x86-64-v3", "x86-64-v4"}));
  command->add_option("--device", options->device,
                      "For a CUDA device instead of a processor: cuda:sm_90, from sm_70 on; OUT.ptx has its kernels "
                      "alone");
  command
      ->add_option("--threads", options->compile.threads,
                   "Threads that a run has at most (default: this machine's cores)")
      ->check(CLI::Range(0, 4096));
  options->compile.kernelCache = defaultKernelCache();
  options->compile.keepsCode = true;
  command->add_option("--kernel-cache", options->compile.kernelCache, "Folder of compiled kernels, or off")
      ->transform([](const std::string& folder) { return folder == "off" ? std::string() : folder; });
  addPartitions(*command, options->partitions);
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera compile model.hlo -o model.o --header=model.h --name=model");
  command->callback([options, &report] {
    auto module = loadProgram(options->file, options->partitions, report);
    if (!module) return;
    auto status = compile(*module, *options, report);
    if (status) return;
    Diagnostic diagnostic = std::move(status).error();
    if (diagnostic.file.empty() && diagnostic.position.line) diagnostic.file = options->file;
    report.failure(diagnostic);
  });
}

}  // namespace tessera::cli
