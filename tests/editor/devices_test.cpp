// Runs of the studio on several devices, with feeds and with a library of custom calls; replica groups as a matrix; and
// F6 through the panels.
#include <QDockWidget>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/run/run_panel.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/support/source_tree.h"

namespace tessera::devices_test {

class DevicesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  std::vector<float> run() {
    hand().key(Qt::Key_F5);
    const auto& outcome = hand().document().run().outcome();
    if (!outcome || outcome->outputs.empty()) return {};
    const auto values = outcome->outputs[0].data<float>();
    return {values.begin(), values.end()};
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void replicasAddUp() {
    hand().openText(R"(HloModule replicas, replica_count=2

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[2] constant({1, 2})
  ROOT all = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add
})",
                    false);
    QCOMPARE(run(), (std::vector<float>{2, 4}));
    // Two groups of one: each replica keeps its own.
    hand().click(hand().named("all"));
    QLineEdit* field = hand().window().panels().inspector->form()->field("replica_groups");
    QVERIFY(field);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "{{0},{1}}");
    QTest::keyClick(field, Qt::Key_Return);
    hand().settle();
    QCOMPARE(run(), (std::vector<float>{1, 2}));
  }

  void aFeedIsReadFromAFile() {
    hand().openText(R"(HloModule feed

ENTRY main {
  t = token[] after-all()
  in = (f32[3], token[]) infeed(t)
  x = f32[3] get-tuple-element(in), index=0
  ROOT y = f32[3] add(x, x)
})",
                    false);
    const std::vector<float> given{1, 2, 4};
    const Literal literal =
        *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {3}), std::as_bytes(std::span(given)));
    const std::string file = folder_.filePath("feed.npz").toStdString();
    QVERIFY(writeNpz(file, {{"feed0", literal}}).has_value());
    RunSettings settings;
    settings.infeed = file;
    hand().document().setRunSettings(settings, "Infeed");
    hand().settle();
    QCOMPARE(run(), (std::vector<float>{2, 4, 8}));
  }

  // Where the file is the user's, beside it; where it is an example, at home.
  void anOutfeedIsWrittenAmongTheUsersFiles() {
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", folder_.path().toLocal8Bit());
    hand().openText(
        "HloModule out\n\nENTRY main {\n  x = f32[2] constant({1, 2})\n  t = token[] after-all()\n  ROOT o = token[] "
        "outfeed(x, t), outfeed_shape=f32[2]\n}",
        false);
    const QDir beside = QFileInfo(hand().document().file().path()).dir();
    RunSettings settings;
    settings.outfeed = "out.npz";
    hand().document().setRunSettings(settings, "Outfeed");
    hand().settle();
    run();
    QVERIFY(beside.exists("out.npz") && !QFile::exists(folder_.filePath("out.npz")));
    QVERIFY(QFile::remove(beside.filePath("out.npz")));
    hand().document().file().setProgramFolder(beside.canonicalPath());
    run();
    qputenv("HOME", home);
    QVERIFY(!beside.exists("out.npz") && QFile::exists(folder_.filePath("out.npz")));
  }

  void aMissingLibraryIsExplained() {
    hand().openText(
        "HloModule c\n\nENTRY main {\n  x = f32[2] constant({1, 2})\n  ROOT y = f32[2] custom-call(x), "
        "custom_call_target=\"nobody_has_this\"\n}",
        false);
    QVERIFY(run().empty());
    QVERIFY2(hand().window().banner().message().contains("nobody_has_this"),
             qPrintable(hand().window().banner().message()));
    RunSettings settings;
    settings.library = folder_.filePath("nowhere.so").toStdString();
    hand().document().setRunSettings(settings, "Library");
    hand().settle();
    QVERIFY(run().empty());
    QVERIFY2(hand().window().banner().message().contains("nowhere.so"), qPrintable(hand().window().banner().message()));
  }

  void aLibraryOfTheUsersIsCalled() {
    const QString source = folder_.filePath("mine.c"), library = folder_.filePath("libmine.so");
    QVERIFY(writeFileAtomically(source.toStdString(), RunPanel::customCallStub().toStdString()).has_value());
    QProcess compiler;
    compiler.start("cc", {"-shared", "-fPIC", "-I", QString::fromStdString(test::inSourceTree("core/custom_calls")),
                          "-o", library, source});
    if (!compiler.waitForFinished(60000) || compiler.exitCode() != 0)
      QFAIL(compiler.readAllStandardError().constData());
    hand().openText(
        "HloModule c\n\nENTRY main {\n  x = f32[8] constant({1, 2, 3, 4, 5, 6, 7, 8})\n  ROOT y = f32[8] "
        "custom-call(x), custom_call_target=\"my_target\", api_version=API_VERSION_ORIGINAL\n}",
        false);
    RunSettings settings;
    settings.library = library.toStdString();
    hand().document().setRunSettings(settings, "Library");
    hand().settle();
    QCOMPARE(run(), (std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16}));
  }

  void f6GoesThroughThePanelsAndBack() {
    hand().add("f32[4]");
    hand().canvas().setFocus();
    QStringList seen;
    const auto owner = [&]() -> QString {
      QWidget* focus = hand().window().focusWidget();
      if (focus == &hand().canvas()) return "canvas";
      for (QDockWidget* dock : hand().window().panels().docks)
        if (focus && dock->isAncestorOf(focus)) return dock->objectName();
      return "nowhere";
    };
    seen << owner();
    for (int i = 0; i < 12 && (i == 0 || seen.back() != "canvas"); ++i) {
      QTest::keyClick(hand().window().focusWidget(), Qt::Key_F6);
      seen << owner();
    }
    QVERIFY2(seen.contains("inspector") && !seen.contains("nowhere") && seen.back() == "canvas" && seen.size() >= 4,
             qPrintable(seen.join(' ')));
    QTest::keyClick(hand().window().focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
    QCOMPARE(owner(), seen[seen.size() - 2]);
  }
};

TESSERA_QT_TEST(devices_test, DevicesTest)
}  // namespace tessera::devices_test
#include "devices_test.moc"
