// What a launch complains of, one entry a kind and place, with the first block where it was seen, so that the list does
// not depend on how blocks are spread over threads of the CPU.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/simulated/machine/program.h"

namespace tessera::cuda::simulated {

enum class Complaint : uint8_t {
  OutOfBounds,
  Misaligned,
  SharedRace,
  UninitialisedShared,
  RegisterRace,
  DivergentBarrier,
  UncoalescedAccess,
  BankConflict
};

class ReportList {
 public:
  // Whether the text of this one will be kept: making it costs more than counting.
  bool wantsText(Complaint kind, uint32_t site, uint64_t block) const;
  void add(Complaint kind, uint32_t site, uint64_t block, std::string text, int64_t count = 1);
  void count(Complaint kind, uint32_t site);
  void merge(const ReportList& other);
  bool has(Complaint kind) const;
  bool empty() const { return entries_.empty(); }
  std::vector<Report> reports(const Kernel& kernel) const;

 private:
  struct Entry {
    uint64_t block = 0;
    std::string text;
    int64_t count = 0;
  };
  std::map<std::pair<Complaint, uint32_t>, Entry> entries_;
};

// "line 41: ld.global.f32 %f1, [%rd4]"
std::string placeOf(const Kernel& kernel, uint32_t site);

}  // namespace tessera::cuda::simulated
