// See hardware_counters.h.
#include "backends/hardware_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace tessera {
namespace {

class KernelPerfEvents final : public PerfEvents {
 public:
  int open(const CounterKind& kind, int thread) override {
    perf_event_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = kind.type;
    attributes.config = kind.config;
    attributes.disabled = 1;
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const auto descriptor =
        static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    return descriptor < 0 ? -errno : descriptor;
  }
  CounterReading start(int descriptor) override {
    ioctl(descriptor, PERF_EVENT_IOC_RESET, 0);
    const CounterReading begun = read(descriptor).value_or(CounterReading());
    ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0);
    return begun;
  }
  std::optional<CounterReading> stop(int descriptor) override {
    ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
    return read(descriptor);
  }
  void close(int descriptor) override { ::close(descriptor); }

 private:
  static std::optional<CounterReading> read(int descriptor) {
    CounterReading out;
    static_assert(sizeof out == 3 * sizeof(uint64_t));  // the layout of read_format
    if (::read(descriptor, &out, sizeof out) != static_cast<ssize_t>(sizeof out)) return std::nullopt;
    return out;
  }
};

// The count, had it gone on all the time; nullopt: the processor never counted while it should have.
std::optional<double> wholeCount(const CounterReading& begun, const CounterReading& ended) {
  const auto enabled = static_cast<double>(ended.enabledNs - begun.enabledNs);
  const auto running = static_cast<double>(ended.runningNs - begun.runningNs);
  if (running > 0) return static_cast<double>(ended.count) * enabled / running;
  return enabled > 0 ? std::nullopt : std::optional(0.0);  // a thread that slept counts nothing
}

std::vector<pid_t> threadsOfThisProcess() {
  std::vector<pid_t> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename().string();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc()) out.push_back(thread);
  }
  return out;
}

// The usual reasons, in words.
std::string reasonOf(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "this machine has none, or its virtual machine hides them";
    case EACCES:
    case EPERM: return "the kernel does not allow it (kernel.perf_event_paranoid)";
    case ENOSYS: return "the kernel has no perf_event";
    default: return std::strerror(error);
  }
}

}  // namespace

PerfEvents& perfEventsOfThisKernel() {
  static KernelPerfEvents one;
  return one;
}

const std::vector<CounterKind>& hardwareCounterKinds() {
  static const std::vector<CounterKind> kAll = {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                                {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                                {"cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}};
  return kAll;
}

HardwareCounters::HardwareCounters(const std::vector<CounterKind>& kinds, PerfEvents& events)
    : kinds_(kinds), events_(events) {
  int error = ENOENT;
  for (pid_t thread : threadsOfThisProcess())
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      const int descriptor = events_.open(kinds_[kind], thread);
      if (descriptor >= 0)
        open_.push_back({kind, descriptor});
      else
        error = -descriptor;
    }
  if (open_.empty()) absence_ = reasonOf(error);
}

HardwareCounters::~HardwareCounters() {
  for (const Open& each : open_) events_.close(each.descriptor);
}

void HardwareCounters::start() {
  for (Open& each : open_) each.begun = events_.start(each.descriptor);
}

std::vector<CounterValue> HardwareCounters::stop() {
  std::vector<double> sums(kinds_.size());
  std::vector<bool> opened(kinds_.size()), missed(kinds_.size());
  for (const Open& each : open_) {
    opened[each.kind] = true;
    const auto reading = events_.stop(each.descriptor);
    const auto count = reading ? wholeCount(each.begun, *reading) : std::nullopt;
    if (count)
      sums[each.kind] += *count;
    else
      missed[each.kind] = true;
  }
  std::vector<CounterValue> out;
  for (size_t kind = 0; kind < kinds_.size(); ++kind)
    if (opened[kind] && !missed[kind]) out.push_back({kinds_[kind].name, sums[kind]});
  return out;
}

std::vector<CounterValue> ProcessAccount::now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {{"page faults", static_cast<double>(usage.ru_minflt + usage.ru_majflt)},
          {"waits", static_cast<double>(usage.ru_nvcsw)},
          {"preemptions", static_cast<double>(usage.ru_nivcsw)}};
}

std::vector<CounterValue> ProcessAccount::sinceThen() const {
  std::vector<CounterValue> out = now();
  for (size_t i = 0; i < out.size(); ++i) out[i].count -= begun_[i].count;
  return out;
}

}  // namespace tessera
