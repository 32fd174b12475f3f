// See tour.h.
#include "editor/lessons/tour.h"

#include <QDir>
#include <QFileInfo>

#include "core/formats/file_content.h"

namespace tessera {
namespace {

// "open FILE", with a file beside the tour.
QString commandIn(const QString& line, const QDir& folder) {
  for (const QString& opens : {QStringLiteral("open "), QStringLiteral("compare ")})
    if (line.startsWith(opens))
      return opens + QDir::cleanPath(folder.absoluteFilePath(line.mid(opens.size()).trimmed()));
  return line;
}

Diagnostic wrongLine(const QString& path, int line, const char* message, const char* expected) {
  Diagnostic out{.kind = ErrorKind::Invalid, .message = message, .expected = expected, .file = path.toStdString()};
  out.position = {static_cast<uint32_t>(line), 1};
  return out;
}

}  // namespace

Result<Tour> readTour(const QString& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::string content, readFile(path.toStdString()));
  const QDir folder = QFileInfo(path).absoluteDir();
  Tour out{.path = path, .title = {}, .summary = {}, .steps = {}};
  bool inCommands = false;
  int number = 0;
  for (const QString& line : QString::fromStdString(content).split(QLatin1Char('\n'))) {
    ++number;
    if (line.startsWith(QLatin1String("```"))) {
      if (!inCommands && line.trimmed() != QLatin1String("```studio"))
        return std::unexpected(wrongLine(path, number, "a block of another kind", "```studio"));
      if (out.steps.empty())
        return std::unexpected(wrongLine(path, number, "commands before the first step", "## TITLE"));
      inCommands = !inCommands;
    } else if (inCommands) {
      if (const QString command = commandIn(line.trimmed(), folder); !command.isEmpty())
        out.steps.back().commands << command;
    } else if (line.startsWith(QLatin1String("## "))) {
      out.steps.push_back({line.mid(3).trimmed(), {}, {}});
    } else if (line.startsWith(QLatin1String("# "))) {
      out.title = line.mid(2).trimmed();
    } else {
      QString& words = out.steps.empty() ? out.summary : out.steps.back().words;
      words += line + QLatin1Char('\n');
    }
  }
  out.summary = out.summary.simplified();
  for (TourStep& step : out.steps) step.words = step.words.trimmed();
  if (inCommands) return std::unexpected(wrongLine(path, number, "the commands have no end", "```"));
  if (out.title.isEmpty()) return std::unexpected(wrongLine(path, 1, "the tour has no title", "# TITLE"));
  if (out.steps.empty()) return std::unexpected(wrongLine(path, number, "the tour has no step", "## TITLE"));
  return out;
}

std::vector<Tour> toursIn(const QString& folder) {
  std::vector<Tour> out;
  if (folder.isEmpty()) return out;
  for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
    if (auto tour = readTour(file.filePath())) out.push_back(*std::move(tour));
  return out;
}

}  // namespace tessera
