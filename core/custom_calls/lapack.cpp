// See lapack.h.
#include "core/custom_calls/lapack.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <limits>

#include "core/base/checked_math.h"
#include "core/base/result.h"

namespace tessera {
namespace {

// OpenBLAS knows processors by name, and takes ones that are younger than it for old ones: it is told of AVX2. Of
// AVX-512 it is not: with those kernels version 0.3.21 calls matrices singular that are not. Threads are ours alone.
// What the user has set stays.
void settleOpenBlas() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

void* openLapack() {
  static void* const kHandle = [] {
    settleOpenBlas();
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  }();
  return kHandle;
}

std::string targetOf(const EvaluateContext& context) {
  return "\"" + std::string(context.instruction.attributes->textOr(Attr::custom_call_target, "")) + "\"";
}

std::unexpected<Diagnostic> mismatch(const EvaluateContext& context, std::string message, const Shape& expected,
                                     const Shape& found) {
  return fail({.kind = ErrorKind::Unsupported,
               .message = targetOf(context) + " " + std::move(message),
               .expected = toString(expected, false),
               .found = toString(found, false)});
}

}  // namespace

Result<void*> lapackRoutine(char letter, const char* name) {
  void* library = openLapack();
  if (!library)
    return failUnsupported(
        "this target needs libopenblas.so.0 or liblapack.so.3 (Debian's libopenblas0-serial or liblapack3), and "
        "neither is installed");
  const std::string symbol = letter + std::string(name) + "_";
  void* routine = dlsym(library, symbol.c_str());
  if (!routine) return failUnsupported("the system's LAPACK has no routine " + symbol);
  return routine;
}

Shape MatrixBatch::matrix(ElementType type, int64_t m, int64_t n) const {
  std::vector<int64_t> dims = batch;
  dims.insert(dims.end(), {m, n});
  return Shape::arrayRowMajor(type, std::move(dims));
}

Shape MatrixBatch::vector(ElementType type, int64_t n) const {
  std::vector<int64_t> dims = batch;
  dims.push_back(n);
  return Shape::arrayRowMajor(type, std::move(dims));
}

Shape MatrixBatch::number(ElementType type) const { return Shape::arrayRowMajor(type, batch); }

Result<MatrixBatch> matricesOf(const EvaluateContext& context, ElementType type) {
  if (context.operands.empty()) return failUnsupported(targetOf(context) + " takes a matrix");
  const Shape& shape = context.operands[0].shape();
  if (!shape.isArray() || shape.rank() < 2 || shape.type != type)
    return failUnsupported(targetOf(context) + " takes matrices of " + std::string(nameOf(type)) + ", not " +
                           toString(shape, false));
  MatrixBatch out;
  out.batch.assign(shape.dimensions.begin(), shape.dimensions.end() - 2);
  for (int64_t size : out.batch) out.count *= size;
  const int64_t m = shape.dimensions[out.batch.size()], n = shape.dimensions.back();
  constexpr int64_t kMaxInt = std::numeric_limits<int>::max();
  // Work arrays are sized by products of both.
  if (m > kMaxInt || n > kMaxInt || !checkedMul(std::max(m, n), std::max(m, n)) || std::max(m, n) > 40000)
    return fail(ErrorKind::Runtime, targetOf(context) + " cannot hold matrices of " + toString(shape, false));
  out.rows = static_cast<int>(m);
  out.columns = static_cast<int>(n);
  return out;
}

Status expectOperandCount(const EvaluateContext& context, size_t count) {
  if (context.operands.size() == count) return {};
  return failUnsupported(targetOf(context) + " takes " + std::to_string(count) + " operands, not " +
                         std::to_string(context.operands.size()));
}

Status expectOperand(const EvaluateContext& context, size_t index, const Shape& shape) {
  if (compatible(context.operands[index].shape(), shape)) return {};
  return mismatch(context, "does not take such an operand " + std::to_string(index), shape,
                  context.operands[index].shape());
}

Result<MatrixResults> MatrixResults::of(const EvaluateContext& context, const std::vector<Shape>& shapes) {
  const Shape whole = shapes.size() == 1 && !context.shape.isTuple() ? shapes[0] : Shape::tuple(shapes);
  if (!compatible(whole, context.shape)) return mismatch(context, "gives another result", whole, context.shape);
  MatrixResults out;
  out.tuple_ = context.shape.isTuple();
  for (const Shape& shape : shapes) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal, Literal::zeros(shape));
    out.literals_.push_back(std::move(literal));
  }
  return out;
}

Literal MatrixResults::take() { return tuple_ ? Literal::tuple(std::move(literals_)) : std::move(literals_[0]); }

std::optional<int64_t> configNumber(const Instruction& instruction, std::string_view key) {
  const auto* config = instruction.attributes->get<RawText>(Attr::backend_config);
  const std::string_view text = config ? std::string_view(config->text) : std::string_view();
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const size_t after = text.find_first_not_of(' ', at + key.size());
    const bool whole = (at == 0 || std::string_view("{, ").find(text[at - 1]) != std::string_view::npos) &&
                       after != std::string_view::npos && text[after] == '=';
    if (!whole) continue;
    const size_t from = text.find_first_not_of(' ', after + 1);
    if (from == std::string_view::npos) return std::nullopt;
    if (text.substr(from, 4) == "true") return 1;
    if (text.substr(from, 5) == "false") return 0;
    int64_t value = 0;
    if (std::from_chars(text.data() + from, text.data() + text.size(), value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

Result<char> configLetter(const EvaluateContext& context, std::string_view key, std::string_view letters) {
  const int64_t code = configNumber(context.instruction, key).value_or(letters[0]);
  if (code > 0 && code < 128 && letters.find(static_cast<char>(code)) != std::string_view::npos)
    return static_cast<char>(code);
  return failUnsupported(targetOf(context) + " has " + std::string(key) + " = " + std::to_string(code) +
                         ", and knows one of " + std::string(letters) + " by its code");
}

Result<char> configTriangle(const EvaluateContext& context) {
  if (const auto lower = configNumber(context.instruction, "lower")) return *lower ? 'L' : 'U';
  return configLetter(context, "uplo", "LU");
}

}  // namespace tessera
