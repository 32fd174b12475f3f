// What stands on the canvas before anything was opened: a small graph that runs, and a line that says what can be done
// with it. Before: nothing; after: MainWindow, which lets it go when a document is opened.
#pragma once

#include <QLabel>
#include <string>

namespace tessera {

// A project file: relu(x·W + b) of a number that can be dragged.
const std::string& firstGraph();

class FirstHint : public QLabel {
  Q_OBJECT

 public:
  explicit FirstHint(QWidget* canvas);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
};

}  // namespace tessera
