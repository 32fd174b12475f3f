// The order in which a document's workers are served: what the user waits for first.
#pragma once

namespace tessera {

enum WorkerPriority : int {
  kRunning = 0,
  kPrinting = 10,
  kInference = 20,
  kReading = 30,
  kArrangement = 40,
  kEditing = 50
};

}  // namespace tessera
