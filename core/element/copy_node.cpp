// See copy_node.h.
#include "core/element/copy_node.h"

namespace tessera {

NodeId copyNode(ElementBuilder& builder, const Node& node, std::span<const NodeId> in) {
  switch (node.op) {
    case NodeOp::Constant: return builder.constantBits(node.type, node.bits0, node.bits1);
    case NodeOp::OutputIndex: return builder.outputIndex(static_cast<int64_t>(node.bits0));
    case NodeOp::DimensionSize: return builder.dimensionSize(node.bits0, static_cast<int64_t>(node.bits1));
    case NodeOp::Read: return builder.read(node.bits0, in);
    case NodeOp::ReadIf: return builder.readIf(in[0], node.bits0, in.subspan(2), in[1]);
    case NodeOp::Select: return builder.select(in[0], in[1], in[2]);
    case NodeOp::Convert: return builder.convert(node.type, in[0]);
    case NodeOp::BitcastConvert: return builder.bitcastConvert(node.type, in[0]);
    case NodeOp::Compare:
      return builder.compare(static_cast<CompareDirection>(node.bits0), in[0], in[1], node.bits1 != 0);
    case NodeOp::ReducePrecision:
      return builder.reducePrecision(in[0], static_cast<int>(node.bits0), static_cast<int>(node.bits1));
    case NodeOp::MakeComplex: return builder.makeComplex(in[0], in[1]);
    case NodeOp::Fma: return builder.fma(in[0], in[1], in[2]);
    default: return in.size() == 2 ? builder.binary(node.op, in[0], in[1]) : builder.unary(node.op, in[0]);
  }
}

}  // namespace tessera
