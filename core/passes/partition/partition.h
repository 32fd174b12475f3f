// The partitioner: a program that is annotated with shardings (GSPMD's or Shardy's) becomes the program of one device,
// with local shapes and the exchanges between devices. The method is that of GSPMD (Xu et al., 2021).
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/devices/communicator.h"
#include "core/hlo/module.h"

namespace tessera {

inline constexpr std::string_view kPartitionPass = "partition";  // of the provenance of what it makes

// The program of one of num_partitions devices. False: there are no annotations to follow, or there is one partition.
// Fails where an annotation is not over these partitions or does not fit its array.
Result<bool> partitionProgram(Module& module);

// Annotated and not partitioned yet: shapes are those of whole arrays. Annotations of arguments alone are taken for
// those of one device's program, unless the header has meshes or says whether shardings may be propagated.
bool isShardedProgram(const Module& module);

// What one device of the grid runs: the module, partitioned if it is a sharded program and there are several
// partitions.
Result<Module> partitionedFor(const Module& module, DeviceGrid grid);
// The same for as many devices as the module's header says.
Result<Module> partitionedAsSaid(const Module& module);

}  // namespace tessera
