// A line on the terminal about work that lasts: its phase, the part that is done, what remains. It appears after two
// seconds and is wiped at the end; where stderr is no terminal nothing is written. Used by run, compile, opt and
// reduce.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool isOnTerminal() const { return writer_ != nullptr; }
  // fraction: of the work of the stage; below 0: unknown.
  void tell(std::string_view phase, double fraction);
  void wipe();  // before something else is written; it comes back

  // For CompileOptions; the line must live longer.
  std::function<void(std::string_view, double)> teller() {
    return [this](std::string_view phase, double fraction) { tell(phase, fraction); };
  }

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;  // null: no terminal
};

// "compile: fuse, 43 % done, about 12 s left"; seconds: that the work took until `fraction` of it was done; since: how
// long ago that was. What remains is not told where it is over already.
std::string progressText(std::string_view phase, double fraction, double seconds, double since);

}  // namespace tessera::cli
