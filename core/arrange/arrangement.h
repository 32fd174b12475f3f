// Arrangement: positions of nodes, groups and wires, as pure geometry in scene units (1 unit = 1 px at 100 %).
// Made from a GraphView (what is shown: nodes and collapsed groups) by a near-linear layered method; the same
// input gives the same arrangement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/ids.h"
#include "core/hlo/module.h"

namespace tessera {

// Boxes, layers and rows are numbered with 32 bits; vectors are indexed with this.
inline size_t at(int32_t number) { return static_cast<size_t>(number); }

struct PointF {
  float x = 0, y = 0;
};
struct RectF {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(PointF p) const { return p.x >= x && p.x < x + width && p.y >= y && p.y < y + height; }
  bool intersects(const RectF& o) const {
    return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
  }
};

// The range of a dimension's size in a text, in bytes.
struct SizeSpan {
  uint32_t begin = 0, end = 0;
};

// An input or the result of a box: where wires end.
struct ViewPort {
  enum class Kind : uint8_t { Array, Tuple, Token };
  std::string name;
  ElementType type = ElementType::F32;
  Kind kind = Kind::Array;
  int32_t operand = 0;  // its number at the instruction
  bool open = false;    // nothing is wired to it
};

// Where a page is to be seen as a whole, in pixels, without margins.
struct Room {
  float width = 709, height = 512;  // the canvas of a window of 1366 × 768 with its panels
  // The zoom at which a page of this size, in scene units, fits into it.
  float zoomOf(float pageWidth, float pageHeight) const { return std::min(width / pageWidth, height / pageHeight); }
  float zoomOf(const RectF& page) const { return zoomOf(page.width, page.height); }
};

// Which way wires run over a page: from the upper edge of a node to the lower one, or from the left to the right.
enum class Flow : uint8_t { Down, Right };

// One box of the view: an instruction, an attached hub (a constant drawn beside its user), or a group.
struct ViewNode {
  enum class Kind : uint8_t { Instruction, Attached, CollapsedGroup, OpenGroup };
  Kind kind = Kind::Instruction;
  InstructionId instruction;    // Instruction, Attached: which; groups: a representative
  std::string group;            // groups: the path ("main/transformer/layer_0", "fusion.12", "region_0.3")
  std::string title, subtitle;  // what it does; its result
  int32_t parent = -1;          // enclosing OpenGroup
  size_t instructionCount = 1;  // inside, for groups
  size_t boxesInside = 0;       // that opening a collapsed group shows
  size_t repeats = 0;           // a stack of so many equal blocks; else 0
  bool caller = false;          // a group that is an instruction with what it calls
  bool chip = false;            // what only changes an array's form, drawn as a pill on its wire; `group` opens it
  // A generated input (a constant, one broadcast number, an iota) that one input reads is a field in a row of its
  // reader.
  std::string label = {};  // the input's name
  int32_t owner = -1;      // Attached: the reader's box, which contains it; `group` pulls it out
  bool pulled = false;     // pulled out as a box of its own; `group` folds it back
  bool number = false;     // one number that a drag may change
  // Of an instruction, alone or with what it calls: its inputs in the order of its operands, but for those that stand
  // in it or beside it; and its result.
  std::vector<ViewPort> inputs = {};
  ViewPort output = {};
  int32_t operands = 0;     // how many the instruction has
  bool appends = false;     // it takes one input more
  bool result = false;      // the result of the page's computation
  float strip = -1;         // height for its value; negative: as all have
  std::string source = {};  // of a parameter of the program: where its value comes from, in a row of its own
  // By dimension, where its size is in the subtitle and how it is coloured there; -1: plainly. Empty: all is plain.
  std::vector<SizeSpan> sizes = {};
  std::vector<int8_t> hues = {};
  InstructionId leaves = {};  // of a closed group: the one value that leaves it; invalid: there is none, or several

