// tessera-studio: opens the window on files or on a first graph with the start page beside it; with --screenshot, --do
// or --timing it does the same unattended and ends.
#include <malloc.h>
#include <unistd.h>

#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTimer>
#include <clocale>
#include <cstdio>
#include <fstream>

#include "app/shared/exit_code.h"
#include "app/shared/last_words.h"
#include "app/studio/script/script.h"
#include "app/studio/start/tour_guide.h"
#include "app/studio/studio_application.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/session_keeper.h"
#include "app/studio/window/main_window.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

int complain(const Diagnostic& d) {
  std::fprintf(stderr, "%s\n", d.toString().c_str());
  return exitCodeOf(d.kind);
}

// Qt only prints that a thread could not be started; what waits for its work would wait for ever.
void onQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (message.startsWith(QLatin1String("QThread::start: Thread creation error"))) endWithoutThreads();
  std::fprintf(stderr, "%s\n", qUtf8Printable(qFormatLogMessage(type, context, message)));
}

void addOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      QObject::tr("Opens HLO files in the studio.\nExample: tessera-studio --screenshot out.png --size 1600x1000 "
                  "--theme=dark model.hlo"));
  parser.addHelpOption();
  parser.addPositionalArgument(QStringLiteral("FILE"),
                               QObject::tr("HLO files, a tab each, and links to an instruction of one: FILE#NAME"),
                               QStringLiteral("[FILE ...]"));
  parser.addOptions({
      {QStringLiteral("screenshot"), QObject::tr("Write a picture of the window and end."), QStringLiteral("OUT.png")},
      {QStringLiteral("size"), QObject::tr("Size of the window."), QStringLiteral("WxH")},
      {QStringLiteral("scale"), QObject::tr("Pixels a unit of the window, e.g. 2."), QStringLiteral("FACTOR")},
      {QStringLiteral("theme"), QObject::tr("light or dark."), QStringLiteral("NAME")},
      {QStringLiteral("select"), QObject::tr("Select an instruction."), QStringLiteral("INSTR")},
      {QStringLiteral("open"), QObject::tr("Open a group of the graph."), QStringLiteral("GROUP")},
      {QStringLiteral("do"), QObject::tr("Play the commands of a file, one a line."), QStringLiteral("ACTIONS")},
      {QStringLiteral("timing"),
       QObject::tr(
           "Print what opening took and the longest event of the UI thread, then of each command of --do, and end.")},
  });
}

struct Timing {
  QElapsedTimer clock;
  double openedMs = -1, pictureMs = -1, textMs = -1, idleMs = -1;
  double memoryBefore = 0;  // MB
};

double residentMb() {
  std::ifstream facts("/proc/self/statm");
  double whole = 0, resident = 0;
  facts >> whole >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// When the first picture of the file is painted, when the text is there.
void watch(MainWindow& window, Timing& timing) {
  const auto note = [&](double& ms) {
    if (ms < 0) ms = static_cast<double>(timing.clock.nsecsElapsed()) / 1e6;
  };
  QObject::connect(&window.document(), &Document::opened, [&, note] { note(timing.openedMs); });
  QObject::connect(&window, &MainWindow::firstPictureShown, [&, note] { note(timing.pictureMs); });
  QObject::connect(&window.document(), &Document::textChanged, [&, note] {
    if (window.document().text()) note(timing.textMs);
  });
}

void print(const Timing& timing, const StudioApplication& app) {
  std::printf("read and arranged %.0f ms, first picture %.0f ms, text %.0f ms, all done %.0f ms\n", timing.openedMs,
              timing.pictureMs, timing.textMs, timing.idleMs);
  const auto line = [](const char* clock, const StudioApplication::Longest& longest) {
    std::printf("longest event of the UI thread by %s %.1f ms (%s), over 50 ms: %lld\n", clock, longest.ms,
                longest.what.toLocal8Bit().constData(), static_cast<long long>(longest.overBudget));
  };
  line("the clock", app.byClock());
  line("processor time", app.byProcessor());
  ::malloc_trim(0);
  std::printf("memory %.0f MB, %.0f MB of them since before the file\n", residentMb(),
              residentMb() - timing.memoryBefore);
}

// The longest event of each command, with what follows it: pictures, values, panels; and how long all of it took.
void printCommand(StudioApplication& app, const QString& command, QElapsedTimer& since) {
  std::printf("%-44s %6.1f ms of processor time, %6.1f by the clock (%s), done after %lld ms\n",
              command.left(44).toLocal8Bit().constData(), app.byProcessor().ms, app.byClock().ms,
              app.byProcessor().what.toLocal8Bit().constData(), static_cast<long long>(since.restart()));
  app.resetTiming();
}

Status playOptions(StudioApplication& app, MainWindow& window, const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("open")))
    TESSERA_TRY(playCommand(window, QStringLiteral("open-group ") + parser.value(QStringLiteral("open"))));
  if (parser.isSet(QStringLiteral("select")))
    TESSERA_TRY(playCommand(window, QStringLiteral("select ") + parser.value(QStringLiteral("select"))));
  if (parser.isSet(QStringLiteral("do"))) {
    QElapsedTimer since;
    since.start();
    const auto done = [&](const QString& command) { printCommand(app, command, since); };
    const bool timed = parser.isSet(QStringLiteral("timing"));
    TESSERA_TRY(timed ? playScript(window, parser.value(QStringLiteral("do")), done)
                      : playScript(window, parser.value(QStringLiteral("do"))));
  }
  if (parser.isSet(QStringLiteral("screenshot")))
    TESSERA_TRY(writeScreenshot(window, parser.value(QStringLiteral("screenshot"))));
  return {};
}

