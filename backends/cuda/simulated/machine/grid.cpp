#include "backends/cuda/simulated/machine/grid.h"

#include <algorithm>
#include <list>
#include <thread>

namespace tessera::cuda::simulated {

namespace {

constexpr int kBlockTurns = 4;           // of an ordered block, before a later one may begin
constexpr size_t kResidentBlocks = 512;  // ordered blocks that have begun
constexpr uint64_t kThreadsWorthSpreading = 2048;

// Blocks as they are free; each thread takes the next one.
void runFreely(const GridSetting& setting, std::atomic<uint64_t>& next, std::atomic<bool>& stop, Findings& findings) {
  Block block(setting, findings);
  for (uint64_t number = next++; number < setting.blocks() && !stop; number = next++) {
    block.begin(number);
    auto outcome = Block::Outcome::Working;
    while (outcome == Block::Outcome::Working && !stop) outcome = block.run(kBlockTurns);
    if (outcome == Block::Outcome::Failed) stop = true;
  }
}

// In order; blocks that wait stay resident while later ones go on.
void runInOrder(const GridSetting& setting, Findings& findings) {
  std::list<std::unique_ptr<Block>> resident, unused;
  uint64_t next = 0;
  while (next < setting.blocks() || !resident.empty()) {
    if (next < setting.blocks() && resident.size() < kResidentBlocks) {
      if (unused.empty()) unused.push_back(std::make_unique<Block>(setting, findings));
      resident.splice(resident.end(), unused, unused.begin());
      resident.back()->begin(next++);
    }
    for (auto at = resident.begin(); at != resident.end();) {
      const auto block = at++;
      const auto outcome = (*block)->run(kBlockTurns);
      if (outcome == Block::Outcome::Failed) return;
      if (outcome == Block::Outcome::Finished) unused.splice(unused.end(), resident, block);
    }
  }
}

size_t threadsFor(const GridSetting& setting) {
  if (setting.kernel.isOrdered || setting.blocks() * setting.threads() < kThreadsWorthSpreading) return 1;
  return static_cast<size_t>(std::min<uint64_t>(std::max(1u, std::thread::hardware_concurrency()), setting.blocks()));
}

LaunchOutcome outcomeOf(const GridSetting& setting, std::vector<Findings>& findings) {
  LaunchOutcome outcome{.wasCancelled = setting.isCancelled()};
  Findings& all = findings.front();
  uint64_t failedBlock = ~uint64_t{0};
  for (Findings& one : findings) {
    if (&one != &all) {
      all.reports.merge(one.reports);
      all.patterns.merge(one.patterns);
    }
    if (one.failure && one.failedBlock < failedBlock) {
      failedBlock = one.failedBlock;
      outcome.failure = one.failure;
    }
  }
  all.patterns.report(all.reports);
  outcome.reports = all.reports.reports(setting.kernel);
  return outcome;
}

}  // namespace

LaunchOutcome runGrid(const GridSetting& setting) {
  const size_t threads = threadsFor(setting);
  std::vector<Findings> findings(threads, Findings(setting.kernel.sites.size()));
  if (setting.kernel.isOrdered) {
    runInOrder(setting, findings[0]);
  } else {
    std::atomic<uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back([&, i] { runFreely(setting, next, stop, findings[i]); });
    runFreely(setting, next, stop, findings[0]);
    helpers.clear();
  }
  return outcomeOf(setting, findings);
}

}  // namespace tessera::cuda::simulated
