#include "backends/cuda/simulated/machine/warp.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

namespace {

// A warp has its number for the whole launch; blocks differ in their place alone.
bool changesByBlock(Special special) {
  return special == Special::CtaidX || special == Special::CtaidY || special == Special::CtaidZ;
}

}  // namespace

Warp::Warp(const Kernel& kernel)
    : kernel_(kernel),
      rows_(kernel.registerBytes),
      local_(static_cast<size_t>(kernel.localBytes) * kLanes),
      predicates_(kernel.predicates) {
  for (const ConstantRow& constant : kernel.constants)
    for (int lane = 0; lane < kLanes; ++lane)
      if (constant.isWide)
        row<uint64_t>(constant.row)[lane] = constant.bits;
      else
        row<uint32_t>(constant.row)[lane] = static_cast<uint32_t>(constant.bits);
}

void Warp::begin(Block& block, unsigned number, LaneMask lanes) {
  block_ = &block;
  number_ = number;
  live_ = lanes;
  splits_.assign(1, {.lanes = lanes});
  joins_.clear();
  copies.clear();
  copyGroup = 0;
  products = {};
  setSpecials();
}

void Warp::setSpecials() {
  for (const SpecialRow& special : kernel_.specials) {
    if (hasSpecials_ && !changesByBlock(special.special)) continue;
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t value = specialValue(special.special, lane) + special.further;
      if (special.isWide)
        row<uint64_t>(special.row)[lane] = value;
      else
        row<uint32_t>(special.row)[lane] = static_cast<uint32_t>(value);
    }
  }
  hasSpecials_ = true;
}

uint32_t Warp::specialValue(Special special, int lane) const {
  const GridSetting& setting = block_->setting();
  const Extent3 size = setting.block, index = block_->index();
  const uint32_t thread = number_ * kLanes + static_cast<uint32_t>(lane);
  const uint32_t bit = uint32_t{1} << lane;
  switch (special) {
    case Special::TidX: return thread % size.x;
    case Special::TidY: return thread / size.x % size.y;
    case Special::TidZ: return thread / size.x / size.y;
    case Special::NtidX: return size.x;
    case Special::NtidY: return size.y;
    case Special::NtidZ: return size.z;
    case Special::CtaidX: return index.x;
    case Special::CtaidY: return index.y;
    case Special::CtaidZ: return index.z;
    case Special::NctaidX: return setting.grid.x;
    case Special::NctaidY: return setting.grid.y;
    case Special::NctaidZ: return setting.grid.z;
    case Special::LaneId: return static_cast<uint32_t>(lane);
    case Special::WarpId: return number_;
    case Special::NwarpId: return (setting.threads() + kLanes - 1) / kLanes;
    case Special::SmId: return 0;
    case Special::NsmId: return 1;
    case Special::GridId: return setting.gridNumber;
    case Special::LanemaskEq: return bit;
    case Special::LanemaskLt: return bit - 1;
    case Special::LanemaskLe: return bit | (bit - 1);
    case Special::LanemaskGt: return ~(bit | (bit - 1));
    case Special::LanemaskGe: return ~(bit - 1);
    case Special::DynamicSharedSize: return setting.dynamicSharedBytes;
    case Special::TotalSharedSize: return static_cast<uint32_t>(block_->sharedBytes());
    case Special::DynamicSharedBegin: return static_cast<uint32_t>(kernel_.dynamicSharedBegin);
    case Special::Zero: return 0;
  }
  return 0;
}

Warp::Outcome Warp::run(int64_t instructions) {
  sleeps_ = false;
  while (instructions > 0 && !sleeps_) {
    if (!choose()) return live_ ? Outcome::Waiting : Outcome::Finished;
    runSplit(instructions);
    if (block_->hasFailed()) return Outcome::Finished;
  }
  if (splits_.size() > 1) std::rotate(splits_.begin(), splits_.end() - 1, splits_.end());
  return live_ ? Outcome::Working : Outcome::Finished;
}

void Warp::runSplit(int64_t& left) {
  const Instruction* code = kernel_.code.data();
  while (left-- > 0) {
    Split& split = current();
    const Instruction& instruction = code[split.at];
    if (instruction.isJoin && arrive()) return;
    const LaneMask active = guarded(instruction, split.lanes);
    if (instruction.control != Control::None) {
      if (!control(instruction, active)) return;
      continue;
    }
    ++split.at;
    if (active) instruction.run(*this, instruction, active);
  }
}

