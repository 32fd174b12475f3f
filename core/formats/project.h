// Project files (.tessera): a graph and its arrangement by the user: open groups, positions of boxes, frames
// and notes. Text, one item a line in a fixed order, so that version control shows small changes. Either the graph
// is in the file itself as HLO text, or the file is a sidecar FILE.tessera beside a graph that another program
// owns.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/formats/hlo_text.h"
#include "core/formats/run_settings.h"
#include "core/hlo/module.h"

namespace tessera {

// Places are in scene units, kept to a tenth, and at most this far from the origin: beyond, a float does not tell one
// unit from the next.
inline constexpr double kFarthestPlace = 1e7;
double keptInReach(double place);  // a coordinate: what lies beyond comes back to it; what is no number, to 0
struct PagePoint {
  double x = 0, y = 0;
};
struct PageBox {
  double x = 0, y = 0, width = 0, height = 0;
  std::string text;   // a frame's title, a note's words
  int32_t color = 0;  // one of kPageColors; 0: that of groups
};
inline constexpr int32_t kPageColors = 7;

// An input of an instruction, or a dimension of its result.
using PageSpot = std::pair<std::string, int32_t>;

// Which way the wires of a page run: as the graph's form asks for, down the page, or to the right.
enum class PageFlow : uint8_t { ByForm, Down, Right };

// What was arranged in one computation. Boxes are named as GraphView names them.
struct ProjectPage {
  std::string computation;
  std::vector<std::string> openGroups;            // sorted; meaningful when `opened`
  bool opened = false;                            // false: the file does not list open groups
  std::map<std::string, PagePoint> instructions;  // upper left corners
  std::map<std::string, PagePoint> groups;
  PageFlow flow = PageFlow::ByForm;  // the one that the places above are for
  std::vector<PageBox> frames, notes;
  std::map<PageSpot, std::vector<PagePoint>> reroutes;  // by input: points that its wire passes
  std::set<std::string> muted;                          // instructions that a run passes by
  std::set<std::string> enlarged;                       // those whose values are shown large
  std::set<std::string> watched;                        // those whose values are shown though it takes long
  std::map<PageSpot, std::string> sizeNames;            // by dimension: "B", "T"
  std::vector<std::string> bookmarks;                   // instructions, in the order of their numbers

  bool isPlaced() const { return !instructions.empty() || !groups.empty(); }
  void forgetPlaces();    // positions and points of wires: all is arranged anew
  void keepInReach();     // every place and size
  bool arranged() const;  // whether the user placed or wrote anything; open groups alone need no sidecar
};

struct Project {
  std::string graphFile;             // relative to the project file; empty: the graph is in it
  std::string shown;                 // the computation that was open last; empty: the entry
  PageFlow flow = PageFlow::ByForm;  // of pages without positions
  RunSettings run;
  std::vector<ProjectPage> pages;

  void keepInReach();                                           // all pages
  const ProjectPage* find(std::string_view computation) const;  // null: none
  ProjectPage& page(std::string_view computation);              // made when there is none
  // Whether the user placed, wrote or set anything. Open groups alone need no sidecar.
  bool arranged() const;
  // Renames the entries of an instruction; removes them if `to` is empty.
  void rename(std::string_view computation, const std::string& from, const std::string& to);
};

bool looksLikeProject(std::string_view content);

struct ProjectContent {
  Project project;
  std::string_view graph;  // HLO text; empty when graphFile names another file
  uint32_t graphLine = 0;  // line of the file on which it starts
};
// Fails with the line: unknown words, numbers that do not read, a newer version, an end that is missing.
Result<ProjectContent> parseProject(std::string_view content);
// Pages and items in order; numbers to a tenth. `graph`: null for a sidecar.
std::string printProject(const Project& project, const Module* graph);

// What was arranged for a file: of the project file itself, or of the sidecar beside it. An empty project when there is
// none; a sidecar that does not read is an error.
Result<Project> readArrangement(const std::filesystem::path& path);
std::filesystem::path sidecarOf(const std::filesystem::path& graph);  // FILE.tessera

}  // namespace tessera
