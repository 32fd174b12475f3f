// Staging: arrays of the host to a device and back through pinned memory, so that the copies run while the next piece
// is being moved. Two pinned pieces take turns. Where no pinned memory is to be had, the driver copies by itself.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "backends/cuda/device.h"

namespace tessera::cuda {

class Staging {
 public:
  explicit Staging(Device& device) : device_(device) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The source has been read when the call returns.
  Status toDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream);
  // The arrays are filled when finish() returns.
  Status toHost(std::span<std::byte> to, DeviceAddress from, StreamId stream);
  Status finish(StreamId stream, const std::atomic<bool>* cancel);
  // After a failure: what has not arrived never will.
  void drop();

 private:
  struct Arrival {
    std::span<std::byte> to;
    const std::byte* from;
  };
  struct Piece {
    std::byte* memory = nullptr;
    EventId event = EventId::None;  // when the copies through it have ended
    bool isUsed = false;
    std::vector<Arrival> arrivals;
  };
  bool open();
  Status release(Piece& piece);
  // Room for `bytes` at most, at least one.
  Result<std::span<std::byte>> room(size_t bytes, StreamId stream);

  Device& device_;
  std::array<Piece, 2> pieces_;
  size_t current_ = 0, filled_ = 0;  // bytes of the current piece
  bool isOpen_ = false, isRefused_ = false;
};

}  // namespace tessera::cuda
