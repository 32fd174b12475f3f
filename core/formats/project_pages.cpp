// Pages of a project: found, renamed, asked what they hold.
#include <algorithm>
#include <cmath>

#include "core/formats/project.h"

namespace tessera {
namespace {

// Keys of one name under another, or away.
template <class Map>
void renameSpots(Map& map, const std::string& from, const std::string& to) {
  Map out;
  for (auto& [spot, value] : map)
    if (spot.first != from)
      out.emplace(spot, std::move(value));
    else if (!to.empty())
      out.emplace(PageSpot(to, spot.second), std::move(value));
  map = std::move(out);
}

void keep(PagePoint& point) { point = {keptInReach(point.x), keptInReach(point.y)}; }

}  // namespace

double keptInReach(double place) { return std::isnan(place) ? 0 : std::clamp(place, -kFarthestPlace, kFarthestPlace); }

void ProjectPage::keepInReach() {
  for (auto* places : {&instructions, &groups})
    for (auto& [name, place] : *places) keep(place);
  for (auto& [spot, points] : reroutes)
    for (PagePoint& point : points) keep(point);
  for (auto* boxes : {&frames, &notes})
    for (PageBox& box : *boxes)
      for (double* value : {&box.x, &box.y, &box.width, &box.height}) *value = keptInReach(*value);
}

void Project::keepInReach() {
  for (ProjectPage& page : pages) page.keepInReach();
}

const ProjectPage* Project::find(std::string_view computation) const {
  const auto found = std::ranges::find(pages, computation, &ProjectPage::computation);
  return found == pages.end() ? nullptr : &*found;
}

ProjectPage& Project::page(std::string_view computation) {
  const auto found = std::ranges::find(pages, computation, &ProjectPage::computation);
  if (found != pages.end()) return *found;
  ProjectPage& fresh = pages.emplace_back();
  fresh.computation = std::string(computation);
  return fresh;
}

void ProjectPage::forgetPlaces() {
  instructions.clear();
  groups.clear();
  reroutes.clear();
  flow = PageFlow::ByForm;
}

bool ProjectPage::arranged() const {
  return isPlaced() || !frames.empty() || !notes.empty() || !reroutes.empty() || !muted.empty() || !enlarged.empty() ||
         !watched.empty() || !sizeNames.empty() || !bookmarks.empty();
}

bool Project::arranged() const {
  return run != RunSettings() || flow != PageFlow::ByForm || std::ranges::any_of(pages, &ProjectPage::arranged);
}

void Project::rename(std::string_view computation, const std::string& from, const std::string& to) {
  const auto found = std::ranges::find(pages, computation, &ProjectPage::computation);
  if (found == pages.end()) return;
  ProjectPage& page = *found;
  if (auto place = page.instructions.extract(from); place && !to.empty()) {
    place.key() = to;
    page.instructions.insert(std::move(place));
  }
  for (std::set<std::string>* names : {&page.muted, &page.enlarged, &page.watched})
    if (names->erase(from) > 0 && !to.empty()) names->insert(to);
  if (to.empty())
    std::erase(page.bookmarks, from);
  else
    std::ranges::replace(page.bookmarks, from, to);
  renameSpots(page.reroutes, from, to);
  renameSpots(page.sizeNames, from, to);
}

}  // namespace tessera
