// What a file is, in facts: stage and device, layers, parameters, work of a run, inputs and outputs, types,
// collectives, custom calls, and where the cost is. Used by `tessera overview` and the studio's overview.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/overview/workload.h"

namespace tessera {

struct Overview {
  // An input or output of the entry; instruction: the parameter, or what gives the output.
  struct Array {
    std::string name, shape;
    double bytes = 0;
    InstructionId instruction;
  };
  // Inputs that are parts of one argument of the program: p['h'][0]['fc'] and p['wte'] are parts of p.
  struct Argument {
    std::string name;
    size_t arrays = 0;
    double elements = 0, bytes = 0;
    bool floats = false;  // all its arrays of rank 1 and more are
    std::string shape;    // of the first array
    InstructionId instruction;
  };
  struct Layers {
    std::string name;  // "p['h']", "Block", "while.3"
    int64_t count = 0;
    std::string_view from;  // "parameters", "scopes", "loop", "blocks"
    InstructionId instruction;
  };
  // So many of one kind: collectives by opcode, custom calls by target, types by name.
  struct Kind {
    std::string name;
    size_t count = 0;
    double bytes = 0;           // of the results, of a run
    InstructionId instruction;  // the first
  };
  struct CostlyInstruction {
    InstructionId instruction;
    Cost cost;  // of a run; this and the next with all that are like it
    double times = 0, weight = 0;
    size_t alike = 1;  // of one shape and scope, but for the scope's numbers
  };

  ModuleStage stage;
  size_t instructions = 0, computations = 0;
  std::vector<Layers> layers, loops;   // loops: their trips, whether these are layers or not
  std::optional<Argument> parameters;  // the argument that holds the model's weights, if one can be identified
  Cost work;                           // of a run; loops by their trips where these are known
  bool tripsKnown = true;
  std::optional<int64_t> peakMemory;   // in the file's order, as core/memory has it; unset: it has no assignment
  std::vector<Argument> arguments;     // in order
  std::vector<Array> inputs, outputs;  // by size
  int64_t replicas = 1, partitions = 1;
  std::vector<std::pair<std::string, std::string>> meshes;  // "mesh": "x=2, y=4"
  std::vector<Kind> types, collectives, customCalls;        // by count
  std::vector<CostlyInstruction> top;                       // ten
};
Overview overviewOf(const Workload& work);

// Where the cost of a run is, as a tree of scopes: for a treemap.
struct CostScope {
  std::string name;                 // a segment of op_name; "" of the root; "no scope"; an opcode
  Cost cost;                        // with what is inside
  double weight = 0;                // with what is inside, on the scale of Workload::weightOf
  InstructionId instruction;        // the costliest inside
  std::vector<CostScope> children;  // by weight; what is below a share of the root is merged into one child "…"
  bool opcode = false;              // a part by what it computes: of a structural scope, or of a leaf of half of all
};
CostScope costByScope(const Workload& work, double leastShare = 0.005);
// The same with scopes side by side that only a number tells apart as one, "block × 12", and what they hold summed.
CostScope costByScopeFamily(const Workload& work, double leastShare = 0.005);
// From the outside to the hottest of all scopes that say what they are; where none does, to an opcode.
std::vector<const CostScope*> hottestScope(const CostScope& root);

}  // namespace tessera
