// TaskList: what goes on in the background, at the right of the status bar: a task with its phase, how far it is and a
// button that cancels it; further tasks are in a list above it, which "+2" opens. Used by MainWindow.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QFrame;
class QLabel;
class QProgressBar;
class QToolButton;
class QVBoxLayout;

namespace tessera {

struct ShownTask {
  QString phase;
  double fraction = -1;  // below 0: not known
  std::function<void()> cancel;
};

// One task. It stays while its task goes on, so that a click hits the button that is visible.
class TaskRow : public QWidget {
  Q_OBJECT

 public:
  explicit TaskRow(QWidget* parent);
  void show(const ShownTask& task);
  QString phase() const;
  QToolButton* cancelButton() const { return cancel_; }

 private:
  QLabel* phase_;
  QProgressBar* bar_;
  QToolButton* cancel_;
  std::function<void()> act_;
};

class TaskList : public QWidget {
  Q_OBJECT

 public:
  explicit TaskList(QWidget* window);
  void show(const std::vector<ShownTask>& tasks);
  QStringList phases() const;  // of those that go on, the first in the status bar
  QToolButton* moreButton() const { return more_; }
  TaskRow& first() const { return *first_; }
  TaskRow* row(size_t further) const { return rows_[further]; }  // of the list
  bool isListOpen() const;

 private:
  void place();

  TaskRow* first_;
  QToolButton* more_;
  QFrame* list_;
  QVBoxLayout* layout_;
  std::vector<TaskRow*> rows_;
  size_t further_ = 0;
};

}  // namespace tessera
