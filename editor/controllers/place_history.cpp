// See place_history.h.
#include "editor/controllers/place_history.h"

#include <algorithm>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr size_t kMaxPlaces = 100;

}  // namespace

PlaceHistory::PlaceHistory(Document& document, Canvas& canvas, std::function<void(InstructionId)> reveal,
                           QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas), reveal_(std::move(reveal)) {
  connect(&document_, &Document::opened, this,
          [this] { behind_.clear(), ahead_.clear(), left_.reset(), wanted_.reset(); });
  connect(&document_.view(), &SceneView::changed, this, &PlaceHistory::arrived, Qt::QueuedConnection);
}

std::optional<PlaceHistory::Place> PlaceHistory::here() const {
  if (!document_.isOpen()) return std::nullopt;
  const Viewport& viewport = canvas_.viewport();
  return Place{document_.view().computation(), viewport.visible().center(), viewport.zoom()};
}

void PlaceHistory::goTo(InstructionId id) {
  if (const auto place = here()) {
    behind_.push_back(*place);
    if (behind_.size() > kMaxPlaces) behind_.erase(behind_.begin());
    ahead_.clear();
  }
  left_.reset();
  reveal_(id);
}

// What was shown before another computation came is a place too, however it came.
void PlaceHistory::arrived() {
  const auto now = here();
  if (!now) return;
  if (wanted_ && wanted_->computation == now->computation) {
    canvas_.viewport().zoomBy(wanted_->zoom / now->zoom, {});
    canvas_.viewport().centerOn(wanted_->centre);
    wanted_.reset();
  } else if (left_ && left_->computation != now->computation) {
    behind_.push_back(*left_);
    ahead_.clear();
  }
  left_ = here();
}

void PlaceHistory::show(const Place& place) {
  if (!document_.module().contains(place.computation)) return;
  wanted_ = place;
  if (place.computation == document_.view().computation()) return arrived();
  left_.reset();
  document_.view().showComputation(place.computation);
}

void PlaceHistory::back() { step(behind_, ahead_); }
void PlaceHistory::forward() { step(ahead_, behind_); }

void PlaceHistory::step(std::vector<Place>& from, std::vector<Place>& to) {
  const auto now = here();
  if (from.empty() || !now) return;
  const Place place = from.back();
  from.pop_back();
  to.push_back(*now);
  show(place);
}

// --- bookmarks

QString PlaceHistory::toggleBookmark() {
  const InstructionId id = document_.selected();
  if (!id.valid() || document_.isPlainGraph() ||
      document_.module().at(id).computation != document_.view().computation())
    return tr("Select an instruction on the canvas first");
  const std::string name(document_.module().at(id).name);
  const ProjectPage* page = document_.page();
  const bool marked = page && std::ranges::find(page->bookmarks, name) != page->bookmarks.end();
  document_.arrange(tr("Bookmark"), [name](ProjectPage& changed) {
    if (std::erase(changed.bookmarks, name) == 0) changed.bookmarks.push_back(name);
  });
  return (marked ? tr("No longer a bookmark: %1") : tr("Bookmarked %1")).arg(QString::fromStdString(name));
}

std::vector<InstructionId> PlaceHistory::bookmarks() const {
  std::vector<InstructionId> out;
  for (const ProjectPage& page : document_.project().pages)
    for (const std::string& name : page.bookmarks)
      if (const auto id = document_.module().findInstruction(name)) out.push_back(*id);
  return out;
}

bool PlaceHistory::nextBookmark() {
  if (!document_.isOpen()) return false;
  const std::vector<InstructionId> all = bookmarks();
  if (all.empty()) return false;
  const auto now = std::ranges::find(all, document_.selected());
  goTo(now == all.end() || now + 1 == all.end() ? all.front() : *(now + 1));
  return true;
}

}  // namespace tessera
