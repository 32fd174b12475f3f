// CompiledPanel: what the selected instruction was compiled to: its steps with buffers, work and time, the loop nest,
// LLVM IR before and after LLVM's passes, assembly. A worker compiles the graph when the panel is first shown, a large
// one only on request. Uses Document and backends.
#pragma once

#include <QThreadPool>
#include <QWidget>
#include <atomic>
#include <memory>
#include <vector>

#include "backends/roofline.h"
#include "core/base/ids.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;
class QTextBrowser;

namespace tessera {

class Document;
struct Profile;

class CompiledPanel : public QWidget {
  Q_OBJECT

 public:
  explicit CompiledPanel(Document& document, QWidget* parent = nullptr);
  ~CompiledPanel() override;

  QTabWidget* tabs() const { return tabs_; }
  QPushButton* compileButton() const { return compile_; }  // hidden where nothing has to be asked
  QPushButton* measureButton() const { return measure_; }
  QString words() const;  // above the tabs: what is going on
  QString textOf(int tab) const;
  bool isBusy() const { return busy_ > 0; }
  void compile();  // whatever the size
  bool isCompiling() const { return cancel_ != nullptr; }
  void cancelCompiling();

 signals:
  void compilingChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Program;  // an executable with the module that it was made of
  struct Listing;  // texts of one instruction
  void follow();
  void forget();
  void list();
  void show(const Listing& listing);
  void clear(const QString& words);
  void measure();
  static Listing listingOf(const Program& program, const Profile* profile, InstructionId id, const Roofline* roofline);

  Document& document_;
  QThreadPool pool_;
  QLabel* words_;
  QPushButton *compile_, *measure_;
  QTabWidget* tabs_;
  QTextBrowser* steps_;
  std::vector<QPlainTextEdit*> pages_;      // behind the steps: loops, IR before, IR after, assembly
  std::shared_ptr<const Program> program_;  // null: to be made
  std::shared_ptr<const Roofline> roofline_;
  std::shared_ptr<std::atomic<bool>> cancel_;
  InstructionId listed_;
  uint64_t request_ = 0;
  int busy_ = 0;
  bool failed_ = false;
};

}  // namespace tessera
