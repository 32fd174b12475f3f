// Reductions fold what was accumulated up to the application that is wanted; a sort is done comparison by comparison.
#include "core/evaluate/applications.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/evaluate/element_applications.h"
#include "core/evaluate/evaluate.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

constexpr int64_t kMaxFolded = 1 << 20;

using Index = std::vector<int64_t>;

Result<Literal> elementAt(const Literal& array, const Index& index) {
  const auto& sizes = array.shape().dimensions;
  int64_t linear = 0;
  for (size_t d = 0; d < sizes.size(); ++d) linear = linear * sizes[d] + index[d];
  const auto width = static_cast<size_t>(byteWidth(array.shape().type));
  return Literal::fromBytes(Shape::arrayRowMajor(array.shape().type, {}),
                            array.bytes().subspan(static_cast<size_t>(linear) * width, width));
}

// Row-major places of some dimensions in an index.
void place(Index& index, const Index& sizes, const Index& dimensions, int64_t linear) {
  for (size_t d = dimensions.size(); d-- > 0;) {
    const int64_t size = sizes[static_cast<size_t>(dimensions[d])];
    index[static_cast<size_t>(dimensions[d])] = linear % size;
    linear /= size;
  }
}

// Folds the elements that `indexOf(k)` names, until the last one's arguments are known.
template <class IndexOf>
Status fold(const Module& module, std::span<const Literal> operands, int64_t last, IndexOf indexOf, Application& out,
            const std::atomic<bool>* cancel) {
  if (last > kMaxFolded) return fail("this application is too far along to be looked at");
  const size_t arrays = operands.size() / 2;
  std::vector<Literal> accumulated(operands.begin() + static_cast<std::ptrdiff_t>(arrays), operands.end());
  for (int64_t k = 0;; ++k) {
    const Index index = indexOf(k);
    std::vector<Literal> arguments = accumulated;
    for (size_t i = 0; i < arrays; ++i) {
      TESSERA_ASSIGN_OR_RETURN(Literal value, elementAt(operands[i], index));
      arguments.push_back(std::move(value));
    }
    if (k == last) {
      out.arguments = std::move(arguments);
      return {};
    }
    TESSERA_ASSIGN_OR_RETURN(Literal next, evaluateComputation(module, out.computation, arguments, cancel));
    accumulated = next.shape().isTuple() ? next.elements() : std::vector<Literal>{next};
  }
}

Status ofReduce(const Module& module, const Instruction& reduce, std::span<const Literal> operands, Application& out,
                const std::atomic<bool>* cancel) {
  const Index& sizes = operands[0].shape().dimensions;
  Index reduced = reduce.attributes->ints(Attr::dimensions), kept;
  std::ranges::sort(reduced);
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (std::ranges::find(reduced, d) == reduced.end()) kept.push_back(d);
  int64_t each = 1, results = 1;
  for (int64_t d : reduced) each *= sizes[static_cast<size_t>(d)];
  for (int64_t d : kept) results *= sizes[static_cast<size_t>(d)];
  out.count = each * results;
  if (out.count == 0) return {};
  out.taken = std::min(out.wanted, out.count - 1);
  Index index(sizes.size(), 0);
  place(index, sizes, kept, out.taken / each);
  const auto indexOf = [&](int64_t k) {
    place(index, sizes, reduced, k);
    return index;
  };
  return fold(module, operands, out.taken % each, indexOf, out, cancel);
}

// The elements of one dimension that a window covers when it is at a place of the result.
Index covered(const WindowDimension& window, int64_t size, int64_t at) {
  Index out;
  for (int64_t k = 0; k < window.size; ++k) {
    const int64_t spread = at * window.stride + k * window.windowDilation - window.paddingLow;
    if (spread < 0 || spread % window.baseDilation != 0 || spread / window.baseDilation >= size) continue;
    out.push_back(spread / window.baseDilation);
  }
  return out;
}

