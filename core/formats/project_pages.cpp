// Pages of a project: found, renamed, asked what they hold.
#include <algorithm>

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

}  // namespace

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
         !sizeNames.empty() || !bookmarks.empty();
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
  for (std::set<std::string>* names : {&page.muted, &page.enlarged})
    if (names->erase(from) > 0 && !to.empty()) names->insert(to);
  if (to.empty())
    std::erase(page.bookmarks, from);
  else
    std::ranges::replace(page.bookmarks, from, to);
  renameSpots(page.reroutes, from, to);
  renameSpots(page.sizeNames, from, to);
}

}  // namespace tessera
