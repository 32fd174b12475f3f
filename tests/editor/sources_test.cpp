// Where the values of parameters come from: shown on their nodes, chosen there, by key and by typing; the player that
// appears where it is asked for; values of files that were opened; menus of rows and of the text.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTreeView>

#include "app/studio/window/panels.h"
#include "core/evaluate/argument_source.h"
#include "editor/controllers/argument_sources.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/player.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/popups/value_field.h"
#include "editor/panels/text/text_panel.h"
#include "editor/values/play_bar.h"
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
        action->trigger();
        menu->close();
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

  // One is chosen, also where the usual values are those of another line.
  void theMenuMarksOneChoice() {
    const InstructionId x = hand().add("f32[5]");
    for (const char* choice : {"Usual values", "Normal", "Zeros"}) {
      QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
      take(menuNamed("argument-menu"), choice);
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

  void itIsChosenOnTheNode() {
    const InstructionId x = hand().add("f32[5]");
    QTest::mouseClick(&hand().canvas(), Qt::LeftButton, {}, sourceOf(x));
    take(menuNamed("argument-menu"), "Ramp");
    QCOMPARE(wordsOn(x), std::string("ramp 0 … 1"));
    QTRY_VERIFY(hand().document().live().valueOf(x));
    QCOMPARE(hand().document().live().valueOf(x)->data<float>()[1], 0.25F);
    hand().undo();
    QCOMPARE(wordsOn(x), std::string("normal"));
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
