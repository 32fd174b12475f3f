// The reference evaluator behind the Backend interface: nothing is compiled, the source module itself runs.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace tessera {

std::unique_ptr<Backend> makeEvaluatorBackend();

}  // namespace tessera
