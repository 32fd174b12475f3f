// Lessons: small live graphs, made from examples of the reference, each with steps: what to do, what to find out, and
// how it is seen that it is done. Plain data, used by LessonPanel and LessonController.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera {

// When a step is done.
struct Check {
  enum class Kind : uint8_t {
    Answered,   // the right choice is chosen
    Equals,     // an element of a value of the entry is this number
    Above,      // it is larger
    Shaped,     // an instruction has this shape, whatever its layout
    LaidOut,    // it has this shape and layout
    LooksInto,  // a call of the instruction is looked at, the `number`-th application or a later one
  };
  Kind kind = Kind::Answered;
  std::string_view of = {};  // an instruction of the entry
  int64_t element = 0;       // in row-major order
  double number = 0;
  std::string_view shape = {};  // HLO text
};

struct Choice {
  std::string_view words;
  std::string_view why;  // what is said when it is chosen
  bool isRight = false;
};

struct LessonStep {
  std::string_view words;  // HTML; <a href="node:NAME"> names an instruction of the graph
  Check check;
  std::array<Choice, 3> choices = {};  // of a question; those without words are none
};

struct Lesson {
  std::string_view id;  // under which it is remembered that it is done
  std::string_view title;
  std::string_view idea;       // HTML, before the steps
  std::string_view learned;    // a sentence at the end
  std::string_view reference;  // the reference example it grew from
  std::string_view project;    // a project file with its graph
  std::string_view handle;     // a number on the canvas that is dragged; empty: the lesson drags in a panel
  std::string_view selects;    // what the inspector shows
  std::string_view panel;      // what is raised: "inspector", "layout"
  std::span<const LessonStep> steps;
};
std::span<const Lesson> lessons();

}  // namespace tessera
