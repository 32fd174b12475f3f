// How a page is shown, as far as that is the document's: which way its wires run, whose values are large.
#include <algorithm>

#include "editor/controllers/arrange_controller.h"
#include "editor/document/document.h"

namespace tessera {

void ArrangeController::turnFlow() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  document_.setFlow(document_.view().scene().view->flow == Flow::Right ? PageFlow::Down : PageFlow::Right);
}

void ArrangeController::toggleLarge() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  std::vector<std::string> names;
  for (InstructionId id : document_.selection())
    if (document_.module().contains(id)) names.emplace_back(document_.module().at(id).name);
  if (names.empty()) return emit hinted(tr("Select what is to be shown large."));
  document_.arrange(tr("Show values large"), [names](ProjectPage& page) {
    const bool all = std::ranges::all_of(names, [&](const std::string& name) { return page.enlarged.contains(name); });
    for (const std::string& name : names)
      if (all)
        page.enlarged.erase(name);
      else
        page.enlarged.insert(name);
  });
}

}  // namespace tessera
