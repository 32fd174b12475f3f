// Devices that are threads of one process. A DeviceGroup is N replicas × M partitions, a thread each; a
// ThreadCommunicator is one device's end of it. An exchange returns when every member has come, with the values in the
// order of the members. A wait that can never end (a member that has finished, or everybody waiting) fails on all
// devices and names which device waits for which. Used by core/evaluate/replicas.h and the backends.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "core/devices/communicator.h"

namespace tessera {

class DeviceGroup {
 public:
  explicit DeviceGroup(DeviceGrid grid, HostFeeds feeds = {});
  const DeviceGrid& grid() const { return grid_; }
  // The device takes no further part; whoever waits for it fails, or gets `failure` when it has failed itself.
  void finish(int64_t device, const Diagnostic* failure = nullptr);

 private:
  friend class ThreadCommunicator;
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
  Status wait(std::unique_lock<std::mutex>& lock, int64_t device, const Cancelled& cancelled);
  void complete(Round& round);
  void checkProgress();
  void stop(Diagnostic failure);
  std::string nameOf(int64_t device) const { return grid_.nameOf(device); }
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

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(DeviceGroup& group, int64_t device) : Communicator(group.grid(), device), group_(group) {}
  Result<DeviceValues> exchange(const Rendezvous& rendezvous, Literal value, const Cancelled& cancelled) override;
  Status send(int64_t channel, int64_t target, Literal value) override;
  Result<Literal> receive(int64_t channel, const Shape& shape, std::string what, const Cancelled& cancelled) override;
  Result<Literal> infeed(const Shape& shape) override;
  Status outfeed(const Literal& value) override;
  const CustomCallLibrary* customCalls() const override { return group_.feeds_.customCalls; }

 private:
  DeviceGroup& group_;
};

}  // namespace tessera
