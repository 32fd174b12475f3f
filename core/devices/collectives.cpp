// See collectives.h. One lock for the group: exchanges carry whole arrays, so they are rare beside the work between
// them.
#include "core/devices/collectives.h"

#include <algorithm>
#include <chrono>

namespace tessera {
DeviceGroup::DeviceGroup(DeviceGrid grid, HostFeeds feeds)
    : grid_(grid), feeds_(std::move(feeds)), devices_(static_cast<size_t>(grid.count())) {}

std::string DeviceGroup::nameOf(int64_t device) const {
  std::string name = "replica " + std::to_string(device / grid_.partitions);
  return grid_.partitions > 1 ? name + ", partition " + std::to_string(device % grid_.partitions) : name;
}

std::string DeviceGroup::situationOf(int64_t device) const {
  const Device& other = devices_[static_cast<size_t>(device)];
  if (other.finished) return nameOf(device) + ", which has finished";
  if (other.waiting && !other.ready) return nameOf(device) + ", which waits at " + other.what;
  return nameOf(device);
}

void DeviceGroup::stop(Diagnostic failure) {
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_all();
}

// Fails the run when somebody waits for a device that has finished, or when nobody is left who could do anything.
void DeviceGroup::checkProgress() {
  if (failure_) return;
  const bool anybodyRuns =
      std::ranges::any_of(devices_, [](const Device& d) { return !d.finished && (!d.waiting || d.ready); });
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    if (!device.waiting || device.ready) continue;
    if (!device.round) {
      if (anybodyRuns) continue;
      return stop(
          {.kind = ErrorKind::Runtime,
           .message = device.what + " on " + nameOf(static_cast<int64_t>(i)) + " waits for a send that never comes"});
    }
    for (size_t m = 0; m < device.round->values.size(); ++m) {
      const int64_t member = device.round->rendezvous.members[m];
      if (device.round->values[m] || (anybodyRuns && !devices_[static_cast<size_t>(member)].finished)) continue;
      return stop(
          {.kind = ErrorKind::Runtime,
           .message = device.what + " on " + nameOf(static_cast<int64_t>(i)) + " waits for " + situationOf(member)});
    }
  }
}

Status DeviceGroup::wait(std::unique_lock<std::mutex>& lock, int64_t device, const std::function<bool()>& cancelled) {
  constexpr auto kPoll = std::chrono::milliseconds(50);
  Device& self = devices_[static_cast<size_t>(device)];
  self.waiting = true;
  checkProgress();
  while (!self.ready && !failure_) {
    changed_.wait_for(lock, kPoll);
    if (!self.ready && !failure_ && cancelled && cancelled()) stop(failCancelled().error());
  }
  const bool came = self.ready;
  self.waiting = self.ready = false;
  self.round = nullptr;
  if (!came) return std::unexpected(*failure_);
  return {};
}

void DeviceGroup::complete(Round& round) {
  for (int64_t member : round.rendezvous.members) devices_[static_cast<size_t>(member)].ready = true;
  changed_.notify_all();
}

void DeviceGroup::finish(int64_t device, const Diagnostic* failure) {
  std::lock_guard lock(mutex_);
  devices_[static_cast<size_t>(device)].finished = true;
  if (failure) return stop(*failure);
  checkProgress();
}

Result<std::vector<Literal>> Communicator::exchange(const Rendezvous& rendezvous, Literal value,
                                                    const std::function<bool()>& cancelled) {
  const auto place = std::ranges::find(rendezvous.members, device_);
  if (place == rendezvous.members.end())
    return fail(ErrorKind::Runtime, rendezvous.what + ": " + group_.nameOf(device_) + " is in no group");
  for (int64_t member : rendezvous.members)
    if (member < 0 || member >= grid().count())
      return fail(ErrorKind::Runtime, rendezvous.what + " names device " + std::to_string(member) + "; the run has " +
                                          std::to_string(grid().count()));
  if (rendezvous.members.size() == 1) return std::vector<Literal>{std::move(value)};

  std::unique_lock lock(group_.mutex_);
  if (group_.failure_) return std::unexpected(*group_.failure_);
  const std::pair key(rendezvous.key, rendezvous.members);
  std::shared_ptr<DeviceGroup::Round>& open = group_.rounds_[key];
  if (!open)
    open = std::make_shared<DeviceGroup::Round>(
        DeviceGroup::Round{rendezvous, std::vector<std::optional<Literal>>(rendezvous.members.size()), 0});
  const std::shared_ptr<DeviceGroup::Round> round = open;
  round->values[static_cast<size_t>(place - rendezvous.members.begin())] = std::move(value);
  DeviceGroup::Device& self = group_.devices_[static_cast<size_t>(device_)];
  self.what = rendezvous.what;
  if (++round->arrived == rendezvous.members.size()) {
    group_.rounds_.erase(key);
    group_.complete(*round);
    self.ready = false;
  } else {
    self.round = round.get();
    TESSERA_TRY(group_.wait(lock, device_, cancelled));
  }
  std::vector<Literal> out;
  for (const std::optional<Literal>& each : round->values) out.push_back(*each);
  return out;
}

Status Communicator::send(int64_t channel, int64_t target, Literal value) {
  if (target < 0 || target >= grid().count())
    return fail(ErrorKind::Runtime,
                "a send names device " + std::to_string(target) + "; the run has " + std::to_string(grid().count()));
  std::lock_guard lock(group_.mutex_);
  const DeviceGroup::Mailbox box(channel, target);
  group_.mail_[box].push_back(std::move(value));
  if (auto waiting = group_.receivers_.find(box); waiting != group_.receivers_.end()) {
    group_.devices_[static_cast<size_t>(waiting->second)].ready = true;
    group_.changed_.notify_all();
  }
  return {};
}

Result<Literal> Communicator::receive(int64_t channel, std::string what, const std::function<bool()>& cancelled) {
  std::unique_lock lock(group_.mutex_);
  if (group_.failure_) return std::unexpected(*group_.failure_);
  const DeviceGroup::Mailbox box(channel, device_);
  std::deque<Literal>& mail = group_.mail_[box];
  if (mail.empty()) {
    group_.receivers_[box] = device_;
    group_.devices_[static_cast<size_t>(device_)].what = std::move(what);
    const Status came = group_.wait(lock, device_, cancelled);
    group_.receivers_.erase(box);
    TESSERA_TRY(came);
  }
  Literal value = std::move(mail.front());
  mail.pop_front();
  return value;
}

Result<Literal> Communicator::infeed(const Shape& shape) {
  std::lock_guard lock(group_.mutex_);
  if (!group_.feeds_.infeed) return fail(ErrorKind::Runtime, "there is no source for the infeed");
  return group_.feeds_.infeed(device_, shape);
}

Status Communicator::outfeed(const Literal& value) {
  std::lock_guard lock(group_.mutex_);
  if (!group_.feeds_.outfeed) return fail(ErrorKind::Runtime, "there is no sink for the outfeed");
  return group_.feeds_.outfeed(device_, value);
}

}  // namespace tessera
