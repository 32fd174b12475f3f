// Default arguments as data and weights of a model usually are. Used by
// argument_rules and by what shows where a parameter's value comes from.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// By argument leaf, in the words of argument_source.h. Floats are normal: the second operand of a product or a kernel
// with the deviation 1/√n, where n is how many products each result adds (fan-in); a vector that is only added 0.1;
// others 1. What a root or logarithm is taken of is uniform from 0 to 1. Integers that are indices of a gather are
// uniform over its rows. Everything else is "rule".
std::vector<std::string> usualSources(const Module& module);

// The parameters of the entry that are trained, as their readers use them: second factors of products, kernels, tables
// that only gathers read, and vectors that are only added.
std::vector<InstructionId> weightsOf(const Module& module);

}  // namespace tessera
