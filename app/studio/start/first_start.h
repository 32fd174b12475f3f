// What the canvas shows before a file is opened: a small live graph, and one line of hints over it. Used by MainWindow,
// which removes the hint when a document is opened.
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