bool openFiles(MainWindow& window, const QStringList& paths) {
  for (const QString& path : paths) window.openFile(path);
  return !paths.isEmpty();
}

// Unattended: open, wait, play, print. A file that cannot be opened is shown, and is the exit code.
int runAlone(StudioApplication& app, MainWindow& window, const QCommandLineParser& parser) {
  window.show();
  waitUntilIdle(window);
  Timing timing;
  watch(window, timing);
  int exit = kFine;  // the last failure's: opening, running or an edit
  QObject::connect(&window, &MainWindow::failed, [&](const QString& message, ErrorKind kind) {
    std::fprintf(stderr, "%s\n", message.toLocal8Bit().constData());
    exit = exitCodeOf(kind);
  });
  app.resetTiming();
  timing.memoryBefore = residentMb();
  timing.clock.start();
  if (!openFiles(window, parser.positionalArguments())) window.opener().showFirstGraph();
  waitUntilIdle(window);
  timing.idleMs = static_cast<double>(timing.clock.nsecsElapsed()) / 1e6;
  if (parser.isSet(QStringLiteral("timing"))) {
    print(timing, app);
    app.resetTiming();
  }
  if (const Status played = playOptions(app, window, parser); !played) exit = complain(played.error());
  return exit;
}

int refuse(const QString& why) {
  std::fprintf(stderr, "tessera-studio: %s; see tessera-studio --help\n", why.toLocal8Bit().constData());
  return kUsage;
}

int run(StudioApplication& app) {
  QCommandLineParser parser;
  addOptions(parser);
  if (!parser.parse(QApplication::arguments())) return refuse(parser.errorText());
  if (parser.isSet(QStringLiteral("help"))) parser.showHelp(kFine);
  const bool alone = parser.isSet(QStringLiteral("screenshot")) || parser.isSet(QStringLiteral("do")) ||
                     parser.isSet(QStringLiteral("timing"));
  MainWindow window(!alone);
  window.tours().setPlayer([&window](const QString& command) { return startCommand(window, command); });
  for (const char* option : {"theme", "size"})
    if (const QString name = QLatin1String(option); parser.isSet(name))
      if (const Status played = playCommand(window, name + QLatin1Char(' ') + parser.value(name)); !played)
        return complain(played.error());
  if (alone) return runAlone(app, window, parser);
  // It is in the recovery file by then (editor/document/recovery).
  endWithASentence({.advice = "; unsaved work is offered at the next start"});
  window.show();
  window.session().offerLeftBehind();
  if (!openFiles(window, parser.positionalArguments()) && !window.session().reopenDocuments())
    window.opener().showFirstGraph();
  return app.exec();
}

// Qt takes any text as a factor: what is none counts as one, and one that is too large ends it.
bool setScale(const QByteArray& text) {
  constexpr double kMin = 0.2, kMax = 10;
  bool reads = false;
  const double factor = text.toDouble(&reads);
  if (!reads || !(factor >= kMin && factor <= kMax)) {
    std::fprintf(stderr, "--scale: expected a number from %g to %g, found %s\n", kMin, kMax, text.constData());
    return false;
  }
  qputenv("QT_SCALE_FACTOR", text);
  return true;
}

// An option that does not exist is said first: it is wrong with a display, too.
void sayThereIsNoDisplay(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  QCommandLineParser parser;
  addOptions(parser);
  if (!parser.parse(arguments))
    refuse(parser.errorText());
  else
    std::fprintf(stderr,
                 "There is no display. --screenshot OUT.png works without one, and so does the program tessera.\n");
}

// What must be known before the application is made: the scale, and that nobody needs a display. False: it cannot
// start.
bool prepare(int argc, char** argv) {
  bool alone = false;
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument = argv[i];
    if (argument.startsWith("--scale=") && !setScale(argument.mid(8))) return false;
    if (argument == "--scale" && i + 1 < argc && !setScale(argv[i + 1])) return false;
    for (const char* option : {"--screenshot", "--do", "--timing", "--help", "-h"})
      alone = alone || argument.startsWith(option);
  }
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  if (alone) qputenv("QT_QPA_PLATFORM", "offscreen");
  const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (!alone && !display) sayThereIsNoDisplay(argc, argv);
  return alone || display;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  tessera::endWithASentence({});
  qInstallMessageHandler(tessera::onQtMessage);
  if (!tessera::prepare(argc, argv)) return tessera::kUsage;
  // In a thread that starts without memory, GLib's log would call itself without end.
  qputenv("QT_NO_THREADED_GLIB", "1");
  tessera::StudioApplication app(argc, argv);
  std::setlocale(LC_NUMERIC, "C");  // Qt has taken the user's: numbers in files have a point everywhere
  QApplication::setApplicationName(QStringLiteral("Tessera Studio"));
  QApplication::setOrganizationName(QStringLiteral("Tessera"));
  return tessera::run(app);
}
