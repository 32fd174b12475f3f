// A session that is killed in the middle of editing: what was on screen two seconds before is found by the next one.
// Sessions differ: new graphs, a graph with its sidecar, a project; all of them edit by actions, typed text and groups,
// leave things open and empty the graph now and then. 200 kills in the long tier; TESSERA_KILLS=N kills so often.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>

#include "core/edit/text_edit.h"
#include "core/formats/module_file.h"
#include "editor/document/recovery.h"
#include "tests/editor/hand.h"

using namespace tessera;

namespace {

constexpr const char* kGraph =
    "HloModule kept\n\nENTRY %main (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n  ROOT %n = f32[2]{0} "
    "negate(%a)\n}\n";

// Everything away.
Edit emptied(const Module& module) {
  Edit edit{"Clear", {}};
  const auto& all = module.entryComputation().instructions;
  for (auto id = all.rbegin(); id != all.rend(); ++id) edit.actions.push_back(RemoveInstruction{*id});
  return edit;
}
// One more constant, now and then with an operation of which everything is open.
Edit grown(const Module& module, int i) {
  Edit edit{"Add",
            {AddInstruction{
                module.entry(), Opcode::Constant, "", {}, {}, Shape::array(ElementType::S32, {}), std::to_string(i)}}};
  if (i % 4 == 1) edit.actions.push_back(AddInstruction{module.entry(), Opcode::Gather, "", {{}, {}}, {}, {}, ""});
  return edit;
}
// The text of the entry with one more line, as a person types it.
Edit typed(const Module& module, int i) {
  std::string text = computationText(module, module.entry());
  const size_t first = text.find('\n');
  if (first == std::string::npos) return grown(module, i);
  text.insert(first + 1, "  %typed." + std::to_string(i) + " = s32[] constant(" + std::to_string(i) + ")\n");
  auto edit = editFromText(module, module.entry(), text);
  return edit ? *edit : grown(module, i);
}
// What was added last becomes a call.
Edit grouped(const Module& module, int i) {
  const auto& all = module.entryComputation().instructions;
  const auto last = std::find_if(all.rbegin(), all.rend(),
                                 [&](InstructionId id) { return module.at(id).opcode == Opcode::Constant; });
  if (last == all.rend()) return grown(module, i);
  return {"Group", {GroupInstructions{{*last}, "group." + std::to_string(i), Opcode::Call, ""}}};
}
Edit edited(const Module& module, int i) {
  if (i % 12 == 11) return emptied(module);
  return i % 5 == 3 ? typed(module, i) : i % 6 == 4 ? grouped(module, i) : grown(module, i);
}

// What a session begins with, by its number: nothing, a graph with its sidecar, a project.
void begin(Document& document, const QString& folder, int session) {
  if (session % 3 == 0) return document.file().create();
  const std::string file = (folder + (session % 3 == 1 ? "/graph.hlo" : "/work.tessera")).toStdString();
  const std::string arranged = "tessera project 1\n";
  const std::string places = "page \"main\"\nat \"n\" 300 500\nnote 0 0 10 10 \"0\"\n";
  const Status written = session % 3 == 1 ? writeFileAtomically(file, kGraph)
                                          : writeFileAtomically(file, arranged + places + "hlo\n" + kGraph + "\nend\n");
  if (!written || (session % 3 == 1 &&
                   !writeFileAtomically(sidecarOf(file), arranged + "graph \"graph.hlo\"\n" + places + "end\n")))
    qFatal("cannot write a test file");
  document.file().open(QString::fromStdString(file));
}

// The number that the note says; -1: none.
int noteOf(const Project& project) {
  for (const ProjectPage& page : project.pages)
    for (const PageBox& note : page.notes) return std::stoi(note.text);
  return -1;
}
size_t markOf(const Module& module, int note) {
  return std::hash<std::string>()(printHloText(module) + std::to_string(note));
}

// Edits without end and says after each step what stands, with the time.
int editUntilKilled(const QString& folder, int session) {
  Document document;
  Recovery recovery(document, folder + "/aside", nullptr);
  int i = 0;
  const auto settle = [&] {
    do QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    while (document.isBusy() || !document.isOpen());
  };
  const auto step = [&] {
    settle();
    std::printf("%lld %zu %d\n", static_cast<long long>(QDateTime::currentMSecsSinceEpoch()),
                markOf(document.module(), noteOf(document.project())), i);
    std::fflush(stdout);
  };
  begin(document, folder, session);
  settle();
  for (i = 1;; ++i) {
    document.perform(edited(document.module(), i));
    step();
    document.arrange("Note", [i](ProjectPage& page) { page.notes = {{0, 0, 10, 10, std::to_string(i)}}; });
    step();
    if (i % 40) continue;
    for (int k = 0; k < 20; ++k) document.undo();
    step();
  }
}

// What a killed session said of its states, and which of them was kept.
struct Said {
  std::vector<std::pair<qint64, size_t>> states;
  int last = 0;

