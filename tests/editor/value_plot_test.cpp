// The value viewer's image, lines and histogram: what is painted where, and what is said of the place under the
// pointer.
#include <QTest>
#include <cmath>
#include <limits>

#include "core/picture/picture.h"
#include "editor/canvas/render.h"
#include "editor/look/value_color.h"
#include "editor/values/value_plot.h"
#include "tests/editor/qt_tests.h"

namespace tessera::value_plot_test {
namespace {

Literal floats(std::vector<int64_t> dimensions, std::vector<float> values) {
  return Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, std::move(dimensions)),
                            std::as_bytes(std::span<const float>(values)))
      .value();
}

bool close(QColor a, QColor b, int by = 3) {
  return std::abs(a.red() - b.red()) <= by && std::abs(a.green() - b.green()) <= by &&
         std::abs(a.blue() - b.blue()) <= by;
}

class ValuePlotTest : public QObject {
  Q_OBJECT

  std::unique_ptr<ValuePlot> plot_;
  QImage painted_;

  // 600×400 pixels on a light ground.
  void paint(ValuePlot::Form form, const Literal& value, std::vector<int64_t> indices = {}) {
    plot_ = std::make_unique<ValuePlot>(form);
    QPalette palette;
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::Highlight, QColor(0, 90, 200));
    plot_->setPalette(palette);
    plot_->resize(600, 400);
    ValueSlice slice(value);
    slice.setIndices(std::move(indices));
    plot_->show(slice, summaryOf(value));
    painted_ = plot_->grab().toImage();
    QCOMPARE(painted_.width(), 600);
  }
  QColor at(double x, double y) const { return painted_.pixelColor(static_cast<int>(x), static_cast<int>(y)); }
  static QColor among(double value, double least, double most) { return valueColor(value, least, most, Theme::Light); }
  // Any pixel of this colour, or mixed with a quarter of white at its edge, within the rectangle.
  bool has(QColor color, const QRect& in) const {
    for (int y = in.top(); y <= in.bottom(); ++y)
      for (int x = in.left(); x <= in.right(); ++x)
        if (close(painted_.pixelColor(x, y), color, 80)) return true;
    return false;
  }

 private slots:
  // 3 columns by 2 rows fill the width: cells of 584 / 3 pixels from (8, 8).
  void anImageHasACellAnElement() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    paint(ValuePlot::Form::Image, floats({2, 3}, {0, 1, 2, nan, 5, 10}));
    const double cell = 576.0 / 3;  // 384 high, so 576 wide
    const double parts[2][3] = {{0, 0.1, 0.2}, {0, 0.5, 1}};
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 3; ++column) {
        const bool isNan = row == 1 && column == 0;
        const QColor wanted = isNan ? toQColor(ColorRole::Error, Theme::Light) : among(parts[row][column], 0, 1);
        const QPoint middle(static_cast<int>(8 + (column + 0.5) * cell), static_cast<int>(8 + (row + 0.5) * cell));
        QVERIFY2(close(at(middle.x(), middle.y()), wanted), qPrintable(QString("[%1, %2]").arg(row).arg(column)));
        const QString text = isNan ? QString("NaN") : QString::number(parts[row][column] * 10);
        QCOMPARE(plot_->wordsAt(middle), QString("[%1, %2] = %3").arg(row).arg(column).arg(text));
      }
    QVERIFY(close(at(3, 3), Qt::white));
    QCOMPARE(plot_->wordsAt(QPoint(3, 3)), QString());
  }

  void equalElementsHaveTheMiddleColour() {
    paint(ValuePlot::Form::Image, floats({2, 2}, {7, 7, 7, 7}));
    QVERIFY(close(at(100, 100), among(0.5, 0, 1)));
  }

  // Purple below it, green above, the page at it, and both signs on one scale; heat has none of these.
  void coloursDivergeAroundZero() {
    paint(ValuePlot::Form::Image, floats({1, 4}, {-1, 0, 1, 2}));
    const QColor below = at(80, 50), zero = at(220, 50), above = at(370, 50), most = at(510, 50);
    QVERIFY(below.red() > below.green() && below.blue() > below.green());
    QVERIFY(std::abs(zero.red() - zero.green()) < 6 && std::abs(zero.green() - zero.blue()) < 6);
    QVERIFY(most.green() > most.red() && most.green() > most.blue());
    QVERIFY(above.lightness() > most.lightness());
    QVERIFY(std::abs(below.lightness() - above.lightness()) < 20);  // as far from zero
    for (int step = 0; step <= 10; ++step)
      for (const QColor& each : {below, most}) QVERIFY(!close(each, toQColor(heatRole(step / 10.0), Theme::Light), 20));
  }

  void aSliceOfMoreDimensionsIsThePlaneThatIsChosen() {
    paint(ValuePlot::Form::Image, floats({2, 1, 2}, {0, 1, 2, 3}), {1});
    QVERIFY(close(at(100, 100), among(2, 0, 3)));
    QVERIFY(close(at(500, 100), among(3, 0, 3)));
    QCOMPARE(plot_->wordsAt(QPoint(500, 100)), QString("[0, 1] = 3"));
  }

  // The last dimension of three is red, green and blue.
  void picturesHaveTheirColours() {
    std::vector<float> values(5 * 6 * 3, 0);
    values[(1 * 6 + 2) * 3 + 0] = 1;  // [1, 2] is red
    values[(4 * 6 + 5) * 3 + 2] = 1;  // the last one is blue
    paint(ValuePlot::Form::Image, floats({5, 6, 3}, values));
    const double cell = 384.0 / 5;
    QVERIFY(close(at(8 + 2.5 * cell, 8 + 1.5 * cell), QColor(255, 0, 0)));
    QVERIFY(close(at(8 + 5.5 * cell, 8 + 4.5 * cell), QColor(0, 0, 255)));
    QVERIFY(close(at(8 + 0.5 * cell, 8 + 0.5 * cell), QColor(0, 0, 0)));
  }

  void aLineRisesFromItsLeastToItsMost() {
    std::vector<float> values;
    for (int i = 0; i < 101; ++i) values.push_back(static_cast<float>(i));
    paint(ValuePlot::Form::Lines, floats({101}, values));
    const QColor line = plot_->palette().color(QPalette::Highlight);
    const int bottom = 400 - 8 - plot_->fontMetrics().height() - 2;
    QVERIFY(has(line, QRect(65, bottom - 16, 12, 14)));             // begins at the bottom left
    QVERIFY(has(line, QRect(580, 9, 11, 12)));                      // ends at the top right
    QVERIFY(!has(line, QRect(70, 12, 200, bottom / 3)));            // not above the diagonal
    QVERIFY(!has(line, QRect(400, bottom - bottom / 4, 180, 40)));  // nor below it
    QCOMPARE(plot_->wordsAt(QPoint(64 + 264, 100)), QString("[50] = 50"));
  }

  void aGapStandsWhereALineHasNoNumber() {
    std::vector<float> values(101, 1);
    values[100] = 0;
    for (int i = 40; i < 60; ++i) values[static_cast<size_t>(i)] = std::numeric_limits<float>::infinity();
    paint(ValuePlot::Form::Lines, floats({101}, values));
    const QColor line = plot_->palette().color(QPalette::Highlight);
    QVERIFY(has(line, QRect(100, 9, 100, 6)));
    QVERIFY(!has(line, QRect(64 + 220, 9, 80, 6)));
    QVERIFY(has(line, QRect(450, 9, 100, 6)));
  }

  void rowsOfAMatrixAreLinesOfTheirOwnHues() {
    paint(ValuePlot::Form::Lines, floats({2, 3}, {0, 0, 0, 1, 1, 1}));
    const QColor first = plot_->palette().color(QPalette::Highlight);
    QColor second = first;
    second.setHsv((first.hue() + 180) % 360, first.saturation(), first.value());
    const int bottom = 400 - 8 - plot_->fontMetrics().height() - 2;
    QVERIFY(has(first, QRect(200, bottom - 5, 100, 5)));
    QVERIFY(has(second, QRect(200, 9, 100, 5)));
    QVERIFY(!has(second, QRect(200, bottom - 5, 100, 5)));
    QCOMPARE(plot_->wordsAt(QPoint(300, 100)), QString());  // of which line is not known
  }

  // 90 of 0 and 30 of 1: the first bar is full, the last one a third.
  void aHistogramsBarsAreItsCounts() {
    std::vector<float> values(120, 0);
    std::fill(values.begin() + 90, values.end(), 1.0f);
    paint(ValuePlot::Form::Histogram, floats({120}, values));
    const QColor bar = plot_->palette().color(QPalette::Highlight);
    const double left = 64, width = 528, bottom = 400 - 8 - plot_->fontMetrics().height() - 2, high = bottom - 8;
    const double first = left + width / 80, middle = left + width / 2 + 5, last = left + width - width / 80;
    QVERIFY(close(at(first, bottom - 0.9 * high), bar));
    QVERIFY(close(at(last, bottom - 0.28 * high), bar));
    QVERIFY(!close(at(last, bottom - 0.40 * high), bar));
    QVERIFY(!close(at(middle, bottom - 0.05 * high), bar));
    QCOMPARE(plot_->wordsAt(QPoint(static_cast<int>(first), 100)), QString("90 elements in 0 … 0.025"));
    QCOMPARE(plot_->wordsAt(QPoint(static_cast<int>(last), 100)), QString("30 elements in 0.975 … 1"));
    QCOMPARE(plot_->wordsAt(QPoint(static_cast<int>(middle), 100)).section(' ', 0, 0), QString("0"));
  }

  void whatHasNothingToPaintIsEmpty() {
    const Literal empty = floats({0, 4}, {});
    for (const auto form : {ValuePlot::Form::Image, ValuePlot::Form::Lines, ValuePlot::Form::Histogram}) {
      paint(form, empty);
      QVERIFY(close(at(300, 200), Qt::white));
      QCOMPARE(plot_->wordsAt(QPoint(300, 200)), QString());
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    paint(ValuePlot::Form::Histogram, floats({3}, {nan, nan, nan}));
    QVERIFY(!close(at(300, 200), plot_->palette().color(QPalette::Highlight)));
  }
};

}  // namespace

TESSERA_QT_TEST(value_plot_test, ValuePlotTest)
}  // namespace tessera::value_plot_test
#include "value_plot_test.moc"
