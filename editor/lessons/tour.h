// Guided tours: what was found out about a program with the studio, step by step. A tour is a Markdown file: a title, a
// sentence, and steps under second headings, each with commands that show what it speaks of. Used by TourPanel and the
// window, which plays the commands.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct TourStep {
  QString title, words;  // words: Markdown
  QStringList commands;  // of `tessera-studio --do`, with paths as the studio opens them
};
struct Tour {
  QString path, title, summary;
  std::vector<TourStep> steps;
};

// Paths behind `open` are beside the file. Fails with the line that is none of the form.
Result<Tour> readTour(const QString& path);
// Those of a folder, by file name; files that do not read are left out.
std::vector<Tour> toursIn(const QString& folder);

}  // namespace tessera
