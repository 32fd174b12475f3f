// See collectives.h. One lock for the group: exchanges carry whole arrays, so they are rare beside the work between
// them.
#include "core/devices/collectives.h"

#include <algorithm>
#include <chrono>

namespace tessera {
DeviceGroup::DeviceGroup(DeviceGrid grid, HostFeeds feeds)
    : grid_(grid), feeds_(std::move(feeds)), devices_(static_cast<size_t>(grid.count())) {}

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

Status DeviceGroup::wait(std::unique_lock<std::mutex>& lock, int64_t device, const Cancelled& cancelled) {
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

Result<DeviceValues> ThreadCommunicator::exchange(const Rendezvous& rendezvous, Literal value,
                                                  const Cancelled& cancelled) {
  TESSERA_ASSIGN_OR_RETURN(const size_t place, placeIn(rendezvous));
  if (rendezvous.members.size() == 1) return DeviceValues{std::move(value)};

  std::unique_lock lock(group_.mutex_);
  if (group_.failure_) return std::unexpected(*group_.failure_);
  const std::pair key(rendezvous.key, rendezvous.members);
  std::shared_ptr<DeviceGroup::Round>& open = group_.rounds_[key];
  if (!open)
    open = std::make_shared<DeviceGroup::Round>(
        DeviceGroup::Round{rendezvous, std::vector<std::optional<Literal>>(rendezvous.members.size()), 0});
  const std::shared_ptr<DeviceGroup::Round> round = open;
  round->values[place] = std::move(value);
  DeviceGroup::Device& self = group_.devices_[static_cast<size_t>(device())];
  self.what = rendezvous.what;
  if (++round->arrived == rendezvous.members.size()) {
    group_.rounds_.erase(key);
    group_.complete(*round);
    self.ready = false;
  } else {
    self.round = round.get();
    TESSERA_TRY(group_.wait(lock, device(), cancelled));
  }
  DeviceValues out;
  for (const std::optional<Literal>& each : round->values) out.push_back(*each);
  return out;
}

Status ThreadCommunicator::send(int64_t channel, int64_t target, Literal value) {
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

Result<Literal> ThreadCommunicator::receive(int64_t channel, const Shape&, std::string what,
                                            const Cancelled& cancelled) {
  std::unique_lock lock(group_.mutex_);
  if (group_.failure_) return std::unexpected(*group_.failure_);
  const DeviceGroup::Mailbox box(channel, device());
  std::deque<Literal>& mail = group_.mail_[box];
  if (mail.empty()) {
    group_.receivers_[box] = device();
    group_.devices_[static_cast<size_t>(device())].what = std::move(what);
    const Status came = group_.wait(lock, device(), cancelled);
    group_.receivers_.erase(box);
    TESSERA_TRY(came);
  }
  Literal value = std::move(mail.front());
  mail.pop_front();
  return value;
}

Result<Literal> ThreadCommunicator::infeed(const Shape& shape) {
  std::lock_guard lock(group_.mutex_);
  return group_.feeds_.take(device(), shape);
}

Status ThreadCommunicator::outfeed(const Literal& value) {
  std::lock_guard lock(group_.mutex_);
  return group_.feeds_.give(device(), value);
}

}  // namespace tessera
