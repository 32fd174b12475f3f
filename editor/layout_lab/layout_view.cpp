// The arrangement of the two panes.
#include "editor/layout_lab/layout_view.h"

#include <algorithm>

#include "editor/layout_lab/grid_pane.h"
#include "editor/layout_lab/link_overlay.h"
#include "editor/layout_lab/memory_pane.h"

namespace tessera {
namespace {

constexpr int kPaneGap = 10;
constexpr int kLeastBeside = 560;   // narrower: one above the other
constexpr int kLeastStacked = 230;  // lower: side by side

struct PanePlaces {
  QRect grid, memory;
};

PanePlaces beside(QSize size) {
  const int width = static_cast<int>((size.width() - kPaneGap) * 0.4);
  return {{0, 0, width, size.height()}, {width + kPaneGap, 0, size.width() - width - kPaneGap, size.height()}};
}

PanePlaces above(QSize size, int gridHeight) {
  return {{0, 0, size.width(), gridHeight},
          {0, gridHeight + kPaneGap, size.width(), size.height() - gridHeight - kPaneGap}};
}

}  // namespace

LayoutView::LayoutView(LabState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      grid_(new GridPane(state, this)),
      memory_(new MemoryPane(state, this)),
      overlay_(new LinkOverlay(state, grid_, memory_, this)) {
  setMinimumSize(260, 150);
  connect(state_, &LabState::modelChanged, this, &LayoutView::arrange);
  connect(state_, &LabState::currentChanged, this, &LayoutView::followCurrent);
}

void LayoutView::resizeEvent(QResizeEvent*) { arrange(); }

void LayoutView::arrange() {
  const auto fit = [&](const PanePlaces& p) {
    return std::pair(grid_->fittingCell(p.grid.size()), memory_->fittingCell(p.memory.size()));
  };
  const auto least = [](std::pair<int, int> cells) { return std::min(cells.first, cells.second); };
  PanePlaces places = beside(size());
  auto cells = fit(places);
  const int fits = grid_->fittingCell({width(), height() * 3 / 5});
  const int likely =
      fits > 0 ? std::min(fits, std::max(24, memory_->fittingCell({width(), height() * 3 / 5}))) : CellPane::kUsualCell;
  const int wanted = std::clamp(grid_->wantedHeight(width(), likely), 110, std::max(110, height() * 2 / 3));
  const PanePlaces stacked = above(size(), wanted);
  const auto stackedCells = fit(stacked);
  const bool wide = least(cells) == 0 && state_->columns() > 3 * state_->rows() && state_->columns() > 24;
  if (height() >= kLeastStacked && (width() < kLeastBeside || least(stackedCells) > least(cells) * 4 / 3 || wide)) {
    places = stacked;
    cells = stackedCells;
  }
  grid_->setCellLimit(cells.second > 0 ? std::max(24, cells.second * 3 / 2) : CellPane::kLargestCell);
  memory_->setCellLimit(cells.first > 0 ? std::max(24, cells.first * 3 / 2) : CellPane::kLargestCell);
  grid_->setGeometry(places.grid);
  memory_->setGeometry(places.memory);
  overlay_->setGeometry(rect());
  overlay_->raise();
  grid_->rearrange();
  memory_->rearrange();
}

void LayoutView::followCurrent() {
  const auto current = state_->current();
  if (!current) return;
  for (CellPane* pane : {static_cast<CellPane*>(grid_), static_cast<CellPane*>(memory_)})
    if (!pane->underMouse() || state_->chosen() == current) pane->reveal(*current);
}

void LayoutView::finishAnimations() {
  memory_->finishAnimation();
  overlay_->finishAnimation();
}

}  // namespace tessera
