// Values on nodes of a graph that is too large to be evaluated after every edit: asked for node by node, kept up to
// date, stopped, and put away.
#include <QTest>

#include "app/studio/window/panels.h"
#include "editor/canvas/value_strips.h"
#include "editor/values/value_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::watched_test {

constexpr const char* kLarge = R"(HloModule m
ENTRY main {
  x = f32[256,256] parameter(0)
  w = f32[256,256] parameter(1)
  d = f32[256,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[256,256] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  two = f32[] constant(2)
  twos = f32[256,256] broadcast(two), dimensions={}
  m = f32[256,256] multiply(e, twos)
  ROOT t = f32[256,256] tanh(m)
})";

class WatchedTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  Hand& hand() { return *hand_; }
  WatchedValues& watched() { return hand().document().watched(); }
  float first(const char* name) { return watched().valueOf(hand().named(name))->data<float>()[0]; }
  bool hasRoom(const char* name) { return hand().canvas().view()->stripOf(hand().nodeOf(hand().named(name))) > 0; }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand().openText(kLarge, false);
    hand().document().live().setOn(true);  // which gives no values: it is too large
    hand().settle();
    QVERIFY(!hand().document().live().trace());
  }
  void cleanup() { hand_.reset(); }

  void theClickThatWatchesShowsTheValueOnTheNode() {
    QVERIFY(!hasRoom("e"));
    hand().click(hand().named("e"), Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hasRoom("e"));
    QVERIFY(!hasRoom("d") && !hasRoom("t"));
    QVERIFY(watched().valueOf(hand().named("e")));
    QCOMPARE(watched().values().at(hand().named("e")).form, NodeValue::Form::Heat);
    const QRectF box = hand().canvas().viewport().toWidget(hand().canvas().boxOf(hand().named("e")));
    QCOMPARE(hand().canvas().values().pictureAt(QPointF(box.center().x(), box.bottom() - 8)), hand().named("e"));
    QVERIFY(!hand().window().panels().value->current()->isEmpty());  // the same value, computed once
  }

  void theKeyPutsItThereAndAway() {
    hand().document().select({hand().named("d"), hand().named("t")});
    hand().key(Qt::Key_W);
    QVERIFY(hasRoom("d") && hasRoom("t") && !hasRoom("e"));
    QVERIFY(watched().valueOf(hand().named("d")) && watched().valueOf(hand().named("t")));
    hand().key(Qt::Key_W);
    QVERIFY(!hasRoom("d") && !hasRoom("t"));
    QVERIFY(watched().values().empty());
  }

  void itFollowsEditsAndArguments() {
    watched().watch({hand().named("m")});
    hand().settle();
    const float before = first("m");
    hand().document().perform({"Mute", {SetOperand{hand().named("m"), 1, hand().named("e")}}});
    hand().settle();
    QVERIFY(first("m") != before);
    hand().undo();
    QCOMPARE(first("m"), before);
    RunSettings settings = hand().document().runSettings();
    settings.sources[0] = "constant 0";
    hand().document().setRunSettings(settings, "Values");
    hand().settle();
    QCOMPARE(first("m"), 0.0F);
    hand().document().select({hand().named("m")});
    hand().key(Qt::Key_Delete);
    QVERIFY(watched().values().empty() && watched().watched().empty());
  }

  void mutedNodesArePassedBy() {
    watched().watch({hand().named("m"), hand().named("e")});
    hand().settle();
    const float whole = first("m");
    QVERIFY(whole == 2 * first("e"));
    hand().document().select({hand().named("e")});
    hand().key(Qt::Key_M);
    QVERIFY(first("m") != whole);
    hand().undo();
    QCOMPARE(first("m"), whole);
  }

  void whatIsWrongStandsOnTheNode() {
    RunSettings settings = hand().document().runSettings();
    settings.sources[0] = "npy /nowhere/none.npy";
    hand().document().setRunSettings(settings, "Values");
    watched().watch({hand().named("d"), hand().named("twos")});
    hand().settle();
    QVERIFY(watched().valueOf(hand().named("twos")));  // needs no argument
    QVERIFY(!watched().valueOf(hand().named("d")));
    const NodeValue& node = watched().values().at(hand().named("d"));
    QVERIFY2(node.bad && node.text.contains("none.npy"), qPrintable(node.text));
  }

  void cancellingIsSaidOnTheNode() {
    watched().watch({hand().named("t"), hand().named("d")});
    QVERIFY(watched().isComputing());
    for (const BackgroundTask& task : hand().document().tasks()) task.cancel();
    QVERIFY(!watched().isComputing());
    hand().settle();
    for (const char* name : {"t", "d"}) {
      QVERIFY(!watched().valueOf(hand().named(name)));
      QCOMPARE(watched().values().at(hand().named(name)).text, QStringLiteral("cancelled"));
    }
  }

  void aTupleSaysWhatItHolds() {
    hand().openText(R"(HloModule m
ENTRY main {
  x = f32[512,512] parameter(0)
  d = f32[512,512] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  two = f32[] constant(2)
  ROOT t = (f32[512,512], f32[]) tuple(d, two)
})");
    watched().watch({hand().named("t")});
    hand().settle();
    const QString text = watched().values().at(hand().named("t")).text;
    QVERIFY2(text.endsWith("2") && text.size() < 40, qPrintable(text));
  }

  // As a step of the history, in the sidecar; a file that was opened computes nothing that takes long unasked.
  void itIsKeptWithTheDocument() {
    hand().document().select({hand().named("d")});
    hand().key(Qt::Key_W);
    const float before = first("d");
    hand().undo();
    QVERIFY(watched().watched().empty() && !hasRoom("d"));
    hand().redo();
    QVERIFY(watched().contains(hand().named("d")));
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("kept.hlo"));
    QVERIFY(hand().document().file().save(path).has_value());
    hand_ = std::make_unique<Hand>();
    hand().window().openFile(path);
    hand().settle();
    QVERIFY(hasRoom("d") && !hasRoom("t"));
    QVERIFY(!watched().isComputing() && !watched().valueOf(hand().named("d")));
    QCOMPARE(watched().values().at(hand().named("d")).text, QStringLiteral("W computes it"));
    hand().document().select({hand().named("d")});
    hand().key(Qt::Key_W);
    QVERIFY(watched().valueOf(hand().named("d")));
    QCOMPARE(first("d"), before);
  }

  // The first call of each, and it says so; what is applied to elements has none alone.
  void insideACallItIsTheFirst() {
    hand().openText(R"(HloModule m
double { a = f32[] parameter(0) b = f32[] parameter(1) ROOT most = f32[] maximum(a, b) }
layer { p = f32[256,256] parameter(0)
  inner = f32[256,256] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT q = f32[256,256] tanh(inner) }
body { s = (s32[], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[256,256] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  c = f32[256,256] call(v), to_apply=layer
  ROOT r = (s32[], f32[256,256]) tuple(next, c) }
condition { z = (s32[], f32[256,256]) parameter(0)
  k = s32[] get-tuple-element(z), index=0
  four = s32[] constant(4)
  ROOT less = pred[] compare(k, four), direction=LT }
idle { kept = (s32[], f32[256,256]) parameter(0)
  v2 = f32[256,256] get-tuple-element(kept), index=1
  i2 = s32[] get-tuple-element(kept), index=0
  ROOT r2 = (s32[], f32[256,256]) tuple(i2, v2) }
stop { asked = (s32[], f32[256,256]) parameter(0) ROOT no2 = pred[] constant(false) }
yes { y = f32[256,256] parameter(0) ROOT yn = f32[256,256] negate(y) }
no { n = f32[256,256] parameter(0) ROOT nn = f32[256,256] abs(n) }
ENTRY main {
  half = f32[] constant(0.5)
  x = f32[256,256] broadcast(half), dimensions={}
  zero = s32[] constant(0)
  start = (s32[], f32[256,256]) tuple(zero, x)
  loop = (s32[], f32[256,256]) while(start), condition=condition, body=body
  stays = (s32[], f32[256,256]) while(start), condition=stop, body=idle
  w = f32[256,256] get-tuple-element(loop), index=1
  never = pred[] constant(false)
  either = f32[256,256] conditional(never, w, w), true_computation=yes, false_computation=no
  least = f32[] constant(-1)
  ROOT top = f32[256] reduce(either, least), dimensions={1}, to_apply=double
})",
                    false);
    watched().watch({hand().named("inner"), hand().named("v"), hand().named("less"), hand().named("nn"),
                     hand().named("yn"), hand().named("most"), hand().named("v2")});
    hand().settle();
    QCOMPARE(first("inner"), 64.0F);
    QCOMPARE(first("v"), 0.5F);
    QVERIFY(watched().valueOf(hand().named("less")));
    QVERIFY(first("nn") > 0);
    QCOMPARE(watched().callOf(hand().named("inner")), QStringLiteral("of the first call, by c"));
    QVERIFY(watched().callOf(hand().named("w")).isEmpty());
    QVERIFY2(watched().whyNone(hand().named("yn")).contains("another branch"),
             qPrintable(watched().whyNone(hand().named("yn"))));
    QVERIFY2(watched().whyNone(hand().named("most")).contains("top"),
             qPrintable(watched().whyNone(hand().named("most"))));
    QVERIFY2(watched().whyNone(hand().named("v2")).contains("no iteration"),
             qPrintable(watched().whyNone(hand().named("v2"))));
    hand().window().panels().raise(QStringLiteral("value"));
    hand().window().panels().value->want(hand().named("inner"));
    const QString title = hand().window().panels().value->current()->title();
    QVERIFY2(title.contains("of the first call, by c"), qPrintable(title));
  }

  void anotherComputationMayHaveTheSameNames() {
    hand().openText(R"(HloModule m
inner { p = f32[256,256] parameter(0)
  ROOT d = f32[256,256] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY main {
  half = f32[] constant(0.5)
  p = f32[256,256] parameter(0)
  halves = f32[256,256] broadcast(half), dimensions={}
  e = f32[256,256] call(halves), to_apply=inner
  ROOT d = f32[256,256] add(e, p)
})",
                    false);
    const Module& module = hand().document().module();
    const InstructionId inner = module.at(*module.findComputation("inner")).root;
    watched().watch({inner});
    hand().settle();
    QVERIFY(watched().contains(inner) && !watched().contains(hand().named("d")));
    QVERIFY2(watched().valueOf(inner), qPrintable(watched().whyNone(inner)));
    QCOMPARE(watched().valueOf(inner)->data<float>()[0], 64.0F);
  }

  void anotherFileHasItsOwn() {
    watched().watch({hand().named("t")});
    hand().openText("HloModule n\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}");
    QVERIFY(watched().watched().empty() && !watched().isComputing());
  }
};

TESSERA_QT_TEST(watched_test, WatchedTest)
}  // namespace tessera::watched_test
#include "watched_test.moc"
