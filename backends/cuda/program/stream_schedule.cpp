// See stream_schedule.h. The memory is kept as pieces between the bounds of all ranges so far, each with its last
// writer and those that have read it since.
#include "backends/cuda/program/stream_schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace tessera::cuda {

namespace {

constexpr size_t kNone = SIZE_MAX;

class LastAccesses {
 public:
  // Units that `unit` must wait for.
  std::set<size_t> add(size_t unit, const UnitAccess& access) {
    std::set<size_t> out;
    for (const MemoryRange& range : access.reads)
      forEachPiece(range, [&](Piece& piece) {
        if (piece.writer != kNone) out.insert(piece.writer);
        piece.readers.push_back(unit);
      });
    for (const MemoryRange& range : access.writes)
      forEachPiece(range, [&](Piece& piece) {
        if (piece.writer != kNone) out.insert(piece.writer);
        out.insert(piece.readers.begin(), piece.readers.end());
        piece = {unit, {}};
      });
    out.erase(unit);
    return out;
  }

 private:
  struct Piece {
    size_t writer = kNone;
    std::vector<size_t> readers;
  };

  // Begins a piece at the address.
  void cut(uint64_t address) {
    auto next = pieces_.lower_bound(address);
    if (next != pieces_.end() && next->first == address) return;
    pieces_.emplace_hint(next, address, next == pieces_.begin() ? Piece{} : std::prev(next)->second);
  }
  template <class Visit>
  void forEachPiece(const MemoryRange& range, const Visit& visit) {
    if (range.begin >= range.end) return;
    cut(range.begin);
    cut(range.end);
    for (auto at = pieces_.find(range.begin); at->first < range.end; ++at) visit(at->second);
  }

  std::map<uint64_t, Piece> pieces_;  // by where they begin
};

class Scheduler {
 public:
  explicit Scheduler(int mostStreams) : seen_(static_cast<size_t>(mostStreams)), most_(mostStreams) {}

  void add(const UnitAccess& access) {
    const size_t unit = out_.units.size();
    const std::set<size_t> before = memory_.add(unit, access);
    ScheduledUnit& placed = out_.units.emplace_back();
    placed.stream = streamAfter(before);
    const auto own = static_cast<size_t>(placed.stream);
    auto& seen = seen_[own];
    // Later units of a stream include the earlier ones.
    for (auto at = before.rbegin(); at != before.rend(); ++at) {
      const auto other = static_cast<size_t>(out_.units[*at].stream);
      if (other == own) continue;
      seen.resize(std::max(seen.size(), tails_.size()), kNone);
      if (seen[other] != kNone && seen[other] >= *at) continue;
      seen[other] = *at;
      placed.waits.push_back(*at);
      out_.units[*at].isAwaited = true;
    }
    tails_[own] = unit;
  }

  StreamSchedule finish() {
    out_.streams = std::max<int>(1, static_cast<int>(tails_.size()));
    for (size_t stream = 1; stream < tails_.size(); ++stream) {
      out_.last.push_back(tails_[stream]);
      out_.units[tails_[stream]].isAwaited = true;
    }
    return std::move(out_);
  }

 private:
  // Behind the newest of those that it waits for where that one is the last of its stream, else a new stream, else the
  // one whose last unit is the oldest.
  int streamAfter(const std::set<size_t>& before) {
    for (auto at = before.rbegin(); at != before.rend(); ++at) {
      const int stream = out_.units[*at].stream;
      if (tails_[static_cast<size_t>(stream)] == *at) return stream;
    }
    if (static_cast<int>(tails_.size()) < most_) {
      tails_.push_back(kNone);
      return static_cast<int>(tails_.size()) - 1;
    }
    return static_cast<int>(std::ranges::min_element(tails_) - tails_.begin());
  }

  LastAccesses memory_;
  std::vector<size_t> tails_;              // by stream: its last unit
  std::vector<std::vector<size_t>> seen_;  // by stream and other stream: the newest unit that it has waited for
  StreamSchedule out_;
  int most_;
};

}  // namespace

StreamSchedule scheduleOnStreams(std::span<const UnitAccess> units, int mostStreams) {
  Scheduler scheduler(std::max(1, mostStreams));
  for (const UnitAccess& unit : units) scheduler.add(unit);
  return scheduler.finish();
}

}  // namespace tessera::cuda
