// Lessons: small live graphs, made from examples of the reference, each with a text: what to drag and what to watch.
// Plain data, used by LessonPanel and LessonController.
#pragma once

#include <span>
#include <string_view>

namespace tessera {

struct Lesson {
  std::string_view title;
  std::string_view words;      // HTML: the idea, then what to drag and what to watch
  std::string_view reference;  // the reference example it grew from
  std::string_view project;    // a project file with its graph
  std::string_view handle;     // a number on the canvas that is dragged; empty: the lesson drags in a panel
  std::string_view watch;      // what then changes
  std::string_view selects;    // what the inspector shows
  std::string_view panel;      // what is raised: "inspector", "layout"
};
std::span<const Lesson> lessons();

}  // namespace tessera
