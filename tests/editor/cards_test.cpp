// A document on the simulated card: it is chosen in the run panel and remembered, runs with a profile, shows PTX for
// code, what a warp touches, and the processor beside it. A card that is not there is an error, and the next run works.
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>

#include "app/studio/script/script.h"
#include "app/studio/window/panels.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/compiler/warp_picture.h"
#include "editor/panels/run/device_chooser.h"
#include "editor/panels/run/run_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::cards_test {

constexpr int kPatience = 60000;  // ms for a compilation
constexpr const char* kGraph = R"(HloModule cards
ENTRY main {
  x = f32[64,32] parameter(0)
  ROOT twice = f32[64,32] add(x, x)
})";

class CardsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  RunPanel* runPanel() { return hand().window().panels().run; }
  int entry(const char* words) {
    const int at = runPanel()->device()->findText(QString::fromLatin1(words), Qt::MatchStartsWith);
    if (at < 0) qFatal("the chooser lacks an entry");
    return at;
  }
  // As a person does: the list's row by keys.
  void choose(const char* words) {
    hand().window().panels().raise("run");
    hand().settle();
    DeviceChooser* chooser = runPanel()->device();
    const int wanted = entry(words);
    chooser->setFocus();
    while (chooser->currentIndex() != wanted)
      QTest::keyClick(chooser, chooser->currentIndex() < wanted ? Qt::Key_Down : Qt::Key_Up);
    hand().settle();
  }
  std::vector<float> run() {
    hand().key(Qt::Key_F5);
    const auto& outcome = hand().document().run().outcome();
    if (!outcome || outcome->outputs.empty()) return {};
    const auto values = outcome->outputs[0].data<float>();
    return {values.begin(), values.end()};
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand().openText(kGraph, false);
  }
  void cleanup() { hand_.reset(); }

  void theChooserSaysWhatIsHereAndWhy() {
    hand().window().panels().raise("run");
    QSignalSpy known(runPanel()->device(), &DeviceChooser::known);
    QTRY_VERIFY_WITH_TIMEOUT(known.count() > 0 || runPanel()->device()->count() > 3, kPatience);
    QVERIFY(entry("Processor") == 0);
    QVERIFY(entry("Simulated card") > 0);
    if (const int none = runPanel()->device()->findText("No CUDA card"); none >= 0)
      QVERIFY2(runPanel()->deviceWords().contains("CUDA"), qPrintable(runPanel()->deviceWords()));
  }

  // A picture that a script takes shows the answer.
  void theWindowIsBusyUntilTheDriverHasAnswered() {
    hand().window().panels().raise("run");
    QTRY_VERIFY(runPanel()->device()->isVisible());
    QVERIFY(waitUntilIdle(hand().window()));
    const bool hasCard = runPanel()->device()->findText("No CUDA card") < 0;
    QVERIFY(hasCard || runPanel()->deviceWords().startsWith("CUDA is not here"));
    QVERIFY(!hasCard || runPanel()->device()->count() > 3);
  }

  void aChoiceIsAStepAndTheValuesAreTheProcessors() {
    const std::vector<float> processor = run();
    QVERIFY(!processor.empty());
    choose("Simulated card");
    QVERIFY2(runPanel()->command().contains("--backend=cuda --device=simulated"), qPrintable(runPanel()->command()));
    QCOMPARE(run(), processor);
    QVERIFY(!hand().document().run().outcome()->profile.steps.empty());
    hand().key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY2(!runPanel()->command().contains("cuda"), qPrintable(runPanel()->command()));
    QCOMPARE(runPanel()->device()->currentIndex(), entry("Processor"));
  }

  void aCardThatIsNotThereIsAnErrorAndTheNextRunWorks() {
    RunSettings settings = hand().document().runSettings();
    settings.backend = "cuda", settings.device = "77";
    hand().document().setRunSettings(settings, "Card 77");
    QVERIFY(run().empty());
    QVERIFY2(!hand().window().banner().message().isEmpty(), "a run without a card says nothing");
    choose("Processor");
    QVERIFY(!run().empty());
  }

  void codeIsThatOfTheCard() {
    choose("Simulated card");
    hand().click(hand().named("twice"));
    hand().window().panels().raise("compiled");
    CompiledPanel* panel = hand().window().panels().compiled;
    hand().settle();
    QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
    QVERIFY2(panel->textOf(4).contains(".visible .entry"), qPrintable(panel->textOf(4) + panel->words()));
    QVERIFY(panel->tabs()->tabText(4) == "PTX");
  }

  void aWarpsAccessesAreListedAndDrawn() {
    hand().click(hand().named("twice"));
    hand().window().panels().raise("warp");
    WarpPanel* panel = hand().window().panels().warp;
    hand().settle();
    QVERIFY(panel->picture()->words().isEmpty());
    QTest::mouseClick(panel->lookButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
    QVERIFY2(panel->words().contains("coalesced"), qPrintable(panel->words()));
    QVERIFY(panel->list()->count() >= 2);
    panel->list()->setFocus();
    const QString first = panel->picture()->words();
    QVERIFY(!first.isEmpty());
    QTest::keyClick(panel->list(), Qt::Key_End);
    QVERIFY(panel->picture()->words() != first);
    hand().click(hand().named("x"));  // of another node nothing is known
    QCOMPARE(panel->list()->count(), 0);
  }

  void aBlockThatTheKernelLacksIsNamed() {
    hand().click(hand().named("twice"));
    hand().window().panels().raise("warp");
    WarpPanel* panel = hand().window().panels().warp;
    panel->block()->setValue(5000);
    QTest::mouseClick(panel->lookButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
    QVERIFY2(panel->words().contains("5000"), qPrintable(panel->words()));
    QCOMPARE(panel->list()->count(), 0);
  }

  void bothDevicesStandSideBySide() {
    hand().window().panels().raise("devices");
    DevicesPanel* panel = hand().window().panels().devices;
    hand().settle();
    QTest::mouseClick(panel->runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
    QVERIFY2(panel->words().contains("agree"), qPrintable(panel->words()));
    QVERIFY(panel->table()->topLevelItemCount() >= 1);
    panel->table()->setCurrentItem(panel->table()->topLevelItem(0));
    QCOMPARE(hand().selected(), hand().named("twice"));
  }
};

TESSERA_QT_TEST(cards_test, CardsTest)
}  // namespace tessera::cards_test
#include "cards_test.moc"
