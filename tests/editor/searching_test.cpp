// The search over the canvas by real keys: hits are lit and counted while a query is typed, Enter walks, completion
// writes fields, errors stand beside the field; and a link opens a file at an instruction.
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "core/cost/cost.h"
#include "editor/canvas/highlights.h"
#include "editor/panels/inspect/computations_panel.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/source_panel.h"
#include "editor/panels/popups/hit_list.h"
#include "editor/panels/popups/quick_list.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::searching_test {
namespace {

const char* kGraph = R"(HloModule searched

body {
  s = f64[4] parameter(0)
  ROOT t = f64[4] tanh(s)
}

ENTRY main {
  x = f32[4] parameter(0)
  f64.like = f32[4] negate(x)
  wide = f64[4] convert(f64.like)
  squashed = f64[4] call(wide), to_apply=body
  copied = f64[4] copy(squashed)
  ROOT out = f64[4] add(copied, wide)
}
)";

}  // namespace

class SearchingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  SearchBar& bar() { return hand_->window().pane().searchBar(); }
  QLineEdit* field() { return bar().field(); }
  void open() { hand_->key(Qt::Key_F, Qt::ControlModifier); }
  void write(const char* query) {
    field()->selectAll();
    QTest::keyClick(field(), Qt::Key_Delete);
    QTest::keyClicks(field(), query);
    hand_->settle();
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(field(), key, modifiers);
    hand_->settle();
  }
  QString selectedNames() {
    std::string out;
    for (InstructionId id : hand_->document().selection())
      out += (out.empty() ? "" : " ") + std::string(hand_->at(id).name);
    return QString::fromStdString(out);
  }
  QString lit() {
    std::string out;
    for (int32_t node : hand_->canvas().highlights().foundNodes())
      out += (out.empty() ? "" : " ") +
             std::string(hand_->at(hand_->canvas().view()->nodes[static_cast<size_t>(node)].instruction).name);
    return QString::fromStdString(out);
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(kGraph, false);
  }
  void cleanup() { hand_.reset(); }

  void hitsAreLitAndCountedWhileTyping() {
    open();
    QVERIFY(bar().isVisible() && field()->hasFocus());
    write("f64");
    QCOMPARE(bar().countText(), QStringLiteral("6 hits, 4 in this computation"));
    QCOMPARE(lit(), QStringLiteral("wide squashed s t copied out"));
    write("op:copy");
    QCOMPARE(bar().countText(), QStringLiteral("1 hit"));
    QCOMPARE(lit(), QStringLiteral("copied"));
    write("nothing");
    QCOMPARE(bar().countText(), QStringLiteral("no hits"));
    QCOMPARE(lit(), QString());
    QCOMPARE(bar().errorText(), QString());
    write("near:copid");
    QCOMPARE(bar().errorText(),
             QStringLiteral("near:copid names no instruction or opcode of this module; did you mean copied?"));
    write("near:copied");
    QCOMPARE(bar().errorText(), QString());
    press(Qt::Key_Escape);
    QVERIFY(!bar().isVisible() && hand_->canvas().hasFocus());
    QVERIFY(field()->text().isEmpty());
  }

  // What is not found is dimmed, and not any more once the search is closed.
  void theRestIsDimmed() {
    const auto colourAt = [&](const char* name) {
      const QImage seen = hand_->canvas().grab().toImage();
      const QRectF box = hand_->canvas().viewport().toWidget(hand_->canvas().boxOf(hand_->named(name)));
      const QPointF corner = box.topLeft() + QPointF(box.width() / 4, 4);  // beside the port
      return seen.pixelColor((corner * seen.devicePixelRatio()).toPoint());
    };
    const QColor copied = colourAt("copied"), wide = colourAt("wide");
    open();
    write("op:copy");
    QCOMPARE(colourAt("copied"), copied);
    QVERIFY(colourAt("wide") != wide);
    press(Qt::Key_Escape);
    QCOMPARE(colourAt("wide"), wide);
  }

  void enterWalksAndAltEnterSelectsAll() {
    open();
    write("op:copy|convert|tanh");
    press(Qt::Key_Return);
    QCOMPARE(selectedNames(), QStringLiteral("wide"));
    QCOMPARE(bar().countText(), QStringLiteral("1 of 3 hits, 2 in this computation"));
    press(Qt::Key_Return);
    QCOMPARE(selectedNames(), QStringLiteral("copied"));
    press(Qt::Key_Return);  // into the computation that holds it
    QCOMPARE(selectedNames(), QStringLiteral("t"));
    QVERIFY(hand_->document().view().isDrawn(hand_->named("t")));
    press(Qt::Key_Return);
    QCOMPARE(selectedNames(), QStringLiteral("wide"));  // round
    press(Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(selectedNames(), QStringLiteral("t"));
    QVERIFY(field()->hasFocus());
    press(Qt::Key_Return, Qt::AltModifier);
    QCOMPARE(hand_->document().selection().size(), size_t{3});
    hand_->canvas().setFocus();
    hand_->document().select({hand_->named("wide")});
    QTest::keyClick(&hand_->canvas(), Qt::Key_F3);
    hand_->settle();
    QCOMPARE(selectedNames(), QStringLiteral("copied"));
  }

  void hitsAreListed() {
    open();
    write("f64");
    bar().listButton()->click();
    HitList& list = *bar().hits();
    QVERIFY(list.isVisible());
    QCOMPARE(list.topLevelItemCount(), 6);
    QCOMPARE(list.topLevelItem(0)->text(0), QStringLiteral("wide"));
    QCOMPARE(list.topLevelItem(5)->text(3), QStringLiteral("body"));
    const QRect row = list.visualItemRect(list.topLevelItem(2));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, row.center());
    hand_->settle();
    QCOMPARE(selectedNames(), QStringLiteral("copied"));
    const auto clickHeader = [&](int column) {
      const QHeaderView* header = list.header();
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        QPoint(header->sectionViewportPosition(column) + 20, header->height() / 2));
    };
    const auto names = [&] {
      QStringList out;
      for (int k = 0; k < list.topLevelItemCount(); ++k) out << list.topLevelItem(k)->text(0);
      return out;
    };
    const QStringList unsorted = names();
    clickHeader(0);
    QStringList byName = unsorted;
    byName.sort();
    QCOMPARE(names(), byName);
    clickHeader(0);
    std::ranges::reverse(byName);
    QCOMPARE(names(), byName);
    clickHeader(4);
    const auto flopsOf = [&](int line) {
      const auto id = hand_->module().findInstruction(list.topLevelItem(line)->text(0).toStdString());
      return costOf(hand_->module(), *id).flops;
    };
    for (int k = 1; k < list.topLevelItemCount(); ++k) QVERIFY(flopsOf(k - 1) >= flopsOf(k));
    field()->setFocus();
    press(Qt::Key_Return);
    QCOMPARE(list.currentItem()->text(0), selectedNames());
    write("op:copy");
    QCOMPARE(list.topLevelItemCount(), 1);
    bar().listButton()->click();
    QVERIFY(!list.isVisible());
  }

  void completionWritesFieldsAndValues() {
    open();
    write("dt");
    QCOMPARE(bar().completions(), QStringList{QStringLiteral("dtype:")});
    press(Qt::Key_Tab);
    QCOMPARE(field()->text(), QStringLiteral("dtype:"));
    QCOMPARE(bar().completions(), (QStringList{QStringLiteral("f64"), QStringLiteral("f32")}));
    press(Qt::Key_Down);
    press(Qt::Key_Return);
    QCOMPARE(field()->text(), QStringLiteral("dtype:f64"));
    QCOMPARE(bar().countText(), QStringLiteral("6 hits, 4 in this computation"));
    QVERIFY(bar().completions().isEmpty());
    QTest::keyClicks(field(), " ");
    hand_->settle();
    QVERIFY(bar().completions().isEmpty());
    press(Qt::Key_Down);  // asked for
    QVERIFY(bar().completions().size() > 20);
    press(Qt::Key_Escape);  // only the list
    QVERIFY(bar().isVisible() && bar().completions().isEmpty());
  }

  void errorsStandBesideTheField() {
    open();
    write("wide opp:copy");
    QVERIFY2(bar().errorText().startsWith(QStringLiteral("column 6: no field is named opp; did you mean op?")),
             qPrintable(bar().errorText()));
    QCOMPARE(bar().countText(), QString());
    QCOMPARE(lit(), QString());
    press(Qt::Key_Return);
    QCOMPARE(field()->text(), QStringLiteral("wide opp:copy"));
    write("/(/");
    QVERIFY(bar().errorText().contains(QStringLiteral("regular expression")));
    write("wide");
    QVERIFY(bar().errorText().isEmpty());
    QCOMPARE(bar().countText(), QStringLiteral("1 hit"));
  }

  // An edit, and another file.
  void followsTheGraph() {
    open();
    write("op:negate");
    QCOMPARE(bar().countText(), QStringLiteral("1 hit"));
    hand_->openText(
        "HloModule other\n\nENTRY e {\n  p = f32[] parameter(0)\n  q = f32[] negate(p)\n"
        "  ROOT r = f32[] negate(q)\n}\n",
        false);
    QCOMPARE(bar().countText(), QStringLiteral("2 hits"));
    QCOMPARE(lit(), QStringLiteral("q r"));
  }

  // Where the text has the keys, Ctrl+F is the text's.
  void theTextKeepsItsOwn() {
    QWidget* text = hand_->window().panels().text->findField();
    hand_->window().panels().raise(QStringLiteral("text"));
    text->setFocus();
    QTest::keyClick(text, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(!bar().isVisible());
  }

  void whatComesFromWhatIsAQuery() {
    hand_->document().select({hand_->named("copied")});
    hand_->key(Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(field()->text(), QStringLiteral("feeds:main/copied"));
    QCOMPARE(lit(), QStringLiteral("x f64.like wide squashed s t copied"));
    hand_->document().select({hand_->named("t")});
    hand_->key(Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(field()->text(), QStringLiteral("from:body/t"));
    QCOMPARE(lit(), QStringLiteral("squashed t copied out"));
  }

  void theShortestPathIsAQuery() {
    hand_->document().select({hand_->named("copied"), hand_->named("t"), hand_->named("wide")});  // upwards
    for (QAction* action : hand_->window().findChildren<QAction*>())
      if (action->text().remove(u'&') == u"The shortest path through them") action->trigger();
    hand_->settle();
    QVERIFY2(field()->text().startsWith(u"trace:"), qPrintable(field()->text()));
    QCOMPARE(lit(), QStringLiteral("wide squashed s t copied"));
    hand_->document().select({hand_->named("wide"), hand_->named("copied"), hand_->named("t")});  // the ends first
    for (QAction* action : hand_->window().findChildren<QAction*>())
      if (action->text().remove(u'&') == u"The shortest path through them") action->trigger();
    hand_->settle();
    QCOMPARE(lit(), QStringLiteral("wide squashed s t copied"));
  }

  void aComputationWithTheWordComesBeforeOneWithItsLetters() {
    hand_->openText(R"(HloModule m
region_34.37 { a = f32[] parameter(0) ROOT b = f32[] negate(a) }
region_37.40 { c = f32[] parameter(0) ROOT d = f32[] cosine(c) }
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=region_34.37
  ROOT z = f32[] call(y), to_apply=region_37.40
}
)",
                    false);
    hand_->key(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    ComputationsPanel& panel = *hand_->window().panels().computations;
    QTest::keyClicks(panel.field(), "region_37");
    QCOMPARE(panel.tree()->currentItem()->text(0), QStringLiteral("region_37.40"));
    QCOMPARE(panel.stateText(), QStringLiteral("2 found"));
  }

  void computationsStandBelowTheirCallers() {
    hand_->key(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    ComputationsPanel& panel = *hand_->window().panels().computations;
    QVERIFY(panel.isVisible() && panel.field()->hasFocus());
    QCOMPARE(panel.tree()->topLevelItemCount(), 1);
    const QTreeWidgetItem* entry = panel.tree()->topLevelItem(0);
    QCOMPARE(entry->text(0), QStringLiteral("main (entry)"));
    QCOMPARE(entry->childCount(), 1);
    QCOMPARE(entry->child(0)->text(0), QStringLiteral("body"));
    QCOMPARE(panel.tree()->currentItem(), entry);  // what the canvas shows
    QTest::keyClicks(panel.field(), "bo");
    QCOMPARE(panel.tree()->currentItem()->text(0), QStringLiteral("body"));
    QTest::keyClick(panel.field(), Qt::Key_Return);
    hand_->settle();
    QCOMPARE(hand_->module().at(hand_->document().view().computation()).name, std::string("body"));
    panel.field()->clear();
    QCOMPARE(panel.tree()->currentItem()->text(0), QStringLiteral("body"));
    QTest::keyClicks(panel.field(), "nowhere");
    QCOMPARE(panel.stateText(), QStringLiteral("none"));
  }

  // Qt's tree calls itself for each level: 60,000 of them ended the program.
  void callsOfManyLevelsStandInATreeOfFew() {
    constexpr int kCalls = 1000;
    std::string text = "HloModule deep\n\nc0 {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n";
    for (int k = 1; k < kCalls; ++k)
      text += "c" + std::to_string(k) + " {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] call(p), to_apply=c" +
              std::to_string(k - 1) + "\n}\n";
    hand_->openText((text + "ENTRY e {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] call(p), to_apply=c" +
                     std::to_string(kCalls - 1) + "\n}\n")
                        .c_str(),
                    false);
    hand_->key(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    ComputationsPanel& panel = *hand_->window().panels().computations;
    const auto levels = [](const QTreeWidgetItem* item) {
      int out = 0;
      for (; item; item = item->parent()) ++out;
      return out;
    };
    const auto deepest = [&] {
      int most = 0;
      for (QTreeWidgetItemIterator each(panel.tree()); *each; ++each) most = std::max(most, levels(*each));
      return most;
    };
    QCOMPARE(panel.tree()->currentItem()->text(0), QStringLiteral("e (entry)"));
    hand_->document().view().showComputation(*hand_->module().findComputation("c0"));
    hand_->settle();
    QVERIFY(!panel.tree()->currentItem());  // too far below
    QVERIFY(deepest() <= 24);
    panel.tree()->setCurrentItem(panel.tree()->topLevelItem(0));
    panel.tree()->expandRecursively(panel.tree()->currentIndex());
    QVERIFY(deepest() <= 24);
    panel.field()->setText(QStringLiteral("c0"));
    QCOMPARE(panel.tree()->currentItem()->text(0), QStringLiteral("c0"));
    QCOMPARE(levels(panel.tree()->currentItem()), 24);
  }

  // To the line of the source and back, in folders that the user names and nowhere else.
  void theSourceLineAndBack() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("train")));
    QVERIFY(writeFileAtomically((folder.path() + QStringLiteral("/train/model.py")).toStdString(),
                                "import jax\n\ndef f(x):\n  return -x\n"));
    hand_->openText(R"(HloModule m

ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x), metadata={op_name="f/neg" source_file="/home/user/train/model.py" source_line=4}
  ROOT b = f32[4] tanh(a), metadata={op_name="f/tanh" source_file="/home/user/train/model.py" source_line=40}
}
)",
                    false);
    SourcePanel& panel = *hand_->window().panels().source;
    hand_->window().panels().raise(QStringLiteral("source"));
    hand_->document().select({hand_->named("a")});
    QVERIFY2(panel.stateText().contains(QStringLiteral("none is named yet")), qPrintable(panel.stateText()));
    panel.setFolders({folder.path()});
    QCOMPARE(panel.stateText(), folder.path() + QStringLiteral("/train/model.py"));
    QCOMPARE(panel.markedLine(), 4);
    QCOMPARE(panel.frames()->currentText(), QStringLiteral("model.py:4"));
    QVERIFY(hand_->window().panels().inspector->shownText().contains(QStringLiteral("/home/user/train/model.py:4")));
    panel.back()->click();
    hand_->settle();
    QCOMPARE(lit(), QStringLiteral("a"));
    hand_->document().select({hand_->named("b")});
    QVERIFY2(panel.stateText().contains(QStringLiteral("no line 40")), qPrintable(panel.stateText()));
    hand_->document().select({hand_->named("x")});
    QVERIFY(panel.stateText().contains(QStringLiteral("does not say")));
  }

  // Rather the line of the user's own file than that of a library's that it calls.
  void theSourcePanelBeginsWithAFileThatIsThere() {
    QTemporaryDir folder;
    QVERIFY(
        writeFileAtomically((folder.path() + QStringLiteral("/model.py")).toStdString(), "def f(x):\n  return g(x)\n"));
    hand_->openText(R"(HloModule m

FileNames
1 "/lib/flax/linear.py"
2 "/home/user/model.py"

FunctionNames
1 "__call__"
2 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=700 end_line=700 column=1 end_column=2}
2 {file_name_id=2 function_name_id=2 line=2 end_line=2 column=1 end_column=2}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

ENTRY e {
  x = f32[4] parameter(0)
  ROOT a = f32[4] negate(x), metadata={op_name="f/neg" stack_frame_id=2}
}
)",
                    false);
    SourcePanel& panel = *hand_->window().panels().source;
    hand_->window().panels().raise(QStringLiteral("source"));
    hand_->document().select({hand_->named("a")});
    QCOMPARE(panel.frames()->currentText(), QStringLiteral("linear.py:700 in __call__"));
    panel.setFolders({folder.path()});
    QCOMPARE(panel.frames()->currentText(), QStringLiteral("model.py:2 in f"));
    QCOMPARE(panel.markedLine(), 2);
    panel.frames()->setCurrentIndex(0);
    QVERIFY2(panel.stateText().contains(QStringLiteral("linear.py is not below")), qPrintable(panel.stateText()));
  }

  // Ctrl+K takes words, and what is more than words is a query.
  void goToAnythingKnowsTypes() {
    hand_->key(Qt::Key_K, Qt::ControlModifier);
    QuickList& list = hand_->window().navigation().list();
    QTest::keyClicks(list.field(), "f64");
    QCOMPARE(list.list()->count(), 6);
    QVERIFY(!list.list()->item(0)->text().contains(QStringLiteral("like")));
    list.field()->clear();
    QTest::keyClicks(list.field(), "like");
    QCOMPARE(list.list()->count(), 1);
  }

  void goToAnythingTakesLinks() {
    const QString path = hand_->document().file().path();
    QuickList& list = hand_->window().navigation().list();
    const auto take = [&](const QString& link) {
      hand_->document().select({});
      hand_->key(Qt::Key_K, Qt::ControlModifier);
      QGuiApplication::clipboard()->setText(link);
      QTest::keyClick(list.field(), Qt::Key_V, Qt::ControlModifier);
      QTest::keyClick(list.field(), Qt::Key_Return);
      hand_->settle();
      return list.isVisible() ? list.list()->item(0)->text() : selectedNames();
    };
    QCOMPARE(take(path + QStringLiteral("#main/copied")), QStringLiteral("copied"));
    QCOMPARE(take(QFileInfo(path).fileName() + QStringLiteral("#body/t")), QStringLiteral("t"));
    QCOMPARE(take(QStringLiteral("#copied")), QStringLiteral("copied"));
    const QString refused = take(QStringLiteral("#cpied"));
    QVERIFY2(refused.contains(QStringLiteral("did you mean copied?")), qPrintable(refused));
    QTest::keyClick(list.field(), Qt::Key_Escape);
    const QString other = QFileInfo(path).absolutePath() + QStringLiteral("/other.hlo");
    QVERIFY(QFile::copy(path, other));
    QCOMPARE(take(other + QStringLiteral("#copied")), QStringLiteral("copied"));
    QCOMPARE(hand_->document().file().path(), other);
    QGuiApplication::clipboard()->setText(path + QStringLiteral("#body/t"));
    hand_->window().opener().openClipboard();
    hand_->settle();
    QCOMPARE(hand_->document().file().path(), path);
    QCOMPARE(selectedNames(), QStringLiteral("t"));
  }

  void aLinkOpensTheFileAtTheInstruction() {
    const QString path = hand_->document().file().path();
    hand_->document().select({hand_->named("copied")});
    hand_->key(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), path + QStringLiteral("#main/copied"));
    hand_->window().openFile(path + QStringLiteral("#main/copied"));
    hand_->settle();
    QCOMPARE(selectedNames(), QStringLiteral("copied"));
    hand_->document().select({});
    hand_->window().openFile(path + QStringLiteral("#copied"));  // enough where the name is unique
    hand_->settle();
    QCOMPARE(hand_->document().file().path(), path);
    QCOMPARE(selectedNames(), QStringLiteral("copied"));
    hand_->window().openFile(path + QStringLiteral("#body/t"));
    hand_->settle();
    QCOMPARE(selectedNames(), QStringLiteral("t"));
    QVERIFY(hand_->document().view().isDrawn(hand_->named("t")));
    QSignalSpy refused(&hand_->window(), &MainWindow::failed);
    hand_->window().openFile(path + QStringLiteral("#cpied"));
    hand_->settle();
    QCOMPARE(refused.count(), 1);
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("did you mean copied?")));
    hand_->window().openFile(path);
    hand_->settle();
    QCOMPARE(refused.count(), 1);
  }
};

TESSERA_QT_TEST(searching_test, SearchingTest)
}  // namespace tessera::searching_test
#include "searching_test.moc"
