// Items of a picture as pixels: tiles of long wires, thin lines against those of QPainter, what a jump shows first.
#include <QElapsedTimer>
#include <QPainter>
#include <QTest>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tile_layer.h"
#include "editor/canvas/viewport.h"
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

  // Of a page of many thousands of long wires a tile asks for those that run through it, not for all whose box it is
  // in.
  void aLongWireIsFoundWhereItRuns() {
    constexpr float kSide = 50000, kTile = 1000;
    Picture page;
    page.bounds = {0, 0, kSide, kSide};
    const auto addPath = [&](std::vector<PointF> points, bool curved) {
      PictureItem wire;
      wire.kind = PictureItem::Kind::Path;
      wire.filled = false;
      wire.points = std::move(points);
      wire.curved = curved;
      wire.bounds = page.bounds;
      page.items.push_back(wire);
    };
    addPath({{0, 0}, {kSide, kSide}}, false);
    addPath({{0, 0}, {0, kSide}, {kSide, 0}, {kSide, kSide}}, true);
    addPath({{0, 0}, {0, kSide}, {kSide, kSide}}, false);
    for (int k = 0; k < 40000; ++k) {  // so that a cell is small
      PictureItem box;
      box.bounds = {static_cast<float>(k % 200) * 250, static_cast<float>(k / 200) * 250, 100, 40};
      page.items.push_back(box);
    }
    const SpatialIndex index(page);
    size_t found[3] = {};
    for (float y = 0; y < kSide; y += kTile)
      for (float x = 0; x < kSide; x += kTile)
        for (const uint32_t i : index.itemsIn(page, {x, y, kTile, kTile}, 1)) {
          if (i < 3) ++found[i];
        }
    constexpr size_t kTilesOfSide = 50, kTilesOfAll = kTilesOfSide * kTilesOfSide;
    for (const size_t tiles : found) {
      QVERIFY2(tiles >= kTilesOfSide, qPrintable(QString::number(tiles)));
      QVERIFY2(tiles < kTilesOfAll / 3, qPrintable(QString::number(tiles)));
    }
    for (int k = 0; k <= 1000; ++k) {  // on each of the curves
      const float t = static_cast<float>(k) / 1000, u = 1 - t;
      const PointF line{t * kSide, t * kSide};
      const PointF curve{kSide * (3 * u * t * t + t * t * t), kSide * (3 * u * u * t + t * t * t)};
      QVERIFY(std::ranges::count(index.itemsIn(page, {line.x - 1, line.y - 1, 2, 2}, 1), 0u) == 1);
      QVERIFY(std::ranges::count(index.itemsIn(page, {curve.x - 1, curve.y - 1, 2, 2}, 1), 1u) == 1);
    }
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
    std::vector<PointF> circle;  // of steps that are each nearly straight on
    for (int k = 0; k <= 1000; ++k) {
      const float angle = 6.2832f * static_cast<float>(k) / 1000;
      circle.push_back({200 + 150 * std::cos(angle), 200 + 150 * std::sin(angle)});
    }
    for (const auto& [points, curved] : std::vector<std::pair<std::vector<PointF>, bool>>{
             {{{10, 10}, {300, 10}}, false},
             {{{20.3f, 30}, {20.3f, 390}, {380, 380}}, false},
             {{{30, 30}, {380, 200}}, false},
             {{{390, 20}, {200, 390}}, false},
             {{{-500, -300}, {900, 800}}, false},
             {circle, false},
             {{{350, 10}, {350, 100}, {350, 50}, {350, 200}, {350, 390}}, false},
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

  // After a jump a sixteenth of the tiles, blurred, comes before the sharp ones.
  void aJumpIsCoveredByACoarseTileFirst() {
    auto page = std::make_shared<Picture>();
    page->bounds = {0, 0, 20000, 20000};
    for (int k = 0; k < 2500; ++k) {
      PictureItem box;
      box.bounds = {static_cast<float>(k % 50) * 400, static_cast<float>(k / 50) * 400, 200, 200};
      page->items.push_back(box);
    }
    QWidget window;
    window.resize(1600, 1000);
    Viewport viewport(window);
    viewport.setBounds(toQRectF(page->bounds));
    TileLayer layer(viewport);
    layer.reset(page, std::make_shared<const SpatialIndex>(*page), Theme::Light);
    viewport.zoomBy(1 / viewport.zoom(), {});
    viewport.centerOn({10000, 10000});
    const double coarseSide = TileStore::kPixels / TileStore::zoomOf(TileStore::levelFor(1) - 4);
    std::vector<TileKey> coarse;
    const QRectF seen = viewport.visible();
    for (auto row = static_cast<int32_t>(seen.top() / coarseSide); row <= seen.bottom() / coarseSide; ++row)
      for (auto column = static_cast<int32_t>(seen.left() / coarseSide); column <= seen.right() / coarseSide; ++column)
        coarse.push_back({TileStore::levelFor(1) - 4, column, row, false});
    QVERIFY(!layer.isCovered(1));
    layer.request(1);
    layer.wait();
    for (const TileKey& key : coarse) QVERIFY(layer.store().find(key));  // were asked for beside the sharp ones
    layer.reset(page, std::make_shared<const SpatialIndex>(*page), Theme::Light);
    layer.store().request(coarse, 1);
    layer.wait();
    QVERIFY(layer.isCovered(1));
    const TileKey sharp{TileStore::levelFor(1), static_cast<int32_t>(seen.center().x() / TileStore::kPixels),
                        static_cast<int32_t>(seen.center().y() / TileStore::kPixels), false};
    QVERIFY(!layer.store().find(sharp));
    layer.request(1);
    layer.wait();
    QVERIFY(layer.store().find(sharp));
  }
};

TESSERA_QT_TEST(render_test, RenderTest)
}  // namespace tessera::render_test
#include "render_test.moc"
