// Profiles of other programs in the studio: their times over the graph and in the profile table, the module inside
// where no graph is open, and what is said where nothing lands.
#include <QComboBox>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "app/studio/window/panels.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"
#include "editor/canvas/highlights.h"
#include "editor/document/node_measures.h"
#include "editor/document/program_run.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/profile/profile_panel.h"
#include "editor/panels/profile/roofline_panel.h"
#include "editor/panels/profile/timeline_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/support/source_tree.h"
#include "tests/support/xplane_bytes.h"

namespace tessera::profile_test {
namespace {

const char* const kLayer = R"(HloModule layer

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  w = f32[8,3]{1,0} parameter(1)
  product = f32[4,3]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT activated = f32[4,3]{1,0} tanh(product)
}
)";

class ProfileTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void timesOfATableLieOverTheGraph() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nproduct,30\nactivated,10\n");
    const ProgramRun& run = hand_->document().run();
    QVERIFY(run.profile());
    QCOMPARE(run.profile()->sources.size(), size_t{2});
    const auto& overlay = hand_->document().measures().overlay();
    QVERIFY(overlay);
    QCOMPARE(overlay->find(hand_->named("product"))->value, 30000.0);
    QCOMPARE(overlay->find(hand_->named("activated"))->value, 10000.0);
    QVERIFY(hand_->document().view().scene().overlay);
    QVERIFY(!run.outcome());
    QVERIFY(hand_->text().find("tanh") != std::string::npos);
  }

  // An edit leaves no time on nodes; the graph as it was has what was opened over it.
  void undoBringsItBack() {
    hand_->openText(kLayer, false);
    drop("t.json", R"([{"ph":"X","name":"product","pid":1,"tid":1,"ts":0,"dur":30},
                       {"ph":"X","name":"activated","pid":1,"tid":1,"ts":40,"dur":10}])");
    const ProgramRun& run = hand_->document().run();
    const QString origin = run.origin().words;
    const InstructionId activated = hand_->named("activated");
    hand_->document().perform(
        {"Add", {AddInstruction{hand_->module().entry(), Opcode::Sine, "waved", {hand_->named("product")}}}});
    hand_->settle();
    QVERIFY(!run.profile() && !run.times() && !run.timeline());
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    hand_->settle();
    QVERIFY(run.profile() && run.times() && run.timeline());
    QCOMPARE(run.origin().words, origin);
    QCOMPARE(hand_->document().measures().overlay()->find(activated)->value, 10000.0);
    hand_->key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    hand_->settle();
    QVERIFY(!run.profile());
    hand_->document().run().start();  // takes its place; an undo has nothing to bring back then
    hand_->settle();
    hand_->key(Qt::Key_Z, Qt::ControlModifier);
    hand_->settle();
    QVERIFY(!run.profile());
  }

  // Their plates hang under the boxes, outside of them.
  void timesOfTheCriticalPathAreNotDimmed() {
    hand_->openText(kLayer, false);
    drop("t.json", R"([{"ph":"X","name":"product","pid":1,"tid":1,"ts":0,"dur":30},
                       {"ph":"X","name":"activated","pid":1,"tid":1,"ts":40,"dur":10}])");
    const int32_t node = hand_->canvas().nodeOf(hand_->named("product"));
    const double bottom = hand_->canvas().frameOf(node).bottom();
    const auto& items = hand_->canvas().picture()->items;
    const auto plate = std::ranges::find_if(items, [&](const PictureItem& item) {
      return item.viewNode == node && item.kind == PictureItem::Kind::Box && item.bounds.y >= bottom;
    });
    QVERIFY(plate != items.end());
    const QRectF bounds(plate->bounds.x, plate->bounds.y, plate->bounds.width, plate->bounds.height);
    hand_->canvas().viewport().zoomBy(1 / hand_->canvas().viewport().zoom(), {});
    hand_->canvas().viewport().centerOn(bounds.center());
    const auto seen = [&] {
      const QImage all = hand_->canvas().grab().toImage();
      const QPointF corner = hand_->canvas().viewport().toWidget(bounds).topLeft() + QPointF(3, 6);  // before the text
      return all.pixelColor((corner * all.devicePixelRatio()).toPoint());
    };
    const QColor before = seen();
    hand_->document().measures().showCriticalPath(true);
    hand_->settle();
    QCOMPARE(hand_->canvas().highlights().foundNodes().size(), size_t{2});
    QCOMPARE(seen(), before);
  }

  // Two of three executions are short: the mean is neither.
  void theInspectorTellsTheSpreadOfTheProfileTable() {
    PlaneBytes metadata("/host:metadata"), cpu("/host:CPU");
    metadata.module("layer", 1, *writeProto(*readHloText(kLayer).module));
    cpu.line("thread",
             {cpu.op("product", "layer", 1, 0, 1'000'000, 1), cpu.op("product", "layer", 1, 20'000'000, 1'000'000, 2),
              cpu.op("product", "layer", 1, 40'000'000, 7'000'000, 3)});
    hand_->openText(kLayer, false);
    drop("three.xplane.pb", spaceBytes({metadata, cpu}));
    hand_->click(hand_->named("product"));
    const auto shown = hand_->window().panels().inspector->shownText();
    QVERIFY2(shown.contains(QStringLiteral("3.00 µs (the mean of the steps)")), qPrintable(shown));
    QVERIFY2(shown.contains(QStringLiteral("1.00 µs (1.00 µs – 7.00 µs)")), qPrintable(shown));
  }

  void whatIsOddIsSaidAsLongAsItIsOpen() {
    hand_->openText(kLayer, false);
    drop("t.json", R"([{"ph":"X","name":"product","pid":1,"tid":1,"ts":0,"dur":30},
                       {"ph":"X","name":"product","pid":1,"tid":1,"ts":10800000000,"dur":30},
                       {"ph":"X","name":"product","pid":1,"tid":1,"ts":40,"dur":30}])");
    QVERIFY2(panel().words().contains(QStringLiteral("3.00 h after all others")), qPrintable(panel().words()));
    drop("t.csv", "name,time_us\nproduct,30\n");
    QVERIFY(!panel().words().contains(QStringLiteral("3.00 h")));
  }

  // In the bar over the canvas, whole; and it goes with the profile.
  void aCutFileIsShownWithAWord() {
    hand_->openText(kLayer, false);
    drop("bad.csv", "name,time_us\nproduct,1e\n");
    QVERIFY2(said().contains(QStringLiteral("does not read")), qPrintable(said()));
    drop("cut.csv", "name,time_us\nproduct,30\nactiv");
    QVERIFY(hand_->document().run().profile());
    QCOMPARE(banner().message(), QStringLiteral("cut.csv: the table is cut in line 3: the lines before it are shown"));
    drop("t.csv", "name,time_us\nproduct,30\n");
    QCOMPARE(banner().message(), QString());
  }

  // jax calls each program jit_step: what a name alone places would be another program's time.
  void anotherProgramOfThatNameOpensItsOwnBeside() {
    std::string other = kLayer;
    other.replace(other.find("tanh("), 5, "sine(");
    PlaneBytes metadata("/host:metadata"), cpu("/host:CPU");
    metadata.module("layer", 1, *writeProto(*readHloText(other).module));
    cpu.line("thread", {cpu.op("product", "layer", 1, 0, 1000), cpu.op("activated", "layer", 1, 2000, 8000)});
    hand_->openText(kLayer, false);
    Document& open = hand_->document();
    drop("other.xplane.pb", spaceBytes({metadata, cpu}));
    QVERIFY(&hand_->document() != &open);
    QVERIFY(hand_->text().find("sine") != std::string::npos);
    QCOMPARE(hand_->document().measures().overlay()->find(hand_->named("activated"))->value, 8.0);
  }

  // Half an xplane.pb has lost the names behind its events, and a host alone names no instruction.
  void aTimelineIsShownThoughNoInstructionIsNamed() {
    PlaneBytes cpu("/host:CPU");
    cpu.line("python", {cpu.event("step", 0, 9'000'000, {}), cpu.event("wait", 1000, 5'000'000, {})});
    hand_->openText(kLayer, false);
    drop("host.xplane.pb", spaceBytes({cpu}));
    QVERIFY(!hand_->document().run().profile());
    QVERIFY(hand_->document().run().timeline());
    QCOMPARE(hand_->document().run().timeline()->spanCount(), size_t{2});
    QVERIFY(!hand_->document().measures().overlay());  // no node has a time: there is nothing for a legend
    QVERIFY(hand_->window().panels().timeline->isVisible());
    QVERIFY2(banner().message().contains(QStringLiteral("only the host was recorded")), qPrintable(banner().message()));
    QVERIFY(hand_->text().find("tanh") != std::string::npos);
  }

  // What another machine can do is not known: no roof is drawn, and no device is named, until one is chosen.
  void theRooflineWaitsForADevice() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nproduct,30\nactivated,10\n");
    RooflinePanel roofline(hand_->document());
    roofline.setVisible(true);
    hand_->settle();
    QComboBox& devices = *roofline.device();
    QCOMPARE(devices.currentIndex(), -1);
    QCOMPARE(devices.placeholderText(), QStringLiteral("Choose a device"));
    QVERIFY(!roofline.againButton()->isEnabled());
    const int h100 = devices.findText(QStringLiteral("NVIDIA H100 SXM"));
    devices.setCurrentIndex(h100);
    emit devices.activated(h100);
    hand_->settle();
    QCOMPARE(devices.currentIndex(), h100);
    QVERIFY(!roofline.againButton()->isEnabled());
  }

  void aRunReplacesIt() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nproduct,30\n");
    hand_->document().run().start();
    hand_->settle();
    QVERIFY(hand_->document().run().outcome());
    QCOMPARE(hand_->document().run().profile(), &hand_->document().run().outcome()->profile);
  }

  void theModuleInsideBecomesTheGraph() {
    hand_->window().openFile(
        QString::fromStdString(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst")));
    hand_->settle();
    QCOMPARE(hand_->module().name, std::string("jit_step"));
    QVERIFY2(hand_->window().windowTitle().startsWith(QStringLiteral("jit_step")),
             qPrintable(hand_->window().windowTitle()));
    QCOMPARE(hand_->document().file().fileName(), QStringLiteral("jit_step.hlo"));
    QCOMPARE(hand_->document().file().path(), QString());
    const auto& overlay = hand_->document().measures().overlay();
    QVERIFY(overlay);
    QCOMPARE(hand_->document().run().profile()->sources.size(), size_t{94});
    const auto entry = overlay->find(hand_->named("convolution"));
    QVERIFY(entry && entry->measured && entry->value > 0);
  }

  void aProfileOfAnotherModuleOpensItsOwnBeside() {
    hand_->openText(kLayer, false);
    Document& open = hand_->document();
    hand_->window().openFile(
        QString::fromStdString(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst")));
    hand_->settle();
    QVERIFY(&hand_->document() != &open);
    QCOMPARE(hand_->module().name, std::string("jit_step"));
    QCOMPARE(hand_->document().run().profile()->sources.size(), size_t{94});
    QVERIFY(!open.run().profile() && open.module().findInstruction("activated"));
    QVERIFY2(said().isEmpty(), qPrintable(said()));
  }

  // A training step and what it is evaluated by: the longer one opens, the other one is chosen in the panel.
  void eachModuleOfAProfileOpens() {
    const QString path = folder_.filePath(QStringLiteral("two.xplane.pb"));
    PlaneBytes metadata("/host:metadata"), cpu("/host:CPU");
    std::vector<std::string> events;
    for (const auto& [name, ns] : {std::pair("jit_step", 900), std::pair("jit_eval", 100)}) {
      std::string text = kLayer;
      text.replace(text.find("layer"), 5, name);
      metadata.module(name, ns, *writeProto(*readHloText(text).module));
      events.push_back(cpu.op("product", name, ns, ns * 10'000, ns * 1000));
    }
    cpu.line("thread", events);
    QVERIFY(writeFileAtomically(path.toStdString(), spaceBytes({metadata, cpu})));
    hand_->window().openFile(path);
    hand_->settle();
    QCOMPARE(hand_->module().name, std::string("jit_step"));
    Document& longest = hand_->document();
    QComboBox& modules = *panel().modules();
    QCOMPARE(modules.count(), 2);
    QCOMPARE(modules.currentText(), QStringLiteral("jit_step (program 900)"));
    modules.setFocus();
    QTest::keyClick(&modules, Qt::Key_Down);
    hand_->settle();
    QCOMPARE(hand_->module().name, std::string("jit_eval"));
    QVERIFY(hand_->window().windowTitle().startsWith(QStringLiteral("jit_eval")));
    QCOMPARE(hand_->document().measures().overlay()->find(hand_->named("product"))->value, 100.0);
    QCOMPARE(panel().modules()->currentText(), QStringLiteral("jit_eval (program 100)"));
    QTest::keyClick(panel().modules(), Qt::Key_Down);  // back to the one that is open
    hand_->settle();
    QCOMPARE(&hand_->document(), &longest);
  }

  void whatLandsNowhereIsSaidAndTheGraphStays() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nnowhere,30\n");
    QVERIFY(!hand_->document().run().profile());
    QVERIFY(said().contains(QStringLiteral("nothing of")));
    QVERIFY(hand_->text().find("tanh") != std::string::npos);
    drop("cut.xplane.pb", std::string(100, '\xff'));
    QVERIFY(said().contains(QStringLiteral("no plane")));
  }

 private:
  void drop(const char* name, const std::string& content) {
    const QString path = folder_.filePath(QString::fromLatin1(name));
    QVERIFY(writeFileAtomically(path.toStdString(), content));
    hand_->window().openFile(path);
    hand_->settle();
  }
  Banner& banner() { return *hand_->window().findChild<Banner*>(); }
  ProfilePanel& panel() { return *hand_->window().panels().profile; }
  QString said() {
    QString out;
    for (const QLabel* label : hand_->window().findChild<Banner*>()->findChildren<QLabel*>()) out += label->text();
    return out;
  }

  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;
};

}  // namespace

TESSERA_QT_TEST(profile_test, ProfileTest)
}  // namespace tessera::profile_test
#include "profile_test.moc"
