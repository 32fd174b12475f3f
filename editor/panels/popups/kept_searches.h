// KeptSearches: a button with a menu of searches that the user gave names. One that is chosen is looked for again, or
// shown on the canvas as a filter or in a colour; what is found may stay lit after the search is closed. Part of
// SearchBar.
#pragma once

#include <QIcon>
#include <QString>
#include <QToolButton>
#include <utility>
#include <vector>

#include "editor/look/search_look.h"

class QLineEdit;

namespace tessera {

class Document;

QIcon swatchOf(SearchLook look);  // a square of its colour

class KeptSearches : public QToolButton {
  Q_OBJECT

 public:
  KeptSearches(Document& document, QLineEdit& field, QWidget* parent);

  void remember();  // from now on they are read from the user's settings and written there
  void keep(const QString& name, const QString& query);  // in the place of another one of that name
  void forget(const QString& name);
  void show(const QString& name, SearchLook look);  // on the canvas of this document, and of those opened later
  const std::vector<std::pair<QString, QString>>& all() const { return kept_; }  // names and queries, by name
  void setStaysLit(bool stays);

 private:
  void fillMenu();
  void addKept(const QString& name, const QString& query);
  void askForName();
  void light();
  void write() const;

  Document& document_;
  QLineEdit& field_;
  std::vector<std::pair<QString, QString>> kept_;
  bool remembers_ = false, staysLit_ = false;
};

}  // namespace tessera
