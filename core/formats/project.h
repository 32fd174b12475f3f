// Project files (.tessera): a graph with what a person arranged round it: groups that are open, places of boxes, frames and
// notes. Text, one item a line in a fixed order, so that version control shows small changes. Either the graph stands in the
// file itself as HLO text, or the file is a sidecar FILE.tessera beside a graph that another program owns.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/formats/hlo_text.h"
#include "core/formats/run_settings.h"
#include "core/hlo/module.h"

namespace tessera {

// In scene units, kept to a tenth.
struct PagePoint {
  double x = 0, y = 0;
};
struct PageBox {
  double x = 0, y = 0, width = 0, height = 0;
  std::string text;  // a frame's title, a note's words
};

// What was arranged in one computation. Boxes are named as GraphView names them.
struct ProjectPage {
  std::string computation;
  std::vector<std::string> openGroups;             // sorted; meaningful when `opened`
  bool opened = false;                             // false: the file says nothing about groups
  std::map<std::string, PagePoint> instructions;   // upper left corners
  std::map<std::string, PagePoint> groups;
  std::vector<PageBox> frames, notes;
};

struct Project {
  std::string graphFile;  // relative to the project file; empty: the graph stands in it
  std::string shown;      // the computation that was open last; empty: the entry
  RunSettings run;
  std::vector<ProjectPage> pages;

  const ProjectPage* find(std::string_view computation) const;  // null: none
  ProjectPage& page(std::string_view computation);              // made when there is none
  // Is there anything that a person placed, wrote or set? Open groups alone are not worth a sidecar.
  bool arranged() const;
};

bool looksLikeProject(std::string_view content);

struct ProjectContent {
  Project project;
  std::string_view graph;   // HLO text; empty when graphFile says where it is
  uint32_t graphLine = 0;   // line of the file on which it starts
};
// Fails with the line: unknown words, numbers that do not read, a newer version, an end that is missing.
Result<ProjectContent> parseProject(std::string_view content);
// Pages and items in order; numbers to a tenth. `graph`: null for a sidecar.
std::string printProject(const Project& project, const Module* graph);

// The module of a project file, with positions of the file in its diagnostics. A graph file is read from beside `path`.
ReadResult readProjectModule(std::string_view content, const std::filesystem::path& path);
// What was arranged for a file: of the project file itself, or of the sidecar beside it. An empty project when there is none;
// a sidecar that does not read is an error.
Result<Project> readArrangement(const std::filesystem::path& path);
std::filesystem::path sidecarOf(const std::filesystem::path& graph);  // FILE.tessera

}  // namespace tessera
