// The table of commands and how each is done.
#include "app/studio/script/script.h"

#include <QApplication>
#include <QBuffer>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QImageWriter>
#include <QLineEdit>
#include <QPainter>
#include <QTimer>
#include <map>
#include <optional>

#include "app/studio/script/script_gestures.h"
#include "app/studio/script/script_views.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "core/edit/parameter_edits.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/lessons/lesson.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/text/text_panel.h"

namespace tessera {
namespace {

constexpr qint64 kLongestWaitMs = 180000;
constexpr int kListedGroups = 12;

Status usage(const QString& message) { return fail({.kind = ErrorKind::Usage, .message = message.toStdString()}); }

// The instruction or the error, and the same for the one that takes "NAME REST".
Result<InstructionId> instructionOf(MainWindow& window, const QString& name) {
  if (window.document().isOpen())
    if (auto id = window.document().module().findInstruction(name.toStdString())) return *id;
  return std::unexpected(usage(QObject::tr("there is no instruction %1").arg(name)).error());
}

Status select(MainWindow& w, const QString& name) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionOf(w, name));
  w.document().select({id});
  return {};
}

Status reveal(MainWindow& w, const QString& name) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionOf(w, name));
  w.pane().binding().reveal(id);
  return {};
}

Status setShape(MainWindow& w, const QString& words) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, instructionOf(w, words.section(QLatin1Char(' '), 0, 0)));
  TESSERA_ASSIGN_OR_RETURN(Shape shape, parseShape(words.section(QLatin1Char(' '), 1).trimmed().toStdString()));
  w.document().perform(settingShape(w.document().module(), id, std::move(shape)));
  return {};
}

Status showComputation(MainWindow& w, const QString& name) {
  const auto id = w.document().isOpen() ? w.document().module().findComputation(name.toStdString()) : std::nullopt;
  if (!id) return usage(QObject::tr("there is no computation %1").arg(name));
  w.document().view().showComputation(*id);
  return {};
}

Status openGroup(MainWindow& w, const QString& path) {
  if (w.document().view().openGroup(path)) return {};
  return usage(QObject::tr("there is no group %1; groups are: %2")
                   .arg(path, w.document().view().groupNames(kListedGroups).join(QStringLiteral(", "))));
}

Status resize(MainWindow& w, const QString& size) {
  const int width = size.section(QLatin1Char('x'), 0, 0).toInt(), height = size.section(QLatin1Char('x'), 1).toInt();
  if (width < 100 || height < 100 || width > 20000 || height > 20000)
    return usage(QObject::tr("%1 is no size like 1600x1000").arg(size));
  w.resize(width, height);
  w.panels().home.giveFirstSizes();  // of a window of another size they are too narrow, or too wide
  return {};
}

Status find(MainWindow& w, const QString& words) {
  w.panels().text->findField()->setText(words);
  w.panels().text->findNext();
  return {};
}

Status theme(MainWindow& w, const QString& name) {
  if (name != QLatin1String("light") && name != QLatin1String("dark"))
    return usage(QObject::tr("the theme is light or dark, not %1").arg(name));
  w.setTheme(name == QLatin1String("dark") ? Theme::Dark : Theme::Light);
  return {};
}

Status flow(MainWindow& w, const QString& name) {
  const std::map<QString, PageFlow> kFlows{{QStringLiteral("right"), PageFlow::Right},
                                           {QStringLiteral("down"), PageFlow::Down},
                                           {QStringLiteral("form"), PageFlow::ByForm}};
  const auto found = kFlows.find(name);
  if (found == kFlows.end()) return usage(QObject::tr("wires run right, down, or as the form asks for: form"));
  w.document().setFlow(found->second);
  return {};
}

Status groupBy(MainWindow& w, const QString& words) {
  static const std::map<QString, Grouping> kGroupings{{"scope", Grouping::Scopes},
                                                      {"line", Grouping::SourceLines},
                                                      {"computation", Grouping::Computations},
                                                      {"fusion", Grouping::Kernels},
                                                      {"nothing", Grouping::None}};
  const auto found = kGroupings.find(words);
  if (found == kGroupings.end()) return usage(QObject::tr("a grouping is scope, line, computation, fusion or nothing"));
  w.document().view().setGrouping(found->second);
  return {};
}

Status showPanel(MainWindow& w, const QString& name) {
  return w.panels().raise(name) ? Status{} : usage(QObject::tr("there is no panel %1").arg(name));
}

Status hidePanel(MainWindow& w, const QString& name) {
  QDockWidget* dock = w.panels().find(name);
  if (!dock) return usage(QObject::tr("there is no panel %1").arg(name));
  dock->hide();
  return {};
}

