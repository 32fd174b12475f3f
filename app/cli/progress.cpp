// A thread of its own writes, so that a phase that tells nothing for long is seen, too.
#include "app/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "core/base/units.h"

namespace tessera::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kQuiet = std::chrono::seconds(2);
constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr double kLeastDone = 0.02;  // below, what remains is a guess

size_t columnsOfTerminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Bytes of a text that fit; no letter is cut.
std::string cutTo(std::string text, size_t columns) {
  if (text.size() <= columns) return text;
  size_t end = columns;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string secondsText(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  return whole < 100 ? fmt::format("{} s", whole) : fmt::format("{} min", (whole + 30) / 60);
}

void put(const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progressText(std::string_view phase, double fraction, double seconds, double since) {
  std::string out(phase);
  if (fraction < 0) return seconds + since < 1 ? out : out + fmt::format(", since {}", secondsText(seconds + since));
  out += fmt::format(", {} done", percentText(fraction));
  const double left = fraction < kLeastDone ? 0 : seconds * (1 - fraction) / fraction - since;
  return left <= 0 ? out : out + fmt::format(", about {} left", secondsText(left));
}

class ProgressLine::Writer {
 public:
  Writer() : thread_([this](const std::stop_token& stop) { run(stop); }) {}
  ~Writer() {
    thread_.request_stop();
    thread_.join();
    wipe();
  }

  void tell(std::string_view phase, double fraction) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (fraction < fraction_ || fraction_ < 0) phaseBegan_ = toldAt_ = now;  // other work
    if (fraction != fraction_) toldAt_ = now;
    phase_ = phase;
    fraction_ = fraction;
  }
  void wipe() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(shown_, false)) put("\r\x1b[K");
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto wait = [&](auto time) { wake_.wait_for(lock, stop, time, [] { return false; }); };
    wait(kQuiet);
    while (!stop.stop_requested()) {
      if (!phase_.empty()) show();
      wait(kBetween);
    }
  }
  void show() {
    const auto between = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
    const std::string text =
        progressText(phase_, fraction_, between(phaseBegan_, toldAt_), between(toldAt_, Clock::now()));
    put("\r" + cutTo(text, columnsOfTerminal() - 1) + "\x1b[K");
    shown_ = true;
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string phase_;
  double fraction_ = -1;
  Clock::time_point phaseBegan_ = Clock::now(), toldAt_ = phaseBegan_;
  bool shown_ = false;
  std::jthread thread_;  // last: it uses the others
};

ProgressLine::ProgressLine() {
  if (::isatty(STDERR_FILENO)) writer_ = std::make_unique<Writer>();
}
ProgressLine::~ProgressLine() = default;

void ProgressLine::tell(std::string_view phase, double fraction) {
  if (writer_) writer_->tell(phase, fraction);
}

void ProgressLine::wipe() {
  if (writer_) writer_->wipe();
}

}  // namespace tessera::cli
