// The list at the text cursor: words that can stand there and what each is. It never takes the focus; HloEdit passes it
// the keys that move and accept.
#pragma once

#include <QTreeWidget>

#include "editor/text/completion.h"

namespace tessera {

class CompletionList : public QTreeWidget {
  Q_OBJECT

 public:
  explicit CompletionList(QWidget* parent);

  // Below `cursor` (in the parent's coordinates), or above it where there is no room; `preferred`: the first is chosen.
  void show(const Completions& found, const QRect& cursor, bool preferred);
  size_t begin() const { return begin_; }
  QString chosen() const;  // empty: none
  QStringList words() const;
  void step(int lines);

 private:
  size_t begin_ = 0;
};

}  // namespace tessera
