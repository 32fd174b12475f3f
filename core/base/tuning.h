// Tuning: the constants that a measurement of speed chose, all in one place. Shares of a cache follow from the caches
// of the machine; limits that keep memory safe, and sizes that are template arguments, stay where they are used.
// Every row of tuning.inc states what its constant decides, its range, and which measurement chose
// it; tests/bench/README.md says how to try other values. Used by core/passes, core/element, core/compose, backends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

// Sizes in bytes. The defaults are used where the system does not report them.
struct Caches {
  int64_t firstBytes = int64_t{32} << 10;  // for data, of a core
  int64_t secondBytes = int64_t{1} << 20;  // of a core
  int64_t lastBytes = int64_t{32} << 20;   // of all cores together

  // The share of the last-level cache that one core can count on.
  int64_t shareOfLast() const { return lastBytes / 4; }
};

// From sysfs; sysconf() gives the sum over all sockets on some processors.
Caches measuredCaches();

struct Tuning {
  Caches caches;
#define TESSERA_TUNING_GROUP(name, what) struct {
#define TESSERA_TUNING(type, name, value, least, most, decides, chosenBy) type name{};
#define TESSERA_TUNING_END(name) \
  }                              \
  name;
#include "core/base/tuning.inc"
};

Tuning tuningFor(const Caches& caches);

// The process's own: for the caches of this machine.
const Tuning& tuning();
// Only before anything is compiled or run: nothing guards against readers.
void setTuning(const Tuning& tuning);

}  // namespace tessera
