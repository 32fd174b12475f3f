// Overlay: one measure of every instruction (time, bytes, what bounds it …) as colours on the boxes of a view, with
// the scale from cold to hot. Groups show the sum of what they hold, or the largest. Made of a profile here, of other
// measures by core/analysis; drawn by picture, explained by the legend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/profile/profile.h"

namespace tessera {

enum class OverlayKind : uint8_t {
  Sum,         // Entry::value; a group's is the sum
  Largest,     // Entry::value; a group's is the largest of its members
  Difference,  // as Sum, with a sign: more is hot, less is cool
  Ratio,       // value / per, of a group that of the sums
  Bound,       // nanoseconds bound by compute (value), memory (per) and overhead (rest); the largest names the box
};
enum class OverlayUnit : uint8_t {
  Nanoseconds,
  Bytes,
  Flops,
  FlopsPerByte,
  Share,  // of 1, shown as per cent
  Count,
  Error,  // a difference of values, as a share of what is allowed
};

struct Overlay {
  struct Entry {
    double value = 0, per = 0, rest = 0;
    bool measured = false;  // else estimated: hatched
  };
  // What an instruction has beside its entry in a view that shows nothing of what it calls: the time of a loop's body,
  // the work of a fusion.
  struct Whole {
    InstructionId instruction;
    InstructionId inside;  // one of the called computation
    Entry entry;
    bool only = true;  // all of it is inside: where that is shown, the group is measured as one
  };

  OverlayKind kind = OverlayKind::Sum;
  OverlayUnit unit = OverlayUnit::Nanoseconds;
  std::vector<std::pair<InstructionId, Entry>> entries;  // sorted by id
  std::vector<Whole> wholes = {};
  std::string title;
  double cold = 0, hot = 0;  // numbers at heat 0 and 1; hot may be the smaller one
  bool linear = false;       // else the scale between them is logarithmic

  // What a box is judged by: the value, the ratio, of a difference its size, of bounds the place of the largest.
  double numberOf(const Entry& entry) const;
  bool shows(const Entry& entry) const;
  double heatOf(double number) const;
  std::string textOf(const Entry& entry) const;
  std::string textOfNumber(double number) const;
  // What several entries are together, by the kind.
  void add(Entry& sum, const Entry& entry) const;
  bool hasEstimates() const;
  // Of the instruction with all that it calls; none: nothing is known of it.
  std::optional<Entry> find(InstructionId id) const;
};

// The time of each instruction of the source module in one run.
Overlay overlayOf(const Profile& profile);
// The same numbers on the scale of what a view shows: the hottest of its boxes, closed groups with all they hold, is
// hot. A share keeps its scale.
Overlay scaledTo(const GraphView& view, Overlay overlay);
// The entry of every box of a view; a group's is of all that it holds, and measured when all of that is.
std::vector<Overlay::Entry> boxEntries(const GraphView& view, const Overlay& overlay);
void sortEntries(Overlay& overlay);

}  // namespace tessera
