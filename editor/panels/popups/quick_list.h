// QuickList: a field over the canvas with a list of what it finds. The caller gives the search function. Arrows choose,
// Enter accepts, Escape or losing the focus closes it. Used by Navigation for places, commands and keys.
#pragma once

#include <QString>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "editor/panels/popups/popup_frame.h"

class QLineEdit;
class QListWidget;

namespace tessera {

struct QuickEntry {
  QString title, detail;
  std::function<void()> take;
  bool stays = false;  // taking it leaves the list open
};

class QuickList : public PopupFrame {
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
  void accept() override;
  void dismissed() override { captured_ = nullptr; }
  bool keyPressed(QKeyEvent& key) override;

 private:
  void capture(int key, int modifiers);

  QLineEdit* field_;
  QListWidget* list_;
  Find find_;
  std::vector<QuickEntry> found_;
  std::function<void(QKeySequence)> captured_;
};

// What is typed, looked for in many texts: every word has to be in one of the parts; letters in order are enough for a
// single word of three letters or more. ASCII letters match in either case.
class SearchWords {
 public:
  explicit SearchWords(const QString& typed);
  bool areIn(std::initializer_list<std::string_view> parts) const;  // each word in one of them
  // The same, or the letters of a single word in order.
  bool match(std::initializer_list<std::string_view> parts) const;

 private:
  std::vector<std::string> words_;  // in lower case
};
bool matchesWords(const QString& text, const QString& words);

}  // namespace tessera
