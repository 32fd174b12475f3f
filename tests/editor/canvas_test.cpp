// The canvas with real mouse, wheel and key events, on the offscreen platform.
#include <QHelpEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QPointingDevice>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/arrange/arrangement.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/tile_layer.h"
#include "editor/canvas/tiles.h"
#include "editor/preferences/preferences.h"
#include "tests/editor/qt_tests.h"

namespace tessera::canvas_test {
namespace {

const Shape kShape = Shape::arrayRowMajor(ElementType::F32, {8});

InstructionId add(Module& m, ComputationId c, Opcode opcode, std::vector<InstructionId> operands, const char* opName) {
  Instruction i;
  i.opcode = opcode;
  const std::string name = std::string(nameOf(opcode)) + std::to_string(m.instructionSlots());
  i.name = name;
  i.operands = operands;
  Metadata metadata;
  metadata.opName = opName;
  i.metadata = m.tables().intern(metadata);
  if (opcode == Opcode::Parameter) i.parameterNumber = 0;
  return m.add(c, std::move(i), kShape);
}

}  // namespace

class CanvasTest : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const GraphView> view_;
  std::shared_ptr<const Picture> picture_;
  InstructionId p_, tanh_, sum_;
  std::unique_ptr<Canvas> canvas_;

  QPoint middleOf(InstructionId id) { return canvas_->viewport().toWidget(canvas_->boxOf(id).center()).toPoint(); }

 private slots:
  void init() {
    Module m;
    const ComputationId c = m.addComputation("main");
    m.setEntry(c);
    p_ = add(m, c, Opcode::Parameter, {}, "p");
    tanh_ = add(m, c, Opcode::Tanh, {p_}, "jit(f)/a/tanh");
    const auto negate = add(m, c, Opcode::Negate, {tanh_}, "jit(f)/a/neg");
    sum_ = add(m, c, Opcode::Add, {negate, p_}, "jit(f)/add");
    m.setRoot(c, sum_);
    const GraphView view = makeView(m, c, {});
    picture_ = std::make_shared<const Picture>(draw(m, view, arrange(view)));
    view_ = std::make_shared<const GraphView>(view);
    canvas_ = std::make_unique<Canvas>();
    canvas_->resize(800, 600);
    canvas_->setPicture(picture_, view_);
    canvas_->show();
    QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
  }

