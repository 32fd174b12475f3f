// A document bound to a canvas and to a layout panel, without any window: pictures, selection, marks, values, the way
// into what is called, and layouts.
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include "core/arrange/box_style.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/layout_binding.h"
#include "editor/document/document.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/panels/popups/value_field.h"
#include "tests/editor/qt_tests.h"

namespace tessera::binding_test {
namespace {

constexpr const char* kProgram = R"(HloModule program
twice { p = f32[4,2] parameter(0) ROOT q = f32[4,2] add(p, p) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY main {
  x = f32[4,2] parameter(0)
  called = f32[4,2] call(x), to_apply=twice
  zero = f32[] constant(0)
  top = f32[4] reduce(called, zero), dimensions={1}, to_apply=most
  ROOT out = f32[4] negate(top)
})";

constexpr int kPatience = 20000;

}  // namespace

class BindingTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Document> document_;
  std::unique_ptr<Canvas> canvas_;
  std::unique_ptr<LayoutPanel> layout_;
  CanvasBinding* binding_ = nullptr;

  void open(const char* text) {
    const QString path = folder_.filePath(QStringLiteral("graph.hlo"));
    QVERIFY(writeFileAtomically(path.toStdString(), text));
    document_->file().open(path);
    settle();
    QVERIFY(document_->isOpen());
  }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document_->isBusy(), kPatience); }
  InstructionId named(const char* name) const { return document_->module().findInstruction(name).value(); }
  QPoint titleOf(const char* name) const {
    const QRectF box = canvas_->boxOf(named(name));
    return canvas_->viewport().toWidget(QPointF(box.center().x(), box.top() + box::kTitleHeight / 2)).toPoint();
  }
  void doubleClick(const char* name) {
    const QPoint at = titleOf(name);
    QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, at);
    QTest::mouseRelease(canvas_.get(), Qt::LeftButton, {}, at);
    settle();
  }

 private slots:
  void init() {
    document_ = std::make_unique<Document>();
    canvas_ = std::make_unique<Canvas>();
    layout_ = std::make_unique<LayoutPanel>();
    canvas_->resize(900, 700);
    canvas_->show();
    binding_ = new CanvasBinding(*document_, *canvas_, document_.get());
    new LayoutBinding(*document_, *layout_, document_.get());
    open(kProgram);
  }
  void cleanup() {
    document_.reset();  // before what it is bound to
    layout_.reset();
    canvas_.reset();
  }

  void thePictureIsTheDocuments() {
    QCOMPARE(canvas_->picture(), document_->view().scene().picture);
    document_->perform({"Rename", {Rename{named("out"), "last"}}});
    settle();
    QCOMPARE(canvas_->picture(), document_->view().scene().picture);
    QCOMPARE(canvas_->selection(), document_->selection());
  }

  void aClickSelectsInTheDocumentAndBack() {
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, titleOf("top"));
    QCOMPARE(document_->selected(), named("top"));
    document_->select({named("out")});
    QCOMPARE(canvas_->selection(), std::vector{named("out")});
  }

  // Opened, the group stays what is selected; none of what is in it.
  void anOpenedGroupIsStillMarked() {
    open(R"(HloModule net
ENTRY main {
  x = f32[64,64] parameter(0)
  a = f32[64,64] tanh(x), metadata={op_name="jit(f)/layer/tanh"}
  b = f32[64,64] multiply(a, a), metadata={op_name="jit(f)/layer/mul"}
  c = f32[64,64] add(b, x), metadata={op_name="jit(f)/layer/add"}
  ROOT y = f32[64,64] negate(c), metadata={op_name="jit(f)/head/neg"}
})");
    document_->view().setGrouping(Grouping::Scopes);
    settle();
    document_->view().closeAllGroups();
    settle();
    const auto marked = [&] {
      const auto& nodes = canvas_->selectedNodes();
      return nodes.size() == 1 ? canvas_->view()->nodes[static_cast<size_t>(nodes[0])].group : std::string("none");
    };
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, titleOf("a"));
    const std::string group = document_->view().selectedGroup().toStdString();
    QCOMPARE(group, std::string("jit(f)/layer"));
    QCOMPARE(marked(), group);
    doubleClick("a");
    const int32_t box = canvas_->view()->findGroup(group);
    QVERIFY(box >= 0 && canvas_->nodeOf(named("a")) != box);
    QCOMPARE(marked(), group);
    QVERIFY(!canvas_->selectedWires().empty());  // x comes in, c goes out
    for (const int32_t item : canvas_->selectedWires()) {
      const int32_t edge = canvas_->picture()->items[static_cast<size_t>(item)].viewEdge;
      QVERIFY(edge >= 0);
      const ViewEdge& wire = canvas_->view()->edges[static_cast<size_t>(edge)];
      QVERIFY(wire.from == canvas_->nodeOf(named("x")) || wire.to == canvas_->nodeOf(named("y")));
    }
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, titleOf("a"));  // stands for the group in the selection, too
    QVERIFY(document_->view().selectedGroup().isEmpty());
    QCOMPARE(canvas_->selectedNodes(), std::vector{canvas_->nodeOf(named("a"))});
    document_->view().lookAtGroup(QString::fromStdString(group));
    QCOMPARE(marked(), group);
    QTest::keyClick(canvas_.get(), Qt::Key_Return);  // closes it
    settle();
    QCOMPARE(canvas_->nodeOf(named("a")), canvas_->nodeOf(named("b")));
    QCOMPARE(marked(), group);
  }

  void aNodeHasOneMark() {
    open("HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[] reduce(x, x)\n}\n");
    settle();
    QCOMPARE(canvas_->highlights().marks().size(), size_t{1});
    const QString said = canvas_->highlights().marks()[0].second;
    QVERIFY2(said.endsWith(QStringLiteral("(and 1 more)")), qPrintable(said));
  }

  void errorsAndWarningsAreMarks() {
    // The initial value of a maximum is no identity: found by the worker that made the scene.
    const auto& warnings = document_->view().scene().warnings;
    QCOMPARE(warnings.size(), size_t{1});
    QCOMPARE(warnings[0].instruction, named("top"));
    QCOMPARE(canvas_->highlights().marks().size(), size_t{1});
    QVERIFY(canvas_->highlights().marks()[0].second.startsWith("warning: "));
    document_->perform({"Rewire", {SetOperand{named("top"), 1, named("x")}}});  // an array as initial value
    settle();
    const auto isError = [](const auto& mark) { return !mark.second.startsWith("warning: "); };
    QVERIFY(std::ranges::any_of(canvas_->highlights().marks(), isError));
    document_->undo();
    settle();
    QCOMPARE(canvas_->highlights().marks().size(), size_t{1});
  }

  void aDoubleClickGoesInAndAsksTheEditorFirst() {
    QSignalSpy details(binding_, &CanvasBinding::detailsWanted);
    InstructionId asked;
    binding_->setEditor([&](InstructionId id) {
      asked = id;
      return id == named("out");
    });
    doubleClick("out");
    QCOMPARE(asked, named("out"));
    QCOMPARE(details.count(), 0);
    doubleClick("x");
    QCOMPARE(details.count(), 1);
  }

  void revealGoesToWhatIsCalled() {
    binding_->reveal(named("q"));
    settle();
    QVERIFY(canvas_->boxOf(named("q")).isValid());
    QCOMPARE(document_->selected(), named("q"));
  }

  // As a link to it does; the first picture of the file has it in a closed group, far from where it is then.
  void whatIsRevealedAsAFileOpensIsInSight() {
    std::string text = "HloModule deep\nENTRY main {\n  v0 = f32[64,64] parameter(0)\n";
    for (int k = 1; k <= 300; ++k)
      text += "  v" + std::to_string(k) + " = f32[64,64] tanh(v" + std::to_string(k - 1) +
              "), metadata={op_name=\"jit(f)/layer/tanh\"}\n";
    text += "  ROOT y = f32[64,64] negate(v300), metadata={op_name=\"jit(f)/head/neg\"}\n}\n";
    const auto reveals = connect(document_.get(), &Document::opened, this, [this] { binding_->reveal(named("v150")); });
    open(text.c_str());
    disconnect(reveals);
    const int32_t box = canvas_->nodeOf(named("v150"));
    QVERIFY(box >= 0 && canvas_->view()->nodes[static_cast<size_t>(box)].kind == ViewNode::Kind::Instruction);
    QVERIFY(canvas_->showsSelection());
  }

  void liveValuesReachTheCanvas() {
    LiveValues& live = document_->live();
    QVERIFY(live.isOn() && live.values().contains(named("out")));  // what is cheap shows values when it is opened
    QVERIFY(canvas_->view()->valueStrip > 0);
    QSignalSpy changed(&live, &LiveValues::changed);
    live.setOn(false);
    settle();
    QVERIFY(live.values().empty());
    QCOMPARE(canvas_->view()->valueStrip, 0.f);
    const auto before = changed.count();
    live.setOn(true);
    settle();
    QVERIFY(changed.count() > before);
    QVERIFY(live.values().contains(named("out")));
    QVERIFY(canvas_->view()->valueStrip > 0);
  }

  // Without a focus that would close it: another program's window is in front.
  void whatIsOpenOverTheCanvasIsOfOneDocument() {
    GraphEditController edit(*document_, *canvas_, nullptr);
    open(kProgram);
    emit canvas_->inputClicked(named("out"), 0);
    QVERIFY(edit.field().isVisible());
    open("HloModule other\nENTRY main { ROOT x = f32[4] parameter(0) }");
    QVERIFY(!edit.field().isVisible());
    open(kProgram);
    emit canvas_->inputClicked(named("out"), 0);
    document_->perform({"Delete", {RemoveInstruction{named("out")}}});
    settle();
    QTest::keyClicks(edit.field().findChild<QLineEdit*>(), "3");
    QVERIFY2(edit.field().errorText().contains("gone"), qPrintable(edit.field().errorText()));
  }

  void aLayoutThatIsEditedBecomesTheParameters() {
    document_->select({named("x")});
    layout_->show();  // it follows only while it can be seen
    Shape shape = document_->module().shapeOf(named("x"));
    shape.layout->minorToMajor = {0, 1};
    emit layout_->layoutEdited(shape);
    settle();
    QVERIFY(document_->module().shapeOf(named("x")) == shape);
    QCOMPARE(document_->undoTitle(), QString("Layout of x"));
    shape = document_->module().shapeOf(named("called"));
    document_->select({named("called")});  // of any value where HLO leaves a choice
    shape.layout->minorToMajor = {0, 1};
    emit layout_->layoutEdited(shape);
    settle();
    QCOMPARE(document_->undoTitle(), QString("Layout of called"));
  }
};

TESSERA_QT_TEST(binding_test, BindingTest)
}  // namespace tessera::binding_test
#include "binding_test.moc"
