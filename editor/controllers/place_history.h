// PlaceHistory: the places that were looked at, to go back and forward among them, and bookmarks. A place is left when
// another computation is shown or something is gone to; panning about leaves none. Used by the studio's Go menu.
#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

class Canvas;
class Document;

class PlaceHistory : public QObject {
  Q_OBJECT

 public:
  // reveal: brings an instruction into sight.
  PlaceHistory(Document& document, Canvas& canvas, std::function<void(InstructionId)> reveal, QObject* parent);

  void goTo(InstructionId id);
  void back();
  void forward();
  QString toggleBookmark();  // says what it did, or what it needs
  bool nextBookmark();       // false: there is none
  std::vector<InstructionId> bookmarks() const;

 private:
  struct Place {
    ComputationId computation;
    QPointF centre;
    double zoom = 1;
  };
  std::optional<Place> here() const;
  void step(std::vector<Place>& from, std::vector<Place>& to);
  void show(const Place& place);
  void arrived();

  Document& document_;
  Canvas& canvas_;
  std::function<void(InstructionId)> reveal_;
  std::vector<Place> behind_, ahead_;
  std::optional<Place> left_, wanted_;
};

}  // namespace tessera
