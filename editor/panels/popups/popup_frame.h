// PopupFrame: a small frame over the canvas that has the keys while it is open: Escape or losing the focus closes it,
// Enter accepts, and keys pressed in it are no shortcuts of the window. Base of SearchPopup, ChoiceList, QuickList and
// ValueField.
#pragma once

#include <QFrame>
#include <functional>
#include <utility>
#include <vector>

class QKeyEvent;
class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace tessera {

class PopupFrame : public QFrame {
  Q_OBJECT

 public:
  explicit PopupFrame(QWidget* parent);
  // What it belongs to, in the parent: what opens next stands beside it where there is room. Until it closes.
  void standBeside(std::vector<QRect> what) { beside_ = std::move(what); }
  // What else stands in the parent: of it as few are covered as can be, near to where it is opened.
  void setAround(std::function<std::vector<QRect>()> around) { around_ = std::move(around); }

 protected:
  static constexpr int kMargin = 4;

  void watch(QWidget& focus) { focus.installEventFilter(this); }  // the widget that has the focus while it is open
  void putAbove(QLineEdit& field, QListWidget& list);  // a line of text and what it lists: all that the popup holds
  void openAt(QPoint at, QSize size);                  // wholly inside the parent
  void shrinkTo(const QListWidget& list, const QWidget& field, int most);  // its height, to what it lists
  void setHeight(int high);
  void leave();  // gives the focus back to the parent
  virtual void accept() = 0;
  virtual void dismissed() {}  // it was closed without a choice
  // Before Escape and Enter are looked at; true: the key is done with.
  virtual bool keyPressed(QKeyEvent&) { return false; }
  // Arrows and Page keys choose in a list while a line of text has the focus; Tab stays.
  static bool chooseIn(QListWidget& list, QKeyEvent& key);
  // A line that cannot be chosen, where nothing is listed.
  static QListWidgetItem* sayNothing(QListWidget& list, const QString& why);
  static QString nothingFound();  // why, where the words are no name
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QRect besideWhatItBelongsTo(const QRect& wanted, QPoint at) const;
  std::vector<QRect> placesFor(const QRect& wanted) const;
  std::vector<QRect> beside_;
  std::function<std::vector<QRect>()> around_;
  QPoint wanted_;       // its corner
  int tallest_ = 0;     // there is no more room beside what it belongs to
  bool hangs_ = false;  // above what it belongs to: its lower edge stays
};

}  // namespace tessera
