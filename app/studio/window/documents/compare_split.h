// CompareSplit: the Compare workspace splits the window, and takes its own split back when another workspace is chosen.
#pragma once

#include <QObject>

namespace tessera {

class CurrentDocument;
class PaneArea;
class Workspaces;

class CompareSplit : public QObject {
  Q_OBJECT

 public:
  CompareSplit(CurrentDocument& current, PaneArea& area, Workspaces& workspaces, QObject* parent);

 private:
  void follow(int before, int now);

  CurrentDocument& current_;
  PaneArea& area_;
  bool isOwn_ = false;  // the split is the workspace's
};

}  // namespace tessera
