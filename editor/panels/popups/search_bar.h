// SearchBar: a row over the canvas: a query with completion, how many instructions it finds, what is wrong with it.
// Enter and Shift+Enter walk through them, Alt+Enter selects all, Escape closes it. Used by the main window.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/tools/query/query_completion.h"

class QKeyEvent;
class QLabel;
class QLineEdit;
class QToolButton;

namespace tessera {

class CompletionList;
class Document;
class ErrorLabel;
class HitList;
class KeptSearches;

class SearchBar : public QWidget {
  Q_OBJECT

 public:
  explicit SearchBar(Document& document, QWidget* parent);

  void open();  // shows it with the keys in its field
  void dismiss();
  void step(bool backwards);  // to the next hit, round and round
  void selectAll();
  QLineEdit* field() const { return field_; }
  QString countText() const;
  QString errorText() const;
  QToolButton* listButton() const { return listButton_; }  // shows or hides the list of hits
  HitList* hits() const { return hits_; }
  KeptSearches* kept() const { return kept_; }
  QStringList completions() const;  // those that are shown

 signals:
  void revealWanted(tessera::InstructionId id);
  void closed();

 private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool keyPressed(const QKeyEvent& key);
  bool keyOfList(const QKeyEvent& key);
  void tell();
  void complete(bool asked);
  void showCompletions(const QString& text, const std::vector<QueryCompletion>& found);
  void takeCompletion();
  std::optional<size_t> placeOfSelected() const;  // among the hits

  Document& document_;
  QLineEdit* field_;
  QLabel* count_;
  ErrorLabel* error_;
  QToolButton *previous_, *next_, *all_, *listButton_;
  HitList* hits_;
  KeptSearches* kept_;
  CompletionList* list_;
  std::vector<QueryCompletion> found_;
  bool asked_ = false;  // the list was asked for and shows without a letter
};

}  // namespace tessera
