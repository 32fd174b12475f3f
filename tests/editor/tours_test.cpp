// Guided tours: their form, and that every step of those that come with the program shows what it speaks of.
#include <QCommandLinkButton>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "app/studio/start/start_page.h"
#include "app/studio/start/tour_guide.h"
#include "core/formats/file_content.h"
#include "editor/lessons/tour_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::tours_test {
namespace {

class ToursTest : public QObject {
  Q_OBJECT

 private slots:
  void aTourIsReadWithItsCommands() {
    const auto tour = read(
        "# Title\n\nA sentence.\n\n## One\n\nWords *of it*.\n\n```studio\nopen ../x.hlo\nrun\n```\n\n## "
        "Two\n\nMore.\n");
    QVERIFY(tour.has_value());
    QCOMPARE(tour->title, QString("Title"));
    QCOMPARE(tour->summary, QString("A sentence."));
    QCOMPARE(tour->steps.size(), size_t{2});
    QCOMPARE(tour->steps[0].words, QString("Words *of it*."));
    QCOMPARE(tour->steps[0].commands.size(), 2);
    QVERIFY(tour->steps[0].commands[0].startsWith("open /") && tour->steps[0].commands[0].endsWith("/x.hlo"));
    QVERIFY(tour->steps[1].commands.isEmpty());
  }

  void whatIsNoTourSaysWhere() {
    for (const char* bad : {"", "# T\n", "## Step\n", "# T\n\n```studio\nrun\n```\n", "# T\n\n## S\n\n```sh\nls\n```\n",
                            "# T\n\n## S\n\n```studio\nrun\n"}) {
      const auto tour = read(bad);
      QVERIFY2(!tour.has_value(), bad);
      QVERIFY(tour.error().position.line >= 1);
    }
    QVERIFY(!readTour(folder_.filePath("none.md")).has_value());
  }

  void theStartPageOpensEachAndEveryStepPlays() {
    const std::vector<Tour> tours = toursIn(TourGuide::folder());
    QVERIFY(tours.size() >= 5);
    for (const Tour& tour : tours) {
      Hand hand;
      const QString name = QStringLiteral("tour ") + QFileInfo(tour.path).completeBaseName();
      auto* link = hand.window().findChild<QCommandLinkButton*>(name);
      QVERIFY2(link, qPrintable(name));
      QVERIFY(!tour.summary.isEmpty());
      TourGuide& guide = hand.window().tours();
      guide.setPlayer([&hand](const QString& command) { return startCommand(hand.window(), command); });
      link->click();
      TourPanel& panel = guide.panel();
      for (size_t step = 0; step < tour.steps.size(); ++step) {
        QTRY_VERIFY_WITH_TIMEOUT(!guide.isPlaying() && !hand.window().isBusy() &&
                                     (panel.nextButton()->isEnabled() || step + 1 == tour.steps.size()),
                                 120000);
        QVERIFY2(panel.problem().isEmpty(), qPrintable(tour.title + ": " + panel.problem()));
        QVERIFY(panel.isVisible() && panel.words().startsWith(tour.steps[step].title));
        if (step + 1 < tour.steps.size()) QTest::mouseClick(panel.nextButton(), Qt::LeftButton);
      }
      guide.end();
      QVERIFY(!panel.isVisible());
    }
  }

  // The focus stays with the button that was pressed; and a tour ends with its last document.
  void spaceGoesOnFromStepToStep() {
    Hand hand;
    TourGuide& guide = hand.window().tours();
    guide.setPlayer([&hand](const QString& command) { return startCommand(hand.window(), command); });
    const std::vector<Tour> tours = toursIn(TourGuide::folder());
    const auto tour = std::ranges::find_if(tours, [](const Tour& each) { return each.path.contains("softmax"); });
    QVERIFY(tour != tours.end());
    hand.window().findChild<QCommandLinkButton*>(QStringLiteral("tour softmax"))->click();
    TourPanel& panel = guide.panel();
    const auto rest = [&] {
      QTRY_VERIFY_WITH_TIMEOUT(!guide.isPlaying() && !hand.window().isBusy() && panel.previousButton()->isEnabled(),
                               60000);
    };
    QTRY_VERIFY_WITH_TIMEOUT(panel.nextButton()->isEnabled(), 60000);
    panel.nextButton()->setFocus();
    for (size_t step = 1; step < tour->steps.size(); ++step) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
      rest();
      QVERIFY(panel.isVisible());
      QCOMPARE(panel.step(), static_cast<int>(step));
    }
    QVERIFY(panel.previousButton()->hasFocus());
    QVERIFY(playCommand(hand.window(), QStringLiteral("close-tab")).has_value());
    QTRY_VERIFY(!panel.isVisible() && !guide.isOn());
  }

 private:
  Result<Tour> read(const char* text) {
    const QString path = folder_.filePath("tour.md");
    if (!writeFileAtomically(path.toStdString(), text)) qFatal("cannot write");
    return readTour(path);
  }
  QTemporaryDir folder_;
};

}  // namespace

TESSERA_QT_TEST(tours_test, ToursTest)
}  // namespace tessera::tours_test
#include "tours_test.moc"
