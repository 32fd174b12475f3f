// LinkPress: whether a link in a widget's words was chosen by the mouse. By the mouse the keys go where the link leads;
// who goes by keys stays among the words. Used by the inspector, the overview and the lessons.
#pragma once

#include <QEvent>
#include <QObject>
#include <QTextBrowser>

namespace tessera {

class LinkPress : public QObject {
 public:
  using QObject::QObject;

  void watch(QWidget& words) { words.installEventFilter(this); }
  void watch(QTextBrowser& page) {
    page.installEventFilter(this);
    page.viewport()->installEventFilter(this);
  }
  bool isMouse() const { return isMouse_; }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::MouseButtonPress) isMouse_ = true;
    if (event->type() == QEvent::KeyPress) isMouse_ = false;
    return false;
  }

 private:
  bool isMouse_ = false;
};

}  // namespace tessera
