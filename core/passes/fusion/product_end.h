// Ends of products: a dot or a convolution, and what is done to its result that a library does on the way to memory: a
// scale, a bias along the columns (of a convolution: the features), and max(x, 0) or gelu(x). They become one fusion
// (kind kOutput) for devices, so that the product is stored once. A convolution has an end where it has a bias, and no
// gelu, as in cuDNN. Stands before other fusions, while each step is an instruction of its own.
#pragma once

#include <optional>
#include <vector>

#include "core/passes/pipeline.h"

namespace tessera {

enum class ProductFunction : uint8_t { None, Relu, Gelu };

// function(scale · product + bias)
struct ProductEnd {
  std::vector<InstructionId> members;  // operands first, the last one is the result
  InstructionId product;
  InstructionId bias;  // invalid: none; else an array of the dot's last dimensions, those of its right factor alone, or
                       // of the convolution's features
  double scale = 1;
  ProductFunction function = ProductFunction::None;
};

// The longest end of the product; nullopt: nothing is done to it, or something that is no end.
std::optional<ProductEnd> productEndAt(const Module& module, const UserTable& users, InstructionId product);
// What a fusion of that form computes; nullopt: it has another form.
std::optional<ProductEnd> productEndOf(const Module& module, ComputationId computation);

Result<bool> fuseProductEnds(Module& module);

}  // namespace tessera
