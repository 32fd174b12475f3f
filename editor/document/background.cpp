// Answers are counted until they were called, so that isBusy() covers the way back as well.
#include "editor/document/background.h"

#include <QThread>
#include <algorithm>

namespace tessera {

Background::Background() { pool_.setMaxThreadCount(std::max(2, QThread::idealThreadCount())); }

Background::~Background() { waitForAll(); }

void Background::waitForAll() {
  pool_.clear();
  pool_.waitForDone();
}

void Background::start(int priority, Work work) {
  ++pending_;
  pool_.start(
      [this, work = std::move(work)]() mutable {
        Answer answer = work();
        work = nullptr;  // snapshots are freed here, not where the answer is called
        QMetaObject::invokeMethod(
            this,
            [this, answer = std::move(answer)] {
              --pending_;
              if (answer) answer();
            },
            Qt::QueuedConnection);
      },
      priority);
}

void Background::startForFile(int priority, Work work) {
  start(priority, [this, work = std::move(work), file = file_]() -> Answer {
    Answer answer = work();
    return [this, answer = std::move(answer), file] {
      if (file == file_ && answer) answer();
    };
  });
}

}  // namespace tessera
