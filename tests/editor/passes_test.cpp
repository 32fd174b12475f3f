// The passes as a movie: the 28 steps of a dump of attention and our own pipeline, scrubbed by real keys and mouse;
// what stays keeps its place, what was fused or laid out anew is marked, and one history leads through all of it.
#include <QApplication>
#include <QComboBox>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>
#include <filesystem>
#include <map>

#include "app/studio/window/panels.h"
#include "core/formats/file_content.h"
#include "core/tools/find_instruction.h"
#include "core/tools/passes/pass_film.h"
#include "editor/canvas/highlights.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/panels/compiler/passes_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/support/source_tree.h"

namespace tessera::passes_test {
namespace {

const QString kAttention = QString::fromStdString(test::inSourceTree("tests/passes/attention"));

const char* const kNet = R"(HloModule net
ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  unused = f32[64,64]{1,0} cosine(x)
  bent = f32[64,64]{1,0} tanh(x)
  shifted = f32[64,64]{1,0} add(bent, x)
  ROOT out = f32[64,64]{1,0} negate(shifted)
}
)";

class PassesTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Hand> hand_;

  static void settle(PassesPanel& panel) { QTRY_VERIFY_WITH_TIMEOUT(!panel.isBusy(), 20000); }
  static void shown(PassesPanel& panel) {
    panel.resize(1100, 520);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    settle(panel);
  }
  static void press(PassesPanel& panel, int key, Qt::KeyboardModifiers with = {}) {
    QTest::keyClick(panel.strip(), static_cast<Qt::Key>(key), with);
    settle(panel);
  }
  static void click(PassesPanel& panel, int moment) {
    QTest::mouseClick(panel.strip(), Qt::LeftButton, {}, panel.strip()->cellOf(moment).center().toPoint());
    settle(panel);
  }
  static InstructionId named(const PassesPanel& panel, const char* name) {
    return panel.frame()->module->findInstruction(name).value_or(InstructionId());
  }
  static std::map<uint32_t, PointF> placesIn(const PassFrame& frame) {
    std::map<uint32_t, PointF> out;
    for (size_t i = 0; i < frame.view->nodes.size(); ++i)
      if (frame.view->nodes[i].kind == ViewNode::Kind::Instruction)
        out[frame.view->nodes[i].instruction.value] = {frame.arrangement->boxes[i].x, frame.arrangement->boxes[i].y};
    return out;
  }
  static void expectNoOverlap(const PassFrame& frame) {
    const auto& nodes = frame.view->nodes;
    for (size_t i = 0; i < nodes.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (nodes[i].parent == nodes[k].parent && nodes[i].owner < 0 && nodes[k].owner < 0)
          QVERIFY2(
              !frame.arrangement->boxes[i].intersects(frame.arrangement->boxes[k]),
              qPrintable(QStringLiteral("moment %1: %2, %3")
                             .arg(frame.moment)
                             .arg(QString::fromStdString(nodes[i].title), QString::fromStdString(nodes[k].title))));
  }
  static QString historyOf(const PassesPanel& panel) {
    QStringList out;
    for (int row = 0; row < panel.history()->topLevelItemCount(); ++row)
      out << panel.history()->topLevelItem(row)->text(2) + QStringLiteral(": ") +
                 panel.history()->topLevelItem(row)->text(1);
    return out.join(QLatin1Char('\n'));
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(kNet, false);
  }
  void cleanup() { hand_.reset(); }

  void whatSurvivesKeepsItsPlaceThroughAllSteps() {
    PassesPanel panel(hand_->document());
    panel.openFolder(kAttention);
    shown(panel);
    QCOMPARE(panel.strip()->count(), 28);
    auto before = placesIn(*panel.frame());
    QVERIFY(before.size() > 20);
    expectNoOverlap(*panel.frame());
    size_t compared = 0;
    for (int step = 1; step < 28; ++step) {
      press(panel, Qt::Key_Right);
      QCOMPARE(panel.frame()->moment, static_cast<size_t>(step));
      expectNoOverlap(*panel.frame());
      QVERIFY2(panel.minimumSizeHint().width() < 600, qPrintable(panel.words()));  // long names make no wide window
      auto now = placesIn(*panel.frame());
      for (const auto& [id, place] : now) {
        const auto found = before.find(panel.frame()->changes->before(InstructionId(id)).value);
        if (found == before.end()) continue;
        ++compared;
        QVERIFY2(std::abs(found->second.x - place.x) < 0.5f && std::abs(found->second.y - place.y) < 0.5f,
                 qPrintable(QStringLiteral("step %1").arg(step)));
      }
      before = std::move(now);
    }
    QVERIFY(compared > 400);
    // Back by another way: the same picture.
    press(panel, Qt::Key_Home);
    click(panel, 27);
    const auto again = placesIn(*panel.frame());
    for (const auto& [id, place] : before) QVERIFY(std::abs(again.at(id).x - place.x) < 0.01f);
  }

  void theGraphIsSeenBeforeItsPassesHaveRun() {
    PassesPanel panel(hand_->document());
    QString words;
    connect(&panel, &PassesPanel::filmingChanged, this, [&] {
      if (!panel.isFilming() && panel.frame()) words = panel.words();
    });
    shown(panel);
    QVERIFY2(words.startsWith("Running the passes …") && words.contains("5 instructions"), qPrintable(words));
    QCOMPARE(panel.frame()->moment, size_t{0});
    QVERIFY(!panel.words().startsWith("Running"));
  }

  void marksTextCountsAndCost() {
    PassesPanel panel(hand_->document());
    panel.openFolder(kAttention);
    shown(panel);
    click(panel, 14);
    QVERIFY2(panel.words().contains("layout-assignment") && panel.words().contains("3 relaid") &&
                 panel.words().contains("4 added") && panel.words().contains("41 instructions"),
             qPrintable(panel.words()));
    size_t relaid = 0, added = 0;
    for (const auto& [node, tint] : panel.canvas()->highlights().tintedNodes()) {
      relaid += tint == NodeTint::Relaid;
      added += tint == NodeTint::Added;
    }
    QCOMPARE(relaid, size_t{3});
    QCOMPARE(added, size_t{4});
    QVERIFY(panel.text()->toPlainText().contains("+ %copy = f32[2,4,64,32]{3,2,1,0} copy(%transpose)") ||
            panel.text()->toPlainText().contains("copy = f32[2,4,64,32]{3,2,1,0} copy("));
    QCOMPARE(panel.changes()->topLevelItemCount(), 9);
    click(panel, 21);
    size_t fused = 0;
    for (const auto& [node, tint] : panel.canvas()->highlights().tintedNodes()) fused += tint == NodeTint::Fused;
    QCOMPARE(fused, size_t{7});
    size_t outlines = 0;  // of what went into fusions
    for (const PictureItem& item : panel.frame()->picture->items)
      outlines += item.text.find("fused: ") != item.text.npos;
    QVERIFY(outlines > 10);
  }

  void theHistoryOfOneMultiplyAndJumpsAlongIt() {
    PassesPanel panel(hand_->document());
    panel.openFolder(kAttention);
    shown(panel);
    click(panel, 9);
    Canvas& canvas = *panel.canvas();
    const InstructionId multiply = named(panel, "multiply");
    canvas.viewport().fit(canvas.boxOf(multiply));
    QTest::mouseClick(&canvas, Qt::LeftButton, {},
                      canvas.viewport().toWidget(canvas.boxOf(multiply)).center().toPoint());
    settle(panel);
    QCOMPARE(historyOf(panel), QStringLiteral("div.7: there from the start\n"
                                              "div.7: rewired: operand 0: %dot_general.2 → %reshape.2\n"
                                              "div.7: rewired: operand 0: %reshape.2 → %dot\n"
                                              "multiply: changed: opcode divide → multiply\n"
                                              "multiply: rewired: operand 0: %dot → %ynn_fusion.3\n"
                                              "multiply.3: fused into %broadcast_select_fusion"));
    press(panel, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(panel.strip()->current(), 18);
    QVERIFY(canvas.selection() == std::vector{named(panel, "multiply")});
    press(panel, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(panel.strip()->current(), 21);
    press(panel, Qt::Key_Left, Qt::ControlModifier);
    press(panel, Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(panel.strip()->current(), 9);
    QVERIFY(panel.strip()->touched()[5] && !panel.strip()->touched()[6]);
  }

  void ourOwnPipelineFollowsTheDocument() {
    PassesPanel panel(hand_->document());
    shown(panel);
    QVERIFY(panel.strip()->count() > 20);
    hand_->document().select({hand_->named("shifted")});
    settle(panel);
    QVERIFY2(historyOf(panel).contains("fused into"), qPrintable(historyOf(panel)));
    press(panel, Qt::Key_End);
    QVERIFY(panel.frame()->module->instructionCount() > 0);
    // An edit runs the passes again.
    const auto film = panel.frame();
    QVERIFY(playCommand(hand_->window(), "set-shape x f32[32,32]").has_value());
    settle(panel);
    QVERIFY(panel.frame() && panel.frame() != film);
  }

  void scriptsScrub() {
    QVERIFY(playCommand(hand_->window(), "panel passes").has_value());
    hand_->settle();
    PassesPanel& panel = *hand_->window().panels().passes;
    QVERIFY(playCommand(hand_->window(), "pass last").has_value());
    QCOMPARE(panel.strip()->current(), panel.strip()->count() - 1);
    QVERIFY(playCommand(hand_->window(), "pass 3").has_value());
    QCOMPARE(panel.strip()->current(), 3);
    QVERIFY(playCommand(hand_->window(), "select shifted").has_value());
    hand_->settle();
    QVERIFY(playCommand(hand_->window(), "pass next").has_value());
    QVERIFY(panel.strip()->touched()[static_cast<size_t>(panel.strip()->current())]);
    QVERIFY(playCommand(hand_->window(), "pass-tab history").has_value());
    QCOMPARE(panel.tabs()->currentIndex(), 2);
    for (const char* wrong : {"pass 999", "pass -1", "pass x", "pass-tab x"})
      QVERIFY2(!playCommand(hand_->window(), wrong).has_value(), wrong);
  }

  void coloursAreTheThemes() {
    PassesPanel panel(hand_->document());
    panel.openFolder(kAttention);
    shown(panel);
    click(panel, 14);
    const QColor light = panel.changes()->topLevelItem(0)->foreground(1).color();
    QPalette dark = panel.palette();
    dark.setColor(QPalette::Window, QColor(20, 20, 20));
    dark.setColor(QPalette::Base, QColor(20, 20, 20));
    dark.setColor(QPalette::WindowText, Qt::white);
    dark.setColor(QPalette::Text, Qt::white);
    panel.setPalette(dark);
    settle(panel);
    QVERIFY(panel.changes()->topLevelItem(0)->foreground(1).color() != light);
  }

  void dragsScrubAndFoldersWithHolesAreShown() {
    QTemporaryDir scratch;
    for (const auto& entry : std::filesystem::directory_iterator(kAttention.toStdString()))
      std::filesystem::copy(entry.path(), scratch.filePath({}).toStdString());
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path().toStdString())) {
      const std::string name = entry.path().filename();
      if (name.find(".0003.") != name.npos) std::filesystem::remove(entry.path());
      if (name.find(".0005.") != name.npos) std::filesystem::resize_file(entry.path(), 100);
    }
    PassesPanel panel(hand_->document());
    panel.openFolder(scratch.path());
    shown(panel);
    QCOMPARE(panel.strip()->count(), 27);
    QVERIFY2(panel.words().contains("0003"), qPrintable(panel.words()));
    PassStrip& strip = *panel.strip();
    QTest::mousePress(&strip, Qt::LeftButton, {}, strip.cellOf(0).center().toPoint());
    QMouseEvent move(QEvent::MouseMove, strip.cellOf(13).center(), strip.mapToGlobal(strip.cellOf(13).center()),
                     Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(&strip, &move);
    QTest::mouseRelease(&strip, Qt::LeftButton, {}, strip.cellOf(13).center().toPoint());
    settle(panel);
    QCOMPARE(panel.frame()->moment, size_t{13});
    click(panel, 4);  // half a file
    QVERIFY(!panel.frame());
    QVERIFY2(!panel.words().isEmpty(), qPrintable(panel.words()));
    click(panel, 5);
    QVERIFY(panel.frame());
    panel.openFolder(scratch.path() + "/missing");
    settle(panel);
    QVERIFY(!panel.words().isEmpty() && !panel.frame());
  }
};

}  // namespace

TESSERA_QT_TEST(passes_test, PassesTest)
}  // namespace tessera::passes_test
#include "passes_test.moc"
