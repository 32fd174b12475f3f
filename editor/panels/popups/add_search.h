// AddSearch: a field over the canvas that finds an operation in core/edit's palette and reports which was chosen.
// Arrows choose, Enter accepts, Shift + Enter also goes on with the next one, Escape or losing the focus closes it.
// Used by GraphEditController.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/edit/palette/blocks.h"
#include "core/edit/palette/palette.h"
#include "editor/panels/popups/search_popup.h"

namespace tessera {

class AddSearch : public SearchPopup {
  Q_OBJECT

 public:
  explicit AddSearch(QWidget* parent);

  enum class Page { Empty, Begun };
  // Opens empty near a point of the parent, wholly inside it. Where nothing stands yet, what can stand alone comes
  // first.
  void openAt(QPoint at, Page page = Page::Begun);
  // The same, with only what can take a value of this shape, and what it then gives.
  void openFor(QPoint at, const tessera::Shape& value);
  // The same, with only what can give a value of one of these shapes.
  void openToGive(QPoint at, std::vector<tessera::Shape> wanted);
  // The same, with what `finder` finds for a line; hint: what stands in the empty field.
  using Finder = std::function<std::vector<FittingEntry>(const std::string& line)>;
  void openAmong(QPoint at, const QString& hint, Finder finder);
  void setBlocks(std::vector<Block> blocks);  // the user's own, found by name before operations

 signals:
  void chosen(tessera::PaletteEntry entry);
  void blockChosen(QString name);
  void cancelled();   // closed without a choice
  void moreWanted();  // after a choice by Shift + Enter: the next one follows

 protected:
  void accept() override;
  void dismissed() override { emit cancelled(); }
  bool keyPressed(QKeyEvent& key) override;
  std::vector<Row> find(const QString& line) override;
  QString whyNothing(const QString& line) const override;

 private:
  void addBlocks(const QString& words, std::vector<Row>& rows);
  std::vector<PaletteEntry> entriesFor(const std::string& words) const;
  std::vector<FittingEntry> fittingEntries(const std::string& words) const;

  std::vector<Block> blocks_;
  bool goesOn_ = false;  // opens again after what is chosen
  Page page_ = Page::Begun;
  std::vector<PaletteEntry> found_;      // by line
  std::vector<QString> foundBlocks_;     // the same: empty where the line is an operation
  std::optional<tessera::Shape> value_;  // what is to be taken
  std::vector<tessera::Shape> wanted_;   // one of these is to be given
  Finder finder_;                        // what else decides what is listed
};

}  // namespace tessera