  void clickSelectsAndEmptyClickClears() {
    QSignalSpy spy(canvas_.get(), &Canvas::selectionChanged);
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, middleOf(p_));
    QCOMPARE(spy.count(), 1);
    QVERIFY(canvas_->selection() == std::vector<InstructionId>{p_});
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, Qt::ShiftModifier, middleOf(sum_));
    QCOMPARE(canvas_->selection().size(), size_t{2});
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, QPoint(3, 3));
    QVERIFY(canvas_->selection().empty());
  }

  // Two canvases share the cache; what is in sight of either stays.
  void tilesStayWithinTheCache() {
    Canvas second;
    second.resize(800, 600);
    second.setPicture(picture_, view_);
    second.show();
    const int before = std::exchange(preferences().tileCacheMb, 32);
    for (int turn = 0; turn < 40; ++turn)
      for (Canvas* each : {canvas_.get(), &second}) {
        each->viewport().zoomBy(turn / 10 % 2 ? 1 / 1.2 : 1.2, QPointF(400, 300));
        each->waitForTiles();
        each->repaint();
        QVERIFY(each->tilesReady());
        QVERIFY2(TileStore::bytesOfAll() <= 32u << 20, qPrintable(QString::number(TileStore::bytesOfAll())));
      }
    preferences().tileCacheMb = before;
  }

  // As after a jump over a large picture: nothing waits for the workers.
  void whatNoTileShowsYetIsPaintedAtOnce() {
    canvas_->waitForTiles();
    canvas_->setTheme(Theme::Dark);  // no tile is left
    QVERIFY(!canvas_->tilesReady());
    const QPoint inTitle = canvas_->viewport().toWidget(canvas_->boxOf(p_).topLeft() + QPointF(4, 8)).toPoint();
    QCOMPARE(canvas_->grab().toImage().pixelColor(inTitle), toQColor(ColorRole::Parameter, Theme::Dark));
    QVERIFY(!canvas_->tilesReady());
  }

  // A tile that arrives costs its own part of a frame.
  void nothingButTheExposedPartIsPainted() {
    auto picture = std::make_shared<Picture>();
    picture->bounds = {0, 0, 2 * TileStore::kPixels, TileStore::kPixels};
    Viewport viewport(*canvas_);
    TileLayer layer(viewport);
    layer.reset(picture, Canvas::makeIndex(*picture), Theme::Light);
    layer.request(1);
    layer.wait();
    const QRect part(0, 0, 100, 100);
    const QPoint beyond(TileStore::kPixels + 100, 50);  // in the next tile
    const QColor before(Qt::magenta);
    for (const bool everything : {false, true}) {
      QImage image(2 * TileStore::kPixels, TileStore::kPixels, QImage::Format_RGB32);
      image.fill(before);
      QPainter painter(&image);
      QVERIFY(layer.paint(painter, 1, everything ? image.rect() : part).isEmpty());
      QVERIFY(image.pixelColor(part.center()) != before);
      QCOMPARE(image.pixelColor(beyond) != before, everything);
    }
  }

  // 40,000 boxes: near ones are painted at once, from afar the tiles of the whole stand in, which stay.
  void noPlaceOfALargePictureIsBlankAfterAJump() {
    constexpr int kSide = 200, kStep = 300;
    auto large = std::make_shared<Picture>();
    large->bounds = {0, 0, kSide * kStep, kSide * kStep};
    for (int k = 0; k < kSide * kSide; ++k) {
      PictureItem box;
      box.bounds = {static_cast<float>(k % kSide * kStep), static_cast<float>(k / kSide * kStep), 200, 200};
      box.fill = ColorRole::Parameter;
      large->items.push_back(box);
    }
    canvas_->setPicture(large, std::make_shared<const GraphView>());
    canvas_->waitForTiles();
    QTRY_VERIFY(TileStore::bytesOfAll() >= size_t{8} << 20);  // the whole, too
    const QColor empty = toQColor(ColorRole::Background, Theme::Light);
    for (const double zoom : {1.0, 0.3, 0.05, 0.022, 0.3, 1.0})
      for (const double place : {0.1, 0.9}) {
        canvas_->viewport().zoomBy(zoom / canvas_->viewport().zoom(), {});
        canvas_->viewport().centerOn(QPointF(place, place) * kSide * kStep);
        const QImage shot = canvas_->grab().toImage();
        int painted = 0;
        for (int x = 0; x < shot.width(); x += 10)
          for (int y = 0; y < shot.height(); y += 10) painted += shot.pixelColor(x, y) != empty ? 1 : 0;
        QVERIFY2(painted * 300 > shot.width() * shot.height(), qPrintable(QString::number(zoom)));  // a third
      }
  }

  // The release of the space bar goes to whoever has the focus by then.
  void aSpaceBarThatWasLetGoElsewhereIsNotHeld() {
    canvas_->setFocus();
    QTest::keyPress(canvas_.get(), Qt::Key_Space);
    QFocusEvent away(QEvent::FocusOut, Qt::ActiveWindowFocusReason);
    QCoreApplication::sendEvent(canvas_.get(), &away);
    QTest::mousePress(canvas_.get(), Qt::LeftButton, {}, QPoint(2, 2));
    QTest::mouseMove(canvas_.get(), QPoint(400, 300));
    QTest::mouseMove(canvas_.get(), QPoint(798, 598));
    QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, QPoint(798, 598));
    QVERIFY(!canvas_->selection().empty());
  }

  // A graph that changes while a button is pressed brings another picture.
  void aDragBegunBeforeAnotherPictureGoesOn() {
    canvas_->setMovable(true);
    QSignalSpy moved(canvas_.get(), &Canvas::boxesMoved);
    QTest::mousePress(canvas_.get(), Qt::LeftButton, {}, middleOf(sum_));
    canvas_->setPicture(std::make_shared<const Picture>(*picture_), view_, Canvas::KeepView::Boxes);
    QTest::mouseMove(canvas_.get(), middleOf(sum_) + QPoint(30, 20));
    QTest::mouseMove(canvas_.get(), middleOf(sum_) + QPoint(40, 30));
    QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, middleOf(sum_) + QPoint(40, 30));
    QCOMPARE(moved.count(), 1);
  }

  void boxSelectsEverythingInside() {
    QTest::mousePress(canvas_.get(), Qt::LeftButton, {}, QPoint(2, 2));
    QTest::mouseMove(canvas_.get(), QPoint(400, 300));
    QTest::mouseMove(canvas_.get(), QPoint(797, 597));
    QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, QPoint(797, 597));
    QCOMPARE(canvas_->selection().size(), size_t{3});  // p, the group, add
  }

  void doubleClickTogglesAGroup() {
    QSignalSpy spy(canvas_.get(), &Canvas::groupToggled);
    QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, middleOf(tanh_));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).toString(), QStringLiteral("jit(f)/a"));
  }

  void middleDragPansAndControlWheelZoomsAtThePointer() {
    canvas_->viewport().zoomBy(2, QPointF(400, 300));
    const QPointF before = canvas_->viewport().toScene(QPointF(400, 300));
    QTest::mousePress(canvas_.get(), Qt::MiddleButton, {}, QPoint(400, 300));
    QTest::mouseMove(canvas_.get(), QPoint(420, 330));
    QTest::mouseRelease(canvas_.get(), Qt::MiddleButton, {}, QPoint(420, 330));
    QVERIFY((canvas_->viewport().toScene(QPointF(420, 330)) - before).manhattanLength() < 0.01);
    const QPointF at(420, 330);
    const double zoom = canvas_->viewport().zoom();
    QWheelEvent wheel(at, canvas_->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(canvas_.get(), &wheel);
    QVERIFY(canvas_->viewport().zoom() > zoom);
    QVERIFY((canvas_->viewport().toScene(at) - before).manhattanLength() < 0.01);
  }

  void keysFit() {
    canvas_->viewport().zoomBy(3, QPointF(0, 0));
    QTest::keyClick(canvas_.get(), Qt::Key_A);
    QVERIFY(QRectF(0, 0, 800, 600).contains(QRectF(middleOf(p_), QSizeF(1, 1))));
    QVERIFY(canvas_->viewport().zoom() <= 1);
    canvas_->setSelection({sum_});
    QTest::keyClick(canvas_.get(), Qt::Key_F);
    QVERIFY((middleOf(sum_) - QPoint(400, 300)).manhattanLength() < 4);
  }

  void spaceDragAndFingersPan() {
    canvas_->viewport().zoomBy(2, QPointF(400, 300));
    const QPointF before = canvas_->viewport().toScene(QPointF(200, 200));
    QTest::keyPress(canvas_.get(), Qt::Key_Space);
    QTest::mousePress(canvas_.get(), Qt::LeftButton, {}, QPoint(200, 200));
    QTest::mouseMove(canvas_.get(), QPoint(230, 180));
    QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, QPoint(230, 180));
    QTest::keyRelease(canvas_.get(), Qt::Key_Space);
    QVERIFY((canvas_->viewport().toScene(QPointF(230, 180)) - before).manhattanLength() < 0.01);
    QVERIFY(canvas_->selection().empty());
    const QPointF at(300, 300);
    QWheelEvent pixels(at, canvas_->mapToGlobal(at), QPoint(-5, 12), QPoint(), Qt::NoButton, {}, Qt::NoScrollPhase,
                       false);
    const QPointF fixed = canvas_->viewport().toScene(at);
    QCoreApplication::sendEvent(canvas_.get(), &pixels);
    QVERIFY((canvas_->viewport().toScene(at + QPointF(-5, 12)) - fixed).manhattanLength() < 0.01);
  }

  void aWheelZoomsAtThePointerAndGoesSideways() {
    const QPointF at(300, 250), fixed = canvas_->viewport().toScene(at);
    const double zoom = canvas_->viewport().zoom();
    const auto turn = [&](Qt::KeyboardModifiers modifiers) {
      QWheelEvent notch(at, canvas_->mapToGlobal(at), QPoint(), QPoint(0, 120), Qt::NoButton, modifiers,
                        Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(canvas_.get(), &notch);
    };
    turn({});
    QVERIFY(canvas_->viewport().zoom() > 1.1 * zoom);
    QVERIFY((canvas_->viewport().toScene(at) - fixed).manhattanLength() < 0.01);
    canvas_->viewport().zoomBy(2, at);
    const double closer = canvas_->viewport().zoom();
    const QPointF before = canvas_->viewport().toScene(at);
    turn(Qt::ShiftModifier);
    QCOMPARE(canvas_->viewport().zoom(), closer);
    QVERIFY(canvas_->viewport().toScene(at).x() < before.x());
    QVERIFY(std::abs(canvas_->viewport().toScene(at).y() - before.y()) < 0.01);
  }

  void pinchZoomsAtThePointer() {
    const QPointF at(420, 330), fixed = canvas_->viewport().toScene(at);
    const double zoom = canvas_->viewport().zoom();
    const auto* device = QPointingDevice::primaryPointingDevice();
    QNativeGestureEvent pinch(Qt::ZoomNativeGesture, device, 2, at, at, canvas_->mapToGlobal(at), 0.25, QPointF());
    QCoreApplication::sendEvent(canvas_.get(), &pinch);
    QVERIFY(std::abs(canvas_->viewport().zoom() - zoom * 1.25) < 1e-9);
    QVERIFY((canvas_->viewport().toScene(at) - fixed).manhattanLength() < 0.01);
  }

  void arrowsWalkAlongWiresAndBack() {
    canvas_->setSelection({p_});
    QTest::keyClick(canvas_.get(), Qt::Key_Down);
    QCOMPARE(canvas_->selection().size(), size_t{1});
    QVERIFY(canvas_->selection()[0] != p_);
    QTest::keyClick(canvas_.get(), Qt::Key_Up);
    QVERIFY(canvas_->selection() == std::vector<InstructionId>{p_});
    QTest::keyClick(canvas_.get(), Qt::Key_Up);  // nothing above a parameter
    QVERIFY(canvas_->selection() == std::vector<InstructionId>{p_});
    canvas_->setSelection({sum_});
    QTest::keyClick(canvas_.get(), Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(canvas_->selection().size(), size_t{2});
    const QPointF before = canvas_->viewport().toScene({0, 0});
    canvas_->viewport().zoomBy(3, QPointF(400, 300));
    QTest::keyClick(canvas_.get(), Qt::Key_Down, Qt::ControlModifier);
    QVERIFY(canvas_->viewport().toScene({0, 0}) != before);
    QCOMPARE(canvas_->selection().size(), size_t{2});
  }

  void anArrowWithoutSelectionStartsAtTheMiddle() {
    QTest::keyClick(canvas_.get(), Qt::Key_Left);
    QCOMPARE(canvas_->selection().size(), size_t{1});
  }

  void arrowsBringTheirBoxIntoSight() {
    canvas_->setSelection({p_});
    canvas_->viewport().zoomBy(8, canvas_->viewport().toWidget(canvas_->boxOf(p_).center()));
    QTest::keyClick(canvas_.get(), Qt::Key_Down);
    const QRectF box = canvas_->boxOf(canvas_->selection()[0]);
    QVERIFY(QRectF(0, 0, 800, 600)
                .intersects(QRectF(canvas_->viewport().toWidget(box.topLeft()),
                                   canvas_->viewport().toWidget(box.bottomRight()))));
  }

  void enterTogglesTheSelectedGroup() {
    QSignalSpy toggled(canvas_.get(), &Canvas::groupToggled), activated(canvas_.get(), &Canvas::instructionActivated);
    canvas_->setSelection({tanh_});
    QTest::keyClick(canvas_.get(), Qt::Key_Return);
    QCOMPARE(toggled.count(), 1);
    canvas_->setSelection({p_});
    QTest::keyClick(canvas_.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
  }

  void hoverTellsTheInstructionAndAsksForItsTooltip() {
    QSignalSpy spy(canvas_.get(), &Canvas::hovered);
    std::vector<InstructionId> asked;
    canvas_->setTooltipProvider([&](InstructionId id) { return asked.push_back(id), QStringLiteral("tip"); });
    QTest::mouseMove(canvas_.get(), middleOf(p_));
    QCOMPARE(spy.count(), 1);
    QVERIFY(spy.at(0).at(0).value<InstructionId>() == p_);
    QHelpEvent help(QEvent::ToolTip, middleOf(p_), canvas_->mapToGlobal(middleOf(p_)));
    QCoreApplication::sendEvent(canvas_.get(), &help);
    QVERIFY(asked == std::vector<InstructionId>{p_});
    QTest::mouseMove(canvas_.get(), QPoint(2, 2));
    QCOMPARE(spy.count(), 2);
    QVERIFY(!spy.at(1).at(0).value<InstructionId>().valid());
  }

  void aClickOnAWireSelectsItsValue() {
    const auto wire = std::find_if(picture_->items.begin(), picture_->items.end(), [&](const PictureItem& item) {
      return item.viewEdge >= 0 && item.instruction == p_;
    });
    QVERIFY(wire != picture_->items.end());
    canvas_->viewport().zoomBy(2, canvas_->viewport().toWidget(QPointF(wire->points[0].x, wire->points[0].y)));
    const QPoint onWire = canvas_->viewport().toWidget(QPointF(wire->points[0].x, wire->points[0].y + 6)).toPoint();
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, onWire);
    QVERIFY(canvas_->selection() == std::vector<InstructionId>{p_});
  }

  // Above and below the number of wires that are drawn one by one.
  void theWiresOfASelectionAreLitFromAfar_data() {
    QTest::addColumn<int>("length");
    QTest::newRow("few") << 8;
    QTest::newRow("many") << 60;
  }
  void theWiresOfASelectionAreLitFromAfar() {
    QFETCH(const int, length);
    Module m;
    const ComputationId c = m.addComputation("main");
    m.setEntry(c);
    std::vector<InstructionId> all{add(m, c, Opcode::Parameter, {}, "p")};
    for (int k = 0; k < length; ++k) all.push_back(add(m, c, Opcode::Negate, {all.back()}, "jit(f)/neg"));
    m.setRoot(c, all.back());
    ViewOptions options;
    options.grouping = Grouping::None;
    const auto view = std::make_shared<const GraphView>(makeView(m, c, options));
    canvas_->setPicture(std::make_shared<const Picture>(draw(m, *view, arrange(*view))), view);
    canvas_->viewport().zoomBy(0.3 / canvas_->viewport().zoom(), {});
    canvas_->viewport().centerOn(canvas_->boxOf(all[static_cast<size_t>(length) / 2]).center());
    canvas_->waitForTiles();
    const QImage before = canvas_->grab().toImage();
    canvas_->setSelection(all, false);
    const QImage lit = canvas_->grab().toImage();
    const QColor color = toQColor(ColorRole::Selection, Theme::Light);
    size_t seen = 0, wires = 0;
    for (const int32_t item : canvas_->selectedWires()) {
      const auto& points = canvas_->picture()->items[static_cast<size_t>(item)].points;
      const QPointF middle(points.front().x + points.back().x, points.front().y + points.back().y);
      const QPoint at = canvas_->viewport().toWidget(middle / 2).toPoint();
      const bool straight = std::abs(points.front().x - points.back().x) < 1;
      if (!straight || !canvas_->rect().adjusted(9, 9, -9, -9).contains(at)) continue;
      ++wires;
      const auto away = [&](QColor c) { return std::abs(c.red() - color.red()) + std::abs(c.blue() - color.blue()); };
      for (int x = -2; x <= 2; ++x)
        if (away(lit.pixelColor(at + QPoint(x, 0))) + 40 < away(before.pixelColor(at + QPoint(x, 0)))) {
          ++seen;
          break;
        }
    }
    QVERIFY(wires > 5);
    QCOMPARE(seen, wires);
  }

  void tilesShowThePicture() {
    canvas_->waitForTiles();
    QVERIFY(canvas_->tilesReady());
    const QImage shot = canvas_->grab().toImage();
    const QRectF box = canvas_->boxOf(p_);
    const QPoint inTitle = canvas_->viewport().toWidget(box.topLeft() + QPointF(4, 8)).toPoint();
    QCOMPARE(shot.pixelColor(inTitle), toQColor(ColorRole::Parameter, Theme::Light));
    canvas_->setTheme(Theme::Dark);
    canvas_->waitForTiles();
    QCOMPARE(canvas_->grab().toImage().pixelColor(inTitle), toQColor(ColorRole::Parameter, Theme::Dark));
  }
};

TESSERA_QT_TEST(canvas_test, CanvasTest)
}  // namespace tessera::canvas_test
#include "canvas_test.moc"
