// SourcePick: a field over the canvas that finds what may feed an input: a value of the graph, by its name or what it
// does, or a number typed for it. Arrows choose, Enter takes, Escape or losing the focus closes it. Used by
// GraphEditController, for wiring without a pointer.
#pragma once

#include <functional>
#include <vector>

#include "core/base/ids.h"
#include "editor/panels/popups/search_popup.h"

namespace tessera {

class SourcePick : public SearchPopup {
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

 signals:
  void chosen(tessera::InstructionId value);
  void typed(QString value);

 protected:
  void accept() override;
  std::vector<Row> find(const QString& line) override;

 private:
  std::vector<Source> sources_;
  std::vector<InstructionId> found_;  // by line; invalid: what was typed
  std::function<QString(const QString&)> check_;
};

}  // namespace tessera
