// A session that is killed in the middle of editing: what was on screen two seconds before is found by the next one.
// TESSERA_KILLS=N kills so often.
#include <signal.h>

#include <QDateTime>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <random>

#include "core/formats/module_file.h"
#include "editor/document/recovery.h"
#include "tests/editor/hand.h"

using namespace tessera;

namespace {

// One more constant, now and then with an operation of which everything is open; or nothing at all any more.
Edit edited(const Module& module, int i) {
  const Shape number = Shape::array(ElementType::S32, {});
  Edit edit{"Edit", {}};
  if (i % 10 == 9) {
    const auto& all = module.entryComputation().instructions;
    for (auto id = all.rbegin(); id != all.rend(); ++id) edit.actions.push_back(RemoveInstruction{*id});
    return edit;
  }
  edit.actions.push_back(AddInstruction{module.entry(), Opcode::Constant, "", {}, {}, number, std::to_string(i)});
  if (i % 4 == 1) edit.actions.push_back(AddInstruction{module.entry(), Opcode::Gather, "", {{}, {}}, {}, {}, ""});
  return edit;
}

// Edits without end and says after each what stands, with the time; every state has another note.
int editUntilKilled(const QString& folder) {
  Document document;
  document.create();
  Recovery recovery(document, folder, nullptr);
  const auto settle = [&] {
    do QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    while (document.isBusy());
  };
  settle();
  for (int i = 1;; ++i) {
    document.perform(edited(document.module(), i));
    settle();
    document.arrange("Note", [i](ProjectPage& page) { page.notes = {{0, 0, 10, 10, std::to_string(i)}}; });
    settle();
    if (i % 40 == 0)
      for (int k = 0; k < 20; ++k) document.undo();
    settle();
    std::printf("%lld %d\n", static_cast<long long>(QDateTime::currentMSecsSinceEpoch()), i);
    std::fflush(stdout);
  }
}

// The number that the note of a file says; -1: none.
int noteOf(const QString& file) {
  const auto project = readArrangement(file.toStdString());
  if (!project) return -1;
  for (const ProjectPage& page : project->pages)
    for (const PageBox& note : page.notes) return std::stoi(note.text);
  return -1;
}

}  // namespace

class RecoveryTest : public QObject {
  Q_OBJECT

