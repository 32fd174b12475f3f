// Ports by hand: the pointer over ports and wires, a drop on a used port replaces, one on the small plus appends, a
// closed call takes wires at its inputs; an open input is said on its node alone; what is drawn from afar.
#include <QTest>

#include "core/arrange/sockets.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/node_tint.h"
#include "editor/canvas/spatial_index.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::ports_test {

class PortsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  Hand& hand() { return *hand_; }
  static constexpr const char* kText = R"(HloModule m
block { x.1 = f32[4] parameter(0)
  weights.2 = f32[4] parameter(1)
  bias.3 = f32[4] parameter(2)
  p = f32[4] multiply(x.1, weights.2)
  q = f32[4] add(p, bias.3)
  ROOT y = f32[4] tanh(q) }
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  c = f32[4] parameter(2)
  called = f32[4] call(a, b, c), to_apply=block
  joined = f32[8] concatenate(called, b), dimensions={0}
  ROOT r = f32[8] negate(joined)
})";

  Qt::CursorShape cursorAt(QPoint at) {
    QTest::mouseMove(&hand().canvas(), at);
    return hand().canvas().cursor().shape();
  }
  QPoint onWire(InstructionId value, InstructionId user) {
    const auto& view = *hand().canvas().view();
    for (size_t e = 0; e < view.edges.size(); ++e) {
      if (view.edges[e].value != value || view.edges[e].to != view.boxOf(user)) continue;
      const auto& points = hand().document().view().scene().arrangement->routes[e];
      const PointF a = points[points.size() / 2 - 1], b = points[points.size() / 2];
      return hand().canvas().viewport().toWidget(QPointF((a.x + b.x) / 2, (a.y + b.y) / 2)).toPoint();
    }
    return {};
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void thePointerSaysWhatAPressWouldDo() {
    hand().openText(kText, false);
    QCOMPARE(cursorAt(hand().inputOf(hand().named("joined"), 1)), Qt::CrossCursor);
    QCOMPARE(cursorAt(hand().outputOf(hand().named("joined"))), Qt::CrossCursor);
    QCOMPARE(cursorAt(onWire(hand().named("joined"), hand().named("r"))), Qt::PointingHandCursor);
    QCOMPARE(cursorAt(hand().bodyOf(hand().named("r"))), Qt::ArrowCursor);
    QCOMPARE(cursorAt(hand().emptyPlace()), Qt::ArrowCursor);
  }

  // It has no ports that could say which one is open.
  void oneOfVeryManyInputsIsMissing() {
    std::string parameters, operands;
    for (int k = 0; k < 70; ++k) {
      parameters += "  p" + std::to_string(k) + " = f32[4] parameter(" + std::to_string(k) + ")\n";
      operands += (k > 0 ? ", n" : "n") + std::to_string(k);
      parameters += "  n" + std::to_string(k) + " = f32[4] negate(p" + std::to_string(k) + ")\n";
    }
    const std::string text = "HloModule m\nENTRY main {\n" + parameters + "  ROOT joined = f32[280] concatenate(" +
                             operands + "), dimensions={0}\n}";
    hand().openText(text.c_str(), false);
    hand().document().select({hand().named("n26")});
    QTest::keyClick(&hand().canvas(), Qt::Key_Delete, Qt::ShiftModifier);
    hand().settle();
    const GraphView& view = *hand().canvas().view();
    const ViewNode& joined = view.nodes[static_cast<size_t>(view.boxOf(hand().named("joined")))];
    QVERIFY2(joined.subtitle.starts_with("needs"), joined.subtitle.c_str());
    QVERIFY(joined.sizes.empty());
  }

  void aDropOnAUsedPortReplaces() {
    hand().openText(kText, false);
    const std::string before = hand().text();
    hand().wire(hand().named("c"), hand().named("joined"), 1);
    const auto& operands = hand().at(hand().named("joined")).operands;
    QCOMPARE(operands.size(), size_t{2});
    QVERIFY(operands[1] == hand().named("c"));
    checkOneStep(hand(), before);
  }

  void aDropOnThePlusAppends() {
    hand().openText(kText, false);
    const std::string before = hand().text();
    hand().wire(hand().named("c"), hand().named("joined"), 2);
    const auto& operands = hand().at(hand().named("joined")).operands;
    QCOMPARE(operands.size(), size_t{3});
    QVERIFY(operands[2] == hand().named("c"));
    QCOMPARE(hand().shape(hand().named("joined")), std::string("f32[12]"));
    checkOneStep(hand(), before);
  }

  void aClosedCallTakesWiresAtItsInputs() {
    hand().openText(kText, false);
    const InstructionId called = hand().named("called");
    hand().document().view().toggleGroup(QStringLiteral("called"));  // small calls open by themselves
    hand().settle();
    const int32_t box = hand().canvas().view()->boxOf(called);
    const ViewNode& node = hand().canvas().view()->nodes[static_cast<size_t>(box)];
    QVERIFY(node.kind == ViewNode::Kind::CollapsedGroup);
    QCOMPARE(node.inputs.size(), size_t{3});
    QCOMPARE(hand().canvas().wires().hints().inputs(called).size(), size_t{3});  // none more
    hand().wire(hand().named("a"), called, 2);
    QCOMPARE(hand().at(called).operands.size(), size_t{3});
    QVERIFY(hand().at(called).operands[2] == hand().named("a"));
  }

  void anOpenInputIsSaidOnTheNodeAndIsNoError() {
    hand().add("f32[4]");
    hand().add("select");
    const InstructionId select = hand().selected();
    const ViewNode& node = hand().nodeOf(select);
    QVERIFY2(node.subtitle.starts_with("needs "), node.subtitle.c_str());
    for (const auto& [id, reason] : hand().canvas().highlights().marks()) QVERIFY2(id != select, qPrintable(reason));
  }

  // Where an input has no name its field has the line of the result: nothing shows beside it half covered.
  void theFieldOfALoneInputCoversWhatIsSaidThere() {
    hand().add("f32[4]");
    hand().document().select({});
    const InstructionId open = hand().add("exp");
    const size_t node = static_cast<size_t>(hand().canvas().view()->boxOf(open));
    QVERIFY(!hand().at(open).operands[0].valid());
    const QRectF field = hand().canvas().wires().fieldOf(static_cast<int32_t>(node), 0);
    size_t texts = 0;
    for (const PictureItem& item : hand().canvas().picture()->items) {
      if (item.kind != PictureItem::Kind::Text || item.viewNode != static_cast<int32_t>(node)) continue;
      const QRectF said(item.bounds.x, item.bounds.y, textWidth(item.text, item.size), item.size);
      const QRectF seen = hand().canvas().viewport().toWidget(said);
      if (!seen.intersects(field)) continue;
      ++texts;
      QVERIFY2(seen.left() >= field.left() && seen.right() <= field.right(), item.text.c_str());
    }
    QCOMPARE(texts, size_t{1});
    QVERIFY(hand().window().pane().panels().inspector->shownText().contains(QStringLiteral("not known yet")));
  }

  void aDoubleClickOnAPictureOpensTheValue() {
    const InstructionId x = hand().add("f32[8,8]");
    hand().add("tanh");
    QTRY_VERIFY(hand().document().live().values().contains(x));
    const QRectF box = hand().canvas().boxOf(x);
    std::vector<InstructionId> wanted;
    connect(&hand().canvas(), &Canvas::valueWanted, this, [&](InstructionId id) { wanted.push_back(id); });
    hand().doubleClick(hand().canvas().viewport().toWidget(QPointF(box.left() + 20, box.bottom() - 12)).toPoint());
    QVERIFY(wanted == std::vector{x} && hand().selected() == x);
  }

  // The same picture has another look on both sides of one zoom.
  void fromAfarANodeIsItsTitleAndColour() {
    hand().openText(kText, false);
    Canvas& canvas = hand().canvas();
    const InstructionId root = hand().named("r");
    const auto bodyColor = [&](double zoom) {
      const QPointF middle(canvas.width() / 2.0, canvas.height() / 2.0);
      canvas.viewport().zoomBy(zoom / canvas.viewport().zoom(), middle);
      canvas.viewport().centerOn(canvas.boxOf(root).center());
      canvas.waitForTiles();
      const QRectF box = canvas.boxOf(root);
      return canvas.grab().toImage().pixelColor(
          canvas.viewport().toWidget(QPointF(box.right() - 10, box.bottom() - 8)).toPoint());  // beside all words
    };
    QVERIFY(bodyColor(1) != bodyColor(0.55));
    QCOMPARE(bodyColor(0.62), bodyColor(1));
    QCOMPARE(bodyColor(0.45), bodyColor(0.58));
  }

  // What is said of a field covers no title where fields are not drawn.
  void fromAfarAFieldIsPartOfItsReader() {
    hand().openText(
        "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  two = f32[4] constant({2, 2, 2, 2})\n"
        "  ROOT r = f32[4] add(x, two)\n}\n",
        false);
    Canvas& canvas = hand().canvas();
    canvas.highlights().setTints({{hand().named("two"), NodeTint::Removed}});
    const int32_t field = canvas.view()->boxOf(hand().named("two"));
    QVERIFY(canvas.view()->nodes[static_cast<size_t>(field)].kind == ViewNode::Kind::Attached);
    const auto edgeIsTinted = [&](const QRectF& scene, double zoom) {
      canvas.viewport().zoomBy(zoom / canvas.viewport().zoom(), QPointF(canvas.width(), canvas.height()) / 2);
      canvas.viewport().centerOn(canvas.boxOf(hand().named("r")).center());
      canvas.waitForTiles();
      const QRectF box = canvas.viewport().toWidget(scene);
      const QImage shot = canvas.grab().toImage();
      const QColor tint = colorOf(NodeTint::Removed, canvas.theme());
      const QPoint edge = QPointF(box.center().x(), box.top()).toPoint();
      for (int dy = -2; dy <= 2; ++dy)
        if (shot.pixelColor(edge + QPoint(0, dy)) == tint) return true;
      return false;
    };
    QVERIFY(edgeIsTinted(canvas.frameOf(field), 1));
    QVERIFY(!edgeIsTinted(canvas.frameOf(field), 0.5));
    QVERIFY(edgeIsTinted(canvas.boxOf(hand().named("r")), 0.5));
  }

  void aCallThatIsTheResultIsMarked() {
    hand().openText(R"(HloModule m
block { p = f32[4] parameter(0)
  e = f32[4] exponential(p)
  s = f32[4] sine(e)
  t = f32[4] tanh(s)
  ROOT y = f32[4] negate(t) }
ENTRY main { a = f32[4] parameter(0)
  ROOT called = f32[4] call(a), to_apply=block
})",
                    false);
    hand().document().view().closeAllGroups();
    hand().settle();
    const auto& items = hand().canvas().picture()->items;
    QVERIFY(std::ranges::any_of(items, [](const PictureItem& item) { return item.text == "result"; }));
  }
};

TESSERA_QT_TEST(ports_test, PortsTest)
}  // namespace tessera::ports_test
#include "ports_test.moc"
