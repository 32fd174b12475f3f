// ShownSearches: searches with a name that the canvas shows beside what is looked for: as filters or in colours of
// their own. A worker looks for their hits anew after every edit. Used by the canvas, the menu of kept searches and
// their bar.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/tools/query/query.h"
#include "editor/document/background.h"
#include "editor/look/search_look.h"

namespace tessera {

class Document;

struct ShownSearch {
  QString name, text;
  SearchLook look = SearchLook::Filter;
  Query query;
  std::vector<InstructionId> hits = {};
};

class ShownSearches : public QObject {
  Q_OBJECT

 public:
  ShownSearches(Document& document, Background& background) : document_(document), background_(background) {}

  // In the place of another one of that name. Look None, or a query that does not parse: it is not shown.
  void show(const QString& name, const QString& query, SearchLook look);
  const std::vector<ShownSearch>& all() const { return shown_; }
  SearchLook lookOf(const QString& name) const;
  // What any filter finds; none: there is no filter.
  std::optional<std::vector<InstructionId>> filtered() const;
  std::vector<std::pair<InstructionId, SearchLook>> colored() const;

  void again();  // for Document: of another graph

 signals:
  void changed();

 private:
  Document& document_;
  Background& background_;
  std::vector<ShownSearch> shown_;
  CancelToken running_;  // of the newest search
};

}  // namespace tessera
