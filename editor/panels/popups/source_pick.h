// SourcePick: a field over the canvas that finds what may feed an input: a value of the graph, by its name or what it
// does, or a number typed for it. Arrows choose, Enter takes, Escape or losing the focus closes it. Used by
// GraphEditController, for wiring without a pointer.
#pragma once

#include <functional>
#include <vector>

#include "core/base/ids.h"
#include "editor/panels/popups/popup_frame.h"

class QLineEdit;
class QListWidget;

namespace tessera {

class SourcePick : public PopupFrame {
  Q_OBJECT

 public:
  struct Source {
    InstructionId value;
    QString name, what, gives;  // "sub.1", "subtract f32 8×16", "→ f32[8,16]"
  };

  explicit SourcePick(QWidget* parent);

  // sources: the likely ones first. check: what is wrong with a text as a value, empty when nothing is.
  void openAt(QPoint at, const QString& input, std::vector<Source> sources,
              std::function<QString(const QString&)> check);
  QLineEdit* field() const { return field_; }
  QListWidget* list() const { return list_; }

 signals:
  void chosen(tessera::InstructionId value);
  void typed(QString value);

 protected:
  void accept() override;
  bool keyPressed(QKeyEvent& key) override { return chooseIn(*list_, key); }

 private:
  void search(const QString& line);
  void addLine(const QString& title, const QString& gives, const QString& summary);

  QLineEdit* field_;
  QListWidget* list_;
  std::vector<Source> sources_;
  std::vector<InstructionId> found_;  // by line; invalid: what was typed
  std::function<QString(const QString&)> check_;
};

}  // namespace tessera
