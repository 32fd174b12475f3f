// Blocks, builder forms and the palette, with real events.
#include <QDragEnterEvent>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/studio/preferences/preference_control.h"
#include "app/studio/window/panels.h"
#include "core/edit/palette/blocks.h"
#include "core/edit/palette/palette_forms.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/module_file.h"
#include "core/hlo/numbers.h"
#include "editor/controllers/block_actions.h"
#include "editor/panels/banner.h"
#include "editor/panels/palette_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/thread_clock.h"

namespace tessera::palette_blocks_test {
namespace {

double numberIn(const Literal& value, int64_t i = 0) {
  return loadDouble(value.shape().type, value.bytes().data() + i * byteWidth(value.shape().type));
}

}  // namespace

class PaletteBlocksTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  bool says(const char* words) { return hand().text().find(words) != std::string::npos; }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  // --- builder forms and blocks
  void everyShippedBlockInfersAndRuns() {
    for (const Block& block : shippedBlocks()) {
      const auto text = shippedBlockText(block.name, {});
      QVERIFY2(text.has_value(), block.name.c_str());
      const ReadResult read = readHloText(*text, block.name);
      QVERIFY2(read.module && !read.diagnostics.hasErrors(), text->c_str());
      std::vector<Literal> arguments;
      for (const Shape& shape : entryArgumentShapes(*read.module))
        arguments.push_back(*fillParameter(shape, arguments.size(), {0, 1.0, 8}));
      const auto out = evaluateModule(*read.module, arguments);
      QVERIFY2(out.has_value(), block.name.c_str());
      for (int64_t i = 0; i < out->at(0).elementCount(); ++i)
        QVERIFY2(std::isfinite(numberIn(out->at(0), i)), block.name.c_str());
    }
  }

  void blocksGiveWhatTheySay() {
    const Shape row = Shape::array(ElementType::F32, {1, 3});
    const auto run = [](const char* name, const std::vector<Shape>& shapes, const std::vector<Literal>& arguments) {
      return (*evaluateModule(*readHloText(*shippedBlockText(name, shapes), name).module, arguments))[0];
    };
    const Literal x = *parseLiteral("{{0,1,2}}", Shape::arrayRowMajor(ElementType::F32, {1, 3}));
    const double total = 1 + std::exp(1.0) + std::exp(2.0);
    QVERIFY(std::abs(numberIn(run("softmax", {row}, {x}), 2) - std::exp(2.0) / total) < 1e-6);
    const Literal gelu = run("gelu", {row}, {x});
    QVERIFY(std::abs(numberIn(gelu, 1) - 0.8413447) < 1e-5);  // Φ(1)
    const Literal ones = *parseLiteral("{1,1,1}", Shape::arrayRowMajor(ElementType::F32, {3})),
                  none = *Literal::zeros(Shape::arrayRowMajor(ElementType::F32, {3}));
    QVERIFY(std::abs(numberIn(run("layer_norm", {row}, {x, ones, none}), 2) - 1.2247356) < 1e-4);
    const Literal label = *parseLiteral("{{0,0,1}}", Shape::arrayRowMajor(ElementType::F32, {1, 3}));
    QVERIFY(std::abs(numberIn(run("cross_entropy", {row, row}, {x, label})) - (std::log(total) - 2)) < 1e-6);
    QVERIFY(!shippedBlockText("linear", std::vector<Shape>{row, Shape::array(ElementType::F32, {4, 2})}));
    QVERIFY(!shippedBlockText("softmax", std::vector<Shape>{Shape::array(ElementType::S32, {3})}));
  }

  void aBlockIsPlacedAsACompositeCall() {
    hand().add("f32[4,6]");
    const InstructionId call = hand().add("linear block");
    QCOMPARE(hand().at(call).opcode, Opcode::Call);
    QCOMPARE(hand().shape(call), std::string("f32[4,32]"));
    QCOMPARE(hand().at(call).operands.size(), size_t{3});
    QVERIFY(says("is_composite=true"));
    QVERIFY(says("composite.name=\"tessera.linear\""));
    QVERIFY(hand().document().diagnostics().empty());
    QVERIFY(hand().document().live().valueOf(call));
    hand().undo();
    QCOMPARE(hand().module().instructionCount(), size_t{1});
  }

