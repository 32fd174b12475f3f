// Background: the work of a document on a pool of threads. Work gets snapshots; its answer comes back to the UI thread
// as a queued call. Used by Document and its parts.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace tessera {

// Set from the UI thread, read by work that can be cancelled.
using CancelToken = std::shared_ptr<std::atomic<bool>>;
inline CancelToken newCancelToken() { return std::make_shared<std::atomic<bool>>(false); }
inline void cancel(const CancelToken& token) {
  if (token) *token = true;
}

// What goes on, for the status bar.
struct Progress {
  QString stage;         // empty: nothing
  double fraction = -1;  // below 0: not known
};

// One thing that goes on, for lists of them.
struct BackgroundTask {
  Progress progress;
  std::function<void()> cancel;
};

class Background : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void()>;
  using Work = std::function<Answer()>;

  Background();
  ~Background() override;  // waits for what runs

  // Runs `work` on a worker; the answer that it returns is called here.
  void start(int priority, Work work);
  // The same; the answer is dropped when another file was opened meanwhile.
  void startForFile(int priority, Work work);
  void dropAnswersForFile() { ++file_; }
  bool isBusy() const { return pending_ > 0; }
  void waitForAll();

  // Freeing a big module takes longer than a frame may.
  template <class T>
  void dispose(T&& thing) {
    pool_.start([kept = std::make_shared<std::decay_t<T>>(std::forward<T>(thing))] {}, -1);
  }

 private:
  QThreadPool pool_;
  uint64_t file_ = 0;
  int pending_ = 0;
};

}  // namespace tessera
