// A foreign folder in the studio: what its project names is shown and refused until it is allowed, item by item, and no
// link, no live mode and no swapped file gets round it.
#include <sys/stat.h>

#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "core/formats/npz.h"
#include "editor/panels/banner.h"
#include "editor/panels/run/permission_bar.h"
#include "editor/panels/run/permission_list.h"
#include "editor/panels/run/run_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::permissions_test {
namespace {

constexpr const char* kModel =
    "HloModule model\n\nENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] custom-call(x), "
    "custom_call_target=\"my_target\", api_version=API_VERSION_ORIGINAL\n  t = token[] after-all()\n  ROOT o = token[] "
    "outfeed(y, t), outfeed_shape=f32[4]\n}\n";
constexpr const char* kNegateProgram =
    "HloModule model\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n";

Literal floats(std::vector<float> values) {
  return *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())}),
                             std::as_bytes(std::span(values)));
}

}  // namespace

class PermissionsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  std::unique_ptr<QTemporaryDir> folder_;

  Hand& hand() { return *hand_; }
  QString at(const QString& name) const { return folder_->filePath(name); }
  void write(const QString& name, const std::string& content) const {
    if (!writeFileAtomically(at(name).toStdString(), content)) qFatal("cannot write a test's file");
  }
  std::string content(const QString& name) const { return readFile(at(name).toStdString()).value_or("(none)"); }
  void project(const std::string& runLines) const {
    write("project/model.hlo.tessera", "tessera project 1\ngraph \"model.hlo\"\n" + runLines + "end\n");
  }
  // A library whose loading leaves a mark.
  void library(const QString& name, int factor) const {
    const std::string mark = at("loaded").toStdString();
    write("lib.c",
          "#include <stdio.h>\n__attribute__((constructor)) static void start(void) { FILE* f = fopen(\"" + mark +
              "\", \"w\"); fclose(f); }\nvoid my_target(float* out, const float** in) { for (int i = 0; i < 4; ++i) "
              "out[i] = " +
              std::to_string(factor) + " * in[0][i]; }\n");
    QProcess compiler;
    compiler.start("cc", {"-shared", "-fPIC", "-o", at(name), at("lib.c")});
    if (!compiler.waitForFinished(60000) || compiler.exitCode() != 0) qFatal("the library does not compile");
  }
  bool wasLoaded() const { return QFile::exists(at("loaded")); }

  void open(const QString& name = "project/model.hlo") {
    hand_ = std::make_unique<Hand>();
    hand().window().openFile(at(name));
    hand().settle();
  }
  void run() { hand().key(Qt::Key_F5); }
  QString message() { return hand().window().banner().message(); }
  QLineEdit* libraryField() {
    for (QLineEdit* each : hand().window().panels().run->findChildren<QLineEdit*>())
      if (each->accessibleName() == "Custom calls") return each;
    return nullptr;
  }
  PermissionBar& bar() { return *hand().window().findChild<PermissionBar*>(); }
  void allowAll() {
    while (!hand().document().asks().empty()) {
      const auto before = hand().document().asks().size();
      for (QToolButton* button : bar().findChildren<QToolButton*>())
        if (button->text() == "Allow" && button->isVisible()) {
          QTest::mouseClick(button, Qt::LeftButton);
          break;
        }
      hand().settle();
      if (hand().document().asks().size() >= before) qFatal("allowing changes nothing");
    }
  }
  std::vector<float> outputs() {
    const auto& outcome = hand().document().run().outcome();
    if (!outcome || outcome->outputs.empty()) return {};
    const auto values = outcome->outputs[0].data<float>();
    return {values.begin(), values.end()};
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QDir(folder_->path()).mkpath("project");
    qputenv("XDG_CONFIG_HOME", at("config").toLocal8Bit());
    write("project/model.hlo", kNegateProgram);
    write("victim", "precious");
  }
  void cleanup() {
    hand_.reset();
    folder_.reset();
    qunsetenv("XDG_CONFIG_HOME");
  }

  // The attack: a model beside a sidecar that names a library and a file to write.
  void aForeignFolderRunsNothing() {
    write("project/model.hlo", kModel);
    library("project/notes.dat", 2);
    project("run infeed ../victim\nrun outfeed " + at("victim").toStdString() + "\nrun library notes.dat\n");
    open();
    QCOMPARE(hand().document().asks().size(), size_t{3});
    QVERIFY(bar().isVisible());
    QVERIFY2(bar().asks().join('\n').contains("load the library notes.dat"), qPrintable(bar().asks().join('\n')));
    QVERIFY(bar().asks().join('\n').contains("write what outfeeds give to " + at("victim")));
    run();
    QVERIFY2(message().contains("not allowed"), qPrintable(message()));
    hand().document().live().setOn(true);
    hand().settle();
    hand().document().fetch().start(hand().named("y"));
    hand().settle();
    QVERIFY(!wasLoaded());
    QCOMPARE(content("victim"), std::string("precious"));
    QVERIFY(!QFile::exists(at("config/tessera/allowed_files")));
  }

  void whatIsAllowedRunsAndIsRemembered() {
    write("project/model.hlo", kModel);
    library("project/notes.dat", 2);
    project("run outfeed out.npz\nrun library notes.dat\n");
    open();
    QCOMPARE(hand().document().asks().size(), size_t{2});
    allowAll();
    QVERIFY(!bar().isVisible());
    run();
    QVERIFY2(message().isEmpty(), qPrintable(message()));
    QVERIFY(wasLoaded());
    const auto out = readNpz(at("project/out.npz").toStdString());
    QVERIFY(out && out->contains("feed0"));
    // Only this user can read what he allowed, and it is not in the project.
    const QString kept = at("config/tessera/allowed_files");
    QCOMPARE(QFile::permissions(kept) & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
             QFile::Permissions());
    QVERIFY(QFile::remove(at("loaded")));
    open();
    QVERIFY(hand().document().asks().empty());
    run();
    QVERIFY(wasLoaded());
    // Others could have written it.
    QVERIFY(::chmod(kept.toLocal8Bit().constData(), 0666) == 0);
    open();
    QCOMPARE(hand().document().asks().size(), size_t{2});
  }

  void whatWasAllowedIsListedAndTakenBack() {
    write("project/model.hlo", kModel);
    library("project/notes.dat", 2);
    project("run outfeed out.npz\nrun library notes.dat\n");
    open();
    allowAll();
    for (QAction* action : hand().window().findChildren<QAction*>())
      if (action->text().remove(QLatin1Char('&')) == "Allowed files …") action->trigger();
    auto* list = hand().window().findChild<PermissionList*>();
    QVERIFY(list && list->isVisible());
    QCOMPARE(list->list()->count(), 2);
    QVERIFY(!list->takeBackButton()->isEnabled());
    const auto rows = list->list()->findItems("load the library notes.dat", Qt::MatchContains);
    QCOMPARE(rows.size(), 1);
    QVERIFY2(rows[0]->text().startsWith("this file: "), qPrintable(rows[0]->text()));
    QTest::mouseClick(list->list()->viewport(), Qt::LeftButton, {}, list->list()->visualItemRect(rows[0]).center());
    QTest::mouseClick(list->takeBackButton(), Qt::LeftButton);
    QCOMPARE(list->list()->count(), 1);
    QVERIFY(bar().isVisible());
    run();
    QVERIFY2(message().contains("not allowed"), qPrintable(message()));
    QVERIFY(!wasLoaded());
    open();
    QCOMPARE(hand().document().asks().size(), size_t{1});
  }

  void aSwappedLibraryIsAskedForAnew() {
    write("project/model.hlo", kModel);
    library("project/notes.dat", 2);
    project("run outfeed out.npz\nrun library notes.dat\n");
    open();
    allowAll();
    run();
    QVERIFY(wasLoaded() && QFile::remove(at("loaded")));
    library("project/notes.dat", 3);
    run();
    QVERIFY(!wasLoaded());
    QCOMPARE(hand().document().asks().size(), size_t{1});
    QVERIFY(bar().isVisible());
    open();
    QCOMPARE(hand().document().asks().size(), size_t{1});
    // And where the graph is another, all of it.
    library("project/notes.dat", 2);
    open();
    QVERIFY(hand().document().asks().empty());
    write("project/model.hlo", std::string(kModel).replace(10, 5, "other"));
    open();
    QCOMPARE(hand().document().asks().size(), size_t{2});
  }

  void argumentsOutOfTheFolderAreRefused() {
    const std::string bytes = *npyBytes(floats({1, 2, 3, 4}));
    write("secret.npy", bytes);
    write("project/own.npy", bytes);
    QVERIFY(QFile::link(at("secret.npy"), at("project/link.npy")));
    QVERIFY(QFile::link(folder_->path(), at("project/up")));
    for (const std::string& name :
         {std::string("../secret.npy"), at("secret.npy").toStdString(), std::string("link.npy"),
          std::string("up/secret.npy"), std::string("../project/../secret.npy")}) {
      project("run argument 0 npy " + name + "\n");
      open();
      QCOMPARE(hand().document().asks().size(), size_t{1});
      run();
      QVERIFY2(message().contains("not allowed") && outputs().empty(), name.c_str());
      hand().document().live().setOn(true);
      hand().settle();
      QVERIFY2(hand().document().live().whyNone(hand().named("y")).contains("not allowed"), name.c_str());
      for (const char* each : {"x", "y"}) QVERIFY(!hand().document().live().valueOf(hand().named(each)));
    }
    project("run argument 0 npy own.npy\n");
    open();
    QVERIFY(hand().document().asks().empty());
    run();
    QCOMPARE(outputs(), (std::vector<float>{-1, -2, -3, -4}));
  }

  void anAllowedArgumentIsRead() {
    write("far.npy", *npyBytes(floats({5, 6, 7, 8})));
    project("run argument 0 npy ../far.npy\n");
    open();
    allowAll();
    run();
    QCOMPARE(outputs(), (std::vector<float>{-5, -6, -7, -8}));
  }

  void inputsBesideTheFileAreNoLink() {
    QVERIFY(writeNpz(at("far.npz").toStdString(), {{"arg0", floats({1, 2, 3, 4})}}).has_value());
    QVERIFY(QFile::link(at("far.npz"), at("project/inputs.npz")));
    open();
    QCOMPARE(hand().document().asks().size(), size_t{1});
    run();
    QVERIFY(message().contains("not allowed") && outputs().empty());
    QVERIFY(QFile::remove(at("project/inputs.npz")) && QFile::rename(at("far.npz"), at("project/inputs.npz")));
    open();
    run();
    QCOMPARE(outputs(), (std::vector<float>{-1, -2, -3, -4}));
  }

  // A sidecar that is a link is neither read nor written over.
  void aSidecarIsNoLink() {
    write("elsewhere", "tessera project 1\ngraph \"model.hlo\"\nrun seed 3\nend\n");
    const std::string before = content("elsewhere");
    QVERIFY(QFile::link(at("elsewhere"), at("project/model.hlo.tessera")));
    open();
    QCOMPARE(hand().document().runSettings().seed, uint64_t{0});
    hand().document().arrange("Note", [](ProjectPage& page) { page.notes = {{0, 0, 10, 10, "mine"}}; });
    hand().settle();
    QVERIFY(!hand().document().file().save(at("project/model.hlo")));
    QCOMPARE(content("elsewhere"), before);
  }

  void aGraphOutOfTheFolderIsNotRead() {
    write("secret.hlo", kNegateProgram);
    for (const char* name : {"../secret.hlo", "link.hlo"}) {
      QFile::link(at("secret.hlo"), at("project/link.hlo"));
      write("project/work.tessera", std::string("tessera project 1\ngraph \"") + name + "\"\nend\n");
      open("project/work.tessera");
      QVERIFY2(hand().document().file().path() != at("project/work.tessera"), name);
    }
  }

  // A file's words stand in the panel; looking at them, or opening another file from there, makes them nobody's own.
  void aNameThatWasNotTypedIsNoWordOfTheUsers() {
    library("project/notes.dat", 2);
    project("run library notes.dat\n");
    write("project/other.hlo", kModel);
    open();
    hand().window().panels().raise("run");
    QLineEdit* field = libraryField();
    QVERIFY(field);
    QCOMPARE(field->text(), QString("notes.dat"));
    QVERIFY2(!hand().window().panels().run->command().contains("notes.dat"),
             qPrintable(hand().window().panels().run->command()));
    field->setFocus();
    hand().window().openFile(at("project/other.hlo"));
    hand().settle();
    QVERIFY(hand().document().runSettings().library.empty());
    field = libraryField();
    QVERIFY(field);
    QCOMPARE(field->text(), QString());
    hand().document().undo();
    run();
    QVERIFY(!wasLoaded());
    // What is typed is.
    field->setFocus();
    QTest::keyClicks(field, "notes.dat");
    hand().canvas().setFocus();
    hand().settle();
    QCOMPARE(hand().document().runSettings().library, std::string("notes.dat"));
    QVERIFY(hand().window().panels().run->command().contains("notes.dat"));
    run();
    QVERIFY2(wasLoaded(), qPrintable(message()));
  }

  // What the user picks himself needs no asking, now or after he has saved it.
  void theUsersOwnWordNeedsNoAsking() {
    write("far.npy", *npyBytes(floats({1, 2, 3, 4})));
    open();
    RunSettings settings = hand().document().runSettings();
    settings.sources[0] = "npy " + at("far.npy").toStdString();
    hand().document().setRunSettings(settings, "Source");
    hand().settle();
    run();
    QCOMPARE(outputs(), (std::vector<float>{-1, -2, -3, -4}));
    QVERIFY(hand().document().file().save(at("project/model.hlo")).has_value());
    open();
    QVERIFY(hand().document().asks().empty());
    run();
    QCOMPARE(outputs(), (std::vector<float>{-1, -2, -3, -4}));
  }
};

TESSERA_QT_TEST(permissions_test, PermissionsTest)
}  // namespace tessera::permissions_test
#include "permissions_test.moc"
