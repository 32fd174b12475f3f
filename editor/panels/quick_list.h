// QuickList: a field over the canvas with what it finds below it: places to go to, commands, keys. It knows none of
// them; who opens it gives the finding. Arrows choose, Enter takes, Esc or leaving it closes. Before: the studio's
// navigation.
#pragma once

#include <QFrame>
#include <QString>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace tessera {

struct QuickEntry {
  QString title, detail;
  std::function<void()> take;
  bool stays = false;  // taking it leaves the list open
};

class QuickList : public QFrame {
  Q_OBJECT

 public:
  using Find = std::function<std::vector<QuickEntry>(const QString& words)>;
  explicit QuickList(QWidget* parent);

  void open(const QString& placeholder, Find find);
  void refresh();  // finds again, keeping the line that is chosen
  // The next key pressed is given away instead of being typed; Esc gives none.
  void captureKey(std::function<void(QKeySequence)> taken);
  QLineEdit* field() const { return field_; }
  QListWidget* list() const { return list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take();
  void leave();
  bool takeKey(int key, int modifiers);

  QLineEdit* field_;
  QListWidget* list_;
  Find find_;
  std::vector<QuickEntry> found_;
  std::function<void(QKeySequence)> captured_;
};

// Whether every word is in the text; letters in order are enough for a single word of three letters or more.
bool matchesWords(const QString& text, const QString& words);

}  // namespace tessera