Status zoom(MainWindow& w, const QString& factor) {
  const double value = factor.toDouble();
  if (!(value > 0)) return usage(QObject::tr("%1 is no zoom factor").arg(factor));
  w.canvas().viewport().zoomBy(value, QPointF(w.canvas().width(), w.canvas().height()) / 2);
  return {};
}

Status layout(MainWindow& w, const QString& shape) {
  w.panels().raise(QStringLiteral("layout"));
  w.panels().layout->showShapeText(shape);
  w.panels().layout->finishAnimations();
  const QString error = w.panels().layout->errorText();
  return error.isEmpty() ? Status{} : usage(error);
}

Status layoutPreset(MainWindow& w, const QString& name) {
  w.panels().raise(QStringLiteral("layout"));
  w.panels().layout->setPreset(name);
  w.panels().layout->finishAnimations();
  const QString error = w.panels().layout->errorText();
  return error.isEmpty() ? Status{} : usage(error);
}

// How much of the window the panels below take.
Status panelHeight(MainWindow& w, const QString& pixels) {
  QDockWidget* dock = w.panels().find(QStringLiteral("text"));
  w.resizeDocks({dock}, {std::max(60, pixels.toInt())}, Qt::Vertical);
  return {};
}

Status beginLesson(MainWindow& w, const QString& number) {
  const int lesson = number.toInt() - 1;
  if (lesson < 0 || static_cast<size_t>(lesson) >= lessons().size())
    return usage(QObject::tr("there are lessons 1 to %1").arg(lessons().size()));
  w.opener().beginLesson(lesson);
  return {};
}

Status nameSizes(MainWindow& w, const QString& names) {
  QLineEdit* field = w.panels().inspector->sizeNamesField();
  if (!field->isVisible()) return usage(QObject::tr("no array is selected"));
  field->setText(names);
  emit field->editingFinished();
  const QString error = w.panels().inspector->errorText();
  return error.isEmpty() ? Status{} : usage(error);
}

// The N-th from the left, from 1.
Status showTab(MainWindow& w, const QString& number) {
  DocumentPane* pane = w.tabs().pane(number.toInt() - 1);
  if (!pane) return usage(QObject::tr("there are tabs 1 to %1").arg(w.tabs().count()));
  w.current().set(*pane);
  return {};
}

using Command = Status (*)(MainWindow&, const QString&);
Status showWorkspace(MainWindow& window, const QString& name) {
  for (int i = 0; i < Workspaces::kCount; ++i)
    if (name.compare(Workspaces::title(i), Qt::CaseInsensitive) == 0) {
      window.workspaces().choose(i);
      return {};
    }
  return usage(QObject::tr("there is no workspace %1").arg(name));
}

const std::map<QString, Command>& commands() {
  using W = MainWindow&;
  using S = const QString&;
  static const std::map<QString, Command> table{
      {"open",
       [](W w, S path) {
         w.openFile(path);
         return Status{};
       }},
      {"compare",
       [](MainWindow& w, const QString& path) -> Status {
         w.comparison().compareWithFile(w.pane(), path);
         return {};
       }},
      {"save",
       [](W w, S path) {
         return w.document().isOpen() ? w.document().file().save(path) : usage(QObject::tr("nothing is open"));
       }},
      {"select", select},
      {"reveal", reveal},
      {"open-group", openGroup},
      {"open-groups",
       [](W w, S) {
         w.document().view().openAllGroups();
         return Status{};
       }},
      {"close-groups",
       [](W w, S) {
         w.document().view().closeAllGroups();
         return Status{};
       }},
      {"computation", showComputation},
      {"fit",
       [](W w, S) {
         w.canvas().fitAll();
         return Status{};
       }},
      {"fit-selection",
       [](W w, S) {
         w.canvas().fitSelection();
         return Status{};
       }},
      {"zoom", zoom},
      {"run",
       [](W w, S) {
         w.document().run().start();
         return Status{};
       }},
      {"group-by", groupBy},
      {"flow", flow},
      {"overlay",
       [](W w, S on) {
         w.document().view().showOverlay(on != QLatin1String("off"));
         return Status{};
       }},
      {"set-shape", setShape},
      {"undo",
       [](W w, S) {
         w.document().undo();
         return Status{};
       }},
      {"redo",
       [](W w, S) {
         w.document().redo();
         return Status{};
       }},
      {"find", find},
      {"search",
       [](W w, S query) {
         w.pane().searchBar().open();
         w.pane().searchBar().field()->setText(query);
         return Status{};
       }},
      {"layout", layout},
      {"layout-preset", layoutPreset},
      {"panel-height", panelHeight},
      {"panel", showPanel},
      {"hide-panel", hidePanel},
      {"theme", theme},
      {"lesson", beginLesson},
      {"size-names", nameSizes},
      {"tab", showTab},
      {"workspace", showWorkspace},
      {"split",
       [](W w, S words) {
         w.area().split(words == QLatin1String("same"));
         return Status{};
       }},
      {"close-tab",
       [](W w, S) {
         w.closer().close(w.pane());
         return Status{};
       }},
      {"size", resize},
  };
  return table;
}

