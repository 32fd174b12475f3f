#include "backends/cuda/simulated/machine/access.h"

#include <fmt/format.h>

#include "backends/cuda/simulated/machine/block.h"
#include "core/base/units.h"

namespace tessera::cuda::simulated {

namespace {

bool isInWindow(uint64_t address, uint64_t window) { return address >= window && address - window < kWindowBytes; }

Space spaceOf(uint64_t address) {
  if (isInWindow(address, kSharedWindow)) return Space::Shared;
  if (isInWindow(address, kLocalWindow)) return Space::Local;
  if (isInWindow(address, kParamWindow)) return Space::Param;
  return Space::Global;
}

const char* verbOf(Access access) {
  switch (access) {
    case Access::Read: return "reads";
    case Access::Write: return "writes";
    case Access::Atomic: return "changes";
    case Access::Product: return "multiplies";
  }
  return "";
}

class Resolver {
 public:
  Resolver(Warp& warp, const Instruction& instruction, Access access, unsigned bytes)
      : warp_(warp), instruction_(instruction), access_(access), bytes_(bytes) {}

  // Null: there is no such memory.
  std::byte* find(Space space, uint64_t address, int lane) {
    if (address % alignment() != 0) complain(Complaint::Misaligned, space, address, lane);
    std::byte* found = nullptr;
    switch (space) {
      case Space::Shared: found = findShared(address, lane); break;
      case Space::Local: found = within(address, warp_.localBytes()) ? warp_.local(lane) + address : nullptr; break;
      case Space::Param: found = findParameter(address); break;
      default: found = findGlobal(address); break;
    }
    if (!found) complain(Complaint::OutOfBounds, space, address, lane);
    return found;
  }

 private:
  unsigned alignment() const { return bytes_ & (bytes_ - 1) ? 1 : bytes_; }
  bool within(uint64_t address, uint64_t size) const { return address <= size && bytes_ <= size - address; }

  std::byte* findGlobal(uint64_t address) {
    const MemorySpan*& span = warp_.knownSpan(instruction_.site);
    if (!span || !span->holds(address, bytes_)) span = warp_.block().setting().memory.find(address);
    return span && span->holds(address, bytes_) ? span->host + (address - span->begin) : nullptr;
  }

  std::byte* findParameter(uint64_t address) {
    const auto parameters = warp_.block().setting().parameters;
    if (access_ != Access::Read || !within(address, parameters.size())) return nullptr;
    return const_cast<std::byte*>(parameters.data()) + address;  // read only, as just checked
  }

  std::byte* findShared(uint64_t address, int lane) {
    SharedMemory& shared = warp_.block().shared();
    if (!within(address, static_cast<uint64_t>(shared.bytes()))) return nullptr;
    const Access access = instruction_.flags & kStrongAccess ? Access::Atomic : access_;
    const SharedConflict conflict = shared.note(access, warp_.thread(lane), instruction_.site, address, bytes_);
    if (conflict.kind != SharedConflict::Kind::None) complainOfConflict(conflict, address, lane);
    return shared.data() + address;
  }

  std::string who(int lane) const { return warp_.block().nameOfThread(warp_.thread(lane)); }

  std::string whatIsThere(Space space, uint64_t address) const {
    const Block& block = warp_.block();
    switch (space) {
      case Space::Shared:
        return fmt::format("the block has {} bytes", countText(static_cast<uint64_t>(block.sharedBytes())));
      case Space::Local: return fmt::format("the thread has {} bytes", countText(warp_.localBytes()));
      case Space::Param:
        return fmt::format("the parameters have {} bytes, which are read only", block.setting().parameters.size());
      default: return block.setting().memory.describe(address);
    }
  }

  template <class MakeText>
  void complainWith(Complaint kind, MakeText&& text) {
    Findings& findings = warp_.block().findings();
    if (findings.reports.wantsText(kind, instruction_.site, warp_.block().number()))
      findings.reports.add(kind, instruction_.site, warp_.block().number(), text());
    else
      findings.reports.count(kind, instruction_.site);
  }

  void complain(Complaint kind, Space space, uint64_t address, int lane) {
    complainWith(kind, [&] {
      const std::string access = fmt::format("{} {} {} bytes at {}address {:#x}", who(lane), verbOf(access_), bytes_,
                                             space == Space::Global ? "" : fmt::format("{} ", nameOf(space)), address);
      if (kind == Complaint::Misaligned) return fmt::format("{}, which is no multiple of {}", access, alignment());
      return fmt::format("{}: {}", access, whatIsThere(space, address));
    });
  }

  void complainOfConflict(const SharedConflict& conflict, uint64_t address, int lane) {
    const Kernel& kernel = warp_.kernel();
    if (conflict.kind == SharedConflict::Kind::Uninitialised)
      return complainWith(Complaint::UninitialisedShared, [&] {
        return fmt::format("{} reads {} bytes at shared address {}, which no thread of the block has written",
                           who(lane), bytes_, address);
      });
    complainWith(Complaint::SharedRace, [&] {
      return fmt::format("{} {} {} bytes at shared address {}, which {} {} at {}, without {}", who(lane),
                         verbOf(access_), bytes_, address, warp_.block().nameOfThread(conflict.thread),
                         earlierVerb(conflict), placeOf(kernel, conflict.site), whatIsMissing(conflict.kind));
    });
  }

