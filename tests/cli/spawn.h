// Runs the real `tessera` as a child, in a scratch folder of its own, and gives what it printed and its exit code.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tessera {

struct Ran {
  int exit = -1;  // 128 + signal when it was killed; 124 when it did not end in a minute
  std::string out, err;
};

inline std::string contentOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder that is removed with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-cli-XXXXXX").string();
    folder_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  // `arguments` is shell text: "check 'a b.hlo' | cat" works. Paths are relative to `in` (default: the scratch folder).
  // `environment`: "NAME=value" for the program.
  Ran tessera(const std::string& arguments, const std::filesystem::path& in = {},
              const std::string& environment = {}) const {
    return program(TESSERA_PROGRAM, arguments, in, environment);
  }
  // Another program of the build.
  Ran program(const std::string& path, const std::string& arguments, std::filesystem::path in = {},
              const std::string& environment = {}) const {
    if (in.empty()) in = folder_;
    const std::string out = (folder_ / ".stdout").string(), err = (folder_ / ".stderr").string();
    const std::string command = "cd '" + in.string() + "' && { TESSERA_KERNEL_CACHE=off " + environment +
                                " timeout 60 '" + path + "' " + arguments + " ; } >'" + out + "' 2>'" + err + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contentOf(out), contentOf(err)};
  }

 private:
  std::filesystem::path folder_;
};

// Programs that the tests of the command line share.
inline constexpr const char* kAddProgram = R"(HloModule add

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT sum = f32[4] add(x, y)
}
)";

// One negate of `elements` floats.
inline std::string negateProgram(const std::string& elements) {
  const std::string shape = "f32[" + elements + "]";
  return "HloModule negate\n\nENTRY main {\n  x = " + shape + " parameter(0)\n  ROOT n = " + shape + " negate(x)\n}\n";
}

}  // namespace tessera