  explicit Said(const QByteArray& lines) {
    for (const QByteArray& line : lines.split('\n'))
      if (const QList<QByteArray> words = line.split(' '); words.size() == 3 && lines.endsWith('\n'))
        states.emplace_back(words[0].toLongLong(), words[1].toULongLong()), last = words[2].toInt();
  }
  // How long the first state that was lost had been there; -1: `mark` is none of them.
  qint64 lost(size_t mark, qint64 killedAt) const {
    const auto found =
        std::find_if(states.rbegin(), states.rend(), [&](const auto& state) { return state.second == mark; });
    if (found == states.rend()) return -1;
    return found == states.rbegin() ? 0 : killedAt - std::prev(found)->first;
  }
};

}  // namespace

class RecoveryTest : public QObject {
  Q_OBJECT

 private slots:
  // Killed, while its parent did not ask yet how it ended: it still has its number.
  void whatAZombieLeftIsOffered() {
    const QTemporaryDir folder;
    const pid_t child = ::fork();
    if (child == 0) {
      const QString file = folder.path() + QLatin1Char('/') + Recovery::sessionName() + QStringLiteral(".tessera");
      if (FILE* out = std::fopen(file.toUtf8().constData(), "w")) std::fclose(out);
      for (;;) ::pause();
    }
    QTRY_VERIFY(!QDir(folder.path()).isEmpty());
    QCOMPARE(Recovery::leftBehind(folder.path()).size(), size_t{0});
    ::kill(child, SIGKILL);
    QTRY_COMPARE(Recovery::leftBehind(folder.path()).size(), size_t{1});
    QCOMPARE(::kill(child, 0), 0);
    ::waitpid(child, nullptr, 0);
  }

