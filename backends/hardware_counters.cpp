// See hardware_counters.h.
#include "backends/hardware_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace tessera {
namespace {

int openCounter(const CounterKind& kind, pid_t thread) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.disabled = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, 0));
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

const std::vector<CounterKind>& hardwareCounterKinds() {
  static const std::vector<CounterKind> kAll = {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                                {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                                {"cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}};
  return kAll;
}

HardwareCounters::HardwareCounters(const std::vector<CounterKind>& kinds) : kinds_(kinds) {
  int error = ENOENT;
  for (pid_t thread : threadsOfThisProcess())
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      const int descriptor = openCounter(kinds_[kind], thread);
      if (descriptor >= 0)
        open_.push_back({kind, descriptor});
      else
        error = errno;
    }
  if (open_.empty()) absence_ = reasonOf(error);
}

HardwareCounters::~HardwareCounters() {
  for (const Open& each : open_) close(each.descriptor);
}

void HardwareCounters::start() {
  for (const Open& each : open_) {
    ioctl(each.descriptor, PERF_EVENT_IOC_RESET, 0);
    ioctl(each.descriptor, PERF_EVENT_IOC_ENABLE, 0);
  }
}

std::vector<CounterValue> HardwareCounters::stop() {
  std::vector<double> sums(kinds_.size());
  std::vector<bool> known(kinds_.size());
  for (const Open& each : open_) {
    ioctl(each.descriptor, PERF_EVENT_IOC_DISABLE, 0);
    std::array<uint64_t, 3> value{};  // count, time enabled, time running
    if (read(each.descriptor, value.data(), sizeof value) != static_cast<ssize_t>(sizeof value)) continue;
    const double scale = value[2] > 0 ? static_cast<double>(value[1]) / static_cast<double>(value[2]) : 1;
    sums[each.kind] += static_cast<double>(value[0]) * scale;
    known[each.kind] = true;
  }
  std::vector<CounterValue> out;
  for (size_t kind = 0; kind < kinds_.size(); ++kind)
    if (known[kind]) out.push_back({kinds_[kind].name, sums[kind]});
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
