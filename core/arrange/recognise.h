// Recognises what instructions compute together: attention, softmax, norms, an optimizer's step. By structure alone,
// across fusions and calls, with any broadcasts, converts, reshapes and copies between. Read by the names of
// groups.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

enum class Pattern : uint8_t {
  Attention,
  Softmax,
  CrossEntropy,
  LogSoftmax,
  LayerNorm,
  RmsNorm,
  BatchNorm,
  GroupNorm,
  Mlp,
  Embedding,
  Adam,
  RmsProp,
  Adagrad,
  Momentum,
  Sgd,
  Adafactor,
  Lion,
  RandomBits,
};
std::string_view nameOf(Pattern pattern);  // "layer norm"
bool isUpdate(Pattern pattern);            // of a parameter, by an optimizer

struct Recognised {
  Pattern pattern;
  int32_t
      item;  // position in the computation of the instruction that identifies it, or of the fusion that contains that
};
// Of one computation and the fusions and calls in it, in order of place. About linear: each look goes a few steps far.
std::vector<Recognised> recognise(const Module& module, const Computation& computation, const UserTable& users,
                                  const std::vector<int32_t>& positions);

}  // namespace tessera