  void nothingOlderThanTwoSecondsIsLost() {
    const int asked = qEnvironmentVariableIntValue("TESSERA_KILLS");
    const int kills = asked > 0 ? asked : qgetenv("TESSERA_TIER") == "long" ? 200 : 6;
    std::mt19937 random(3);
    double worst = 0;
    int empty = 0, unfinished = 0, calls = 0, texts = 0, steps = 0;
    for (int n = 0; n < kills; ++n) {
      QTemporaryDir folder;
      const QString aside = folder.path() + "/aside";
      QProcess child;
      child.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--edit"), folder.path(), QString::number(n)});
      QVERIFY(child.waitForReadyRead(30000));
      QTest::qWait(300 + static_cast<int>(random() % (n % 4 == 0 ? 3500 : 1200)));
      const qint64 killedAt = QDateTime::currentMSecsSinceEpoch();
      ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
      QVERIFY(child.waitForFinished());
      const Said said(child.readAllStandardOutput());
      steps += static_cast<int>(said.states.size());
      QVERIFY(!said.states.empty());
      const auto left = Recovery::leftBehind(aside);
      qint64 lost = killedAt - said.states.front().first;  // nothing was kept yet
      if (!left.empty()) {
        const ReadResult read = readModule(left[0].file.toStdString());
        QVERIFY2(read.module, "what was written aside does not read");
        const auto project = readArrangement(left[0].file.toStdString());
        QVERIFY2(project, "nor what was arranged");
        lost = said.lost(markOf(*read.module, noteOf(*project)), killedAt);
        // A state that was there and not said yet is newer than all that was said.
        QVERIFY2(lost >= 0 || noteOf(*project) >= said.last - 1,
                 qPrintable(QStringLiteral("kill %1: what was kept never was on screen: note %2 of %3")
                                .arg(n)
                                .arg(noteOf(*project))
                                .arg(said.last)));
        const auto& all = read.module->entryComputation().instructions;
        empty += all.empty();
        unfinished += std::ranges::any_of(all, [&](InstructionId id) {
          return read.module->at(id).opcode == Opcode::Gather && !read.module->at(id).operands[0].valid();
        });
        calls += std::ranges::any_of(all, [&](InstructionId id) { return read.module->at(id).opcode == Opcode::Call; });
        texts +=
            std::ranges::any_of(all, [&](InstructionId id) { return read.module->at(id).name.starts_with("typed."); });
        QCOMPARE(QFileInfo(left[0].path).fileName(), n % 3 == 0   ? QString()
                                                     : n % 3 == 1 ? QStringLiteral("graph.hlo")
                                                                  : QStringLiteral("work.tessera"));
      }
      QVERIFY2(lost < 2000, qPrintable(QStringLiteral("kill %1: what is lost was on screen for %2 s")
                                           .arg(n)
                                           .arg(static_cast<double>(lost) / 1000)));
      worst = std::max(worst, static_cast<double>(lost) / 1000);
      if (n % 3 == 1)
        QCOMPARE(QByteArray::fromStdString(readFile((folder.path() + "/graph.hlo").toStdString()).value_or("")),
                 QByteArray(kGraph));
    }
    qInfo(
        "%d kills after %d steps, the oldest loss %.2f s; what was kept was empty %d and unfinished %d times, had "
        "calls %d and typed text %d times",
        kills, steps, worst, empty, unfinished, calls, texts);
    if (kills >= 100) QVERIFY(empty > 0 && unfinished > 0 && calls > 0 && texts > 0);
  }

  // What stands is written aside and comes back as it is, however little of it is finished.
  void unfinishedAndEmptyGraphsAreKeptAside() {
    QTemporaryDir folder;
    Document document;
    document.file().create();
    Recovery recovery(document, folder.path(), nullptr);
    const QString own = QStringLiteral("%1/%2.tessera").arg(folder.path(), Recovery::sessionName());
    const auto cameBack = [&] {
      const std::string now = printHloText(document.module());
      QTRY_VERIFY(QString::fromStdString(readFile(own.toStdString()).value_or(""))
                      .contains(QString::fromStdString(now).trimmed()));
      const QString left = folder.filePath("1073741823.tessera");  // no such process
      QVERIFY(QFile::copy(own, left));
      Document next;
      next.file().openRecovered(left, {});
      QTRY_VERIFY(next.isOpen());
      QTRY_VERIFY(!next.isBusy());
      QCOMPARE(printHloText(next.module()), now);
      QVERIFY(next.file().isModified());
      QVERIFY(QFile::remove(left));
    };
    const auto perform = [&](Edit edit) {
      document.perform(std::move(edit));
      QTRY_VERIFY(!document.isBusy());
    };
    perform(edited(document.module(), 1));
    QVERIFY(printHloText(document.module()).find("gather(?, ?), offset_dims=?") != std::string::npos);
    cameBack();
    perform(emptied(document.module()));
    QCOMPARE(document.module().instructionCount(), size_t{0});
    cameBack();
  }

