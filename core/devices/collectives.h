// The devices of one run and what they exchange. A DeviceGroup is N replicas × M partitions in one process, one thread
// each; a Communicator is one device's end of it, handed to the ops through EvaluateContext and RunOptions. Devices
// meet by key: an exchange returns when every member has come, with the values in the order of the members. A wait that
// can never end (a member that has finished, or everybody waiting) fails on all devices and names who waits for whom.
// Used by the collective ops, core/evaluate/replicas.h and the backends.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

// Devices are numbered replica · partitions + partition, as XLA flattens them.
struct DeviceGrid {
  static constexpr int64_t kMaxDevices = 1024;  // each device of a run is a thread

  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
  bool fits() const {
    return replicas >= 1 && partitions >= 1 && replicas <= kMaxDevices && partitions <= kMaxDevices &&
           count() <= kMaxDevices;
  }
};

// What an exchange is about: devices meet when key and members are equal. `what` names the instruction in messages.
struct Rendezvous {
  std::string key;
  std::vector<int64_t> members;
  std::string what;
};

class CustomCallLibrary;  // core/custom_calls/custom_call_library.h

// The outside of the devices: data that comes and goes, in the order of the instructions that take and give it, and the
// user's own targets of custom calls.
struct HostFeeds {
  // Shape of the data without the token; null: there is no source.
  std::function<Result<Literal>(int64_t device, const Shape&)> infeed;
  std::function<Status(int64_t device, const Literal&)> outfeed;
  const CustomCallLibrary* customCalls = nullptr;
};

class DeviceGroup {
 public:
  explicit DeviceGroup(DeviceGrid grid, HostFeeds feeds = {});
  const DeviceGrid& grid() const { return grid_; }
  // The device takes no further part; whoever waits for it fails, or gets `failure` when it has failed itself.
  void finish(int64_t device, const Diagnostic* failure = nullptr);

 private:
  friend class Communicator;
  struct Round {
    Rendezvous rendezvous;
    std::vector<std::optional<Literal>> values;  // by place in members
    size_t arrived = 0;
  };
  struct Device {
    bool finished = false, waiting = false;
    bool ready = false;  // waiting, and what it waits for is there
    std::string what;    // the instruction that waits
    const Round* round = nullptr;
  };
  using Mailbox = std::pair<int64_t, int64_t>;  // channel, target device

  // All of these with the lock held.
  Status wait(std::unique_lock<std::mutex>& lock, int64_t device, const std::function<bool()>& cancelled);
  void complete(Round& round);
  void checkProgress();
  void stop(Diagnostic failure);
  std::string nameOf(int64_t device) const;
  std::string situationOf(int64_t device) const;

  DeviceGrid grid_;
  HostFeeds feeds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  std::map<std::pair<std::string, std::vector<int64_t>>, std::shared_ptr<Round>> rounds_;
  std::map<Mailbox, std::deque<Literal>> mail_;
  std::map<Mailbox, int64_t> receivers_;  // devices that wait for mail
  std::optional<Diagnostic> failure_;
};

class Communicator {
 public:
  Communicator(DeviceGroup& group, int64_t device) : group_(group), device_(device) {}
  const DeviceGrid& grid() const { return group_.grid(); }
  int64_t device() const { return device_; }
  int64_t replica() const { return device_ / grid().partitions; }
  int64_t partition() const { return device_ % grid().partitions; }

  // Gives every member's value in the order of rendezvous.members; this device must be one of them.
  Result<std::vector<Literal>> exchange(const Rendezvous& rendezvous, Literal value,
                                        const std::function<bool()>& cancelled = {});
  // Leaves a value for `target` on a channel; never waits.
  Status send(int64_t channel, int64_t target, Literal value);
  // The oldest value that was sent to this device on the channel; waits for it.
  Result<Literal> receive(int64_t channel, std::string what, const std::function<bool()>& cancelled = {});
  Result<Literal> infeed(const Shape& shape);
  Status outfeed(const Literal& value);
  // Null: the built-in targets only.
  const CustomCallLibrary* customCalls() const { return group_.feeds_.customCalls; }

 private:
  DeviceGroup& group_;
  int64_t device_;
};

}  // namespace tessera
