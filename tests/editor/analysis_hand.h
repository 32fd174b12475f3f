// The graph, gestures and look-ups that tests of measurements share. Used by measures_test and analysis_test.
#pragma once

#include <QTreeWidget>
#include <memory>

#include "editor/document/node_measures.h"
#include "editor/panels/profile/heat_legend.h"
#include "tests/editor/hand.h"

namespace tessera {

inline const char* const kAnalysedNet = R"(HloModule net, input_output_alias={ {0}: (0, {}, may-alias) }

ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  w = f32[64,64]{1,0} parameter(1)
  product = f32[64,64]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bent = f32[64,64]{1,0} tanh(product)
  shifted = f32[64,64]{1,0} add(bent, x)
  half = f32[] constant(0.5)
  halves = f32[64,64]{1,0} broadcast(half), dimensions={}
  next = f32[64,64]{1,0} multiply(shifted, halves)
  ROOT out = (f32[64,64]{1,0}, f32[64,64]{1,0}) tuple(next, bent)
}
)";

class AnalysisHand : public QObject {
 protected:
  void openNet() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(kAnalysedNet, false);
  }
  Document& document() { return hand_->document(); }
  NodeMeasures& measures() { return document().measures(); }
  HeatLegend& legend() { return *hand_->canvas().findChild<HeatLegend*>(); }
  InstructionId named(const char* name) { return hand_->named(name); }
  void play(const char* line) { QVERIFY2(playCommand(hand_->window(), line).has_value(), line); }
  void run() {
    document().run().start();
    hand_->settle();
    QVERIFY(document().measures().times());
  }
  void shown(QWidget& panel) {
    panel.resize(1000, 360);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
  }
  void clickItem(QTreeWidget& tree, QTreeWidgetItem& item) {
    tree.scrollToItem(&item);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualItemRect(&item).topLeft() + QPoint(10, 6));
  }

  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;
};

}  // namespace tessera
