// GraphEditController: adding, wiring, typing values, deleting, copying and pasting on the canvas. It receives the
// canvas's gestures, asks core/edit what fits, shows choices and fields over the canvas, and gives edits to the
// Document.
#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/edit/palette/palette.h"
#include "core/edit/wiring/splicing.h"
#include "core/edit/wiring/wiring.h"
#include "editor/canvas/wire_hints.h"

namespace tessera {

class AddSearch;
struct ViewNode;
class Canvas;
class ChoiceList;
class Document;
class SourcePick;
class ValueField;

class GraphEditController : public QObject {
  Q_OBJECT

 public:
  GraphEditController(Document& document, Canvas& canvas, QObject* parent);

  AddSearch& search() { return *search_; }
  ChoiceList& choices() { return *choices_; }
  ValueField& field() { return *field_; }
  SourcePick& sources() { return *sources_; }

  // Whether a node dropped on a wire of the view would be put into it.
  void setInserts(std::function<bool(InstructionId node, int32_t edge)> inserts) { inserts_ = std::move(inserts); }

  // Fed by the selection. What is chosen comes to where the pointer is, if that is where the search opens.
  void openSearch(QPoint at);
  void openSearchByKey();  // where the pointer was moved to since the last time, else below the selection
  // What is placed next comes there; on a wire: into it. In widget pixels.
  void aimAt(QPointF at);
  void place(const PaletteEntry& entry);
  // The block, given what feeds it, is what the edit adds last; it goes into the wire that was aimed at, if it fits.
  using BlockPlacing = std::function<Result<Edit>(const std::vector<InstructionId>& sources)>;
  void placeBlock(const BlockPlacing& placing);
  void begin(const QString& line);  // places the first that a line of the search finds; an empty line opens the search
  void toggleFields();              // selected fields become nodes of their own, such nodes fields again
  // Opens the field of a constant or of what stands in a field; false: it is none.
  bool editConstant(InstructionId id);
  enum class Gap {
    Heal,
    Open
  };  // what the users of removed instructions get: the first operand of the same shape, or nothing
  void removeSelection(Gap gap = Gap::Heal);
  void replaceSelected();  // opens the search for what fits in its place
  // Opens the choice of what feeds an input: values of the graph that fit it, or a value that is typed. -1: the first
  // open input, else the first.
  void pickSource(InstructionId user, int operand);
  void typeValue(InstructionId user, int operand) { openField(user, operand); }
  void unwire(InstructionId user, int operand);
  void addAfter(InstructionId value, QPointF at);               // the search, for what takes the value
  void addBefore(InstructionId user, int operand, QPointF at);  // for what gives what the input needs
  void selectAll();
  void invertSelection();
  void selectSameType();    // every node of the page with an operation that is selected
  void leaveComputation();  // to the instruction that calls what is shown
  void duplicateSelection();
  void makeResult();
  void copySelection();
  void cutSelection();
  // Whether it is text of a whole module, which was not copied from a graph here: StableHLO, or HLO with its head.
  bool clipboardHoldsDocument() const;
  void paste(bool keepInputs);

 signals:
  void placed();                // the view should follow what is selected next
  void explained(QString why);  // why something was not done
  void hinted(QString what);    // what it needs first

 private:
  void connectCanvas();
  void forget();
  void forgetDrop();  // with its wire
  void forgetSpot();
  WireHints hints() const;
  ComputationId computation() const;
  bool isInSight(ComputationId computation) const;
  std::vector<InstructionId> selectedSources() const;
  void dropWire(InstructionId value, InstructionId user, int operand, QPointF at);
  void offer(std::vector<ConnectionOption> ways, InstructionId value, InstructionId user, const QString& heading,
             QPointF at);
  std::vector<QRect> boxAndWire(InstructionId node, QPointF from, QPointF to) const;
  void goOnAdding();
  void openSearchBesideSelection(QPoint at);
  bool knowsInputs(const PaletteEntry& entry);
  void wire(Edit edit, InstructionId value, InstructionId user);
  void takeWay(int line);
  void openField(InstructionId user, int operand);
  void replaceBy(const PaletteEntry& entry);
  void fillPicked(const QString& typed);
  void askFor(InstructionId id, QPointF scene, QPoint above, const QString& name, const QString& text,
              std::function<Result<Edit>(const std::string& typed)> editOf);
  bool editInput(const ViewNode& field, int32_t box);
  bool hasInput(InstructionId user, int operand) const;
  Edit placingAround(const PaletteEntry& entry, uint32_t& meant);
  InstructionId carriedTo(InputSpot wire) const;
  std::optional<Edit> putInto(Edit edit, InputSpot wire, uint32_t& meant) const;
  std::optional<Edit> placingInto(const PaletteEntry& entry, InputSpot wire, uint32_t& meant) const;
  std::optional<QPointF> pointer() const;  // widget; none: it is elsewhere
  bool isOverNode(QPointF at) const;       // widget
  QPoint belowSelection() const;           // widget
  void giveSpot(Edit& edit, uint32_t meant);
  struct NewBox {
    RectF size;
    std::string group;  // the path of an addition that is drawn with what it calls
  };
  NewBox boxOf(const Edit& edit, uint32_t made) const;
  void giveSpots(Edit& edit, const std::map<std::string, QPointF>& places, std::optional<QPointF> at) const;
  std::map<std::string, QPointF> placesOfSelection() const;
  Edit placingFrom(const PaletteEntry& entry, std::vector<InstructionId> sources, uint32_t& meant) const;
  bool agrees(const Edit& edit) const;

  Document& document_;
  Canvas& canvas_;
  AddSearch* search_;
  ChoiceList* choices_;
  ValueField* field_;
  SourcePick* sources_;
  std::function<bool(InstructionId, int32_t)> inserts_;
  std::vector<ConnectionOption> ways_;
  InstructionId waysValue_, waysUser_;
  bool addsMore_ = false;  // the search opens again when the next picture is there
  // What the search was opened for by a drop: a value to be read, or an input to be fed.
  InstructionId droppedValue_, droppedUser_;
  int droppedOperand_ = -1;
  InstructionId replaced_;  // what the search was opened to replace
  InstructionId pickedUser_;
  int pickedOperand_ = -1;
  // Where what is placed next comes to.
  enum class Anchor { Begin, End };  // which end of it is there, along the flow
  struct Spot {
    QPointF scene;
    Anchor anchor = Anchor::Begin;
    InputSpot wire = {};  // to put it into; invalid: none
  };
  std::optional<Spot> spot_;
  QPointF lastPointer_ = {-1, -1};  // which chose the last place or node
};

}  // namespace tessera
