// A scene that nobody waits for any more is left soon, in whichever phase it is: view, arrangement, picture.
#include <gtest/gtest.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <string>
#include <thread>

#include "core/arrange/placed.h"
#include "core/formats/hlo_text.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

double secondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}
double worked() { return secondsOf(CLOCK_THREAD_CPUTIME_ID); }

std::string exponentials(int length) {
  std::string text = "HloModule chain\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i < length; ++i)
    text += "  v" + std::to_string(i) + " = f32[8] exponential(v" + std::to_string(i - 1) + ")\n";
  return text + "  ROOT r = f32[8] negate(v" + std::to_string(length - 1) + ")\n}\n";
}

struct Opened {
  Module module = *readHloText(exponentials(15000)).module;
  ViewMaker maker{module};
  ViewOptions options;
  Opened() {
    const auto paths = maker.groupPaths(module.entry());
    options.openGroups.insert(paths.begin(), paths.end());
  }
  void draw(const std::stop_token& stop) {
    const GraphView view = maker.view(module.entry(), options, stop);
    if (stop.stop_requested()) return;
    const Arrangement arrangement = arrangePage(module, view, {}, stop);
    if (stop.stop_requested()) return;
    tessera::draw(module, view, arrangement, nullptr, stop);
  }
};

// In time of the thread that works: others who use the machine do not count.
TEST(Stop, IsHeardInEveryPhase) {
  Opened opened;
  opened.draw({});
  const double before = worked();
  opened.draw({});
  const double whole = worked() - before;
  clockid_t clock{};
  ASSERT_EQ(pthread_getcpuclockid(pthread_self(), &clock), 0);
  for (const double part : {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9}) {
    std::stop_source stop;
    std::atomic<double> stopped = 0;
    const double begun = worked();
    std::thread other([&] {
      while (secondsOf(clock) < begun + part * whole) std::this_thread::yield();
      stop.request_stop();
      stopped = secondsOf(clock);  // after it: this thread may have to wait for a processor in between
    });
    opened.draw(stop.get_token());
    const double ended = worked();
    while (stopped == 0) worked();  // it was done before
    other.join();
    EXPECT_LT(ended - stopped, 0.2 * whole) << "at " << part << " of " << whole << " s";
  }
}

}  // namespace
}  // namespace tessera
