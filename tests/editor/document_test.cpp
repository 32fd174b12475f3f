// A document without a window: what reaches a run and what the fetch of a value, and the order in which edits, undo and
// redo act that are asked for while an edit is still being inferred.
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include "core/edit/parameter_edits.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "editor/document/document.h"
#include "editor/document/gesture.h"
#include "editor/panels/inspect/inspector.h"
#include "tests/editor/endless.h"
#include "tests/editor/qt_tests.h"

namespace tessera::document_test {
namespace {

constexpr const char* kChain = R"(HloModule chain
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  ROOT b = f32[4] exponential(a)
})";

constexpr const char* kWrong = R"(HloModule wrong
ENTRY main {
  x = f32[4] parameter(0)
  ROOT a = f32[8] negate(x)
})";

constexpr const char* kCalls = R"(HloModule calls
twice { p = f32[4] parameter(0) ROOT q = f32[4] add(p, p) }
ENTRY main { x = f32[4] parameter(0) ROOT c = f32[4] call(x), to_apply=twice })";

constexpr int kPatience = 20000;

}  // namespace

class DocumentTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Document> document_;

  void open(const char* text) {
    const QString path = folder_.filePath(QStringLiteral("graph.hlo"));
    QVERIFY(writeFileAtomically(path.toStdString(), text));
    document_->file().open(path);
    settle();
    QVERIFY(document_->isOpen());
  }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document_->isBusy(), kPatience); }
  InstructionId named(const char* name) const { return document_->module().findInstruction(name).value(); }
  std::string shape(const char* name) const { return toString(document_->module().shapeOf(named(name)), false); }
  std::string text() const { return printHloText(document_->module()); }
  Edit resized(const char* name, int64_t size) const {
    return settingShape(document_->module(), named(name), Shape::array(ElementType::F32, {size}));
  }
  Edit renamed(const char* name, const char* to) const { return {"Rename", {Rename{named(name), to}}}; }
  int steps() {
    int count = 0;
    for (; document_->canUndo(); ++count) document_->undo();
    return count;
  }

 private slots:
  void init() { document_ = std::make_unique<Document>(); }
  void cleanup() { document_.reset(); }

  // --- cancelling
  void cancelReachesARunDuringAndAfterAValueFetch() {
    open(kForever);
    QSignalSpy fetched(&document_->fetch(), &ValueFetch::fetched);
    document_->run().start();
    document_->fetch().start(named("quick"));
    QTRY_COMPARE_WITH_TIMEOUT(fetched.count(), 1, kPatience);
    QVERIFY(document_->run().isRunning());
    QVERIFY(!document_->fetch().isRunning());
    document_->fetch().start(named("last"));  // which is never there
    QTest::qWait(300);
    QVERIFY(document_->run().isRunning() && document_->fetch().isRunning());
    document_->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!document_->run().isRunning() && !document_->fetch().isRunning(), kPatience);
    settle();
  }

  void aFetchGivesWayToTheNextAndLeavesTheRunAlone() {
    open(kForever);
    QSignalSpy fetched(&document_->fetch(), &ValueFetch::fetched), failed(document_.get(), &Document::failed),
        cancelled(document_.get(), &Document::cancelled);
    document_->run().start();
    document_->fetch().start(named("last"));
    document_->fetch().start(named("quick"));
    QTRY_COMPARE_WITH_TIMEOUT(fetched.count(), 1, kPatience);
    QCOMPARE(fetched[0][0].value<InstructionId>(), named("quick"));
    QVERIFY(document_->run().isRunning());
    QCOMPARE(failed.count(), 0);
    document_->cancel();
    settle();
    QCOMPARE(failed.count(), 0);
    QCOMPARE(cancelled.count(), 1);  // the run; the first fetch only gave way
  }

  void anotherFileEndsBoth() {
    open(kForever);
    document_->run().start();
    document_->fetch().start(named("last"));
    open(kChain);
    QVERIFY(!document_->run().isRunning() && !document_->fetch().isRunning());
  }

  void valuesThatComeWhenNothingIsLiveAnyMoreAreDropped() {
    open(kChain);
    document_->live().setOn(true);
    QThread::msleep(500);  // the worker is done; its answer is in the queue of events
    document_->live().setOn(false);
    settle();
    QVERIFY(document_->live().values().empty());
    QVERIFY(!document_->live().trace());
  }

  // --- going somewhere
  void aMoveOutlivesWhatElseIsDrawn() {
    open(kCalls);
    const ComputationId entry = document_->view().computation(),
                        twice = document_->module().findComputation("twice").value();
    document_->view().showComputation(twice);
    document_->view().showFields(false);  // makes a scene of what is shown
    settle();
    QCOMPARE(document_->view().computation(), twice);
    document_->view().showComputation(entry);
    document_->perform(renamed("q", "sum"));  // so does an edit
    settle();
    QCOMPARE(document_->view().computation(), entry);
    document_->view().showComputation(twice);
    document_->view().showComputation(entry);  // back before it was there
    settle();
    QCOMPARE(document_->view().computation(), entry);
  }

  void aMoveToWhatIsGoneEnds() {
    open(kCalls);
    const ComputationId entry = document_->view().computation();
    document_->perform({"Group", {GroupInstructions{{named("c")}, "outer", Opcode::Call, ""}}});
    settle();
    document_->view().showComputation(document_->module().findComputation("outer").value());
    document_->undo();
    settle();
    QCOMPARE(document_->view().computation(), entry);
  }

  // --- what inference finds
  void aMoveOfBoxesBeforeTheFirstInferenceKeepsItsErrors() {
    connect(document_.get(), &Document::opened, document_.get(), [this] {
      document_->arrange("Move", [](ProjectPage& page) { page.instructions["a"] = {10, 20}; });
    });
    open(kWrong);
    QCOMPARE(document_->diagnostics().size(), size_t{1});
    QVERIFY(document_->canUndo());
    document_->undo();
    settle();
    QVERIFY(document_->page() == nullptr || document_->page()->instructions.empty());
  }

  // --- steps
  void undoOfAnEditThatIsStillBeingInferred() {
    open(kChain);
    const std::string before = text();
    QSignalSpy stepped(document_.get(), &Document::stepped);
    document_->perform(resized("x", 8));
    QVERIFY(document_->canUndo());
    document_->undo();
    settle();
    QCOMPARE(text(), before);
    QCOMPARE(stepped.count(), 1);
    QVERIFY(!document_->canUndo());
    document_->redo();
    QCOMPARE(shape("b"), std::string("f32[8]"));
  }

  void editsAndUndosAreDoneInTheirOrder() {
    open(kChain);
    document_->perform(renamed("a", "first"));
    document_->perform(renamed("a", "second"));
    document_->undo();
    document_->arrange("Note", [](ProjectPage& page) { page.notes = {{0, 0, 10, 10, "why"}}; });
    document_->perform(resized("x", 2));
    document_->undo();
    document_->undo();
    document_->redo();
    settle();
    QVERIFY(document_->module().findInstruction("first"));
    QCOMPARE(shape("b"), std::string("f32[4]"));
    QCOMPARE(document_->project().find("main")->notes.size(), size_t{1});
    QVERIFY(document_->canRedo());
    QCOMPARE(steps(), 2);
  }

  // The step before it was not meant.
  void undoOfAnEditThatIsRefusedUndoesNothing() {
    open(kChain);
    document_->perform(renamed("a", "first"));
    settle();
    QSignalSpy failed(document_.get(), &Document::failed);
    document_->perform({"Rename", {Rename{InstructionId(1000), "x"}}});
    document_->undo();
    settle();
    QCOMPARE(failed.count(), 1);
    QVERIFY(document_->module().findInstruction("first"));
  }

  void oneGestureIsOneStep() {
    open(kChain);
    Gesture typing;
    for (int64_t size : {5, 50, 500}) document_->perform(resized("x", size), {}, typing.key(named("x"), "shape"));
    settle();
    typing.end();
    document_->perform(resized("x", 6), {}, typing.key(named("x"), "shape"));
    settle();
    QCOMPARE(shape("b"), std::string("f32[6]"));
    document_->undo();
    QCOMPARE(shape("b"), std::string("f32[500]"));
    QCOMPARE(steps(), 1);
    QCOMPARE(shape("b"), std::string("f32[4]"));
  }

  // The first keystroke of the second typing does not parse; the titles of both are the same.
  void twoTypingsWithABrokenKeystrokeBetweenThemAreTwoSteps() {
    open(kChain);
    Inspector inspector(*document_);
    inspector.setVisible(true);
    document_->select({named("x")});
    for (const char* typed : {"f32[8]", "f32[16]"}) {
      inspector.shapeField()->setFocus();
      inspector.shapeField()->selectAll();
      QTest::keyClicks(inspector.shapeField(), typed);
      QTest::keyClick(inspector.shapeField(), Qt::Key_Return);
      settle();
    }
    QCOMPARE(shape("b"), std::string("f32[16]"));
    document_->undo();
    QCOMPARE(shape("b"), std::string("f32[8]"));
    document_->undo();
    QCOMPARE(shape("b"), std::string("f32[4]"));
    QVERIFY(!document_->canUndo());
    inspector.hide();  // as its window does before it goes: the field that loses the focus reports to a whole panel
  }
};

TESSERA_QT_TEST(document_test, DocumentTest)
}  // namespace tessera::document_test
#include "document_test.moc"
