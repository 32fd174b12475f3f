// What the processor counted while a program ran: cycles, instructions, cache misses of all threads of this process, by
// Linux's perf_event, in user space alone; and what the kernel accounts for anyway. Used by run_request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct CounterKind {
  std::string name;  // "cycles"
  uint32_t type = 0;
  uint64_t config = 0;  // as perf_event_open has them
};
const std::vector<CounterKind>& hardwareCounterKinds();

struct CounterValue {
  std::string name;
  double count = 0;  // scaled where the processor counted only a part of the time
};

struct CounterReading {
  uint64_t count = 0;
  uint64_t enabledNs = 0, runningNs = 0;  // how long it should have counted, and how long it did
};

// The system calls of perf_event; tests have a kernel of their own.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  virtual int open(const CounterKind& kind, int thread) = 0;  // a descriptor, stopped; below 0: -errno
  virtual CounterReading start(int descriptor) = 0;           // the count is 0 then, the times go on from these
  virtual std::optional<CounterReading> stop(int descriptor) = 0;
  virtual void close(int descriptor) = 0;
};
PerfEvents& perfEventsOfThisKernel();

class HardwareCounters {
 public:
  // Of the threads that there are now. What cannot be counted is left out; absence() says why where nothing can.
  explicit HardwareCounters(const std::vector<CounterKind>& kinds = hardwareCounterKinds(),
                            PerfEvents& events = perfEventsOfThisKernel());
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  const std::string& absence() const { return absence_; }  // empty: something is counted
  void start();                                            // from zero
  // A kind that the processor had no room for, because other programs count, is left out.
  std::vector<CounterValue> stop();

 private:
  struct Open {
    size_t kind = 0;
    int descriptor = -1;
    CounterReading begun = {};
  };
  std::vector<CounterKind> kinds_;
  PerfEvents& events_;
  std::vector<Open> open_;
  std::string absence_;
};

// What the kernel keeps of this process, with no permission asked: page faults, and how often a thread waited or was
// preempted. A run that was preempted says little about a program.
class ProcessAccount {
 public:
  ProcessAccount() : begun_(now()) {}
  std::vector<CounterValue> sinceThen() const;

 private:
  static std::vector<CounterValue> now();
  std::vector<CounterValue> begun_;
};

}  // namespace tessera
