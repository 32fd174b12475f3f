// What `tessera profile` tells beside its tables: kernels against a device, what devices exchange, the page.
#pragma once

#include <memory>
#include <string>

#include "app/cli/command.h"
#include "core/hlo/module.h"
#include "core/profile/op_profile.h"

namespace tessera::cli {

struct AnalysisArguments {
  std::string device;  // a name of the table, "this", or "": none
  std::string html;    // a file; "-": to stdout, "": no page
  bool communication = false;
};

// given: the module of the command line, or null. top: rows of lists, 0: all.
Status tellAnalysis(const OpProfile& profile, const std::shared_ptr<const Module>& given, const std::string& source,
                    size_t top, const AnalysisArguments& options, Report& report);

}  // namespace tessera::cli
