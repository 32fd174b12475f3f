// What goes wrong in a person's hands: projects that are newer, broken or cut short, junk on the clipboard, literals of
// a wrong size, a library of blocks that changed, a full disk. Each is explained, and nothing that stood is lost.
#include <sys/resource.h>

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <csignal>
#include <random>

#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "core/formats/project.h"
#include "editor/controllers/block_actions.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::bad_input_test {
namespace {

const char* const kProject =
    "tessera project 1\nshow \"main\"\npage \"main\"\ngroups\nat \"n\" 300 500\nframe 280 480 200 90 \"inner\"\nnote 0 "
    "-90 200 40 \"why\"\nhlo\n"
    "HloModule m\n\nENTRY %main (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n  ROOT %n = f32[2]{0} "
    "negate(%a)\n}\n\nend\n";

// No file of this process grows beyond some bytes while it lives, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

class BadInputTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Hand> hand_;
  std::string before_;

  Hand& hand() { return *hand_; }
  QString write(const QString& name, const QByteArray& content) {
    QFile file(folder_->filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write a test file");
    return file.fileName();
  }
  QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  // A small graph that nobody has saved.
  void begin() {
    hand().add("f32[4]");
    hand().add("exp");
    before_ = hand().text();
  }
  void stillThere() {
    QCOMPARE(hand().text(), before_);
    QVERIFY(hand().document().file().isModified() && hand().document().canUndo());
  }
  void refused(const QString& path, const char* why) {
    hand().window().openFile(path);
    hand().settle();
    QVERIFY2(hand().window().banner().isVisible(), qPrintable(path));
    QVERIFY2(hand().window().banner().message().contains(QLatin1String(why)),
             qPrintable(hand().window().banner().message()));
    stillThere();
  }

 private slots:
  void init() {
    QStandardPaths::setTestModeEnabled(true);
    folder_ = std::make_unique<QTemporaryDir>();
    hand_ = std::make_unique<Hand>();
  }
  void cleanup() {
    hand_.reset();
    folder_.reset();
  }

  void aProjectOfANewerVersion() {
    begin();
    refused(write("newer.tessera", QByteArray(kProject).replace("project 1", "project 2")), "newer");
  }

  void aProjectThatWasSavedHalfWay() {
    begin();
    const QByteArray whole(kProject);
    for (qsizetype size = 20; size < whole.size() - 1; size += 23) {
      const QString path = write("half.tessera", whole.left(size));
      refused(path, "half.tessera");
      if (QTest::currentTestFailed()) return;
    }
  }

  // Whatever is broken is said with its line, and what is read is a project.
  void aProjectBrokenByHand() {
    std::mt19937 random(5);
    const std::string whole(kProject);
    int refusals = 0;
    for (int n = 0; n < 3000; ++n) {
      std::string broken = whole;
      for (int times = 1 + static_cast<int>(random() % 3); times > 0; --times) {
        const size_t at = random() % broken.size();
        switch (random() % 3) {
          case 0: broken.erase(at, 1 + random() % 9); break;
          case 1: broken.insert(at, 1, static_cast<char>(random() % 256)); break;
          default: broken[at] = static_cast<char>(random() % 256);
        }
      }
      const ReadResult read = readProjectModule(broken, "broken.tessera");
      if (read.module) {
        QVERIFY(!printProject({}, &*read.module).empty());
        continue;
      }
      ++refusals;
      QVERIFY2(read.diagnostics.hasErrors() && !read.diagnostics.items()[0].message.empty(), broken.c_str());
    }
    QVERIFY(refusals > 300);
    begin();
    refused(write("broken.tessera", QByteArray(kProject).replace("at \"n\" 300 500", "at \"n\" 300 here")),
            "broken.tessera:5");
    refused(write("graph.tessera", QByteArray(kProject).replace("negate(%a)", "negate(%b)")), "undefined name %b");
  }

  void junkThatIsPasted() {
    begin();
    for (const char* junk :
         {"hello", "   ", "HloModule m\n\nENTRY %e {\n", "}}}}((((", "%a = f32[2] add(%nobody, %nothing)",
          "\x01\x02\xff", "tessera project 1\nend\n", "%a = f32[99999999999,99999999999] constant(1)"}) {
      QGuiApplication::clipboard()->setText(QString::fromLatin1(junk));
      hand().window().banner().hide();
      hand().key(Qt::Key_V, Qt::ControlModifier);
      QVERIFY2(hand().window().banner().isVisible() && !hand().window().banner().message().isEmpty(), junk);
      stillThere();
      if (QTest::currentTestFailed()) return;
    }
  }

  void literalsOfAWrongSize() {
    begin();
    refused(write("few.hlo", "HloModule m\nENTRY %e {\n  ROOT %c = f32[3] constant({1, 2})\n}\n"), "3");
    refused(write("many.tessera", QByteArray(kProject).replace("negate(%a)", "constant({1, 2, 3})")),
            "too many elements");
    TextPanel* panel = hand().window().panels().text;
    hand().window().panels().raise(QStringLiteral("text"));
    panel->editButton()->setChecked(true);
    QPlainTextEdit* field = panel->edit()->field();
    QTextCursor cursor = field->document()->find(QStringLiteral("  ROOT"));
    cursor.setPosition(cursor.selectionStart());
    field->setTextCursor(cursor);
    QTest::keyClicks(field, "  c = f32[3] constant({1, 2})");
    QTest::keyClick(field, Qt::Key_Escape);
    QTest::keyClick(field, Qt::Key_Return);
    panel->edit()->readNow();
    QVERIFY2(!panel->edit()->errorText().isEmpty(), qPrintable(field->toPlainText()));
    stillThere();
  }

  void aLibraryThatAnotherSessionChanged() {
    begin();
    const QString library = folder_->filePath("mine.tessera-blocks");
    BlockActions& own = hand().window().pane().blocks();
    own.setLibrary(library);
    QVERIFY(hand().saveBlock("first", "of this session"));
    {
      Hand other;
      other.window().pane().blocks().setLibrary(library);
      other.add("f32[4]");
      other.add("tanh");
      QVERIFY(other.saveBlock("second", "of another"));
    }
    QVERIFY(hand().saveBlock("third", "of this one again"));
    std::vector<std::string> names;
    for (const Block& block : own.blocks()) names.push_back(block.name);
    QVERIFY(std::ranges::find(names, "second") != names.end());
    QCOMPARE(names.size(), size_t{3});
    // What does not read any more is not written over, and what was to be saved stays as it is.
    before_ = hand().text();
    const QByteArray broken = contentOf(library).replace("ENTRY", "ENTRE");
    write("mine.tessera-blocks", broken);
    QSignalSpy explained(&own, &BlockActions::explained);
    QVERIFY(!hand().saveBlock("fourth", ""));
    QVERIFY(explained.count() > 0);
    QCOMPARE(contentOf(library), broken);
    stillThere();
  }

  // Qt would lay it out for minutes.
  void aNameOfAHundredThousandLetters() {
    const std::string name = "begins" + std::string(100000, 'x') + "ends";
    const std::string text = "HloModule m\n\nENTRY e {\n  " + name +
                             " = f32[8] parameter(0)\n  ROOT r = f32[8] negate(" + name + "), metadata={op_name=\"" +
                             name + "\"}\n}\n";
    hand_->openText(text.c_str(), false);
    for (const std::string& each : {name, std::string("r")}) {
      hand_->document().select({hand_->named(each.c_str())});
      const QString shown = hand_->window().panels().inspector->shownText();
      QVERIFY(shown.contains(QStringLiteral("beginsxxx")) && shown.contains(QStringLiteral("xxxends")));
      QVERIFY2(shown.size() < 4000, qPrintable(QString::number(shown.size())));
    }
  }

  void aFullDiskWhileSaving() {
    begin();
    for (const char* name : {"old.hlo", "old.tessera", "old.pb"}) {
      const QString path = write(QString::fromLatin1(name), "what was there before");
      {
        FullDisk full(40);
        const Status saved = hand().document().file().save(path);
        QVERIFY(!saved);
        QVERIFY2(saved.error().message.find("large") != std::string::npos, saved.error().message.c_str());
      }
      QCOMPARE(contentOf(path), QByteArray("what was there before"));
      QCOMPARE(QDir(folder_->path()).entryList({QString::fromLatin1(name) + ".??????"}, QDir::Files).size(), 0);
      stillThere();
      QVERIFY(hand().document().file().path().isEmpty());
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(hand().document().file().save(folder_->filePath("old.hlo")));  // there is room again
    QVERIFY(!hand().document().file().isModified());
  }

  void aFullDiskWhileKeepingAside() {
    Recovery recovery(hand().document(), folder_->path(), nullptr);
    QSignalSpy failed(&recovery, &Recovery::failed);
    {
      FullDisk full(40);
      begin();
      QTRY_COMPARE(failed.count(), 1);
      QVERIFY(!failed[0][0].toString().isEmpty());
    }
    hand().add("tanh");  // there is room again
    QTRY_COMPARE(QDir(folder_->path()).entryList({"*.tessera"}, QDir::Files).size(), 1);
    QVERIFY(readProjectModule(
                contentOf(QDir(folder_->path()).entryInfoList({"*.tessera"}, QDir::Files)[0].filePath()).toStdString(),
                "r.tessera")
                .module);
  }
};

TESSERA_QT_TEST(bad_input_test, BadInputTest)
}  // namespace tessera::bad_input_test
#include "bad_input_test.moc"