Status ofReduceWindow(const Module& module, const Instruction& reduce, std::span<const Literal> operands,
                      Application& out, const std::atomic<bool>* cancel) {
  const Index& sizes = operands[0].shape().dimensions;
  const Window* window = reduce.attributes->get<Window>(Attr::window);
  const Shape& result = reduce.shape->isTuple() ? reduce.shape->elements[0] : *reduce.shape;
  const size_t rank = sizes.size();
  if (!window || window->dimensions.size() != rank || result.dimensions.size() != rank) return {};
  // Per dimension and place of the result: what is covered there. All their products together are the applications.
  std::vector<std::vector<Index>> parts(rank);
  out.count = 1;
  for (size_t d = 0; d < rank; ++d) {
    int64_t sum = 0;
    if (result.dimensions[d] > kMaxFolded) return fail("this array is too large for its applications to be looked at");
    for (int64_t at = 0; at < result.dimensions[d]; ++at) {
      parts[d].push_back(covered(window->dimensions[d], sizes[d], at));
      sum += static_cast<int64_t>(parts[d].back().size());
    }
    if (__builtin_mul_overflow(out.count, sum, &out.count))
      return fail("this array is too large for its applications to be looked at");
  }
  if (out.count == 0) return {};
  out.taken = std::min(out.wanted, out.count - 1);
  Index at(rank, 0), all(rank);
  std::iota(all.begin(), all.end(), 0);
  int64_t rest = out.taken;
  for (int64_t linear = 0;; ++linear) {
    if (cancel && *cancel) return failCancelled();
    place(at, result.dimensions, all, linear);
    int64_t here = 1;
    for (size_t d = 0; d < rank; ++d) here *= static_cast<int64_t>(parts[d][static_cast<size_t>(at[d])].size());
    if (rest < here) break;
    rest -= here;
  }
  const auto indexOf = [&](int64_t k) {
    Index index(rank, 0);
    for (size_t d = rank; d-- > 0;) {
      const Index& here = parts[d][static_cast<size_t>(at[d])];
      index[d] = here[static_cast<size_t>(k) % here.size()];
      k /= static_cast<int64_t>(here.size());
    }
    return index;
  };
  return fold(module, operands, rest, indexOf, out, cancel);
}

// The windows of a select-and-scatter, one after the other: the select of each compares what was selected with the next
// element, and its scatter combines the source element with what is at the selected place.
class Selecting {
 public:
  Selecting(const Module& module, const Instruction& caller, std::span<const Literal> operands, Application& out,
            const std::atomic<bool>* cancel)
      : module_(module),
        operands_(operands),
        sizes_(operands[0].shape().dimensions),
        positions_(operands[1].shape().dimensions),
        out_(out),
        cancel_(cancel) {
    if (const auto* select = caller.attributes->get<ComputationId>(Attr::select)) select_ = *select;
    if (const auto* scatter = caller.attributes->get<ComputationId>(Attr::scatter)) scatter_ = *scatter;
    if (const auto* window = caller.attributes->get<Window>(Attr::window)) window_ = *window;
  }

  Status run() {
    const size_t rank = sizes_.size();
    if (window_.dimensions.size() != rank || positions_.size() != rank || !select_.valid() || !scatter_.valid())
      return {};
    int64_t all = 1;
    for (int64_t size : positions_)
      if (__builtin_mul_overflow(all, size, &all) || all > kMaxFolded)
        return fail("this array is too large for its applications to be looked at");
    Index dimensions(rank), at(rank, 0);
    std::iota(dimensions.begin(), dimensions.end(), 0);
    for (int64_t linear = 0; linear < all; ++linear) {
      if (cancel_ && *cancel_) return failCancelled();
      place(at, positions_, dimensions, linear);
      TESSERA_TRY(window(at));
    }
    // A wish beyond the end is the last comparison.
    if (selects() && out_.arguments.empty() && !lastWindow_.empty())
      TESSERA_TRY(selectedOf(lastWindow_, static_cast<int64_t>(lastWindow_.size()) - 2));
    return {};
  }

