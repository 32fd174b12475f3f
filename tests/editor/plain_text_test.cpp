// What a file says is shown as it stands: names, metadata and attributes that look like HTML are no rich text anywhere,
// so that opening a file loads no other one.
#include <QAbstractItemView>
#include <QAction>
#include <QHelpEvent>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextEdit>
#include <QToolTip>

#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/panels.h"
#include "core/formats/protobuf.h"
#include "editor/panels/banner.h"
#include "editor/text/plain_text.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::plain_text_test {
namespace {

const QString kHtml = QStringLiteral("<b>x</b><img src=\"/etc/passwd\">");

constexpr const char* kModel = R"(HloModule m
half {
  q = f32[2,3] parameter(0)
  ROOT h = f32[2,3] multiply(q, q)
}
ENTRY main {
  p = f32[2,3] parameter(0), metadata={op_name="HTML" source_file="HTML"}
  n = f32[2,3] call(p), to_apply=half, metadata={op_name="HTML"}
  k = f32[2,3] custom-call(n), custom_call_target="HTML", backend_config="HTML",
    metadata={op_type="HTML" op_name="HTML"}
  ROOT r = (f32[2,3], f32[2,3]) tuple(n, k)
})";

// What a reader sees of a text in a widget that takes what looks like rich text for it; with a mark for each picture.
QString seen(const QString& text) {
  if (!Qt::mightBeRichText(text)) return text;
  QTextDocument document;
  document.setHtml(text);
  return document.toPlainText();
}

// Figures of help pages are the program's own.
bool hasPicture(const QTextDocument& document) {
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    for (auto it = block.begin(); !it.atEnd(); ++it)
      if (const QTextCharFormat format = it.fragment().charFormat();
          format.isImageFormat() && !format.toImageFormat().name().startsWith(QLatin1String("figure:")))
        return true;
  return false;
}

}  // namespace

class PlainTextTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;
  int found_ = 0;  // texts of the file that were looked at

  Hand& hand() { return *hand_; }

  void check(const QString& text, const QString& where) {
    if (!text.contains(QLatin1String("img src="))) return;
    ++found_;
    const QString shown = seen(text);
    QVERIFY2(shown.contains(QLatin1String("<img src=")), qPrintable(where + ": " + text.left(200)));
    QVERIFY2(!shown.contains(QChar::ObjectReplacementCharacter), qPrintable(where + ": " + text.left(200)));
  }
  void checkModel(const QAbstractItemModel& model, const QString& where, const QModelIndex& parent = {}) {
    for (int row = 0; row < std::min(model.rowCount(parent), 50); ++row)
      for (int column = 0; column < model.columnCount(parent); ++column) {
        const QModelIndex index = model.index(row, column, parent);
        check(index.data(Qt::ToolTipRole).toString(), where);
        if (column == 0) checkModel(model, where, index);
      }
  }
  void checkWidgets() {
    for (const QWidget* widget : hand().window().findChildren<QWidget*>()) {
      const QString where =
          QStringLiteral("%1 %2").arg(QLatin1String(widget->metaObject()->className()), widget->objectName());
      check(widget->toolTip(), where + " tooltip");
      if (const auto* label = qobject_cast<const QLabel*>(widget)) {
        if (label->textFormat() != Qt::PlainText)
          check(label->text(), where);
        else if (label->text().contains("<img src="))
          ++found_;
      }
      if (const auto* text = qobject_cast<const QTextEdit*>(widget)) {
        QVERIFY2(!hasPicture(*text->document()), qPrintable(where));
        if (text->toPlainText().contains("<img src=")) ++found_;
      }
      if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && view->model())
        checkModel(*view->model(), where);
    }
    for (const QAction* action : hand().window().findChildren<QAction*>()) check(action->toolTip(), "action");
  }
  void open() {
    const Module module =
        *readHloText(QString(kModel).replace("HTML", QString(kHtml).replace('"', "\\\"")).toStdString(), "m").module;
    const QString path = folder_.filePath(kHtml.section('/', 0, 0) + ".pb");  // the name of the file, too
    const auto bytes = writeProto(module);
    QVERIFY(bytes && writeFileAtomically(path.toStdString(), *bytes));
    hand().window().openFile(path);
    hand().settle();
    QVERIFY2(hand().document().module().findInstruction("k"), qPrintable(hand().window().banner().message()));
  }
  QTemporaryDir folder_;

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    found_ = 0;
    open();
  }
  void cleanup() { hand_.reset(); }

  void panelsShowItAsItStands() {
    hand().key(Qt::Key_F5);
    for (InstructionId id : hand().document().module().at(hand().document().module().entry()).instructions) {
      hand().document().select({id});
      for (const char* panel : {"inspector", "text", "layout", "diagnostics", "profile", "results", "help", "value",
                                "run", "palette", "compiled"}) {
        QVERIFY(hand().window().panels().raise(panel));
        hand().settle();
        checkWidgets();
      }
    }
    QVERIFY2(found_ > 10, qPrintable(QString::number(found_)));
  }

  void tooltipsOnTheCanvasToo() {
    for (InstructionId id : hand().document().module().at(hand().document().module().entry()).instructions) {
      if (hand().canvas().boxOf(id).isEmpty()) continue;
      const QPoint at = hand().bodyOf(id);
      QHelpEvent help(QEvent::ToolTip, at, hand().canvas().mapToGlobal(at));
      QApplication::sendEvent(&hand().canvas(), &help);
      check(QToolTip::text(), "canvas");
    }
    QCOMPARE(found_, 4);  // of p, n and k; of r why its value cannot be computed
  }

  // Plain text stays what it was; what looks like HTML reads the same.
  void theHelperChangesNoReading() {
    for (const QString& text : {QString("a < b"), QString("plain"), kHtml, QString("a\n<b>c</b>"), QString("<a")})
      QCOMPARE(seen(asPlainText(text)), text);
    QCOMPARE(asPlainText("plain"), QString("plain"));
    PlainLabel label(kHtml, nullptr);
    QCOMPARE(label.textFormat(), Qt::PlainText);
  }

  // Texts of our own neither: a label that shows text as it is shows tags as well.
  void noLabelShowsTags() {
    hand().openText("HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}");
    hand().window().closer().closeOthers(hand().window().pane());  // its path holds tags
    hand().key(Qt::Key_F5);
    for (const char* panel : {"run", "results", "value", "layout", "compiled"})
      hand().window().panels().raise(QLatin1String(panel)), hand().settle();
    QVERIFY(hand().document().run().outcome());
    for (const QLabel* label : hand().window().findChildren<QLabel*>())
      QVERIFY2(label->textFormat() != Qt::PlainText || !Qt::mightBeRichText(label->text()), qPrintable(label->text()));
  }
};

TESSERA_QT_TEST(plain_text_test, PlainTextTest)
}  // namespace tessera::plain_text_test
#include "plain_text_test.moc"
