// See device_tools.h.
#include "backends/device_tools.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/child_process.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 120;
constexpr const char* kKnown[] = {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"};

// "" where it is not installed.
std::string toolNamed(const std::string& name) {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::istringstream parts(path ? path : "");
  for (std::string folder; std::getline(parts, folder, ':');) folders.emplace_back(folder);
  if (const char* home = std::getenv("CUDA_HOME")) folders.emplace_back(fs::path(home) / "bin");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error))
    if (entry.path().filename().string().starts_with("cuda")) folders.push_back(entry.path() / "bin");
  for (const fs::path& folder : folders)
    if (::access((folder / name).c_str(), X_OK) == 0) return (folder / name).string();
  return {};
}

class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "tessera-XXXXXX").string();
    if (::mkdtemp(name.data())) folder_ = name;
  }
  ~Folder() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(const char* name) const { return (folder_ / name).string(); }
  std::string read(const char* name) const {
    std::ifstream in(at(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool exists() const { return !folder_.empty(); }

 private:
  fs::path folder_;
};

int64_t numberBefore(const std::string& line, const char* word) {
  const size_t at = line.find(word);
  if (at == std::string::npos) return 0;
  size_t begin = at;
  while (begin > 0 && (std::isdigit(static_cast<unsigned char>(line[begin - 1])) || line[begin - 1] == ' ')) --begin;
  return std::atoll(line.c_str() + begin);
}

// "ptxas info : Compiling entry function 'NAME' …", then lines about it.
std::vector<KernelFigures> figuresIn(const std::string& said) {
  std::vector<KernelFigures> out;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = "Compiling entry function '";
    if (const size_t at = line.find(mark); at != std::string::npos) {
      out.emplace_back().name = line.substr(at + mark.size(), line.find('\'', at + mark.size()) - at - mark.size());
      continue;
    }
    if (out.empty()) continue;
    KernelFigures& kernel = out.back();
    if (line.find("bytes stack frame") != std::string::npos) {
      kernel.stackBytes = numberBefore(line, " bytes stack frame");
      kernel.spilledBytes = numberBefore(line, " bytes spill stores") + numberBefore(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string::npos) {
      kernel.registers = static_cast<int>(numberBefore(line, " registers"));
      kernel.sharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return out;
}

// Bytes of the sections of code, by kernel: ".text.NAME".
std::map<std::string, uint64_t> codeBytesIn(const std::string& cubin) {
  std::map<std::string, uint64_t> out;
  Elf64_Ehdr head;
  if (cubin.size() < sizeof head) return out;
  std::memcpy(&head, cubin.data(), sizeof head);
  const auto section = [&](uint64_t number, Elf64_Shdr& to) {
    const uint64_t at = head.e_shoff + number * sizeof to;
    if (at > cubin.size() || cubin.size() - at < sizeof to) return false;
    std::memcpy(&to, cubin.data() + at, sizeof to);
    return true;
  };
  Elf64_Shdr names, each;
  if (!section(head.e_shstrndx, names)) return out;
  for (uint64_t i = 0; i < head.e_shnum && section(i, each); ++i) {
    const uint64_t at = names.sh_offset + each.sh_name;
    if (at >= cubin.size()) continue;
    const std::string name(cubin.c_str() + at);
    if (name.starts_with(".text.")) out[name.substr(6)] = each.sh_size;
  }
  return out;
}

// The oldest from there on that the tool makes code for.
std::string targetFrom(const std::string& ptxas, const std::string& architecture, const Folder& folder) {
  std::ofstream(folder.at("empty.ptx")) << ".version 7.0\n.target sm_70\n.address_size 64\n";
  for (const char* known : kKnown) {
    if (known < architecture) continue;
    const auto ended = runProcess(
        {ptxas, std::string("-arch=") + known, folder.at("empty.ptx"), "-o", folder.at("empty.cubin")}, kSeconds);
    if (ended && ended->exit == 0) return known;
  }
  return architecture;
}

}  // namespace

double KernelFigures::occupancy(unsigned blockThreads) const {
  constexpr int64_t kThreads = 2048, kRegisters = 65536, kShared = int64_t{100} << 10, kBlocks = 32;
  if (blockThreads == 0) return 0;
  int64_t blocks = std::min<int64_t>(kBlocks, kThreads / blockThreads);
  if (registers > 0) blocks = std::min<int64_t>(blocks, kRegisters / (int64_t{registers} * blockThreads));
  if (sharedBytes > 0) blocks = std::min<int64_t>(blocks, kShared / sharedBytes);
  return static_cast<double>(blocks * blockThreads) / kThreads;
}

Result<MachineCode> machineCodeOf(const std::string& ptx, const std::string& architecture) {
  const std::string ptxas = toolNamed("ptxas"), nvdisasm = toolNamed("nvdisasm");
  if (ptxas.empty())
    return fail(ErrorKind::Unsupported, "machine code needs ptxas of NVIDIA's CUDA toolkit, which was not found");
  const Folder folder;
  if (!folder.exists()) return fail(ErrorKind::Output, "no folder for temporary files can be made");
  std::ofstream(folder.at("kernels.ptx"), std::ios::binary) << ptx;
  MachineCode out;
  out.architecture = targetFrom(ptxas, architecture, folder);
  TESSERA_ASSIGN_OR_RETURN(const Ended ended, runProcess({ptxas, "-v", "-arch=" + out.architecture,
                                                          folder.at("kernels.ptx"), "-o", folder.at("kernels.cubin")},
                                                         kSeconds, folder.at("said")));
  const std::string said = folder.read("said");
  if (ended.exit != 0) return fail("ptxas refuses the kernels: " + said.substr(0, 1000));
  out.kernels = figuresIn(said);
  constexpr uint64_t kInstructionBytes = 16;  // since sm_70
  const auto bytes = codeBytesIn(folder.read("kernels.cubin"));
  for (KernelFigures& kernel : out.kernels)
    if (const auto found = bytes.find(kernel.name); found != bytes.end())
      kernel.instructions = static_cast<int64_t>(found->second / kInstructionBytes);
  if (nvdisasm.empty()) {
    out.without = "nvdisasm of NVIDIA's CUDA toolkit was not found";
    return out;
  }
  const auto listed = runProcess({nvdisasm, "-c", folder.at("kernels.cubin")}, kSeconds, folder.at("sass"));
  if (listed && listed->exit == 0)
    out.sass = folder.read("sass");
  else
    out.without = "nvdisasm gave no listing";
  return out;
}

std::string sassOf(const MachineCode& code, const std::string& kernel) {
  const size_t begin = code.sass.find(".section\t.text." + kernel + ",");
  if (begin == std::string::npos) return {};
  const size_t end = code.sass.find("\n\t.section\t", begin + 1);
  return code.sass.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace tessera