  // Whose value it shows; invalid: nobody's.
  InstructionId shows() const { return kind == Kind::CollapsedGroup ? leaves : instruction; }
};
// The text of a pill: the result's shape, with a mark if it contains several instructions.
std::string chipText(const ViewNode& node);

struct ViewEdge {
  int32_t from = -1, to = -1;  // ViewNode indices
  InstructionId value;         // the instruction whose result flows
  int32_t operand = 0;         // operand number at the user (of the first instruction)
};
struct GraphView {
  ComputationId computation;
  std::vector<ViewNode> nodes;
  std::vector<ViewEdge> edges;
  float valueStrip = 0;  // height at the bottom of nodes and closed groups that is kept free for their values
  Flow flow = Flow::Down;
  Room room;            // folds make a page large in it
  bool columns = true;  // tall levels are folded into columns (core/arrange/columns.h)
  // By InstructionId value: the innermost box that shows it (its own, or the collapsed group that hides it); -1: none.
  std::vector<int32_t> boxes;
  float stripOf(const ViewNode& node) const {
    return !node.shows().valid() ? 0 : node.strip < 0 ? valueStrip : node.strip;
  }
  int32_t boxOf(InstructionId id) const { return id.value < boxes.size() ? boxes[id.value] : -1; }
  int32_t findGroup(std::string_view path) const;  // -1: no such group
};

// By what instructions are gathered in groups. Called computations are groups with each of them but None.
enum class Grouping : uint8_t {
  Scopes,        // of op_name, repeated blocks, and clusters of what is too much
  SourceLines,   // files and lines of the program that was traced
  Computations,  // called computations alone
  Kernels,       // what a compiler makes one kernel of (ViewMaker::setKernels)
  None,          // every instruction is a box
};

// Boxes that are not drawn (core/arrange/hidden.h): instructions by their ids, groups by their paths.
struct HiddenBoxes {
  std::unordered_set<uint32_t> instructions;
  std::unordered_set<std::string> groups;
  bool empty() const { return instructions.empty() && groups.empty(); }
};

// What is open: group paths. Repeated blocks are a stack "layer_0…95" that opens to its members; what no scope holds
// is gathered to its only users, or in clusters where it would be too many boxes.
struct ViewOptions {
  std::unordered_set<std::string> openGroups;
  Grouping grouping = Grouping::Scopes;
  bool attachHubs = true;
  // Broadcasts that no file wrote, and chains of reshapes, broadcasts and conversions, are pills on their wires; not
  // those in which an instruction that would no longer be drawn has a position.
  bool chips = false;
  std::set<std::string> placed = {};      // names of instructions with a position
  std::vector<std::string> sources = {};  // by argument leaf, what parameters of the program show of their values
  bool fields = false;  // generated inputs are shown in their readers; a path among openGroups pulls one out
  float valueStrip = 0;
  HiddenBoxes hidden = {};
};

// A group that can be opened, and the one that it lies in; -1: it lies on the page.
struct GroupPlace {
  std::string path;
  int32_t parent = -1;
};

// Makes views of one snapshot. What does not depend on open groups (users, outlines of computations) is worked out once
// and kept, so that the next view of a big graph costs a fraction of the first. Not for two threads at a time.
class ViewMaker {
 public:
  explicit ViewMaker(const Module& module);  // takes a snapshot
  ~ViewMaker();
  ViewMaker(ViewMaker&&) noexcept;
  // Of no use when `stop` was requested.
  GraphView view(ComputationId computation, const ViewOptions& options, const std::stop_token& stop = {});
  // Options to begin with: groups are opened, small ones first, as long as no more than `mostBoxes` boxes are shown;
  // those inside others all or none.
  ViewOptions initialView(ComputationId computation, size_t mostBoxes = 150, Grouping grouping = Grouping::Scopes);
  // Every group path that could be opened in a computation, outer ones first (collapsed or open alike); kept, too.
  const std::vector<GroupPlace>& groups(ComputationId computation, Grouping grouping = Grouping::Scopes);
  std::vector<std::string> groupPaths(ComputationId computation, Grouping grouping = Grouping::Scopes);
  // For Grouping::Kernels, by InstructionId value: the kernel that it is a part of; "": none.
  void setKernels(std::vector<std::string> names);

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

// The same for a single view.
GraphView makeView(const Module& module, ComputationId computation, const ViewOptions& options);
ViewOptions initialView(const Module& module, ComputationId computation, size_t mostBoxes = 150);

struct Arrangement {
  std::vector<RectF> boxes;                 // parallel to GraphView::nodes
  std::vector<std::vector<PointF>> routes;  // parallel to GraphView::edges; polyline from source to target
  RectF bounds;
};
// Empty when `stop` was requested before it was done. placed (by box; empty: none):
// boxes with a fixed position; the order of their neighbours is not optimised for them.
Arrangement arrange(const GraphView& view, const std::stop_token& stop = {}, const std::vector<bool>& placed = {});

// Title and subtitle of a node: "reduce max over 1", "f32 32×128".
std::string titleOf(const Module& module, InstructionId id);
std::string subtitleOf(const Module& module, InstructionId id);
// The subtitle of an array, with names of its sizes where these are given: "f32 B=32×128".
struct SizedText {
  std::string text;
  std::vector<SizeSpan> sizes;  // by dimension
};
SizedText arrayText(const Shape& shape, std::span<const std::string> names = {});

}  // namespace tessera