  // In a container every session has the same number, and after a restart of the system any may come again.
  void aNumberThatLivesAgainIsAnotherProcess() {
    QTemporaryDir folder;
    const QString own = Recovery::sessionName(), number = own.section('-', 0, 0), start = own.section('-', 1, 1),
                  boot = own.section('-', 2, 2);
    QVERIFY2(own.count('-') == 2 && start.toLongLong() > 0 && !boot.isEmpty(), qPrintable(own));
    const auto offered = [&](const QString& name) {
      const std::string file = folder.filePath(name + ".tessera").toStdString();
      if (!writeFileAtomically(file, "tessera project 1\nend\n")) qFatal("cannot write a test file");
      const bool found = Recovery::leftBehind(folder.path()).size() == 1;
      QFile::remove(QString::fromStdString(file));
      return found;
    };
    QVERIFY(!offered(own));
    QVERIFY(offered(number + "-" + QString::number(start.toLongLong() - 1) + "-" + boot));
    QVERIFY(offered(number + "-" + start + "-00000000"));
    QVERIFY(offered("1073741823-1-" + boot));
    // What another session left under this number stays while this one begins and ends.
    const QString left = folder.filePath(number + "-1-" + boot + ".tessera");
    QVERIFY(writeFileAtomically(left.toStdString(), "tessera project 1\nend\n").has_value());
    {
      Document document;
      Recovery recovery(document, folder.path(), nullptr);
      document.file().create();
      QTRY_VERIFY(!document.isBusy());
    }
    QVERIFY(QFile::exists(left));
  }

  // What does not open, or comes too late, is still there at the next start.
  void whatWasNotOpenedStays() {
    QTemporaryDir folder;
    const QString left = folder.filePath("1073741823.tessera");  // no such process
    QVERIFY(writeFileAtomically(left.toStdString(), "no project").has_value());
    Document document;
    Recovery recovery(document, folder.path(), nullptr);
    recovery.adopt({left, {}});
    QTRY_VERIFY(!document.isBusy());
    QVERIFY(!document.isOpen());
    document.file().create();
    document.perform(edited(document.module(), 1));
    const QString own = QStringLiteral("%1/%2.tessera").arg(folder.path(), Recovery::sessionName());
    QTRY_VERIFY(QFile::exists(own));
    QTest::qWait(100);  // the answer of the worker that wrote it
    QVERIFY(QFile::exists(left));
  }

  void isOpenedAsUnsaved() {
    QTemporaryDir folder;
    {
      QFile file(folder.filePath("1073741823.tessera"));  // no such process
      QVERIFY(file.open(QIODevice::WriteOnly));
      Module module = emptyModule();
      History history(module);
      QVERIFY(history.perform(
          {"Add",
           {AddInstruction{
               module.entry(), Opcode::Constant, "seven", {}, {}, Shape::array(ElementType::S32, {}), "7"}}}));
      file.write(QByteArray::fromStdString(printProject({}, &history.current())));
    }
    const auto left = Recovery::leftBehind(folder.path());
    QCOMPARE(left.size(), size_t{1});
    Document document;
    {
      Recovery recovery(document, folder.path(), nullptr);
      recovery.adopt(left[0]);
      QTRY_VERIFY(document.isOpen());
      QVERIFY(document.file().isModified());
      QVERIFY(document.module().findInstruction("seven"));
      QTRY_VERIFY(!QFile::exists(left[0].file));
      QCOMPARE(Recovery::leftBehind(folder.path()).size(), size_t{0});  // this session runs
      const QString saved = folder.filePath("saved.hlo");
      QVERIFY(document.file().save(saved));
    }
    QVERIFY(QDir(folder.path()).entryList({"*.tessera"}, QDir::Files).isEmpty());
  }
};

// Two hundred kills take longer than Qt gives a test.
int main(int argc, char** argv) {
  qputenv("QTEST_FUNCTION_TIMEOUT", "86400000");
  QApplication app(argc, argv);
  if (argc == 4 && QByteArray(argv[1]) == "--edit")
    return editUntilKilled(QString::fromLocal8Bit(argv[2]), QByteArray(argv[3]).toInt());
  RecoveryTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "recovery_test.moc"