 private:
  bool selects() const { return out_.computation == select_; }
  // What has to be applied to know the application that is wanted: of selects only its own window's.
  Status window(const Index& at) {
    const std::vector<Index> elements = elementsAt(at);
    if (elements.empty()) return {};
    const auto comparisons = static_cast<int64_t>(elements.size()) - 1;
    if (selects()) {
      const int64_t begin = out_.count;
      out_.count += comparisons;
      if (comparisons == 0 || out_.wanted < begin) return {};
      if (out_.wanted >= out_.count) return lastWindow_ = elements, Status();
      TESSERA_TRY(selectedOf(elements, out_.wanted - begin));
      return {};
    }
    ++out_.count;
    if (out_.count - 1 > out_.wanted) return {};
    TESSERA_ASSIGN_OR_RETURN(const Index selected, selectedOf(elements, -1));
    TESSERA_ASSIGN_OR_RETURN(Literal source, elementAt(operands_[1], at));
    Literal& sum = sums_.try_emplace(selected, operands_[2]).first->second;
    out_.arguments = {sum, std::move(source)};
    out_.taken = out_.count - 1;
    TESSERA_ASSIGN_OR_RETURN(sum, applied(scatter_, out_.arguments));
    return {};
  }
  std::vector<Index> elementsAt(const Index& at) const {
    std::vector<Index> out{Index()};
    for (size_t d = 0; d < at.size(); ++d) {
      std::vector<Index> next;
      for (const Index& begun : out)
        for (int64_t each : covered(window_.dimensions[d], sizes_[d], at[d])) {
          next.push_back(begun);
          next.back().push_back(each);
        }
      out = std::move(next);
    }
    return out;
  }
  // The `wanted`-th comparison's arguments are kept where there is one; -1: only what is selected is meant.
  Result<Index> selectedOf(const std::vector<Index>& elements, int64_t wanted) {
    Index selected = elements[0];
    for (size_t k = 1; k < elements.size(); ++k) {
      TESSERA_ASSIGN_OR_RETURN(Literal held, elementAt(operands_[0], selected));
      TESSERA_ASSIGN_OR_RETURN(Literal next, elementAt(operands_[0], elements[k]));
      std::vector<Literal> arguments{std::move(held), std::move(next)};
      const bool last = static_cast<int64_t>(k) - 1 == wanted;
      if (last)
        out_.arguments = arguments,
        out_.taken = out_.count - static_cast<int64_t>(elements.size()) + static_cast<int64_t>(k);
      if (last) return selected;
      TESSERA_ASSIGN_OR_RETURN(const Literal keep, applied(select_, arguments));
      if (loadDouble(keep.shape().type, keep.bytes().data()) == 0) selected = elements[k];
    }
    return selected;
  }
  Result<Literal> applied(ComputationId computation, const std::vector<Literal>& arguments) {
    if (++done_ > kMaxFolded) return fail("this application is too far along to be looked at");
    return evaluateComputation(module_, computation, arguments, cancel_);
  }

  const Module& module_;
  std::span<const Literal> operands_;
  const Index &sizes_, &positions_;
  Application& out_;
  const std::atomic<bool>* cancel_;
  ComputationId select_, scatter_;
  Window window_;
  std::vector<Index> lastWindow_;
  std::map<Index, Literal> sums_;
  int64_t done_ = 0;
};

// One line after the other is sorted by merging; every comparison is an application.
class Comparing {
 public:
  Comparing(const Module& module, std::span<const Literal> operands, size_t dimension, Application& out,
            const std::atomic<bool>* cancel)
      : module_(module),
        operands_(operands),
        sizes_(operands[0].shape().dimensions),
        dimension_(dimension),
        out_(out),
        cancel_(cancel) {}