  void aSelectionBecomesABlockOfTheLibraryAndItsUsesAreBroughtUpToDate() {
    BlockActions& actions = hand().window().pane().blocks();
    actions.setLibrary(folder_.filePath("mine.tessera-blocks"));
    const InstructionId x = hand().add("f32[4]"), twice = hand().add("multiply 2"), root = hand().add("exp");
    hand().document().select({twice, root});
    QVERIFY(hand().saveBlock("double_exp", "exp of twice"));
    hand().settle();
    PalettePanel* palette = hand().window().panels().palette;
    QVERIFY(palette->item("My blocks", "double_exp"));
    // The original has become the first use.
    QVERIFY(!hand().module().contains(twice) && !hand().module().contains(root));
    const InstructionId first = hand().module().entryComputation().root;
    QCOMPARE(hand().at(first).opcode, Opcode::Call);
    QVERIFY(hand().at(first).operands[0] == x);
    QCOMPARE(hand().module().entryComputation().instructions.size(), size_t{2});
    QVERIFY(hand().document().diagnostics().empty());
    hand().document().select({x});
    hand().settle();
    palette->choose("block: double_exp");
    hand().settle();
    const InstructionId call = hand().selected();
    QCOMPARE(hand().at(call).opcode, Opcode::Call);
    QCOMPARE(blockUseOf(hand().module(), call).version, int64_t{1});
    QVERIFY(hand().document().diagnostics().empty());
    QVERIFY(!actions.offersUpdate());
    // Another content under the same name is its next version.
    hand().document().select({x});
    hand().settle();
    const InstructionId again = hand().add("multiply 2");
    hand().document().select({again});
    QVERIFY(hand().saveBlock("double_exp", "only twice"));
    hand().settle();
    QVERIFY(actions.offersUpdate());
    actions.update();
    hand().settle();
    QCOMPARE(blockUseOf(hand().module(), call).version, int64_t{2});
    QVERIFY(!actions.offersUpdate());
    const double in = numberIn(*hand().document().live().valueOf(x), 3);
    QVERIFY(std::abs(numberIn(*hand().document().live().valueOf(call), 3) - 2 * in) < 1e-6);
    hand().undo();
    QCOMPARE(blockUseOf(hand().module(), call).version, int64_t{1});
    actions.setLibrary(folder_.filePath("mine.tessera-blocks"));  // read again
    QCOMPARE(actions.blocks().size(), size_t{1});
    QCOMPARE(actions.blocks()[0].summary, std::string("only twice"));
    // A file that was broken by hand is explained and not written over.
    QVERIFY(
        writeFileAtomically(actions.library().toStdString(), "tessera blocks 1\nblock \"a\" 1 \"\"\nhlo\nnonsense\n")
            .has_value());
    actions.setLibrary(actions.library());
    QVERIFY(actions.blocks().empty());
    QVERIFY(!hand().saveBlock("other", ""));
    QVERIFY(readFile(actions.library().toStdString())->find("nonsense") != std::string::npos);
  }

