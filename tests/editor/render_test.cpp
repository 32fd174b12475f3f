// Items of a picture as pixels: tiles of long wires, and thin lines against those of QPainter.
#include <QElapsedTimer>
#include <QPainter>
#include <QTest>
#include <cmath>
#include <numeric>

#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "tests/editor/qt_tests.h"

namespace tessera::render_test {

class RenderTest : public QObject {
  Q_OBJECT

 private slots:
  // A row of cells as long as the way to it would be walked for each tile.
  void aBoxFarAwayMakesNoMillionsOfCells() {
    constexpr float kFar = 1e9f;
    Picture page;
    page.bounds = {0, 0, kFar, 100};
    for (const float x : {0.f, 200.f, kFar - 1024}) {
      PictureItem box;
      box.kind = PictureItem::Kind::Box;
      box.bounds = {x, 0, 100, 100};
      page.items.push_back(box);
    }
    const SpatialIndex index(page);
    QVERIFY2(index.cells() < 100, qPrintable(QString::number(index.cells())));
    QCOMPARE(index.itemsIn(page, {0, 0, 150, 100}, 1), (std::vector<uint32_t>{0}));
    QCOMPARE(index.itemsIn(page, page.bounds, 1), (std::vector<uint32_t>{0, 1, 2}));
  }

  // Qt's rasterizer takes seconds for a curve across a page of a million units of which a tile sees a little.
  void aTileOfVeryLongWiresIsPaintedAtOnce_data() {
    QTest::addColumn<float>("width");
    QTest::newRow("thin") << 1.1f;
    QTest::newRow("thick") << 6.f;
  }
  void aTileOfVeryLongWiresIsPaintedAtOnce() {
    QFETCH(const float, width);
    constexpr float kLong = 1e6f;
    Picture page;
    page.bounds = {0, 0, kLong, kLong};
    for (int k = 0; k < 200; ++k) {
      PictureItem wire;
      wire.kind = PictureItem::Kind::Path;
      wire.filled = false;
      wire.stroke = ColorRole::Error;
      wire.width = width;
      wire.curved = k % 2 == 1;
      wire.points = {{0, 0}, {kLong, kLong}};
      if (wire.curved) wire.points = {{kLong, 0}, {kLong / 2, kLong / 2}, {kLong / 2, kLong / 2}, {0, kLong}};
      wire.bounds = page.bounds;
      page.items.push_back(wire);
    }
    std::vector<uint32_t> all(page.items.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    QElapsedTimer clock;
    clock.start();
    const QImage tile =
        renderRegion(page, all, QPointF(kLong / 2 - 50, kLong / 2 - 50), 1, QSize(101, 101), Theme::Light);
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
    const QColor wire = toQColor(ColorRole::Error, Theme::Light), empty = toQColor(ColorRole::Background, Theme::Light);
    for (const int at : {20, 50, 80}) {
      QCOMPARE(tile.pixelColor(at, at), wire);
      QCOMPARE(tile.pixelColor(100 - at, at), wire);
    }
    QCOMPARE(tile.pixelColor(50, 10), empty);
  }

  // Tiles draw thin lines without QPainter, moved boxes and exports with it.
  void thinLinesLookAsThoseOfThePainter_data() {
    QTest::addColumn<double>("zoom");
    for (const double zoom : {0.05, 0.2, 0.5, 0.7, 1.0, 1.41}) QTest::addRow("%g", zoom) << zoom;
  }
  void thinLinesLookAsThoseOfThePainter() {
    QFETCH(const double, zoom);
    constexpr int kSide = 400;
    Picture page;
    page.bounds = {0, 0, kSide, kSide};
    for (const auto& [points, curved] : std::vector<std::pair<std::vector<PointF>, bool>>{
             {{{10, 10}, {300, 10}}, false},
             {{{20.3f, 30}, {20.3f, 390}, {380, 380}}, false},
             {{{30, 30}, {380, 200}}, false},
             {{{390, 20}, {200, 390}}, false},
             {{{-500, -300}, {900, 800}}, false},
             {{{50, 50}, {50, 200}, {300, 100}, {300, 390}}, true},
             {{{60, 300}, {200, 100}, {200, 390}, {390, 300}, {500, 250}, {900, 250}, {900, 900}}, true}}) {
      PictureItem wire;
      wire.kind = PictureItem::Kind::Path;
      wire.filled = false;
      wire.stroke = ColorRole::Wire;
      wire.width = 1.1f;
      wire.points = points;
      wire.curved = curved;
      wire.bounds = page.bounds;
      page.items.push_back(wire);
    }
    std::vector<uint32_t> all(page.items.size());
    std::iota(all.begin(), all.end(), 0);
    const QSize size(static_cast<int>(kSide * zoom), static_cast<int>(kSide * zoom));
    const QImage own = renderRegion(page, all, {}, zoom, size, Theme::Light);
    const QColor empty = toQColor(ColorRole::Background, Theme::Light);
    QImage painted(size, QImage::Format_RGB32);
    painted.fill(empty);
    {
      QPainter painter(&painted);
      painter.scale(zoom, zoom);
      for (const PictureItem& item : page.items) paintItem(painter, item, zoom, Theme::Light);
    }
    double ownInk = 0, paintedInk = 0, difference = 0;
    for (int y = 0; y < size.height(); ++y)
      for (int x = 0; x < size.width(); ++x) {
        const int a = empty.green() - qGreen(own.pixel(x, y)), b = empty.green() - qGreen(painted.pixel(x, y));
        ownInk += a, paintedInk += b, difference += std::abs(a - b);
      }
    QVERIFY(paintedInk > 0);
    QVERIFY2(std::abs(ownInk / paintedInk - 1) < 0.15, qPrintable(QString::number(ownInk / paintedInk)));
    QVERIFY2(difference < 0.4 * paintedInk, qPrintable(QString::number(difference / paintedInk)));
  }
};

TESSERA_QT_TEST(render_test, RenderTest)
}  // namespace tessera::render_test
#include "render_test.moc"
