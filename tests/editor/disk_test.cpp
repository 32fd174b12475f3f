// A disk that takes its time: nothing of the window waits for it, and what is told as saved is there.
#include <sys/syscall.h>
#include <unistd.h>

#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <memory>

#include "app/studio/actions/key_map.h"
#include "app/studio/preferences/preference_control.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/group_actions.h"
#include "editor/preferences/preferences.h"
#include "editor/preferences/settings.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace {
std::atomic<int> syncsOfWindow = 0, syncs = 0, slownessMs = 0;
}

namespace {
int syncSlowly(long call, int file) {
  ++syncs;
  if (::gettid() == ::getpid()) ++syncsOfWindow;
  if (slownessMs > 0) ::usleep(static_cast<useconds_t>(slownessMs) * 1000);
  return static_cast<int>(::syscall(call, file));
}
}  // namespace

// In the place of the C library's, for this program and the libraries that it uses.
extern "C" int fsync(int file) { return syncSlowly(SYS_fsync, file); }
extern "C" int fdatasync(int file) { return syncSlowly(SYS_fdatasync, file); }

namespace tessera::disk_test {

class DiskTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  std::unique_ptr<QTemporaryDir> folder_;
  Hand& hand() { return *hand_; }
  DocumentFile& file() { return hand().document().file(); }
  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }
  QByteArray contentOf(const QString& path) const {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    folder_ = std::make_unique<QTemporaryDir>();
    hand().add("f32[4]");
    hand().add("exp");
    slownessMs = 100;
    syncs = syncsOfWindow = 0;
  }
  void cleanup() {
    slownessMs = 0;
    hand_.reset();
  }

  void aBlockIsWrittenByAWorker() {
    hand().window().pane().blocks().setLibrary(path("mine.tessera-blocks"));
    QVERIFY(hand().saveBlock("grow", ""));
    QVERIFY(syncs > 0);
    QCOMPARE(syncsOfWindow.load(), 0);
    QVERIFY(contentOf(path("mine.tessera-blocks")).contains("grow"));
  }

  // What it was made of changes while it is written: it stays, and the block is in the library.
  void aGraphThatChangesMeanwhileKeepsWhatTheBlockWasMadeOf() {
    BlockActions& blocks = hand().window().pane().blocks();
    blocks.setLibrary(path("mine.tessera-blocks"));
    const InstructionId power = hand().selected();
    blocks.saveSelection("grow", "");
    hand().window().document().perform({"Delete", {RemoveInstruction{power}}}, {});
    QVERIFY(QTest::qWaitFor([&] { return !blocks.isSaving(); }));
    hand().settle();
    QVERIFY(!hand().module().contains(power));
    QVERIFY(!hand().text().contains("call("));
    QCOMPARE(blocks.blocks().size(), size_t{1});
    hand().undo();
    QVERIFY(hand().module().contains(power));
  }

  void aDocumentAndItsSidecarAreWrittenByAWorker() {
    hand().document().setFlow(PageFlow::Right);
    hand().settle();
    QSignalSpy ended(&file(), &DocumentFile::savingEnded);
    file().startSaving(path("a.hlo"));
    QVERIFY(file().isSaving() && file().isModified() && !file().differsOnDisk());
    QTRY_COMPARE(ended.count(), 1);
    QVERIFY(syncs >= 2);
    QCOMPARE(syncsOfWindow.load(), 0);
    QVERIFY(!file().isSaving() && !file().isModified() && !file().differsOnDisk());
    QCOMPARE(contentOf(path("a.hlo")), QByteArray::fromStdString(hand().text()));
  }

  void aReadOnlyFileIsNotWrittenOver() {
    for (const char* name : {"a.hlo", "a.tessera"}) {
      QVERIFY(file().save(path(name)));
      const QByteArray before = contentOf(path(name));
      QVERIFY(QFile::setPermissions(path(name), QFile::ReadOwner | QFile::ReadGroup));
      hand().add("tanh");
      const Status refused = file().save(path(name));
      QVERIFY(!refused && refused.error().toString().find("read-only") != std::string::npos);
      QVERIFY(file().isModified());
      QCOMPARE(contentOf(path(name)), before);
      QVERIFY(QFile::setPermissions(path(name), QFile::ReadOwner | QFile::WriteOwner));
      QVERIFY(file().save(path(name)));
      QVERIFY(contentOf(path(name)) != before);
    }
  }

  void anEditMeanwhileIsNotSaved() {
    const std::string before = hand().text();
    file().startSaving(path("a.hlo"));
    hand().add("tanh");
    QTRY_VERIFY(!file().isSaving());
    QVERIFY(file().isModified());
    QCOMPARE(contentOf(path("a.hlo")), QByteArray::fromStdString(before));
    hand().undo();
    QVERIFY(!file().isModified());
  }

  void savedAgainMeanwhileTheLastOneCounts() {
    file().startSaving(path("a.hlo"));
    hand().add("tanh");
    file().startSaving(path("a.hlo"));
    QVERIFY(file().waitForSaving().has_value());
    QVERIFY(!file().isModified());
    QCOMPARE(contentOf(path("a.hlo")), QByteArray::fromStdString(hand().text()));
  }

  // What is kept between sessions is there for whoever reads it next.
  void settingsAreWrittenByAWorker() {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("TesseraTest"));
    QCoreApplication::setApplicationName(QStringLiteral("disk_test"));
    MainWindow window(true);
    window.show();
    QVERIFY(waitUntilIdle(window));
    PreferenceControl control(true, nullptr);
    control.setTileCache(96);
    control.setThreads(3);
    KeyMap keys(window, true);
    keys.rebind(keys.entries().front(), QKeySequence(QStringLiteral("Ctrl+Alt+Shift+F9")));
    window.close();
    QCOMPARE(syncsOfWindow.load(), 0);
    const QSettings settings = keptSettings();
    QVERIFY(syncs >= 3);
    QCOMPARE(settings.value(QStringLiteral("tileCacheMb")).toInt(), 96);
    QCOMPARE(settings.value(QStringLiteral("threads")).toInt(), 3);
    QVERIFY(settings.contains(QStringLiteral("geometry")));
    preferences() = {};
    QSettings().clear();
  }

  void whatIsExportedIsWrittenByAWorker() {
    GroupActions& groups = hand().window().pane().groups();
    QSignalSpy extracted(&groups, &GroupActions::extracted), explained(&groups, &GroupActions::explained);
    groups.extract(path("part.hlo"));
    QTRY_COMPARE(extracted.count(), 1);
    QVERIFY(syncs > 0);
    QCOMPARE(syncsOfWindow.load(), 0);
    QVERIFY2(contentOf(path("part.hlo")).contains("exponential"), contentOf(path("part.hlo")));
    groups.extract(path("no/such/part.hlo"));
    QTRY_COMPARE(explained.count(), 1);
  }

  void aPartThatIsTakenOutAndAPictureAreWrittenByWorkers() {
    const auto before = hand().window().tabs().count();
    const int earlier = syncs;
    QVERIFY(playCommand(hand().window(), QStringLiteral("take-out")));
    QTRY_COMPARE(hand().window().tabs().count(), before + 1);
    hand().settle();
    QVERIFY2(hand().text().find("exponential") != std::string::npos, hand().text().c_str());
    const int ofThePart = syncs;
    QVERIFY(ofThePart > earlier);
    QVERIFY(writeScreenshot(hand().window(), path("window.png")));
    QVERIFY(syncs > ofThePart);
    QVERIFY(contentOf(path("window.png")).startsWith("\x89PNG"));
    QVERIFY(!writeScreenshot(hand().window(), path("no/such/window.png")));
    QCOMPARE(syncsOfWindow.load(), 0);
  }

  // Who closes or opens another file meanwhile loses nothing.
  void whatIsBeingWrittenIsWrittenWholeBeforeTheDocumentGoes() {
    const QByteArray first = QByteArray::fromStdString(hand().text());
    file().startSaving(path("a.hlo"));
    file().create();
    QCOMPARE(contentOf(path("a.hlo")), first);
    QVERIFY(file().path().isEmpty());
    hand().add("f32[8]");
    const QByteArray second = QByteArray::fromStdString(hand().text());
    file().startSaving(path("b.hlo"));
    hand_.reset();
    QCOMPARE(contentOf(path("b.hlo")), second);
  }
};

TESSERA_QT_TEST(disk_test, DiskTest)
}  // namespace tessera::disk_test
#include "disk_test.moc"
