// See dynamic_entry.h.
#include "backends/cpu/dynamic_entry.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/evaluate/dynamic_values.h"

namespace tessera::cpu {

namespace {

void appendLeaves(const Shape& shape, std::vector<Shape>& out) {
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) out.push_back(*leaf.shape);
}

std::vector<Shape> parameterLeaves(const Module& module) {
  std::vector<Shape> out;
  for (InstructionId parameter : module.entryComputation().parameters) appendLeaves(module.shapeOf(parameter), out);
  return out;
}

std::vector<Shape> resultLeaves(const Module& module) {
  std::vector<Shape> out;
  appendLeaves(module.shapeOf(module.entryComputation().root), out);
  return out;
}

std::unexpected<Diagnostic> usage(std::string message, std::string expected = {}, std::string found = {}) {
  return fail({.kind = ErrorKind::Usage,
               .message = std::move(message),
               .expected = std::move(expected),
               .found = std::move(found)});
}

class DynamicEntry final : public Executable {
 public:
  DynamicEntry(const Module& source, std::unique_ptr<Executable> inner)
      : parameters_(parameterLeaves(source)), results_(resultLeaves(source)), inner_(std::move(inner)) {}

  Status runInto(std::span<const Literal> arguments, std::vector<Literal>& outputs, const RunOptions& options,
                 Profile* profile) override {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> whole, wholeArguments(arguments));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> results, inner_->run(whole, options, profile));
    outputs.clear();
    size_t next = results_.size();
    for (size_t i = 0; i < results_.size(); ++i) {
      std::vector<int64_t> sizes = results_[i].dimensions;
      for (size_t d = 0; d < sizes.size(); ++d)
        if (results_[i].isDynamicDimension(static_cast<int64_t>(d))) sizes[d] = results[next++].data<int32_t>()[0];
      TESSERA_ASSIGN_OR_RETURN(Literal part, cutTo(results[i], sizes));
      outputs.push_back(std::move(part));
    }
    return {};
  }
  const Module& optimized() const override { return inner_->optimized(); }
  int64_t peakBytes() const override { return inner_->peakBytes(); }
  std::vector<DeviceReport> deviceReports() const override { return inner_->deviceReports(); }
  // Its arrays are as large as their bounds, and their sizes further arguments and results.
  Result<CompiledObject> object(const std::string& name) override { return inner_->object(name); }
  Result<std::string> ptx(const std::string& name) override { return inner_->ptx(name); }

 private:
  // The arguments within their bounds, and the sizes behind them.
  Result<std::vector<Literal>> wholeArguments(std::span<const Literal> arguments) const {
    if (arguments.size() != parameters_.size())
      return usage(fmt::format("the program takes {} arrays, {} were given", parameters_.size(), arguments.size()));
    std::vector<Literal> out, sizes;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Shape& parameter = parameters_[i];
      const Shape& given = arguments[i].shape();
      if (!takesArgument(parameter, given))
        return usage(fmt::format("argument {} has the wrong shape", i), toString(parameter, false),
                     toString(given, false));
      for (int64_t d = 0; d < parameter.rank(); ++d)
        if (parameter.isDynamicDimension(d))
          sizes.push_back(Literal::scalar<int32_t>(ElementType::S32,
                                                   static_cast<int32_t>(given.dimensions[static_cast<size_t>(d)])));
      if (given.dimensions == parameter.dimensions) {
        out.push_back(arguments[i]);
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(Literal whole, padTo(arguments[i], parameter));
      out.push_back(std::move(whole));
    }
    out.insert(out.end(), sizes.begin(), sizes.end());
    return out;
  }

  std::vector<Shape> parameters_, results_;
  std::unique_ptr<Executable> inner_;
};

}  // namespace

bool hasDynamicEntry(const Module& source) {
  const auto isDynamic = [](const Shape& shape) { return shape.hasDynamicDimensions(); };
  return std::ranges::any_of(parameterLeaves(source), isDynamic) ||
         std::ranges::any_of(resultLeaves(source), isDynamic);
}

std::unique_ptr<Executable> makeDynamicEntry(const Module& source, std::unique_ptr<Executable> inner) {
  return std::make_unique<DynamicEntry>(source, std::move(inner));
}

}  // namespace tessera::cpu
