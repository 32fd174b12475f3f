// See staging.h.
#include "backends/cuda/program/staging.h"

#include <algorithm>
#include <cstring>

namespace tessera::cuda {

namespace {

constexpr size_t kPieceBytes = size_t{4} << 20, kStagedAlignment = 64;

}  // namespace

Staging::~Staging() {
  for (Piece& piece : pieces_) {
    if (piece.memory) (void)device_.releasePinned(piece.memory);
    if (piece.event != EventId::None) (void)device_.releaseEvent(piece.event);
  }
}

bool Staging::open() {
  if (isOpen_ || isRefused_) return isOpen_;
  for (Piece& piece : pieces_) {
    auto memory = device_.allocatePinned(kPieceBytes);
    auto event = device_.makeEvent();
    if (memory) piece.memory = *memory;
    if (event) piece.event = *event;
    isRefused_ = isRefused_ || !memory || !event;
  }
  isOpen_ = !isRefused_;
  return isOpen_;
}

// What went through it has ended; what came is where it belongs.
Status Staging::release(Piece& piece) {
  if (piece.isUsed) TESSERA_TRY(device_.synchronize(piece.event));
  for (const Arrival& arrival : piece.arrivals) std::memcpy(arrival.to.data(), arrival.from, arrival.to.size());
  piece.arrivals.clear();
  piece.isUsed = false;
  return {};
}

Result<std::span<std::byte>> Staging::room(size_t bytes, StreamId stream) {
  if (filled_ == kPieceBytes) {
    TESSERA_TRY(device_.record(pieces_[current_].event, stream));
    pieces_[current_].isUsed = true;
    current_ = 1 - current_;
    filled_ = 0;
    TESSERA_TRY(release(pieces_[current_]));
  }
  const size_t count = std::min(bytes, kPieceBytes - filled_);
  const std::span<std::byte> out(pieces_[current_].memory + filled_, count);
  filled_ = std::min(kPieceBytes, (filled_ + count + kStagedAlignment - 1) / kStagedAlignment * kStagedAlignment);
  return out;
}

Status Staging::toDevice(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  if (!open()) return device_.copyToDevice(to, from, stream);
  while (!from.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const std::span<std::byte> piece, room(from.size(), stream));
    std::memcpy(piece.data(), from.data(), piece.size());
    TESSERA_TRY(device_.copyToDevice(to, piece, stream));
    to += piece.size();
    from = from.subspan(piece.size());
  }
  return {};
}

Status Staging::toHost(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  if (!open()) return device_.copyToHost(to, from, stream);
  while (!to.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const std::span<std::byte> piece, room(to.size(), stream));
    TESSERA_TRY(device_.copyToHost(piece, from, stream));
    pieces_[current_].arrivals.push_back({to.first(piece.size()), piece.data()});
    from += piece.size();
    to = to.subspan(piece.size());
  }
  return {};
}

Status Staging::finish(StreamId stream, const std::atomic<bool>* cancel) {
  TESSERA_TRY(device_.synchronize(stream, cancel));
  for (Piece& piece : pieces_) TESSERA_TRY(release(piece));
  drop();
  return {};
}

void Staging::drop() {
  for (Piece& piece : pieces_) piece.arrivals.clear(), piece.isUsed = false;
  current_ = filled_ = 0;
}

}  // namespace tessera::cuda
