// PassesPanel: the passes over a graph as a movie: of the dump folder that the file lies in, of another one, or of our
// own pipeline on the open graph. The strip is scrubbed; on the canvas everything keeps its place, and what came, went,
// was fused or got another layout is marked; beside it the changes, the changed text, and the history of the selection.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <memory>

#include "core/tools/passes/pass_history.h"
#include "core/tools/passes/pass_text.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace tessera {

class Canvas;
class Document;
class PassFilm;
class PassStrip;
class SpatialIndex;
struct PassFrame;

class PassesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PassesPanel(Document& document, QWidget* parent = nullptr);
  ~PassesPanel() override;

  PassStrip* strip() const { return strip_; }
  Canvas* canvas() const { return canvas_; }
  QComboBox* source() const { return source_; }
  QTreeWidget* changes() const { return changes_; }
  QPlainTextEdit* text() const { return text_; }
  QTreeWidget* history() const { return history_; }
  QTabWidget* tabs() const { return tabs_; }
  QString words() const;  // of the pass that is shown
  bool isBusy() const { return busy_ > 0; }
  bool isFilming() const { return cancel_ != nullptr; }  // the passes run, or a folder of them is read
  void cancelFilming();
  const std::shared_ptr<const PassFrame>& frame() const { return frame_; }
  void openFolder(const QString& folder);
  void stepToTouch(int by);  // to the next pass, or the one before, that touched the selection

 signals:
  void filmingChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr int kFramePriority = 2;          // of a worker; histories and counts have less
  static constexpr int kIdOrMoment = Qt::UserRole;  // data of a row
  enum Source { kOwn, kBeside, kFolder };
  struct Answer {
    uint64_t request = 0;
    std::shared_ptr<const PassFrame> frame;
    std::shared_ptr<const SpatialIndex> index;
    std::vector<PassLine> lines;
    QString trouble;
  };
  struct Past;
  QWidget* makeBar();
  QWidget* makeBeside();
  void connectCanvas();
  void listSources();
  void chooseSource(int index);
  void forget();  // another graph is open, or this one was edited
  void start();   // makes the film
  void showStart(const std::shared_ptr<const Module>& module);
  void taken(std::shared_ptr<PassFilm> film, const QStringList& titles, const QString& warnings);
  void countNext(int moment);
  void wantFrame();
  void take(const Answer& answer);
  void fillChanges();
  void fillText(const std::vector<PassLine>& lines);
  void select(InstructionId id);  // of the frame that is shown
  void wantHistory(size_t moment, InstructionId id, const std::string& name);
  void takeHistory(const Past& past);
  void clearHistory();
  void markSelection();
  void followDocument();
  void tellDocument();
  void showWords();
  void inBackground(int priority, std::function<std::function<void()>()> work);

  Document& document_;
  QThreadPool pool_;
  QComboBox* source_ = nullptr;
  QLabel* words_ = nullptr;
  PassStrip* strip_;
  Canvas* canvas_;
  QTabWidget* tabs_ = nullptr;
  QTreeWidget *changes_ = nullptr, *history_ = nullptr;
  QPlainTextEdit* text_ = nullptr;
  QString folder_;   // that the user chose
  QString trouble_;  // why there is no picture
  QString notes_;    // what is wrong with the folder
  Source from_ = kOwn;
  bool chosen_ = false;             // by the user
  std::shared_ptr<PassFilm> film_;  // used by the one worker alone
  std::shared_ptr<const PassFrame> frame_;
  std::shared_ptr<const InstructionHistory> past_;  // of the selection; null: none
  std::shared_ptr<std::atomic<bool>> cancel_;
  std::shared_ptr<std::atomic<uint64_t>> wanted_;  // the newest request of a frame
  uint64_t filmRequest_ = 0, historyRequest_ = 0;
  int busy_ = 0;
  bool telling_ = false, fits_ = true;
};

}  // namespace tessera
