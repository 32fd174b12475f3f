// What devices exchanged in a run: per collective its group, mesh axis, bytes, time from its start to its done, the
// part of it that no computation hides, the rate, and how far apart the devices began. Used by the panel Communication
// and `tessera profile --communication`.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/picture/overlay.h"
#include "core/profile/op_times.h"
#include "core/profile/timeline.h"

namespace tessera {

// Numbers are of one device and one run (step), on average.
struct CollectiveUse {
  InstructionId instruction, done;  // done: of a pair; invalid: it is no pair
  std::string kind;                 // "all-reduce"
  std::string groups;               // "2 groups of 4", "pairs"
  std::string axis;                 // of the mesh: "x", "x, y"; of groups that are none: "stride 4"; "": unknown
  int64_t groupSize = 0;            // 0: unknown
  double count = 0;
  double bytes = 0;      // of the whole array that is reduced, gathered, scattered or exchanged, each time
  double ns = 0;         // from the start to the done
  double exposedNs = 0;  // of ns, what no other kernel of the device hides
  double skewNs = 0;     // between the first and the last device that begins; 0: one device, or no common clock
  bool exposedKnown = false;
  // Giga bytes a second: of the array, and what a link carries then (NCCL's bus bandwidth).
  double rate() const { return ns > 0 ? bytes * count / ns : 0; }
  double busRate() const;
};

struct CommunicationTimes {
  std::vector<CollectiveUse> uses;  // by exposed time, then time
  size_t devices = 0;
  double ns = 0, exposedNs = 0, bytes = 0;
  std::vector<std::string> notes;
};

// timeline: null where the profile has no events; then nothing is known to be hidden.
CommunicationTimes communicationOf(const Module& module, const OpTimes& times, const Timeline* timeline);

// By kind, groups and axis: sums, the largest skew.
std::vector<CollectiveUse> groupedByKind(const CommunicationTimes& communication);
Overlay exposedOverlay(const CommunicationTimes& communication);

}  // namespace tessera
