// Where the values of parameters come from: shown on their nodes, chosen there, by key and by typing; the player that
// appears where it is asked for; values of files that were opened; menus of rows and of the text.
#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>

#include "app/studio/window/panels.h"
#include "core/evaluate/argument_source.h"
#include "core/formats/npz.h"
#include "editor/controllers/argument_sources.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/player.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/popups/value_field.h"
#include "editor/panels/run/run_panel.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/play_bar.h"
#include "editor/values/value_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::sources_test {

class SourcesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  Hand& hand() { return *hand_; }
  const std::string& wordsOn(InstructionId id) { return hand().nodeOf(id).source; }
  QMenu* menuNamed(const char* name) {
    for (QMenu* menu : hand().window().findChildren<QMenu*>(QLatin1String(name)))
      if (menu->isVisible()) return menu;
    return nullptr;
  }
  void take(QMenu* menu, const char* text) {
    QVERIFY(menu);
    for (QAction* action : menu->actions())
      if (action->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text))) {
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        hand().window().activateWindow();  // as a platform's windows do when a menu closes
        return hand().settle();
      }
    QFAIL(text);
  }
  ValueField* openField() {
    for (ValueField* each : hand().canvas().findChildren<ValueField*>())
      if (each->isVisible()) return each;
    return nullptr;
  }
  ValueField* openToType(InstructionId id) {
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(id));
    take(menuNamed("argument-menu"), "Type it");
    if (!openField()) qFatal("no field for the source");
    return openField();
  }
  // Types a file's name into a field of Run settings; false: there is no such field.
  bool nameFile(const char* label, const QString& name) {
    hand().window().panels().raise(QStringLiteral("run"));
    for (auto* field : hand().window().panels().run->findChildren<QLineEdit*>())
      if (field->accessibleName().startsWith(QLatin1String(label))) {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, name);
        QTest::keyClick(field, Qt::Key_Return);
        return hand().settle(), true;
      }
    return false;
  }
  QPoint sourceOf(InstructionId id) {
    const int32_t node = hand().canvas().nodeOf(id);
    for (const PictureItem& item : hand().canvas().picture()->items)
      if (item.viewNode == node && item.part == PictureItem::Part::Source)
        return hand()
            .canvas()
            .viewport()
            .toWidget(QPointF(item.bounds.x + item.bounds.width / 2, item.bounds.y + item.bounds.height / 2))
            .toPoint();
    qFatal("the node says nothing of its values");
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void aParameterSaysWhereItsValuesComeFrom() {
    const InstructionId x = hand().add("f32[4,8]");
    hand().add("matmul f32[8,16]");
    QCOMPARE(wordsOn(x), std::string("normal"));
    QCOMPARE(wordsOn(hand().named("W1")), std::string("normal × 0.354"));  // by its fan-in
  }

  // One is chosen, also where the usual values are those of another line, and where it was typed.
  void theMenuMarksOneChoice() {
    const InstructionId x = hand().add("f32[5]");
    for (const char* choice : {"Usual values", "Normal", "Zeros", "Constant", "Type it", "Image", "npy file"}) {
      const QString typed = choice == QLatin1String("Constant")   ? "constant 7"
                            : choice == QLatin1String("Type it")  ? "uniform -1 1"
                            : choice == QLatin1String("Image")    ? "image none.png"
                            : choice == QLatin1String("npy file") ? "npy none.npy"
                                                                  : "";
      if (typed.isEmpty()) {
        QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
        take(menuNamed("argument-menu"), choice);
      } else {
        ValueField* field = openToType(x);
        field->field()->selectAll();
        QTest::keyClicks(field->field(), typed);
        QTest::keyClick(field->field(), Qt::Key_Return);
        hand().settle();
      }
      QMenu menu;
      hand().window().pane().runController().arguments().fill(menu, x);
      QStringList marked;
      for (const QAction* each : menu.actions())
        if (each->isChecked()) marked << each->text().remove(QLatin1Char('&'));
      QCOMPARE(marked.size(), 1);
      QVERIFY2(marked[0].startsWith(QLatin1String(choice)), qPrintable(marked[0]));
    }
  }

  // Beside the node: what is wrong is never silent, and never over what it speaks of.
  void aFileThatCannotBeTheValuesIsExplained() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& shape, size_t elements) {
      std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
      header.resize(117, ' ');
      const std::string content =
          std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + std::string(elements * sizeof(float), '\0');
      const QString path = folder.filePath(QLatin1String(name));
      if (!writeFileAtomically(path.toStdString(), content)) qFatal("cannot write a test's file");
      return path;
    };
    const QString fits = write("fits.npy", "5,", 5), other = write("other.npy", "3, 3", 9),
                  none = folder.filePath("none.npy"), junk = folder.filePath("junk.png");
    QVERIFY(writeFileAtomically(junk.toStdString(), "no picture").has_value());
    const InstructionId x = hand().add("f32[5]");
    for (const QString& words : {"npy " + none, "npy " + other, "image " + junk, "npy " + fits}) {
      ValueField* field = openToType(x);
      QTest::keyClicks(field->field(), "x");
      QVERIFY(!field->errorText().isEmpty());
      QVERIFY(!QRectF(field->geometry()).intersects(hand().canvas().viewport().toWidget(hand().canvas().boxOf(x))));
      field->field()->setText(words);
      QTest::keyClick(field->field(), Qt::Key_Return);
      hand().settle();
      const QString said = hand().window().pane().banner().message();
      if (words.endsWith(fits)) {
        QVERIFY(hand().document().live().valueOf(x));
        QVERIFY(said.isEmpty());
        continue;
      }
      QVERIFY(!hand().document().live().valueOf(x));
      QVERIFY2(said.contains(QFileInfo(words).fileName()), qPrintable(words + ": " + said));
    }
  }

  // Only what depends on it has no value, and its nodes say why.
  void oneBadArgumentLeavesTheOtherValues() {
    hand().openText(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] exponential(x)
  b = f32[4] negate(y)
  ROOT c = f32[4] add(a, b)
})");
    RunSettings settings = hand().document().runSettings();
    settings.sources[1] = "npy /nowhere/none.npy";
    hand().document().setRunSettings(settings, "Values");
    hand().settle();
    const LiveValues& live = hand().document().live();
    const InstructionId a = hand().named("a"), y = hand().named("y"), b = hand().named("b"), c = hand().named("c");
    QVERIFY(live.valueOf(a));
    QVERIFY(live.whyNone(a).isEmpty());
    for (const InstructionId id : {y, b, c}) QVERIFY(!live.valueOf(id));
    QVERIFY2(live.values().at(y).text.startsWith("none.npy"), qPrintable(live.values().at(y).text));
    QVERIFY(live.values().at(y).bad);
    QCOMPARE(live.values().at(b).text, QStringLiteral("needs y"));
    QCOMPARE(live.values().at(c).text, QStringLiteral("needs y"));
    QVERIFY(!live.values().at(c).bad);
    QVERIFY2(live.whyNone(c).contains("y") && live.whyNone(c).contains("none.npy"), qPrintable(live.whyNone(c)));
    const QString said = hand().window().pane().banner().message();
    QVERIFY2(said.contains("y") && said.contains("none.npy"), qPrintable(said));
    hand().undo();
    QVERIFY(live.valueOf(c));
    QVERIFY(live.whyNone(c).isEmpty());
    QVERIFY(hand().window().pane().banner().message().isEmpty());
  }

  // Its file is typed in Run settings; the nodes show what is read, or what is wrong with it.
  void anInfeedIsLiveToo() {
    hand().openText(R"(HloModule feed
ENTRY main {
  t = token[] after-all()
  in = (f32[3], token[]) infeed(t)
  x = f32[3] get-tuple-element(in), index=0
  two = f32[3] constant({2, 2, 2})
  more = f32[3] exponential(two)
  ROOT y = f32[3] add(x, two)
})");
    const QTemporaryDir folder;
    const std::string file = folder.filePath("feed.npz").toStdString();
    const std::vector<float> given{1, 2, 4};
    const Literal literal =
        *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {3}), std::as_bytes(std::span(given)));
    QVERIFY(writeNpz(file, {{"feed0", literal}}).has_value());
    const LiveValues& live = hand().document().live();
    QVERIFY(!live.valueOf(hand().named("y")) && live.valueOf(hand().named("more")));
    QVERIFY(nameFile("Infeed", QString::fromStdString(file)));
    QVERIFY(live.valueOf(hand().named("y")));
    QCOMPARE(live.valueOf(hand().named("y"))->data<float>()[2], 6.0F);
    hand().document().perform({"Twice", {SetOperand{hand().named("y"), 1, hand().named("x")}}});
    hand().settle();
    QCOMPARE(live.valueOf(hand().named("y"))->data<float>()[2], 8.0F);
    QVERIFY(nameFile("Infeed", folder.filePath("none.npz")));
    QVERIFY(!live.valueOf(hand().named("y")) && live.valueOf(hand().named("more")));
    QVERIFY2(live.whyNone(hand().named("y")).contains("none.npz"), qPrintable(live.whyNone(hand().named("y"))));
  }

  // As an infeed's file: typed in Run settings, it gives its values, or says why there are none.
  void aLibraryOfCustomCallsIsLiveToo() {
    hand().openText(R"(HloModule theirs
ENTRY main {
  x = f32[4] constant({1, 2, 3, 4})
  theirs = f32[4] custom-call(x), custom_call_target="example_double"
  more = f32[4] exponential(x)
  ROOT y = f32[4] add(theirs, x)
})");
    const LiveValues& live = hand().document().live();
    const auto last = [&](const char* name) {
      const Literal* value = live.valueOf(hand().named(name));
      return value ? value->data<float>()[3] : -1.0F;
    };
    QVERIFY(!live.valueOf(hand().named("y")) && live.valueOf(hand().named("more")));
    QVERIFY(nameFile("Custom calls", QCoreApplication::applicationDirPath() + "/../lib/libtessera_example_targets.so"));
    QCOMPARE(last("y"), 12.0F);
    hand().document().perform({"Twice", {SetOperand{hand().named("y"), 1, hand().named("theirs")}}});
    hand().settle();
    QCOMPARE(last("y"), 16.0F);
    QVERIFY(nameFile("Custom calls", QStringLiteral("none.so")));
    QVERIFY(!live.valueOf(hand().named("y")) && live.valueOf(hand().named("more")));
    QVERIFY2(live.whyNone(hand().named("y")).contains("none.so"), qPrintable(live.whyNone(hand().named("y"))));
  }

  void anOperationThatFailsLeavesTheOtherValues() {
    hand().openText(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] exponential(x)
  theirs = f32[4] custom-call(x), custom_call_target="nobody_has_it"
  ROOT c = f32[4] add(a, theirs)
})");
    const LiveValues& live = hand().document().live();
    QVERIFY(live.valueOf(hand().named("a")));
    QVERIFY(!live.valueOf(hand().named("theirs")));
    QVERIFY2(live.whyNone(hand().named("theirs")).contains("nobody_has_it"),
             qPrintable(live.whyNone(hand().named("theirs"))));
    QCOMPARE(live.values().at(hand().named("c")).text, QStringLiteral("needs theirs"));
  }

  void aNumberAloneIsAConstant() {
    const InstructionId x = hand().add("f32[5]");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
    take(menuNamed("argument-menu"), "Constant");
    ValueField* open = openField();
    QVERIFY(open);
    open->field()->selectAll();
    QTest::keyClicks(open->field(), "8");
    QTest::keyClick(open->field(), Qt::Key_Return);
    hand().settle();
    QCOMPARE(wordsOn(x), std::string("constant 8"));
  }

  // Each kind by clicks alone; each is one step.
  void itIsChosenOnTheNode() {
    const InstructionId x = hand().add("f32[5]");
    struct Choice {
      const char *line, *words;
      float least, most;
    };
    for (const Choice& choice :
         {Choice{"Ramp", "ramp 0 … 1", 0, 1}, Choice{"Uniform", "uniform 0 … 1", 0, 1},
          Choice{"Zeros", "constant 0", 0, 0}, Choice{"Ones", "constant 1", 1, 1}, Choice{"Normal", "normal", -4, 4}}) {
      QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
      take(menuNamed("argument-menu"), choice.line);
      QCOMPARE(wordsOn(x), std::string(choice.words));
      QTRY_VERIFY(hand().document().live().valueOf(x));
      const auto values = hand().document().live().valueOf(x)->data<float>();
      QVERIFY(*std::ranges::min_element(values) >= choice.least && *std::ranges::max_element(values) <= choice.most);
      if (choice.line == QLatin1String("Ramp")) QCOMPARE(values[1], 0.25F);
      QCOMPARE(values[0] == values[1], choice.least == choice.most);
      hand().undo();
      QCOMPARE(wordsOn(x), std::string("normal"));
    }
  }

  // By the dialog of the line's own.
  void filesAreChosenByClicks() {
    QTemporaryDir folder;
    const QString image = folder.filePath("half.png"), array = folder.filePath("five.npy");
    QImage grey(5, 5, QImage::Format_Grayscale8);
    grey.fill(51);
    QVERIFY(grey.save(image));
    const Literal five = *argumentFrom("constant 5", Shape::arrayRowMajor(ElementType::F32, {5, 5}), {});
    QVERIFY(writeFileAtomically(array.toStdString(), *npyBytes(five)));
    const InstructionId x = hand().add("f32[5,5]");
    struct Choice {
      const char* line;
      QString file;
      float value;
    };
    for (const Choice& choice : {Choice{"Image", image, 0.2F}, Choice{"npy file", array, 5}}) {
      QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
      QTimer opened;
      connect(&opened, &QTimer::timeout, this, [&] {
        const auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog || !dialog->isVisible()) return;
        opened.stop();
        dialog->findChild<QLineEdit*>()->setText(choice.file);
        QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open), Qt::LeftButton);
      });
      opened.start(20);
      take(menuNamed("argument-menu"), choice.line);
      QCOMPARE(wordsOn(x), QFileInfo(choice.file).fileName().toStdString());
      QVERIFY(hand().document().live().valueOf(x));
      QCOMPARE(hand().document().live().valueOf(x)->data<float>()[7], choice.value);
    }
  }

  void aNumberHasASliderInTheMenu() {
    const InstructionId x = hand().add("f32[]");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
    take(menuNamed("argument-menu"), "Slider");
    QSlider* slider = hand().window().panels().value->slider();
    QVERIFY(slider->isVisible());
    const int y = slider->height() / 2;
    QTest::mousePress(slider, Qt::LeftButton, {}, {slider->width() / 2, y});
    for (int part = 5; part <= 8; ++part) QTest::mouseMove(slider, {slider->width() * part / 10, y});
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {slider->width() * 8 / 10, y});
    hand().settle();
    QVERIFY2(wordsOn(x).starts_with("constant "), wordsOn(x).c_str());
    hand().undo();  // a drag is one step
    QCOMPARE(wordsOn(x), std::string("normal"));
    const InstructionId table = hand().add("f32[2,2]");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(table));
    for (const QAction* each : menuNamed("argument-menu")->actions())
      QVERIFY(!each->text().contains("Slider"));  // of one number alone
    menuNamed("argument-menu")->close();
  }

  void itIsChosenByKeyAndTyped() {
    const InstructionId x = hand().add("f32[5]");
    hand().key(Qt::Key_V, Qt::ShiftModifier);
    take(menuNamed("argument-menu"), "Type it");
    ValueField& field = hand().window().pane().runController().arguments().field();
    QVERIFY(field.isVisible());
    field.field()->selectAll();
    QTest::keyClicks(field.field(), "sometimes");
    QVERIFY(field.errorText().contains("no source of values"));
    field.field()->selectAll();
    QTest::keyClicks(field.field(), "constant 3");
    QTest::keyClick(field.field(), Qt::Key_Return);
    hand().settle();
    QCOMPARE(wordsOn(x), std::string("constant 3"));
    QCOMPARE(hand().document().live().valueOf(x)->data<float>()[4], 3.0F);
  }

  void filesThatAreCheapShowValuesAtOnce() {
    hand().openText("HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] exponential(x)\n}");
    hand().window().openFile(hand().document().file().path());
    hand().settle();
    QVERIFY(hand().document().live().isOn());
    QTRY_VERIFY(hand().document().live().valueOf(hand().named("y")));
  }

  void thePlayerComesWhereItIsAskedFor() {
    hand().add("f32[4]");
    hand().add("sine");
    PlayBar& bar = hand().window().pane().runController().playBar();
    QVERIFY(!bar.isVisible());  // nobody wants a softmax to be fed back
    QAction* feeds = hand().window().findChild<QAction*>("feed back");
    QVERIFY(feeds && feeds->isEnabled());
    feeds->trigger();
    hand().settle();
    QTRY_VERIFY(bar.isVisible());
    // What is fitted keeps clear of it.
    hand().canvas().viewport().fitAll();
    QVERIFY(hand().canvas().contentsRect().bottom() <= bar.geometry().top());
    hand().undo();
    QTRY_VERIFY(!bar.isVisible());
  }

  void rowsHaveAMenu() {
    hand().add("f32[4]");
    hand().add("multiply");  // its second input is open, which is listed
    QAbstractItemView* table = hand().window().panels().diagnostics->table();
    hand().window().panels().raise("diagnostics");
    QVERIFY(table->model()->rowCount() > 0);
    table->selectionModel()->select(table->model()->index(0, 0),
                                    QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    emit table->customContextMenuRequested(table->visualRect(table->model()->index(0, 0)).center());
    take(menuNamed("row-menu"), "Copy the row");
    QVERIFY2(QGuiApplication::clipboard()->text().contains("multiply"),
             qPrintable(QGuiApplication::clipboard()->text()));
  }

  void theTextHasAMenu() {
    hand().add("f32[4]");
    hand().window().panels().raise("text");
    auto* view = hand().window().panels().text->findChild<HloTextView*>();
    QVERIFY(view);
    const QPoint at(60, view->lineHeight() / 2);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at));
    QApplication::sendEvent(view->viewport(), &event);
    take(menuNamed("text-menu"), "Copy all");
    QVERIFY(QGuiApplication::clipboard()->text().startsWith("HloModule"));
  }
};

TESSERA_QT_TEST(sources_test, SourcesTest)
}  // namespace tessera::sources_test
#include "sources_test.moc"