LaneMask Warp::guarded(const Instruction& instruction, LaneMask lanes) const {
  if (instruction.guard < 0) return lanes;
  const LaneMask mask = predicates_[static_cast<size_t>(instruction.guard)];
  return lanes & (instruction.isGuardNegated ? ~mask : mask);
}

bool Warp::control(const Instruction& instruction, LaneMask active) {
  if (instruction.control == Control::Branch) return branch(instruction, active);
  if (!active) {
    ++current().at;
    return true;
  }
  switch (instruction.control) {
    case Control::BranchTable: return branchByTable(instruction, active);
    case Control::Converge: return converge(instruction, active);
    case Control::Barrier:
    case Control::BarrierArrive: return waitAtBarrier(instruction, active);
    case Control::Exit: return leave(active);
    case Control::Trap: return trap(instruction, active);
    default:
      ++current().at;
      sleeps_ = true;
      return false;
  }
}

bool Warp::trap(const Instruction& instruction, LaneMask active) {
  block_->fail(fmt::format("CUDA_ERROR_LAUNCH_FAILED: {} came to a trap in {} ({})",
                           block_->nameOfThread(thread(std::countr_zero(active))), kernel_.name,
                           placeOf(kernel_, instruction.site)));
  return false;
}

bool Warp::branch(const Instruction& instruction, LaneMask taken) {
  Split& split = current();
  if (!taken || taken == split.lanes) {
    split.at = taken ? instruction.target : split.at + 1;
    return true;
  }
  const Split whole = split;
  const int32_t join = joinFor(instruction, whole);
  splits_.pop_back();
  add(instruction.target, taken, join);
  add(whole.at + 1, whole.lanes & ~taken, join);
  settle(join);
  return false;
}

bool Warp::branchByTable(const Instruction& instruction, LaneMask active) {
  if (active != current().lanes) return passOthers(active);
  const Split whole = current();
  const int32_t join = joinFor(instruction, whole);
  const uint32_t* index = row<uint32_t>(instruction.a);
  splits_.pop_back();
  for (LaneMask left = active; left;) {
    const uint32_t entry = index[std::countr_zero(left)];
    LaneMask same = 0;
    forLanes(left, [&](int lane) { same |= LaneMask{index[lane] == entry} << lane; });
    if (entry >= static_cast<uint64_t>(instruction.offset)) {
      block_->fail(fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION: entry {} of a branch table of {} in {} ({})", entry,
                               instruction.offset, kernel_.name, placeOf(kernel_, instruction.site)));
      return false;
    }
    add(kernel_.lists[instruction.target + entry], same, join);
    left &= ~same;
  }
  settle(join);
  return false;
}

int32_t Warp::joinFor(const Instruction& instruction, const Split& split) {
  if (instruction.join == kNoJoin) return split.join;
  if (split.join >= 0 && joins_[static_cast<size_t>(split.join)].at == instruction.join) return split.join;
  const Join join{.at = instruction.join, .expected = split.lanes, .parent = split.join, .isUsed = true};
  const auto unused = std::find_if(joins_.begin(), joins_.end(), [](const Join& j) { return !j.isUsed; });
  if (unused == joins_.end()) {
    joins_.push_back(join);
    return static_cast<int32_t>(joins_.size() - 1);
  }
  *unused = join;
  return static_cast<int32_t>(unused - joins_.begin());
}

void Warp::add(uint32_t at, LaneMask lanes, int32_t join) {
  if (!lanes) return;
  if (join >= 0 && joins_[static_cast<size_t>(join)].at == at)
    joins_[static_cast<size_t>(join)].arrived |= lanes;
  else
    splits_.push_back({.at = at, .lanes = lanes, .join = join});
}

void Warp::settle(int32_t number) {
  if (number < 0) return;
  Join& join = joins_[static_cast<size_t>(number)];
  if (!join.isUsed || join.arrived != join.expected) return;
  join.isUsed = false;
  if (join.expected) splits_.push_back({.at = join.at, .lanes = join.expected, .join = join.parent});
}

bool Warp::arrive() {
  const Split split = current();
  if (split.join < 0) return false;
  Join& join = joins_[static_cast<size_t>(split.join)];
  if (join.at != split.at) return false;
  join.arrived |= split.lanes;
  splits_.pop_back();
  settle(split.join);
  return true;
}

