// How far a user has come in the lessons, as preferences() keep it. Used by LessonPanel, LessonController and by what
// begins lessons.
#pragma once

namespace tessera {

struct Lesson;

bool isDone(const Lesson& lesson);
// Where a user goes on: the lesson that was begun last, or the next one that is not done; the first one when all are.
int lessonToGoOnWith();

}  // namespace tessera
