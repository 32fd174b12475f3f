// A window with a graph that runs, beside which tests show a panel by itself.
#pragma once

#include <QObject>
#include <QTest>
#include <memory>

#include "tests/editor/hand.h"

namespace tessera {

inline const char* const kViewedNet = R"(HloModule net, entry_computation_layout={(f32[64,64]{1,0})->f32[64,64]{1,0}}

ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  product = f32[64,64]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0},
    metadata={op_name="jit(net)/layer/dot" source_file="net.py" source_line=3}
  bent = f32[64,64]{1,0} tanh(product), metadata={op_name="jit(net)/layer/tanh" source_file="net.py" source_line=4}
  shifted = f32[64,64]{1,0} add(bent, x), metadata={op_name="jit(net)/layer/add" source_file="net.py" source_line=4}
  again = f32[64,64]{1,0} dot(shifted, x), lhs_contracting_dims={1}, rhs_contracting_dims={0},
    metadata={op_name="jit(net)/head/dot" source_file="net.py" source_line=9}
  ROOT out = f32[64,64]{1,0} negate(again)
}
)";

class ViewsHand : public QObject {
 protected:
  std::unique_ptr<Hand> hand_;

  Document& document() { return hand_->document(); }

  void shown(QWidget& panel) {
    panel.resize(1000, 360);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
  }

  void run() {
    document().run().start();
    hand_->settle();
    QVERIFY(document().run().times());
  }
};

}  // namespace tessera