 private slots:
  void nothingOlderThanTwoSecondsIsLost() {
    const int kills = qEnvironmentVariableIntValue("TESSERA_KILLS") > 0 ? qEnvironmentVariableIntValue("TESSERA_KILLS") : 4;
    std::mt19937 random(3);
    QTemporaryDir folder;
    double worst = 0;
    int empty = 0, unfinished = 0;
    for (int n = 0; n < kills; ++n) {
      QProcess child;
      child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--edit"), folder.path()});
      QVERIFY(child.waitForReadyRead(30000));
      QTest::qWait(600 + static_cast<int>(random() % 900));
      const qint64 killedAt = QDateTime::currentMSecsSinceEpoch();
      ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
      QVERIFY(child.waitForFinished());
      int due = 0;  // the last state that stood two seconds before; what is younger may be lost
      qint64 dueAt = 0, keptAt = 0;
      const auto left = Recovery::leftBehind(folder.path());
      const QList<QByteArray> lines = child.readAllStandardOutput().split('\n');
      int kept = -1;
      if (!left.empty()) {
        const ReadResult read = readModule(left[0].file.toStdString());
        QVERIFY2(read.module, "what was written aside does not read");
        kept = noteOf(left[0].file);
        const auto& all = read.module->entryComputation().instructions;
        empty += all.empty();
        unfinished += std::ranges::any_of(all, [&](InstructionId id) { return read.module->at(id).opcode == Opcode::Gather && !read.module->at(id).operands[0].valid(); });
      }
      for (const QByteArray& line : lines) {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() != 2) continue;
        if (words[0].toLongLong() <= killedAt - 2000) due = words[1].toInt(), dueAt = words[0].toLongLong();
        if (words[1].toInt() <= kept) keptAt = words[0].toLongLong();
      }
      QVERIFY2(kept >= due - 20, qPrintable(QStringLiteral("kill %1: kept %2, due %3 of %4").arg(n).arg(kept).arg(due).arg(dueAt)));
      if (keptAt > 0) worst = std::max(worst, static_cast<double>(killedAt - keptAt) / 1000);
      QVERIFY2(keptAt == 0 || killedAt - keptAt < 2000 || due == 0, qPrintable(QStringLiteral("kill %1: the last state kept is %2 s old").arg(n).arg(static_cast<double>(killedAt - keptAt) / 1000)));
      for (const auto& each : left) Recovery::discard(each);
    }
    qInfo("%d kills, the oldest loss %.2f s; what was kept was empty %d and unfinished %d times", kills, worst, empty, unfinished);
    if (kills >= 100) QVERIFY(empty > 0 && unfinished > 0);
  }

  // What stands is written aside and comes back as it is, however little of it is finished.
  void unfinishedAndEmptyGraphsAreKeptAside() {
    QTemporaryDir folder;
    Document document;
    document.create();
    Recovery recovery(document, folder.path(), nullptr);
    const QString own = QStringLiteral("%1/%2.tessera").arg(folder.path()).arg(QCoreApplication::applicationPid());
    const auto cameBack = [&] {
      const std::string now = printHloText(document.module());
      QTRY_VERIFY(QString::fromStdString(readFile(own.toStdString()).value_or("")).contains(QString::fromStdString(now).trimmed()));
      const QString left = folder.filePath("1073741823.tessera");  // no such process
      QVERIFY(QFile::copy(own, left));
      Document next;
      next.openRecovered(left, {});
      QTRY_VERIFY(next.isOpen());
      QTRY_VERIFY(!next.isBusy());
      QCOMPARE(printHloText(next.module()), now);
      QVERIFY(next.isModified());
      QVERIFY(QFile::remove(left));
    };
    const auto perform = [&](Edit edit) {
      document.perform(std::move(edit));
      QTRY_VERIFY(!document.isBusy());
    };
    perform(edited(document.module(), 1));
    QVERIFY(printHloText(document.module()).find("gather(?, ?), offset_dims=?") != std::string::npos);
    cameBack();
    perform(edited(document.module(), 9));
    QCOMPARE(document.module().instructionCount(), size_t{0});
    cameBack();
  }

  void isOpenedAsUnsaved() {
    QTemporaryDir folder;
    {
      QFile file(folder.filePath("1073741823.tessera"));  // no such process
      QVERIFY(file.open(QIODevice::WriteOnly));
      Module module = emptyModule();
      History history(module);
      QVERIFY(history.perform({"Add", {AddInstruction{module.entry(), Opcode::Constant, "seven", {}, {}, Shape::array(ElementType::S32, {}), "7"}}}));
      file.write(QByteArray::fromStdString(printProject({}, &history.current())));
    }
    const auto left = Recovery::leftBehind(folder.path());
    QCOMPARE(left.size(), size_t{1});
    Document document;
    {
      Recovery recovery(document, folder.path(), nullptr);
      recovery.adopt(left[0]);
      QTRY_VERIFY(document.isOpen());
      QVERIFY(document.isModified());
      QVERIFY(document.module().findInstruction("seven"));
      QTRY_VERIFY(!QFile::exists(left[0].file));
      QCOMPARE(Recovery::leftBehind(folder.path()).size(), size_t{0});  // this session runs
      const QString saved = folder.filePath("saved.hlo");
      QVERIFY(document.save(saved));
    }
    QVERIFY(QDir(folder.path()).entryList({"*.tessera"}, QDir::Files).isEmpty());
  }
};

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc == 3 && QByteArray(argv[1]) == "--edit") return editUntilKilled(QString::fromLocal8Bit(argv[2]));
  RecoveryTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "recovery_test.moc"
