// The chart of watched values: gaps and marks of what is no number, its words, and a hundred thousand steps.
#include <QTest>
#include <cmath>

#include "editor/look/qt_colors.h"
#include "editor/panels/run/watch_chart.h"
#include "tests/editor/fair_clock.h"
#include "tests/editor/qt_tests.h"

namespace tessera::watch_chart_test {
namespace {

ValueStats statsAt(double mean) {
  return {.least = mean - 1, .most = mean + 1, .mean = mean, .deviation = 0.5, .finite = 8};
}

bool areClose(QColor a, QColor b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 60;
}

class WatchChartTest : public QObject {
  Q_OBJECT

  WatchChart chart_;
  QImage painted_;

  void paint(WatchSeries series, WatchStatistic statistic = WatchStatistic::Mean) {
    QStringList names;
    for (size_t i = 0; i < series.size(); ++i) names << QStringLiteral("value.%1").arg(i);
    chart_.resize(600, 300);
    chart_.setStatistic(statistic);
    chart_.setSeries(std::move(series), names);
    painted_ = chart_.grab().toImage();
  }
  // In the pixels of these columns between the heights.
  bool has(QColor color, int left, int right, int top, int bottom) const {
    for (int x = left; x <= right; ++x)
      for (int y = top; y <= bottom; ++y)
        if (areClose(painted_.pixelColor(x, y), color)) return true;
    return false;
  }
  int xAt(int step) const { return static_cast<int>(chart_.placeOf(0, step).x()); }

 private slots:
  void stepsWithoutAFiniteElementAreAGapWithMarks() {
    for (const WatchStatistic statistic : {WatchStatistic::Mean, WatchStatistic::Range}) {
      std::vector<ValueStats> line;
      for (int step = 0; step < 100; ++step) line.push_back(statsAt(step));
      for (int step = 40; step < 60; ++step) line[static_cast<size_t>(step)] = {.nans = 8};
      paint({line}, statistic);
      const QColor color = chart_.colorOf(0), mark = colorOf(Ink::Error, chart_.palette());
      QVERIFY(has(color, xAt(20), xAt(30), 10, 290));
      QVERIFY(!has(color, xAt(42), xAt(57), 10, 290));
      QVERIFY(has(color, xAt(70), xAt(80), 10, 290));
      QVERIFY(has(mark, xAt(42), xAt(57), 0, 9));
      QVERIFY(!has(mark, xAt(20), xAt(30), 0, 9));
      QCOMPARE(chart_.wordsAt({xAt(50), 100}),
               QStringLiteral("step 51\nvalue.0: no finite element, 8 NaN, 0 infinite"));
    }
  }

  void aSingleNumberBetweenGapsIsSeen() {
    std::vector<ValueStats> line(9, ValueStats{.infinities = 8});
    line[4] = statsAt(3);
    for (const WatchStatistic statistic : {WatchStatistic::Mean, WatchStatistic::Range}) {
      paint({line}, statistic);
      QVERIFY(has(chart_.colorOf(0), xAt(4) - 2, xAt(4) + 2, 10, 290));
    }
  }

  void manyStepsKeepTheirPeakAndAreFast() {
    std::vector<ValueStats> line(100'000, statsAt(0));
    line[77'777] = statsAt(1000);
    for (const WatchStatistic statistic : {WatchStatistic::Mean, WatchStatistic::Range}) {
      paint({line, line, line, line, line, line, line, line}, statistic);
      const int x = xAt(77'777);
      QVERIFY(has(chart_.colorOf(7), x - 2, x + 2, 20, 150));
      FairClock clock;
      chart_.grab();
      const double ms = clock.elapsed();
      QVERIFY2(ms < 100, qPrintable(QString::number(ms)));
    }
  }

  void neighbouringLinesHaveColoursOfTheirOwn() {
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < a; ++b)
        QVERIFY2(!areClose(chart_.colorOf(a), chart_.colorOf(b)), qPrintable(QString::number(a)));
  }
};

}  // namespace

TESSERA_QT_TEST(watch_chart_test, WatchChartTest)
}  // namespace tessera::watch_chart_test
#include "watch_chart_test.moc"
