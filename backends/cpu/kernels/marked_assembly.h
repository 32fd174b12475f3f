// Marked assembly: a kernel's assembly with comments that say for which HLO instruction each stretch of it is. The
// lines that nodes are given (KernelMarks) go through LLVM as line numbers (codegen/source_lines) and come back as
// texts. Used by kernel_compiler and executable_listing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernels/kernel_compiler.h"
#include "core/element/node_origins.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

struct KernelMarks {
  std::vector<std::string> texts;              // by line, from 1; the first is for code of no node
  std::vector<std::vector<uint32_t>> ofNodes;  // by program of the region, or of the kernel alone: a line for each node
};

// By program of the kernel: the instruction that it computes, and which nodes are of the instructions fused into that.
struct ProgramOwner {
  InstructionId instruction;
  NodeOrigins origins;
};
KernelMarks marksOf(const Module& module, const KernelSource& source, std::span<const ProgramOwner> owners);
// LLVM's text: line numbers become comments, and what only debuggers read is left out.
std::string withMarks(std::string_view assembly, const std::vector<std::string>& texts);

}  // namespace tessera::cpu
