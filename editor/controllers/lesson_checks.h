// Whether a step of a lesson is done, by what the document holds and shows now. Used by LessonController.
#pragma once

#include "editor/lessons/lesson.h"

namespace tessera {

class Document;

// Of Check::Kind::Answered: false, the panel knows it.
bool holds(const Check& check, const Document& document);

}  // namespace tessera