  static const char* earlierVerb(const SharedConflict& conflict) {
    if (conflict.kind == SharedConflict::Kind::InProduct) return "multiplies";
    return conflict.wasWrite ? "wrote" : "read";
  }

  static const char* whatIsMissing(SharedConflict::Kind kind) {
    switch (kind) {
      case SharedConflict::Kind::InProduct: return "wgmma.wait_group between";
      case SharedConflict::Kind::Unfenced: return "fence.proxy.async behind it";
      default: return "a barrier between";
    }
  }

  Warp& warp_;
  const Instruction& instruction_;
  const Access access_;
  const unsigned bytes_;
};

// Whether all active lanes mean one space, as they nearly always do.
bool isUniform(const LaneAddresses& addresses, LaneMask active, Space space) {
  for (LaneMask left = active; left; left &= left - 1)
    if (spaceOf(addresses[std::countr_zero(left)]) != space) return false;
  return true;
}

void notePatterns(Warp& warp, const Instruction& instruction, LaneMask active, Access access, Space space,
                  unsigned bytes, const LaneAddresses& addresses) {
  if (access == Access::Atomic || access == Access::Product || (space != Space::Global && space != Space::Shared))
    return;
  AccessTrace* trace = warp.block().setting().trace;
  if (trace && trace->wants(warp.block().number(), warp.number())) {
    const PatternCount count =
        space == Space::Global ? countSectors(addresses, active, bytes) : countBankRounds(addresses, active, bytes);
    trace->add({placeOf(warp.kernel(), instruction.site), space == Space::Shared, access == Access::Write, bytes,
                active, addresses, count.units, count.needed});
  }
  AccessPatterns& patterns = warp.block().findings().patterns;
  if (space == Space::Global) patterns.noteGlobal(instruction.site, addresses, active, bytes);
  if (space == Space::Shared) patterns.noteShared(instruction.site, addresses, active, bytes);
}

// The usual case: all lanes are in the allocation where this place was last, and aligned. False: nothing is known.
bool resolveInOneSpan(Warp& warp, const Instruction& instruction, LaneMask active, unsigned bytes,
                      const LaneAddresses& addresses, LanePointers& pointers) {
  const MemorySpan*& known = warp.knownSpan(instruction.site);
  const uint64_t first = addresses[std::countr_zero(active)];
  if (!known || !known->holds(first, bytes)) known = warp.block().setting().memory.find(first);
  if (!known) return false;
  const MemorySpan span = *known;
  const uint64_t misaligned = bytes & (bytes - 1) ? 0 : bytes - 1;
  uint64_t wrong = 0;
  forLanes(active, [&](int lane) {
    const uint64_t distance = addresses[lane] - span.begin;
    wrong |= (addresses[lane] & misaligned) | static_cast<uint64_t>(distance > span.bytes - bytes);
    pointers.at[lane] = span.host + distance;
  });
  return wrong == 0 && span.bytes >= bytes;
}

void resolveGeneric(Warp& warp, const Instruction& instruction, LaneMask active, Access access, unsigned bytes,
                    const LaneAddresses& addresses, LanePointers& pointers) {
  const Space first = spaceOf(addresses[std::countr_zero(active)]);
  if (isUniform(addresses, active, first)) {
    LaneAddresses inSpace;
    for (int lane = 0; lane < kLanes; ++lane) inSpace[lane] = addresses[lane] - windowOf(first);
    return resolveAt(warp, instruction, active, access, first, bytes, inSpace, pointers);
  }
  Resolver resolver(warp, instruction, access, bytes);
  forLanes(active, [&](int lane) {
    const Space space = spaceOf(addresses[lane]);
    pointers.at[lane] = resolver.find(space, addresses[lane] - windowOf(space), lane);
  });
}

}  // namespace

void addressesOf(Warp& warp, const Instruction& instruction, LaneAddresses& addresses) {
  const auto offset = static_cast<uint64_t>(instruction.offset);
  if (instruction.flags & kNarrowAddress) {
    const uint32_t* base = warp.row<uint32_t>(instruction.a);
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = base[lane] + offset;
  } else {
    const uint64_t* base = warp.row<uint64_t>(instruction.a);
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = base[lane] + offset;
  }
}

void resolve(Warp& warp, const Instruction& instruction, LaneMask active, Access access, LanePointers& pointers) {
  LaneAddresses addresses;
  addressesOf(warp, instruction, addresses);
  resolveAt(warp, instruction, active, access, instruction.space, instruction.bytes, addresses, pointers);
}

void resolveAt(Warp& warp, const Instruction& instruction, LaneMask active, Access access, Space space, unsigned bytes,
               const LaneAddresses& addresses, LanePointers& pointers) {
  if (space == Space::Generic) return resolveGeneric(warp, instruction, active, access, bytes, addresses, pointers);
  if (space == Space::Const) space = Space::Global;
  if (space != Space::Global || !resolveInOneSpan(warp, instruction, active, bytes, addresses, pointers)) {
    Resolver resolver(warp, instruction, access, bytes);
    forLanes(active, [&](int lane) { pointers.at[lane] = resolver.find(space, addresses[lane], lane); });
  }
  notePatterns(warp, instruction, active, access, space, bytes, addresses);
}

}  // namespace tessera::cuda::simulated
