// The export of a graph: each form of what is seen, of the selection and of the whole, to a file and to the clipboard.
#include <QAbstractButton>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/studio/export/export_dialog.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "tests/editor/qt_tests.h"

namespace tessera::export_test {
namespace {

const char* kExported = R"(HloModule exported

ENTRY main {
  x = f32[4] parameter(0)
  first = f32[4] sine(x), metadata={op_name="f/net/sine"}
  second = f32[4] tanh(first), metadata={op_name="f/net/tanh"}
  third = f32[4] cosine(second), metadata={op_name="f/head/cosine"}
  ROOT last = f32[4] negate(third), metadata={op_name="f/head/negate"}
}
)";

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Document> document_;
  std::unique_ptr<Canvas> canvas_;
  QPointer<ExportDialog> dialog_;

  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document_->isBusy(), 10000); }
  void choose(ExportPart part, const char* form) {
    QTest::mouseClick(dialog_->part()->button(static_cast<int>(part)), Qt::LeftButton, {}, QPoint(8, 8));
    dialog_->form()->setCurrentIndex(dialog_->form()->findData(QLatin1String(form)));
  }
  QByteArray saved(const char* form) {
    const QString path = folder_.filePath(QStringLiteral("out.") + QLatin1String(form));
    QFile::remove(path);
    QSignalSpy spy(dialog_.data(), &ExportDialog::saved);
    dialog_->save(path);
    if (!spy.wait(10000)) return {};
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void init() {
    document_ = std::make_unique<Document>();
    canvas_ = std::make_unique<Canvas>();
    canvas_->resize(600, 500);
    new CanvasBinding(*document_, *canvas_, canvas_.get());
    QVERIFY(document_->file().createFromHlo(kExported, "exported"));
    settle();
    canvas_->show();
    document_->view().openAllGroups();
    settle();
    dialog_ = new ExportDialog(*document_, *canvas_, nullptr);
    dialog_->show();
    QVERIFY(QTest::qWaitForWindowExposed(dialog_.data()));
  }
  void cleanup() {
    delete dialog_.data();
    canvas_.reset();
    document_.reset();
  }

  void everyFormOfTheWhole() {
    const std::pair<const char*, const char*> begins[] = {
        {"svg", "<svg"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}, {"dot", "digraph"}, {"html", "<!"}};
    for (const auto& [form, begin] : begins) {
      choose(ExportPart::Whole, form);
      const QByteArray content = saved(form);
      QVERIFY2(content.startsWith(begin), form);
    }
  }

  void theSelectionAlone() {
    document_->select(
        {document_->module().findInstruction("first").value(), document_->module().findInstruction("second").value()});
    settle();
    choose(ExportPart::Selection, "svg");
    const QByteArray picture = saved("svg");
    QVERIFY(picture.contains("sine") && picture.contains("tanh"));
    QVERIFY(!picture.contains("cosine"));
    choose(ExportPart::Selection, "dot");
    const QByteArray dot = saved("dot");
    QVERIFY(dot.contains("tanh") && dot.contains("->") && !dot.contains("negate"));
    choose(ExportPart::Selection, "html");
    QVERIFY(saved("html").size() > 1000);
  }

  void aGroupThatIsSelectedIsAllOfIt() {
    document_->view().lookAtGroup(QStringLiteral("f/head"));
    settle();
    choose(ExportPart::Selection, "svg");
    const QByteArray picture = saved("svg");
    QVERIFY(picture.contains("cosine") && picture.contains("negate"));
    QVERIFY(!picture.contains("tanh"));
  }

  void nothingSelectedCannotBeChosen() {
    document_->select({});
    QVERIFY(!dialog_->part()->button(static_cast<int>(ExportPart::Selection))->isEnabled());
  }

  void whatIsSeenAtAnyScale() {
    choose(ExportPart::Seen, "png");
    for (const double scale : {0.5, 1.0, 3.0}) {
      dialog_->scale()->setValue(scale);
      const QImage image = QImage::fromData(saved("png"));
      QCOMPARE(image.width(), static_cast<int>(std::lround(canvas_->width() * scale)));
      QCOMPARE(image.height(), static_cast<int>(std::lround(canvas_->height() * scale)));
    }
    canvas_->viewport().fit(canvas_->boxOf(document_->module().findInstruction("first").value()));
    choose(ExportPart::Seen, "dot");
    const QByteArray dot = saved("dot");
    QVERIFY(dot.contains("sine") && !dot.contains("negate"));
  }

  void theClipboardTakesAPictureAndText() {
    QSignalSpy spy(dialog_.data(), &ExportDialog::copied);
    choose(ExportPart::Whole, "png");
    QTest::mouseClick(dialog_->copyButton(), Qt::LeftButton);
    QVERIFY(spy.wait(10000));
    QVERIFY(!QGuiApplication::clipboard()->image().isNull());
    choose(ExportPart::Whole, "svg");
    QTest::mouseClick(dialog_->copyButton(), Qt::LeftButton);
    QVERIFY(spy.wait(10000));
    QVERIFY(QGuiApplication::clipboard()->mimeData()->data(QStringLiteral("image/svg+xml")).startsWith("<svg"));
    choose(ExportPart::Whole, "dot");
    QTest::mouseClick(dialog_->copyButton(), Qt::LeftButton);
    QVERIFY(spy.wait(10000));
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("digraph")));
  }

  void aPlaceThatCannotBeWrittenIsSaid() {
    choose(ExportPart::Whole, "svg");
    dialog_->save(folder_.filePath(QStringLiteral("no/such/folder.svg")));
    QTRY_VERIFY2(dialog_->stateText().contains(QStringLiteral("folder.svg")), qPrintable(dialog_->stateText()));
    QTRY_VERIFY(!dialog_->isWriting());
  }

  // A tab takes its document and its canvas along.
  void itGoesWithWhatItExports() {
    canvas_.reset();
    QVERIFY(!dialog_ || !dialog_->isVisible());
    QTRY_VERIFY(!dialog_);
  }

  void aPictureTooLargeForPngIsSaid() {
    choose(ExportPart::Whole, "png");
    dialog_->scale()->setMaximum(1e6);
    dialog_->scale()->setValue(1e5);
    dialog_->save(folder_.filePath(QStringLiteral("large.png")));
    QTRY_VERIFY(!dialog_->isWriting());
    QVERIFY2(dialog_->stateText().contains(QStringLiteral("too large")), qPrintable(dialog_->stateText()));
  }
};

TESSERA_QT_TEST(export_test, ExportTest)
}  // namespace tessera::export_test
#include "export_test.moc"