// Those that need no events of a user; null: there is no such command.
Command commandNamed(const QString& name) {
  if (const auto found = commands().find(name); found != commands().end()) return found->second;
  return viewCommandNamed(name);
}

// In an event of its own, as a click would do it.
Status playAsEvent(MainWindow& window, Command command, const QString& words) {
  std::optional<Status> played;
  QMetaObject::invokeMethod(
      &window, [&] { played = command(window, words); }, Qt::QueuedConnection);
  while (!played) QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  return *played;
}

}  // namespace

bool waitUntilIdle(MainWindow& window) {
  const auto idle = [&] { return !window.isBusy(); };
  QElapsedTimer clock;
  clock.start();
  QTimer tick;  // the loop sleeps between: the workers need the cores
  tick.start(5);
  while (clock.elapsed() < kLongestWaitMs) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    if (!idle()) continue;
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);  // repaints
    if (idle()) return true;
  }
  return false;
}

Status startCommand(MainWindow& window, const QString& line) {
  const QString name = line.section(QLatin1Char(' '), 0, 0);
  const Command command = commandNamed(name);
  return command ? command(window, line.section(QLatin1Char(' '), 1).trimmed())
                 : usage(QObject::tr("unknown command %1").arg(name));
}

Status playCommand(MainWindow& window, const QString& line) {
  const QString text = line.section(QLatin1Char('#'), 0, 0).trimmed();
  if (text.isEmpty()) return {};
  const QString name = text.section(QLatin1Char(' '), 0, 0);
  // Outside of the events, whose time is measured: it is the script's own work.
  if (name == QLatin1String("screenshot")) return writeScreenshot(window, text.section(QLatin1Char(' '), 1).trimmed());
  const Command shows = commandNamed(name);
  const auto command = shows ? shows : gestureNamed(name);
  if (!command) return usage(QObject::tr("unknown command %1").arg(name));
  TESSERA_TRY(playAsEvent(window, command, text.section(QLatin1Char(' '), 1).trimmed()));
  if (!waitUntilIdle(window)) return usage(QObject::tr("%1 did not end in %2 s").arg(text).arg(kLongestWaitMs / 1000));
  return {};
}

Status playScript(MainWindow& window, const QString& path, const std::function<void(const QString&)>& done) {
  TESSERA_ASSIGN_OR_RETURN(const std::string content, readFile(path.toStdString()));
  int number = 0;
  for (const QString& line : QString::fromStdString(content).split(QLatin1Char('\n'))) {
    ++number;
    if (Status played = playCommand(window, line); !played) {
      played.error().file = path.toStdString();
      played.error().position = {static_cast<uint32_t>(number), 1};
      return played;
    }
    if (done && !line.section(QLatin1Char('#'), 0, 0).trimmed().isEmpty()) done(line.trimmed());
  }
  return {};
}

Status writeScreenshot(MainWindow& window, const QString& path) {
  waitUntilIdle(window);
  QPixmap shown = window.grab();
  if (QWidget* menu = QApplication::activePopupWidget())  // a window of its own
    QPainter(&shown).drawPixmap(window.mapFromGlobal(menu->pos()), menu->grab());
  const QByteArray form = QFileInfo(path).suffix().toLower().toLatin1();
  if (!QImageWriter::supportedImageFormats().contains(form))
    return usage(QObject::tr("%1: expected a name that ends in .png").arg(path));
  const auto encoded = [image = shown.toImage(), form]() -> Result<std::string> {
    QBuffer content;
    if (image.isNull() || !image.save(&content, form.constData()))
      return fail({.kind = ErrorKind::Runtime, .message = "there is not enough memory for the picture"});
    return content.data().toStdString();
  };
  std::optional<Status> written;
  QEventLoop loop;
  exportFile(&window, path, encoded, [&](const Status& done) {
    written = done;
    loop.quit();
  });
  while (!written) loop.exec();
  return *written;
}

}  // namespace tessera