  Status run() {
    int64_t lines = 1;
    Index others;
    for (size_t d = 0; d < sizes_.size(); ++d)
      if (d != dimension_) others.push_back(static_cast<int64_t>(d)), lines *= sizes_[d];
    if (sizes_[dimension_] < 2) return {};
    for (int64_t line = 0; line < lines && !full(); ++line) {
      index_.assign(sizes_.size(), 0);
      place(index_, sizes_, others, line);
      order_.resize(static_cast<size_t>(std::min(sizes_[dimension_], 2 * kMaxComparisons)));
      std::iota(order_.begin(), order_.end(), 0);
      TESSERA_TRY(sortLine());
    }
    return {};
  }

 private:
  bool full() const { return out_.count >= kMaxComparisons; }
  Status sortLine() {
    for (size_t width = 1; width < order_.size(); width *= 2) {
      Index merged;
      for (size_t begin = 0; begin < order_.size(); begin += 2 * width) {
        size_t left = begin, right = std::min(begin + width, order_.size());
        const size_t middle = right, end = std::min(begin + 2 * width, order_.size());
        while (left < middle && right < end) {
          if (full()) return {};
          TESSERA_ASSIGN_OR_RETURN(const bool second, before(order_[right], order_[left]));
          merged.push_back(second ? order_[right++] : order_[left++]);
        }
        merged.insert(merged.end(), order_.begin() + static_cast<std::ptrdiff_t>(left),
                      order_.begin() + static_cast<std::ptrdiff_t>(middle));
        merged.insert(merged.end(), order_.begin() + static_cast<std::ptrdiff_t>(right),
                      order_.begin() + static_cast<std::ptrdiff_t>(end));
      }
      order_ = std::move(merged);
    }
    return {};
  }
  Result<bool> before(int64_t a, int64_t b) {
    std::vector<Literal> arguments;
    for (const Literal& operand : operands_)
      for (int64_t each : {a, b}) {
        index_[dimension_] = each;
        TESSERA_ASSIGN_OR_RETURN(Literal value, elementAt(operand, index_));
        arguments.push_back(std::move(value));
      }
    TESSERA_ASSIGN_OR_RETURN(const Literal answer, evaluateComputation(module_, out_.computation, arguments, cancel_));
    if (out_.count <= out_.wanted) {
      out_.arguments = std::move(arguments);
      out_.taken = out_.count;
    }
    ++out_.count;
    return loadDouble(answer.shape().type, answer.bytes().data()) != 0;
  }

  const Module& module_;
  std::span<const Literal> operands_;
  const Index& sizes_;
  const size_t dimension_;
  Application& out_;
  const std::atomic<bool>* cancel_;
  Index index_, order_;
};

}  // namespace

bool hasApplications(Opcode opcode) {
  switch (opcode) {
    case Opcode::Map:
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Scatter:
    case Opcode::SelectAndScatter:
    case Opcode::Sort: return true;
    default: return false;
  }
}

Status findApplication(const Module& module, const Instruction& caller, std::span<const Literal> operands,
                       Application& out, const std::atomic<bool>* cancel) {
  if (operands.empty() || !operands[0].shape().isArray()) return {};
  if (caller.opcode == Opcode::Sort) {
    const auto& dimensions = caller.attributes->ints(Attr::dimensions);
    const auto rank = static_cast<int64_t>(operands[0].shape().dimensions.size());
    if (dimensions.size() != 1 || dimensions[0] < 0 || dimensions[0] >= rank) return {};
    return Comparing(module, operands, static_cast<size_t>(dimensions[0]), out, cancel).run();
  }
  if (caller.opcode == Opcode::Map) return findMapApplication(operands, out);
  if (operands.size() < 2) return {};
  if (caller.opcode == Opcode::Scatter) return findScatterApplication(module, caller, operands, out, cancel);
  if (caller.opcode == Opcode::SelectAndScatter)
    return operands.size() == 3 ? Selecting(module, caller, operands, out, cancel).run() : Status();
  return caller.opcode == Opcode::Reduce ? ofReduce(module, caller, operands, out, cancel)
                                         : ofReduceWindow(module, caller, operands, out, cancel);
}

}  // namespace tessera
