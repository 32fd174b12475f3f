// A studio of its own for each test, on a small graph.
#pragma once

#include <QCoreApplication>
#include <QFile>
#include <QObject>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/studio/script/script.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "core/formats/hlo_text.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/panels/text/text_panel.h"
#include "tests/editor/endless.h"

namespace tessera {

inline const char* const kMlp = R"(HloModule mlp

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  w = f32[8,3]{1,0} parameter(1)
  product = f32[4,3]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT activated = f32[4,3]{1,0} tanh(product)
}
)";

class StudioHand : public QObject {
 protected:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  QString write(const QString& name, const QByteArray& content) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write a test file");
    return file.fileName();
  }
  void open(const QString& path) {
    window_->openFile(path);
    QVERIFY(waitUntilIdle(*window_));
  }
  Document& document() { return window_->document(); }
  InstructionId id(const char* name) { return document().module().findInstruction(name).value(); }
  std::string shapeOf(const char* name) { return toString(document().module().shapeOf(id(name)), false); }
  std::vector<InstructionId> only(const char* name) { return {id(name)}; }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window_.get(), key, modifiers); }
  void clickLineOf(const char* name) {
    HloTextView* view = window_->panels().text->view();
    const int line = view->text()->lineOf(id(name)) - view->firstVisibleLine();
    const int height = view->lineHeight();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(120, line * height + height / 2));
  }
  void beginTests() {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName("TesseraTest");
    QCoreApplication::setApplicationName(metaObject()->className());  // tests run side by side
    QSettings().clear();
  }
  void openWindow() {
    window_ = std::make_unique<MainWindow>(false);
    window_->resize(1300, 850);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();
    open(write("mlp.hlo", kMlp));
  }
};

}  // namespace tessera
