// A module level by level: what each group shows when it is open, arranged by itself. Each computation that can be
// opened has a page; its groups, and what its instructions call, are levels of their own that are opened in place. So
// nothing is held twice, however often it is called. Used by the HTML export.
#pragma once

#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

struct OpenLevel {
  struct Box {
    ViewNode node;           // as it is shown closed
    std::vector<int> opens;  // levels: of a group one, of a caller one a computation
  };
  std::string title;  // of a page, its computation
  std::vector<Box> boxes;
  std::vector<ViewEdge> edges;  // by the places of boxes
  Arrangement arrangement;
};

struct Levels {
  std::vector<OpenLevel> all;
  std::vector<int> pages;  // the entry first, then computations in the order in which they are reached
  // By computation; -1: it cannot be opened.
  std::vector<int> pageOf;
};

// The entry, all that can be opened from it, and `shown` with the same.
Levels levelsOf(const Module& module, ComputationId shown);
// A view all of whose groups are open, of something that calls nothing.
Levels levelsOf(const GraphView& view);

}  // namespace tessera
