// An instruction that the reference evaluator runs (decompositions, random numbers, collectives, built-in targets of
// custom calls), kept in an object as the HLO text of a module of its own. The loader, the step itself
// (cpu/library/evaluate_step) and the threads of several devices are in libtessera_evaluate.a, which needs
// libtessera_core.so: only programs with such steps are linked with them. Made by cpu/plan_builder; runs core/evaluate.
#pragma once

#include "backends/runtime/program.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

// Whether the evaluator's answer follows from the operands, the step's own memory and the other devices: feeds come
// from outside.
bool isSerializable(const Instruction& instruction);
// What the loader reads: the instruction alone as the root, what it reads as parameters (each once; the operands keep
// their order).
Result<std::string> textOfStep(const Module& module, InstructionId instruction);

}  // namespace tessera::cpu

// Named by objects of programs for several devices: calls `run` for each, a thread each.
extern "C" tessera::Status tessera_core_run_on_devices(int64_t replicas, int64_t partitions,
                                                       tessera::cpu::DeviceRun run, void* context);
