// See lesson_progress.h.
#include "editor/lessons/lesson_progress.h"

#include <algorithm>
#include <string>

#include "editor/lessons/lesson.h"
#include "editor/preferences/preferences.h"

namespace tessera {

bool isDone(const Lesson& lesson) { return preferences().lessonsDone.contains(std::string(lesson.id)); }

int lessonToGoOnWith() {
  const auto all = lessons();
  const auto last = std::ranges::find(all, preferences().lesson, &Lesson::id);
  const auto begun = last == all.end() ? all.begin() : last;
  auto next = std::find_if_not(begun, all.end(), isDone);
  if (next == all.end()) next = std::find_if_not(all.begin(), all.end(), isDone);
  return next == all.end() ? 0 : static_cast<int>(next - all.begin());
}

}  // namespace tessera
