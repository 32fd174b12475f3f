// Files in the studio: dropped, saved, full disks, files that cannot be opened, what is remembered of them.
#include <sys/resource.h>

#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFile>
#include <QMimeData>
#include <QTest>
#include <csignal>

#include "editor/document/recent_files.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/studio_hand.h"

namespace tessera::studio_files_test {

class StudioFilesTest : public StudioHand {
  Q_OBJECT

 private slots:
  void initTestCase() { beginTests(); }
  void init() { openWindow(); }
  void cleanup() { window_.reset(); }

  // A file that may not grow, which is what a full disk looks like to a program.
  void aFullDiskIsExplainedAndLosesNothing() {
    const QString path = write("full.hlo", kMlp);
    open(path);
    document().perform({"Shape of x", {SetParameterShape{id("x"), Shape::arrayRowMajor(ElementType::F32, {6, 8})}}});
    QVERIFY(waitUntilIdle(*window_));
    const std::string edited = printHloText(document().module());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit tiny{16, usual.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    key(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!document().file().waitForSaving());
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &usual), 0);
    QVERIFY(window_->banner().isVisible());
    QVERIFY(window_->banner().message().contains("full.hlo"));
    QVERIFY(document().file().isModified());
    QCOMPARE(printHloText(document().module()), edited);
    QFile old(path);
    QVERIFY(old.open(QIODevice::ReadOnly));
    QCOMPARE(old.readAll(), QByteArray(kMlp));
    QCOMPARE(QFileInfo(path).dir().entryList({"full.hlo.*"}).size(), 0);
    key(Qt::Key_S, Qt::ControlModifier);  // with room again it is saved
    QTRY_VERIFY(!document().file().isModified());
  }

  void aFileIsDroppedIn() {
    const QString path = write("dropped.hlo", kMlp);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_.get(), &drop);
    QVERIFY(waitUntilIdle(*window_));
    QCOMPARE(document().file().path(), path);
  }

  void badFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    const QByteArray whole(kMlp);
    QTest::newRow("truncated") << whole.left(whole.size() / 2) << "bad.hlo:";
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("binary") << QByteArray(
                                   "\x7f"
                                   "ELF\0\1\2\3junk\0\0",
                                   14)
                            << "binary";
    QTest::newRow("undefined name") << QByteArray(whole).replace("tanh(product)", "tanh(nowhere)") << "nowhere";
    QTest::newRow("cycle") << QByteArray(whole).replace("dot(x, w)", "dot(activated, w)") << "cycl";
  }

  void badFiles() {
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    open(write("bad.hlo", content));
    const QString message = window_->banner().message();
    QVERIFY2(message.contains(expected, Qt::CaseInsensitive), qPrintable(message));
    QVERIFY(document().file().path().endsWith("mlp.hlo"));  // what was open stays
    QVERIFY(window_->panels().diagnostics->errorCount() > 0);
    QVERIFY(!window_->recentFiles().paths().contains(folder_.filePath("bad.hlo")));
  }

  void aDirectoryAndAMissingFileAreRefused() {
    open(folder_.path());
    QVERIFY2(window_->banner().message().contains("directory"), qPrintable(window_->banner().message()));
    open(folder_.filePath("missing.hlo"));
    QVERIFY2(window_->banner().message().contains("No such file"), qPrintable(window_->banner().message()));
    QVERIFY(document().isOpen());
    open(write("good.hlo", kMlp));
    QVERIFY(window_->banner().message().isEmpty());
    QCOMPARE(window_->panels().diagnostics->errorCount(), 0);
  }

  void theLastOfTwoQuickOpensWins() {
    const QString first = write("first.hlo", kMlp), second = write("second.hlo", kMlp);
    window_->openFile(first);
    window_->openFile(second);
    QVERIFY(waitUntilIdle(*window_));
    QVERIFY(document().file().path().endsWith("second.hlo"));
  }

  void savingWritesTheEditedText() {
    QVERIFY(playCommand(*window_, "set-shape x f32[2,8]").has_value());
    const QString path = folder_.filePath("saved.hlo");
    QVERIFY(playCommand(*window_, "save " + path).has_value());
    QVERIFY(!window_->isWindowModified());
    open(path);
    QCOMPARE(shapeOf("activated"), std::string("f32[2,3]"));
    QVERIFY(!playCommand(*window_, "save /proc/nowhere/x.hlo").has_value());
  }

  void sessionsAreRemembered() {
    QVERIFY(window_->recentFiles().paths().first().endsWith("mlp.hlo"));
    {
      MainWindow first(true);
      first.openFile(folder_.filePath("mlp.hlo"));
      QVERIFY(waitUntilIdle(first));
      first.setTheme(Theme::Dark);
      first.show();
      first.close();
    }
    MainWindow second(true);
    QCOMPARE(second.recentFiles().paths(), QStringList{folder_.filePath("mlp.hlo")});
    QVERIFY(second.theme() == Theme::Dark);
  }
};

TESSERA_QT_TEST(studio_files_test, StudioFilesTest)
}  // namespace tessera::studio_files_test
#include "studio_files_test.moc"
