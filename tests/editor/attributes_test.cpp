// Attributes that are taken hold of: windows, dimensions, layouts, labels, tables, with real events.
#include <QAbstractScrollArea>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/hlo/numbers.h"
#include "editor/attributes/dimension_choice.h"
#include "editor/attributes/dimension_pairs.h"
#include "editor/attributes/index_form.h"
#include "editor/attributes/label_rows.h"
#include "editor/attributes/literal_table.h"
#include "editor/attributes/permutation_row.h"
#include "editor/attributes/replica_matrix.h"
#include "editor/attributes/type_choice.h"
#include "editor/attributes/window_picture.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/panels/inspect/attribute_form.h"
#include "editor/panels/inspect/inspector.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::attributes_test {
namespace {

double numberIn(const Literal& value, int64_t i = 0) {
  return loadDouble(value.shape().type, value.bytes().data() + i * byteWidth(value.shape().type));
}

}  // namespace

class AttributesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() { return *hand_; }
  void openText(const char* text, const char* select) {
    hand().openText(text);
    hand().document().select({hand().named(select)});
    hand().settle();
    QCoreApplication::processEvents();
  }
  template <class Picture>
  Picture* picture(const char* line) {
    auto* out = dynamic_cast<Picture*>(hand().window().panels().inspector->form()->picture(QLatin1String(line)));
    if (!out) qFatal("there is no such picture");
    return out;
  }
  void dragOn(QWidget* widget, QPointF from, QPointF to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(widget, Qt::LeftButton, modifiers, from.toPoint());
    QTest::mouseMove(widget, ((from + to) / 2).toPoint());
    QTest::mouseMove(widget, to.toPoint());
    QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to.toPoint());
    hand().settle();
  }
  bool says(const char* words) { return hand().text().find(words) != std::string::npos; }
  std::string shapeOf(const char* name) { return hand().shape(hand().named(name)); }

  Result<Literal> argumentLike() {
    return parseLiteral("{{0,0.1,0.2},{0.3,0.4,0.5}}", Shape::arrayRowMajor(ElementType::F32, {2, 3}));
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void theWindowIsDragged() {
    openText(R"(HloModule w
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY main {
  x = f32[8,8] parameter(0)
  low = f32[] constant(-inf)
  ROOT pool = f32[7,7] reduce-window(x, low), window={size=2x2}, to_apply=max
})",
             "pool");
    auto* window = picture<WindowPicture>("window");
    QVERIFY(window->isVisible());
    const std::string before = hand().text();
    const double cell = window->side();
    QVERIFY(cell > 3);
    QPointF at = window->handleAt(WindowPicture::Handle::Size);
    dragOn(window, at, at + QPointF(cell, 0));
    QVERIFY2(says("size=2x3"), hand().text().c_str());
    QCOMPARE(shapeOf("pool"), std::string("f32[7,6]"));
    hand().undo();  // one drag, one step
    QCOMPARE(hand().text(), before);
    at = window->handleAt(WindowPicture::Handle::Stride);
    dragOn(window, at, at + QPointF(cell, cell));
    QVERIFY2(says("stride=2x2"), hand().text().c_str());
    QCOMPARE(shapeOf("pool"), std::string("f32[4,4]"));
    at = window->handleAt(WindowPicture::Handle::Left);
    dragOn(window, at, at + QPointF(cell, 0));
    QVERIFY2(says("pad=0_0x1_0"), hand().text().c_str());
  }

  // In the narrowest inspector of a usual laptop the numbers of a window are whole.
  void theWindowFitsTheInspector() {
    hand().window().resize(1366, 768);
    openText(R"(HloModule w
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY main {
  x = f32[8,8] parameter(0)
  low = f32[] constant(-inf)
  ROOT pool = f32[4,4] reduce-window(x, low), window={size=3x3 stride=2x2 pad=1_0x1_0}, to_apply=max
})",
             "pool");
    const auto* window = picture<WindowPicture>("window");
    const QWidget* seen = window->parentWidget();
    while (seen && !qobject_cast<const QAbstractScrollArea*>(seen)) seen = seen->parentWidget();
    QVERIFY(seen);
    const QWidget* viewport = qobject_cast<const QAbstractScrollArea*>(seen)->viewport();
    const int right = window->mapTo(viewport, QPoint(window->width(), 0)).x();
    QVERIFY2(right <= viewport->width(), qPrintable(QStringLiteral("%1 of %2").arg(right).arg(viewport->width())));
  }

  // Handles of common windows do not overlap.
  void handlesOfAWindowDoNotOverlap() {
    using Handle = WindowPicture::Handle;
    for (const char* window : {"size=3x3 pad=1_1x1_1", "size=2x2 stride=2x2", "size=5x5 pad=2_2x2_2", "size=3x3",
                               "size=3x3 pad=2_2x2_2 rhs_dilate=2x2"}) {
      openText((std::string(R"(HloModule c
ENTRY main {
  x = f32[1,9,9,3] parameter(0)
  k = f32[)") + window[5] +
                "," + window[7] + R"(,3,4] parameter(1)
  ROOT y = f32[1,9,9,4] convolution(x, k), window={)" +
                window + R"(}, dim_labels=b01f_01io->b01f
})")
                   .c_str(),
               "y");
      auto* shown = picture<WindowPicture>("window");
      std::vector<QPointF> all;
      for (Handle handle :
           {Handle::Size, Handle::Stride, Handle::Dilation, Handle::Left, Handle::Top, Handle::Right, Handle::Bottom})
        if (!shown->handleAt(handle).isNull()) all.push_back(shown->handleAt(handle));
      QCOMPARE(all.size(), size_t{7});
      for (size_t a = 0; a < all.size(); ++a)
        for (size_t b = a + 1; b < all.size(); ++b)
          QVERIFY2(std::hypot(all[a].x() - all[b].x(), all[a].y() - all[b].y()) >= 10, window);
    }
  }

  void theWindowHasNumbersAndNamedPaddings() {
    openText(R"(HloModule c
ENTRY main {
  x = f32[1,6,6,3] parameter(0)
  k = f32[3,3,3,4] parameter(1)
  ROOT y = f32[1,2,2,4] convolution(x, k), window={size=3x3 stride=2x2}, dim_labels=b01f_01io->b01f
})",
             "y");
    auto* window = picture<WindowPicture>("window");
    const std::string before = hand().text();
    QTest::mouseClick(window->findChild<QPushButton*>("windowSame"), Qt::LeftButton);
    hand().settle();
    QVERIFY2(says("pad=0_1x0_1"), hand().text().c_str());  // six elements, a window of three, a stride of two
    QCOMPARE(shapeOf("y"), std::string("f32[1,3,3,4]"));
    QTest::mouseClick(window->findChild<QPushButton*>("windowValid"), Qt::LeftButton);
    hand().settle();
    QCOMPARE(hand().text(), before);
    QSpinBox* stride = window->numbers().box(WindowNumbers::Number::Stride, true);
    QCOMPARE(stride->value(), 2);
    stride->setFocus();
    stride->selectAll();
    QTest::keyClicks(stride, "1");
    QTest::keyClick(stride, Qt::Key_Return);
    hand().settle();
    QVERIFY2(says("stride=2x1"), hand().text().c_str());
    QCOMPARE(shapeOf("y"), std::string("f32[1,2,4,4]"));
  }

  // What is dragged at a convolution's window makes its kernel as large; a kernel that others read stays.
  void theKernelFollowsTheWindow() {
    openText(R"(HloModule c
ENTRY main {
  x = f32[1,8,8,3] parameter(0)
  k = f32[3,3,3,4] parameter(1)
  one = f32[] constant(1)
  ones = f32[3,3,4,4] broadcast(one), dimensions={}
  y = f32[1,6,6,4] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
  ROOT z = f32[1,4,4,4] convolution(y, ones), window={size=3x3}, dim_labels=b01f_01io->b01f
})",
             "y");
    const std::string before = hand().text();
    auto* window = picture<WindowPicture>("window");
    const QPointF at = window->handleAt(WindowPicture::Handle::Size);
    dragOn(window, at, at + QPointF(window->side(), 0));
    QVERIFY2(says("size=3x4"), hand().text().c_str());
    QCOMPARE(shapeOf("k"), std::string("f32[3,4,3,4]"));
    QCOMPARE(shapeOf("z"), std::string("f32[1,4,3,4]"));
    QVERIFY(hand().document().diagnostics().empty());
    hand().undo();
    QCOMPARE(hand().text(), before);
    hand().document().select({hand().named("z")});
    hand().settle();
    QLineEdit* typed = hand().window().panels().inspector->form()->field("window");
    typed->setFocus();
    typed->selectAll();
    QTest::keyClicks(typed, "{size=5x3}");
    hand().settle();
    QCOMPARE(shapeOf("ones"), std::string("f32[5,3,4,4]"));
    QCOMPARE(shapeOf("z"), std::string("f32[1,2,4,4]"));
    openText(R"(HloModule c
ENTRY main {
  x = f32[1,8,8,3] parameter(0)
  k = f32[3,3,3,3] parameter(1)
  a = f32[1,6,6,3] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
  ROOT b = f32[1,4,4,3] convolution(a, k), window={size=3x3}, dim_labels=b01f_01io->b01f
})",
             "b");
    QTest::mouseClick(picture<WindowPicture>("window")->findChild<QPushButton*>("windowSame"), Qt::LeftButton);
    hand().settle();
    QCOMPARE(shapeOf("k"), std::string("f32[3,3,3,3]"));
  }

  // Of a form with long names, too.
  void fieldsAreWideEnoughToRead() {
    hand().window().resize(1366, 768);
    openText(R"(HloModule c
ENTRY main {
  x = f32[1,8,8,3] parameter(0)
  k = f32[3,3,3,4] parameter(1)
  ROOT convolution = f32[1,6,6,4] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
})",
             "convolution");
    for (const char* name : {"name", "window", "dim_labels"}) {
      const QLineEdit* field = hand().window().panels().inspector->form()->field(name);
      const int words = field->fontMetrics().horizontalAdvance(field->text());
      QVERIFY2(field->width() > words, qPrintable(QStringLiteral("%1: %2 px").arg(name).arg(field->width())));
    }
  }

  void dimensionsOfAReductionAreClicked() {
    openText(R"(HloModule r
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[2,3,4] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[2,3] reduce(x, zero), dimensions={2}, to_apply=sum
})",
             "y");
    auto* chips = picture<DimensionChoice>("dimensions");
    QTest::mouseClick(chips, Qt::LeftButton, {}, chips->chip(0, 0).center().toPoint());
    hand().settle();
    QVERIFY2(says("dimensions={0,2}"), hand().text().c_str());
    QCOMPARE(shapeOf("y"), std::string("f32[3]"));
    QTest::mouseClick(chips, Qt::LeftButton, {}, chips->chip(0, 2).center().toPoint());
    hand().settle();
    QCOMPARE(shapeOf("y"), std::string("f32[3,4]"));
  }

  void aConversionHasAListOfTypes() {
    hand().add("s32[4]");
    const InstructionId made = hand().add("convert");
    QCOMPARE(hand().shape(made), std::string("f32[4]"));  // to another type than it has
    auto* types = picture<TypeChoice>("shape");
    QVERIFY(types->list()->findText("s32") < 0);
    types->list()->setCurrentText("bf16");
    emit types->list()->activated(types->list()->currentIndex());
    hand().settle();
    QCOMPARE(hand().shape(made), std::string("bf16[4]"));
    QCOMPARE(hand().shape(hand().add("convert u8")), std::string("u8[4]"));
  }

  // One that kept its shape when it was wired to another rank takes that with its new type.
  void aConversionThatDoesNotFitTakesItsOperandsRank() {
    openText("HloModule c\nENTRY main {\n  x = c64[3] parameter(0)\n  ROOT y = s32[2,3]{1,0} convert(x)\n}", "y");
    auto* types = picture<TypeChoice>("shape");
    types->list()->setCurrentText("s64");
    emit types->list()->activated(types->list()->currentIndex());
    hand().settle();
    const Module& module = hand().module();
    const Shape& shape = module.shapeOf(*module.findInstruction("y"));
    QCOMPARE(toString(shape), std::string("s64[3]{0}"));
  }

  // Short forms are accepted, in any order; errors are shown beside the field.
  void attributesAreTypedInShort() {
    openText(R"(HloModule g
ENTRY main {
  x = f32[5,4] parameter(0)
  i = s32[7] parameter(1)
  ROOT y = f32[7,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,4}
})",
             "y");
    AttributeForm* form = hand().window().panels().inspector->form();
    QVERIFY(!form->field("offset_dims")->isVisible());  // behind "more"
    QTest::mouseClick(form->detailsButton(), Qt::LeftButton);
    QVERIFY(form->field("offset_dims")->isVisible());
    const auto typeInto = [&](const char* line, const char* words) {
      QLineEdit* field = form->field(line);
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, words);
      hand().settle();
    };
    typeInto("slice_sizes", "1,3");
    QVERIFY2(says("slice_sizes={1,3}"), hand().text().c_str());
    QCOMPARE(shapeOf("y"), std::string("f32[7,3]"));
    // From rows along 0 to rows along 1: intermediate states have errors, and no edit is refused.
    for (const auto& [line, words] : {std::pair("offset_dims", "0"),
                                      {"collapsed_slice_dims", "1"},
                                      {"start_index_map", "1"},
                                      {"slice_sizes", "5,1"}})
      typeInto(line, words);
    QCOMPARE(shapeOf("y"), std::string("f32[5,7]"));
    for (const char* line : {"offset_dims", "collapsed_slice_dims", "start_index_map", "slice_sizes"})
      QVERIFY2(form->errorOf(line).isEmpty(), line);
    typeInto("offset_dims", "one");
    QVERIFY(!form->errorOf("offset_dims").isEmpty());
  }

  void aGatherIsAChoiceOfWays() {
    openText(R"(HloModule g
ENTRY main {
  x = f32[5,4] parameter(0)
  i = s32[7] parameter(1)
  ROOT y = f32[7,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,4}
})",
             "y");
    auto* form = picture<IndexForm>("slice_sizes");
    QCOMPARE(form->ways()->currentText(), QString("rows along dimension 0"));
    form->ways()->setCurrentIndex(1);
    emit form->ways()->activated(1);
    hand().settle();
    QCOMPARE(shapeOf("y"), std::string("f32[5,7]"));
    QCOMPARE(form->ways()->currentText(), QString("rows along dimension 1"));
    hand().undo();  // one step for all dimension numbers
    QCOMPARE(shapeOf("y"), std::string("f32[7,4]"));
  }

  void typesAndSizesAreTypedForAShape() {
    hand().add("f32[4,6]");
    const InstructionId made = hand().add("convert");
    QLineEdit* field = hand().window().panels().inspector->form()->field("shape");
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "f16");
    hand().settle();
    QCOMPARE(hand().shape(made), std::string("f16[4,6]"));
  }

  // Enter puts the value back and leaves the reason, until something else is typed or selected.
  void aRefusalOutlivesEnter() {
    const InstructionId x = hand().add("f32[4,6]");
    const InstructionId made = hand().add("convert");
    Inspector& inspector = *hand().window().panels().inspector;
    const auto type = [](QLineEdit* field, const char* words) {
      field->setFocus();
      field->selectAll();
      QTest::keyClicks(field, words);
      QTest::keyClick(field, Qt::Key_Return);
    };
    const QString shape = inspector.form()->field("shape")->text();
    type(inspector.form()->field("shape"), "f99");
    hand().settle();
    QCOMPARE(inspector.form()->field("shape")->text(), shape);
    QVERIFY(inspector.form()->errorOf("shape").contains(QLatin1String("f99")));
    type(inspector.form()->field("shape"), "f16");
    hand().settle();
    QCOMPARE(inspector.form()->errorOf("shape"), QString());
    QCOMPARE(hand().shape(made), std::string("f16[4,6]"));
    hand().click(x);
    type(inspector.shapeField(), "f99[4");
    hand().settle();
    QVERIFY(!inspector.errorText().isEmpty());
    QCOMPARE(hand().shape(x), std::string("f32[4,6]"));
    hand().click(made);
    QCOMPARE(inspector.errorText(), QString());
  }

  // Tiles follow the shape and the selection though their order stays.
  void tilesFollowShapeAndSelection() {
    openText(
        "HloModule t\nENTRY main {\n  x = f32[2,3] parameter(0)\n  y = f32[7,9] parameter(1)\n  ROOT z = f32[3,2] "
        "transpose(x), dimensions={1,0}\n}",
        "x");
    Inspector* inspector = hand().window().panels().inspector;
    const auto details = [&] {
      QStringList out;
      for (const auto& chip : inspector->layoutChips()->chips()) out << chip.shortDetail;
      return out;
    };
    QCOMPARE(details(), (QStringList{"3", "2"}));
    hand().document().select({hand().named("y")});
    hand().settle();
    QCOMPARE(details(), (QStringList{"9", "7"}));
    hand().document().perform(
        {"Shape", {SetParameterShape{hand().named("x"), Shape::arrayRowMajor(ElementType::F32, {4, 5})}}});
    hand().document().select({hand().named("x")});
    hand().settle();
    QCOMPARE(details(), (QStringList{"5", "4"}));
    hand().document().select({hand().named("z")});
    hand().settle();
    QCOMPARE(picture<PermutationRow>("dimensions")->chips()->chips()[0].shortDetail, QString("5"));
    QCOMPARE(picture<PermutationRow>("dimensions")->chips()->captions().first, QString("↑ becomes dimension 0"));
  }

  // Of any value where HLO leaves a choice.
  void theLayoutOfAnyValueIsSet() {
    openText("HloModule t\nENTRY main {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n}", "y");
    Inspector* inspector = hand().window().panels().inspector;
    QVERIFY(inspector->layoutChips()->isVisible());
    inspector->layoutChips()->setFocus();
    QTest::keyClick(inspector->layoutChips(), Qt::Key_Right, Qt::ControlModifier);
    hand().settle();
    QVERIFY2(says("y = f32[2,3]{0,1} negate"), hand().text().c_str());
    QVERIFY(hand().document().diagnostics().empty());
  }

  void dimensionsOfADotAreDraggedTogether() {
    openText(R"(HloModule d
ENTRY main {
  a = f32[4,8] parameter(0)
  b = f32[4,8] parameter(1)
  ROOT c = f32[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})",
             "c");
    auto* pairs = picture<DimensionPairs>("lhs_contracting_dims");
    dragOn(pairs, pairs->chip(0, 0).center(), pairs->chip(1, 0).center());
    QVERIFY2(says("lhs_contracting_dims={1,0}, rhs_contracting_dims={1,0}"), hand().text().c_str());
    QCOMPARE(shapeOf("c"), std::string("f32[]"));
    hand().undo();
    QCOMPARE(shapeOf("c"), std::string("f32[4,4]"));
    dragOn(pairs, pairs->chip(0, 0).center(), pairs->chip(1, 0).center(), Qt::ShiftModifier);
    QVERIFY2(says("lhs_batch_dims={0}"), hand().text().c_str());
    QCOMPARE(shapeOf("c"), std::string("f32[4]"));
    dragOn(pairs, pairs->chip(0, 1).center(), pairs->chip(1, 1).center() + QPointF(0, 60));  // away
    QCOMPARE(shapeOf("c"), std::string("f32[4,8,8]"));
  }

  void aPermutationIsDragged() {
    openText(
        "HloModule t\nENTRY main {\n  x = f32[2,3,5] parameter(0)\n  ROOT y = f32[2,3,5] transpose(x), "
        "dimensions={0,1,2}\n}",
        "y");
    auto* row = picture<PermutationRow>("dimensions");
    row->chips()->setFocus();
    QTest::keyClick(row->chips(), Qt::Key_Right, Qt::ControlModifier);
    hand().settle();
    QVERIFY2(says("dimensions={1,0,2}"), hand().text().c_str());
    QCOMPARE(shapeOf("y"), std::string("f32[3,2,5]"));
  }

  void labelsOfAConvolutionChangePlaces() {
    openText(R"(HloModule c
ENTRY main {
  x = f32[1,8,8,4] parameter(0)
  k = f32[3,3,4,6] parameter(1)
  ROOT y = f32[1,6,6,6] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
})",
             "y");
    auto* rows = picture<LabelRows>("dim_labels");
    dragOn(rows, rows->chip(2, 1).center(), rows->chip(2, 3).center());
    QVERIFY2(says("dim_labels=b01f_01io->bf10"), hand().text().c_str());
  }

  void elementsOfAConstantAreTypedPastedAndLoaded() {
    openText("HloModule l\nENTRY main {\n  c = f32[2,3] constant({{1,2,3},{4,5,6}})\n  ROOT y = f32[2,3] negate(c)\n}",
             "c");
    auto* table = picture<LiteralTable>("value");
    QCOMPARE(table->table()->rowCount(), 2);
    table->table()->item(1, 2)->setText("60");
    hand().settle();
    QVERIFY2(says("60"), hand().text().c_str());
    table->table()->setCurrentCell(0, 1);
    QGuiApplication::clipboard()->setText("7\t8\n9\t10\n");
    QTest::keyClick(table->table(), Qt::Key_V, Qt::ControlModifier);
    hand().settle();
    QCOMPARE(numberIn(*hand().at(hand().named("c")).literal, 2), 8.0);
    QCOMPARE(numberIn(*hand().at(hand().named("c")).literal, 5), 10.0);
    table->paste("1\t2\t3");  // from column 1 there is room for two
    QVERIFY(table->errorText().contains("3 columns"));
    table->table()->item(0, 0)->setText("many");
    QVERIFY(!table->errorText().isEmpty());
    QCOMPARE(numberIn(*hand().at(hand().named("c")).literal, 0), 1.0);
    const QString file = folder_.filePath("c.npy");
    const Literal six = *argumentLike();
    QVERIFY(writeFileAtomically(file.toStdString(), *npyBytes(six)).has_value());
    table->load(file);
    hand().settle();
    QCOMPARE(numberIn(*hand().at(hand().named("c")).literal, 5), 0.5);
    table->load(folder_.filePath("nowhere.npy"));
    QVERIFY(!table->errorText().isEmpty());
  }

  void replicaGroupsAreAMatrix() {
    openText(R"(HloModule r, replica_count=4
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add
})",
             "y");
    auto* matrix = picture<ReplicaMatrix>("replica_groups");
    QCOMPARE(matrix->table()->rowCount(), 2);
    QVERIFY2(matrix->minimumSizeHint().width() < 200, "the inspector of a small screen has no more");
    matrix->swapCells(0, 1, 1, 0);
    hand().settle();
    QVERIFY2(says("replica_groups={{0,2},{1,3}}"), hand().text().c_str());
    matrix->table()->item(0, 0)->setText("3");
    QVERIFY(matrix->errorText().contains("two places"));
    QVERIFY(says("replica_groups={{0,2},{1,3}}"));
    matrix->resizeTo(1, 4);
    hand().settle();
    QVERIFY2(says("replica_groups={{0,1,2,3}}"), hand().text().c_str());
  }
};

TESSERA_QT_TEST(attributes_test, AttributesTest)
}  // namespace tessera::attributes_test
#include "attributes_test.moc"
