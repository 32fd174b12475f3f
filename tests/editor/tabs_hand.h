// A window with documents in tabs, and what tests of tabs, panes and sessions do with it.
#pragma once

#include <QApplication>
#include <QMenu>
#include <QMessageBox>
#include <QObject>
#include <QPushButton>
#include <QTimer>

#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "core/edit/parameter_edits.h"
#include "tests/editor/hand.h"

namespace tessera {

inline std::string graphNamed(const std::string& value) {
  return "HloModule " + value + "\n\nENTRY main {\n  " + value +
         " = f32[4,8]{1,0} parameter(0)\n  ROOT out = f32[4,8]{1,0} tanh(" + value + ")\n}\n";
}

class TabsHand : public QObject {
 protected:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  MainWindow& window() { return *window_; }
  DocumentTabs& tabs() { return window_->tabs(); }
  Document& document() { return window_->document(); }
  void settle() { QVERIFY(waitUntilIdle(*window_)); }
  void show(bool remembers = false) {
    window_ = std::make_unique<MainWindow>(remembers);
    window_->resize(1300, 850);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();
    settle();
  }
  QString write(const QString& name, const std::string& content) {
    const QString path = folder_.filePath(name);
    if (!writeFileAtomically(path.toStdString(), content)) qFatal("cannot write a test's file");
    return path;
  }
  QString graph(const char* value) {
    return write(QStringLiteral("%1.hlo").arg(QLatin1String(value)), graphNamed(value));
  }
  void open(const QString& path) {
    window_->openFile(path);
    settle();
  }
  void openThree() {
    for (const char* value : {"a", "b", "c"}) open(graph(value));
    QCOMPARE(tabs().count(), 3);
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
    QTest::keyClick(&window_->canvas(), static_cast<Qt::Key>(key), modifiers);
    settle();
  }
  QString current() {
    return document().file().path().isEmpty() ? "untitled" : QFileInfo(document().file().path()).fileName();
  }
  QStringList names() {
    QStringList out;
    for (int i = 0; i < tabs().count(); ++i) out << tabs().tabText(i);
    return out;
  }
  QPoint middleOf(int tab) { return tabs().tabRect(tab).center() - QPoint(20, 0); }
  void click(int tab, Qt::MouseButton button = Qt::LeftButton) {
    QTest::mouseClick(&tabs(), button, {}, middleOf(tab));
    settle();
  }
  void edit() {
    const auto id = document().module().entryComputation().instructions.front();
    document().perform(settingShape(document().module(), id, Shape::arrayRowMajor(ElementType::F32, {2, 8})));
    settle();
  }
  void answer(QMessageBox::StandardButton button) {  // the next question
    QTimer::singleShot(100, this, [button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      QVERIFY(box);
      QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
  }
  void choose(int tab, const QString& item) {  // of its context menu, by the keyboard
    bool found = false;
    QTimer::singleShot(100, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY(menu);
      for (QAction* action : menu->actions()) {
        if (action->text().remove('&') != item || !action->isEnabled()) continue;
        found = true;
        menu->setActiveAction(action);
      }
      QTest::keyClick(menu, found ? Qt::Key_Return : Qt::Key_Escape);
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, middleOf(tab), tabs().mapToGlobal(middleOf(tab)));
    QApplication::sendEvent(&tabs(), &event);
    QVERIFY2(found, qPrintable(item));
    settle();
  }

  qsizetype panes() const { return window_->findChildren<DocumentPane*>().size(); }
  qsizetype shownPanes() const {
    return std::ranges::count_if(window_->findChildren<DocumentPane*>(),
                                 [](auto* pane) { return pane->canvas().isVisible(); });
  }
};

}  // namespace tessera
