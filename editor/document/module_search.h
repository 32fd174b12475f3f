// ModuleSearch: what is looked for in the open module, and where it is: a query of core/tools/query/query.h run by a
// worker after every letter and every edit. Used by the search bar; the canvas lights what is found.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/base/ids.h"
#include "core/tools/query/query_completion.h"
#include "editor/document/background.h"

namespace tessera {

class Document;

class ModuleSearch : public QObject {
  Q_OBJECT

 public:
  ModuleSearch(Document& document, Background& background) : document_(document), background_(background) {}

  void setText(const QString& text);
  const QString& text() const { return text_; }
  // Something is looked for and its answer is there: hits(), of the entry first.
  bool isOn() const { return on_; }
  const std::vector<InstructionId>& hits() const { return hits_; }
  const std::optional<Diagnostic>& error() const { return error_; }
  // Of a search without hits: which of its names the module does not have, a sentence each.
  const QString& whyNone() const { return whyNone_; }

  // What may stand at a place of the text, in letters; completed() follows.
  void complete(const QString& text, qsizetype cursor);

  void again();  // for Document: of another graph

 signals:
  void changed();
  void completed(QString text, std::vector<tessera::QueryCompletion> found);

 private:
  void take(std::vector<InstructionId> hits, const std::vector<std::string>& unknown);

  Document& document_;
  Background& background_;
  QString text_;
  bool on_ = false;
  std::vector<InstructionId> hits_;
  std::optional<Diagnostic> error_;
  QString whyNone_;
  CancelToken running_;  // of the search that is newest
  uint64_t completions_ = 0;
};

}  // namespace tessera
