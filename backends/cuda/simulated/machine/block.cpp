#include "backends/cuda/simulated/machine/block.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace tessera::cuda::simulated {

namespace {

constexpr int64_t kTurnInstructions = 16384;  // of a warp, before the next one has its turn

std::string text(Extent3 e) { return fmt::format("({},{},{})", e.x, e.y, e.z); }

Extent3 unravel(uint64_t number, Extent3 size) {
  return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
          static_cast<unsigned>(number / size.x / size.y)};
}

}  // namespace

Block::Block(const GridSetting& setting, Findings& findings) : setting_(setting), findings_(findings) {
  const unsigned warps = (setting.threads() + kLanes - 1) / kLanes;
  for (unsigned i = 0; i < warps; ++i) warps_.push_back(std::make_unique<Warp>(setting.kernel));
}

void Block::begin(uint64_t number) {
  number_ = number;
  index_ = unravel(number, setting_.grid);
  hasFailed_ = false;
  barriers_.fill({});
  const Kernel& kernel = setting_.kernel;
  const int64_t shared =
      setting_.dynamicSharedBytes ? kernel.dynamicSharedBegin + setting_.dynamicSharedBytes : kernel.sharedBytes;
  shared_.reset(shared, kernel.sharedGranule, static_cast<unsigned>(warps_.size()));
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const unsigned left = setting_.threads() - i * kLanes;
    warps_[i]->begin(*this, i, left >= kLanes ? kAllLanes : (LaneMask{1} << left) - 1);
  }
}

Block::Outcome Block::run(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    bool anyWorks = false, anyLives = false;
    for (auto& warp : warps_) {
      if (!warp->live()) continue;
      const auto outcome = warp->run(kTurnInstructions);
      if (hasFailed_) return Outcome::Failed;
      anyWorks |= outcome == Warp::Outcome::Working;
    }
    for (auto& warp : warps_) anyLives |= warp->live() != 0;
    if (!anyLives) return Outcome::Finished;
    if (setting_.isCancelled()) return Outcome::Failed;
    if (!anyWorks && !anyCanWork()) {
      standStill();
      return Outcome::Failed;
    }
  }
  return Outcome::Working;
}

bool Block::anyCanWork() const {
  for (const auto& warp : warps_)
    if (warp->live() && warp->isReady()) return true;
  return false;
}

std::string Block::nameOfThread(uint32_t thread) const {
  return fmt::format("thread {} of block {}", text(unravel(thread, setting_.block)), text(index_));
}

void Block::fail(std::string message) {
  if (hasFailed_) return;
  hasFailed_ = true;
  findings_.failure = std::move(message);
  findings_.failedBlock = number_;
}

uint32_t Block::liveThreads() const {
  uint32_t threads = 0;
  for (const auto& warp : warps_) threads += static_cast<uint32_t>(std::popcount(warp->live()));
  return threads;
}

void Block::arrive(Warp& warp, LaneMask lanes, uint32_t number, uint32_t threads, LaneMask isTrue) {
  Barrier& barrier = barriers_[number];
  barrier.arrived += static_cast<uint32_t>(std::popcount(lanes));
  barrier.trueCount += static_cast<uint32_t>(std::popcount(lanes & isTrue));
  barrier.expected = threads;
  barrier.warps |= uint64_t{1} << warp.number();
  checkBarrier(number);
}

void Block::noteExit() {
  for (uint32_t number = 0; number < barriers_.size(); ++number)
    if (barriers_[number].arrived && !barriers_[number].expected) checkBarrier(number);
}

void Block::checkBarrier(uint32_t number) {
  Barrier& barrier = barriers_[number];
  if (barrier.arrived < (barrier.expected ? barrier.expected : liveThreads())) return;
  const Barrier complete = std::exchange(barrier, {});
  std::vector<unsigned> together;
  for (unsigned i = 0; i < warps_.size(); ++i)
    if (complete.warps >> i & 1) together.push_back(i);
  shared_.blockBarrier(together);
  for (const unsigned i : together) warps_[i]->passBarrier(number, complete.trueCount, complete.arrived);
}

void Block::standStill() {
  std::string where;
  for (const auto& warp : warps_)
    if (warp->live()) where += (where.empty() ? "" : "; ") + warp->whereItWaits();
  const uint32_t site = warps_[0]->kernel().code.empty() ? 0 : waitingSite();
  findings_.reports.add(Complaint::DivergentBarrier, site, number_,
                        fmt::format("block {} stands still, its threads wait for each other: {}", text(index_), where));
  fail("CUDA_ERROR_LAUNCH_TIMEOUT: threads wait for each other: " + where);
}

uint32_t Block::waitingSite() const {
  for (const auto& warp : warps_)
    if (warp->live()) return warp->site();
  return 0;
}

}  // namespace tessera::cuda::simulated