bool Warp::leave(LaneMask lanes) {
  live_ &= ~lanes;
  Split& split = current();
  split.lanes &= ~lanes;
  ++split.at;
  if (!split.lanes) splits_.pop_back();
  for (size_t i = 0; i < joins_.size(); ++i) {
    joins_[i].expected &= ~lanes;
    joins_[i].arrived &= ~lanes;
    settle(static_cast<int32_t>(i));
  }
  for (Split& other : splits_)  // nobody waits for lanes that are gone
    if (other.state == State::Converging) other.state = State::Ready;
  block_->noteExit();
  return false;
}

bool Warp::passOthers(LaneMask active) {
  Split& split = current();
  const Split others{.at = split.at + 1, .lanes = split.lanes & ~active, .join = split.join};
  split.lanes = active;
  splits_.push_back(others);
  return false;
}

bool Warp::converge(const Instruction& instruction, LaneMask active) {
  Split& split = current();
  if (active != split.lanes) return passOthers(active);
  const LaneMask members = row<uint32_t>(instruction.a)[std::countr_zero(active)] & live_;
  LaneMask together = active;
  auto isHere = [&](const Split& other) { return other.state == State::Converging && other.at == split.at; };
  if (members & ~active)
    for (const Split& other : splits_)
      if (isHere(other)) together |= other.lanes;
  if (members & ~together) {
    split.state = State::Converging;
    return false;
  }
  instruction.run(*this, instruction, together);
  const uint32_t at = split.at;
  for (Split& other : splits_)
    if (&other == &split || (other.at == at && (other.lanes & together) && other.state == State::Converging)) {
      other.state = State::Ready;
      ++other.at;
    }
  return true;
}

bool Warp::waitAtBarrier(const Instruction& instruction, LaneMask active) {
  if (active != current().lanes) return passOthers(active);
  Split& split = current();
  const int first = std::countr_zero(active);
  const uint32_t number = row<uint32_t>(instruction.a)[first];
  const uint32_t threads = instruction.hasThreadCount ? row<uint32_t>(instruction.b)[first] : 0;
  if (number >= 16) {
    block_->fail(fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION: barrier {} of 16 in {} ({})", number, kernel_.name,
                             placeOf(kernel_, instruction.site)));
    return false;
  }
  if (active != live_ && (instruction.flags & kAlignedBarrier)) complainOfDivergence(instruction, active);
  const LaneMask isTrue = instruction.flags & kBarrierHasPredicate ? predicates_[instruction.c] : 0;
  if (instruction.control == Control::Barrier) {
    split.state = State::AtBarrier;
    split.barrier = number;
  } else {
    ++split.at;
  }
  block_->arrive(*this, active, number, threads, instruction.flags & kBarrierNegated ? ~isTrue : isTrue);
  return false;
}

void Warp::complainOfDivergence(const Instruction& instruction, LaneMask active) {
  ReportList& reports = block_->findings().reports;
  std::string text;
  if (reports.wantsText(Complaint::DivergentBarrier, instruction.site, block_->number()))
    text = fmt::format(
        "{} of the {} live lanes of warp {} of block ({},{},{}) come to the barrier without the others: "
        "lanes {:08x}, expected {:08x}",
        std::popcount(active), std::popcount(live_), number_, block_->index().x, block_->index().y, block_->index().z,
        active, live_);
  reports.add(Complaint::DivergentBarrier, instruction.site, block_->number(), std::move(text));
}

void Warp::passBarrier(uint32_t barrier, uint32_t trueCount, uint32_t allCount) {
  barrierTrue = trueCount;
  barrierAll = allCount;
  for (Split& split : splits_) {
    if (split.state != State::AtBarrier || split.barrier != barrier) continue;
    const Instruction& instruction = kernel_.code[split.at];
    if (instruction.run) instruction.run(*this, instruction, split.lanes);
    split.state = State::Ready;
    ++split.at;
  }
}

bool Warp::choose() {
  for (size_t i = splits_.size(); i-- > 0;)
    if (splits_[i].state == State::Ready) {
      std::swap(splits_[i], splits_.back());
      return true;
    }
  return false;
}

bool Warp::isReady() const {
  return std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; });
}

uint32_t Warp::site() const { return splits_.empty() ? 0 : kernel_.code[splits_.front().at].site; }

std::string Warp::whereItWaits() const {
  std::string text;
  for (const Split& split : splits_)
    text += fmt::format("{}warp {}, lanes {:08x}, at {}", text.empty() ? "" : "; ", number_, split.lanes,
                        placeOf(kernel_, kernel_.code[split.at].site));
  return text;
}

}  // namespace tessera::cuda::simulated