  // A scope that was no box, since it held all, is none of a sudden where the block has no scope.
  void aBlockOfAnOpenedGraphLeavesTheOthersInSight() {
    hand().openText(R"(HloModule m

ENTRY e {
  x = f32[4,8] parameter(0)
  w = f32[8,8] parameter(1)
  d = f32[4,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot_general"}
  t = f32[4,8] tanh(d), metadata={op_name="jit(f)/tanh"}
  n = f32[4,8] negate(t), metadata={op_name="jit(f)/neg"}
  p = f32[4,8] exponential(n), metadata={op_name="jit(f)/exp"}
  a = f32[4,8] add(p, d), metadata={op_name="jit(f)/add"}
  ROOT s = f32[4,8] sine(a), metadata={op_name="jit(f)/sin"}
}
)");
    BlockActions& actions = hand().window().pane().blocks();
    actions.setLibrary(folder_.filePath("shy.tessera-blocks"));
    const auto standsAlone = [&](InstructionId id) {
      const int32_t box = hand().canvas().view()->boxOf(id);
      return box >= 0 && hand().canvas().view()->nodes[static_cast<size_t>(box)].shows() == id;
    };
    const std::vector<InstructionId> others{hand().named("d"), hand().named("p"), hand().named("a"), hand().named("s")};
    QVERIFY(std::ranges::all_of(others, standsAlone));
    hand().document().select({hand().named("t"), hand().named("n")});
    QVERIFY2(hand().saveBlock("shy", ""), qPrintable(hand().window().pane().banner().message()));
    QVERIFY(std::ranges::all_of(others, standsAlone));
    QVERIFY(standsAlone(hand().module().at(hand().named("p")).operands[0]));
  }

  void librariesThatDoNotRead() {
    for (const char* bad :
         {"", "tessera blocks 2\n", "tessera blocks 1\nblok", "tessera blocks 1\nblock \"a b\" 1 \"\"\nhlo\nend\n",
          "tessera blocks 1\nblock \"a\" x \"\"\nhlo\nend\n",
          "tessera blocks 1\nblock \"a\" 1 \"\"\nhlo\nHloModule m\n"})
      QVERIFY2(!parseBlocks(bad), bad);
    const Block block{"a.b-c", "says \"this\"", 3, *shippedBlockText("gelu", {})};
    const auto read = parseBlocks(printBlocks(std::vector<Block>{block}));
    QVERIFY(read.has_value());
    QCOMPARE(read->at(0).summary, block.summary);
    QCOMPARE(read->at(0).text, block.text);
  }

  void formsMakeTheInstructionsTheyMean() {
    const InstructionId x = hand().add("f32[1,8,8,3]");
    hand().click(x);
    QCOMPARE(hand().shape(hand().add("convolution same")), std::string("f32[1,8,8,3]"));
    hand().click(x);
    QCOMPARE(hand().shape(hand().add("convolution valid")), std::string("f32[1,6,6,3]"));
    hand().click(x);
    QCOMPARE(hand().shape(hand().add("collapse")), std::string("f32[8,8,3]"));
    hand().click(x);
    QCOMPARE(hand().shape(hand().add("broadcast sizes")), std::string("f32[2,1,8,8,3]"));
    hand().click(x);
    QCOMPARE(hand().shape(hand().add("broadcast in dim")), std::string("f32[1,8,8,3,2]"));
    hand().click(x);
    QCOMPARE(hand().at(hand().add("cross-replica sum")).opcode, Opcode::AllReduce);
    QVERIFY(hand().document().diagnostics().empty());
  }

  void thePaletteFindsPlacesAndTakesDrops() {
    hand().window().panels().raise("palette");
    PalettePanel* palette = hand().window().panels().palette;
    QTest::keyClicks(palette->field(), "tanh");
    hand().add("f32[3]");
    QTreeWidgetItem* item = palette->item("Elementwise", "tanh");
    QVERIFY(item);
    palette->tree()->scrollToItem(item);
    const QPoint there = palette->tree()->visualItemRect(item).center();
    QTest::mouseClick(palette->tree()->viewport(), Qt::LeftButton, {}, there);
    QTest::mouseDClick(palette->tree()->viewport(), Qt::LeftButton, {}, there);
    QCoreApplication::processEvents();
    hand().settle();
    QVERIFY(hand().module().findInstruction("tanh").has_value());
    palette->field()->clear();
    QVERIFY(palette->item("Recent", "tanh"));
    palette->setFavourites({"abs"});
    QVERIFY(palette->item("Favourites", "abs"));
    QMimeData data;
    data.setData(QLatin1String(kPaletteMime), "abs");
    const QPoint at(200, 200);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&hand().canvas(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&hand().canvas(), &drop);
    hand().settle();
    QVERIFY(hand().module().findInstruction("abs").has_value());
  }

  // The window waits for nothing but the edit, of an ordinary graph and of a selection that has a branch.
  void aBlockIsSavedAtOnce() {
    constexpr int kSteps = 120;
    constexpr double kMostMs = 150;
    QString text = QStringLiteral("HloModule m\n\nENTRY e {\n  x0 = f32[32,64] parameter(0)\n");
    for (int i = 1; i < kSteps; ++i)
      text += QStringLiteral("  x%1 = f32[32,64] %2\n")
                  .arg(i)
                  .arg(i % 3 ? QStringLiteral("tanh(x%1)").arg(i - 1)
                             : QStringLiteral("add(x%1, x%2)").arg(i - 1).arg(i - 3));
    hand().openText((text + QStringLiteral("}\n")).toUtf8().constData(), false);
    hand().settle();
    BlockActions& actions = hand().window().pane().blocks();
    actions.setLibrary(folder_.filePath("quick.tessera-blocks"));
    std::vector<InstructionId> selected;
    for (int i = 40; i < 80; ++i)
      selected.push_back(hand().module().findInstruction(QStringLiteral("x%1").arg(i).toStdString()).value());
    hand().document().select(selected);
    hand().settle();
    for (const char* name : {"first", "second"}) {
      const double before = threadMs();
      actions.saveSelection(name, "");
      QVERIFY(QTest::qWaitFor([&] { return !actions.isSaving(); }));
      const double took = threadMs() - before;
      QVERIFY2(took < kMostMs, qPrintable(QStringLiteral("%1: %2 ms").arg(name).arg(took)));
      hand().settle();
      hand().undo();
      hand().document().select(selected);
      hand().settle();
    }
  }

  // What was used comes into Recent, and what is dragged next stays where it is.
  void rowsStayWhereTheyAre() {
    hand().window().panels().raise("palette");
    PalettePanel* palette = hand().window().panels().palette;
    palette->field()->clear();
    palette->setRecents({});
    const auto topOf = [palette](const char* section) {
      const auto found = palette->tree()->findItems(section, Qt::MatchExactly);
      return found.isEmpty() ? -1 : palette->tree()->visualItemRect(found[0]).top();
    };
    const int elementwise = topOf("Elementwise"), training = topOf("Training");
    QVERIFY(elementwise >= 0 && training > elementwise);
    for (const char* used : {"tanh", "abs", "negate"}) palette->noteUse(used);
    QVERIFY(palette->item("Recent", "tanh"));
    QCOMPARE(topOf("Elementwise"), elementwise);
    QCOMPARE(topOf("Training"), training);
  }

  // In the narrowest panel, with letters of any size, the names of sections are whole.
  void namesOfSectionsAreWhole() {
    hand().window().resize(1366, 738);
    hand().window().panels().raise("palette");
    const auto* tree = hand().window().panels().palette->findChild<QTreeWidget*>();
    PreferenceControl& preferences = hand().window().preferenceControl();
    const double usual = preferences.fontSize();
    for (const double points : {usual, usual + 3, usual}) {
      preferences.setFontSize(points);
      hand().settle();
      for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        const QModelIndex index = tree->model()->index(i, 0);
        QVERIFY2(tree->visualRect(index).width() >= tree->sizeHintForIndex(index).width(),
                 qPrintable(QStringLiteral("%1, %2 pt: %3 of %4 in %5")
                                .arg(tree->topLevelItem(i)->text(0))
                                .arg(points)
                                .arg(tree->visualRect(index).width())
                                .arg(tree->sizeHintForIndex(index).width())
                                .arg(tree->width())));
      }
    }
  }
};

TESSERA_QT_TEST(palette_blocks_test, PaletteBlocksTest)
}  // namespace tessera::palette_blocks_test
#include "palette_blocks_test.moc"
