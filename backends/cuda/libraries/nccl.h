// NCCL, opened at run time: collectives between cards of one machine and of several, one rank a card. Who belongs to a
// group, and the id that its members share, is agreed on beforehand by whatever connects the devices of the run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/libraries/library_file.h"
#include "core/hlo/element_type.h"

namespace tessera::cuda {

class Nccl {
 public:
  // The process's own. The error says why there is none.
  static Result<const Nccl*> get();

  struct UniqueId {
    std::array<char, 128> bytes;
  };
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/nccl.inc"
#undef TESSERA_LIBRARY_FUNCTION

  const std::string& version() const { return version_; }  // "2.27.7"
  Status check(int result, const char* doing) const;

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  const char* (*textOf_)(int) = nullptr;
  std::string version_;
};

enum class NcclReduction : int { Sum = 0, Product = 1, Maximum = 2, Minimum = 3 };

// One rank's end of a group. Made and used with the card's context current.
class NcclGroup {
 public:
  NcclGroup(const Nccl& nccl, int ranks) : nccl_(nccl), ranks_(ranks) {}
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  // Waits until all ranks have come.
  Status open(const Nccl::UniqueId& id, int rank);
  // Counts are elements; of reduceScatter and allGather those of one rank's piece.
  Status allReduce(DeviceAddress from, DeviceAddress to, int64_t count, ElementType type, NcclReduction reduction,
                   void* stream);
  Status reduceScatter(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type,
                       NcclReduction reduction, void* stream);
  Status allGather(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type, void* stream);
  // Piece k of `from` goes to rank k, piece k of `to` comes from it.
  Status allToAll(DeviceAddress from, DeviceAddress to, int64_t countEach, ElementType type, void* stream);
  // To one rank and from one; nothing: to or from none.
  Status permute(DeviceAddress from, DeviceAddress to, int64_t count, ElementType type, std::optional<int> target,
                 std::optional<int> source, void* stream);
  // What has gone wrong on any rank since; the group is of no use then.
  Status error();
  // Ends what waits for ranks that will never come.
  void abandon();

  static bool has(ElementType type);

 private:
  const Nccl& nccl_;
  const int ranks_;
  void* group_ = nullptr;
};

}  // namespace tessera::cuda
