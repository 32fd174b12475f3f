// See rank_trial.h.
#include "app/cli/rank_trial.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/child_process.h"
#include "core/formats/file_content.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestRun = 300;  // seconds

// A folder of our own for what ranks print, removed with the object.
class TrialFolder {
 public:
  TrialFolder() {
    std::string name = (fs::temp_directory_path() / "tessera-ranks-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~TrialFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

// More ranks than cores, and root, are what Open MPI wants to be asked for; other MPIs do not read these.
void allowRanksHere() {
  for (const char* name :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
    ::setenv(name, "1", 0);
}

// The object among what mpirun may have said beside it.
Result<double> runTimeIn(const std::string& printed) {
  const size_t begin = printed.find('{'), end = printed.rfind('}');
  const auto object = begin == std::string::npos || end == std::string::npos
                          ? nlohmann::json()
                          : nlohmann::json::parse(printed.substr(begin, end + 1 - begin), nullptr, false);
  if (object.is_object() && object.contains("run_ms")) return object["run_ms"].get<double>();
  if (object.is_object() && object.contains("error"))
    return fail(ErrorKind::Runtime, object["error"].value("message", "the run failed"));
  return fail(ErrorKind::Runtime, "mpirun says: " + printed.substr(0, printed.find('\n')));
}

std::string permuteProgram(int64_t floats) {
  return fmt::format(
      "HloModule permute, replica_count=2\n\nENTRY main {{\n  x = f32[{0}] parameter(0)\n"
      "  ROOT r = f32[{0}] collective-permute(x), source_target_pairs={{{{0,1}},{{1,0}}}}\n}}\n",
      floats);
}

}  // namespace

Result<double> measureRanks(const std::string& file, const RankDevice& on, DeviceGrid grid, int64_t runs) {
  const TrialFolder folder;
  const std::string printed = folder.write("printed", "");
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  allowRanksHere();
  std::vector<std::string> words{
      "mpirun",       "-n",     std::to_string(grid.count()), self.string(), "run", file,
      "--engine=mpi", "--json", "--backend=" + on.backend,
  };
  for (const auto& [option, value] :
       {std::pair("replicas", grid.replicas), {"partitions", grid.partitions}, {"runs", runs}})
    words.push_back(fmt::format("--{}={}", option, value));
  if (!on.device.empty()) words.push_back("--device=" + on.device);
  TESSERA_ASSIGN_OR_RETURN(const Ended ended, runProcess(words, kLongestRun, printed));
  if (ended.timedOut) return fail(ErrorKind::Runtime, "the ranks did not end within the time limit");
  TESSERA_ASSIGN_OR_RETURN(const std::string text, readFile(printed));
  return runTimeIn(text);
}

Result<Links> measureLinksHere(const RankDevice& on) {
  constexpr int64_t kFloats = int64_t{1} << 20, kRuns = 20;
  const TrialFolder folder;
  const auto secondsOf = [&](int64_t floats) -> Result<double> {
    const std::string file = folder.write(fmt::format("permute{}.hlo", floats), permuteProgram(floats));
    TESSERA_ASSIGN_OR_RETURN(const double ms, measureRanks(file, on, {2, 1}, kRuns));
    return ms / 1e3;
  };
  TESSERA_ASSIGN_OR_RETURN(const double least, secondsOf(1));
  TESSERA_ASSIGN_OR_RETURN(const double most, secondsOf(kFloats));
  const double bytes = static_cast<double>(kFloats) * sizeof(float);
  Links out{"here", "ranks on this machine", "measured: a permute between two ranks", 1, {}, {}};
  out.outer = {Topology::Switch, bytes / std::max(most - least, 1e-9), least};
  return out;
}

}  // namespace tessera::cli
