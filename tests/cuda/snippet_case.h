// One instruction, or a few, tried on many values: a kernel is written around the text, a thread a value. The operands
// are the registers %a, %b and %c, the result is %d. Used by the tests of instructions.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "tests/cuda/device_case.h"

namespace tessera::cuda {

template <class T>
std::string ptxType() {
  if constexpr (std::is_same_v<T, float>)
    return "f32";
  else if constexpr (std::is_same_v<T, double>)
    return "f64";
  else
    return (std::is_signed_v<T> ? "s" : sizeof(T) == 1 ? "u" : "u") + std::to_string(8 * sizeof(T));
}

class SnippetCase : public DeviceCase {
 protected:
  using DeviceCase::DeviceCase;

  // The bodies may use %p0 to %p7, %h0 to %h7 (16 bits), %r0 to %r7 (32), %w0 to %w7 (64), %x (the thread's number).
  template <class D, class... S>
  std::vector<D> compute(const std::string& body, const std::vector<S>&... sources) {
    const size_t count = std::max({sources.size()...});
    std::string text = header() +
                       ".visible .entry snippet(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc, "
                       ".param .u32 count) {\n"
                       ".reg .pred %p<8>, %skip; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %w<8>, %at;\n"
                       ".reg .u32 %x, %n, %k;\n";
    text += ".reg ." + registerType<D>() + " %d;\n";
    int at = 0;
    ((text += ".reg ." + registerType<S>() + " %" + char('a' + at++) + ";\n"), ...);
    text +=
        "mov.u32 %x, %ctaid.x; mov.u32 %k, %tid.x; mad.lo.u32 %x, %x, 64, %k; ld.param.u32 %n, [count];\n"
        "setp.ge.u32 %skip, %x, %n; @%skip exit;\n";
    at = 0;
    ((text += loadOperand<S>(char('a' + at++))), ...);
    text += body + "\n" + address<D>('d') + "st.global." + ptxType<D>() + " [%at], %d;\nret;\n}\n";
    load(text);
    const auto out = zeros<D>(count);
    std::vector<DeviceAddress> in{upload(sources)...};
    in.resize(3);
    run("snippet", {static_cast<unsigned>((count + 63) / 64)}, {64},
        Arguments(out, in[0], in[1], in[2], static_cast<uint32_t>(count)));
    return download<D>(out, count);
  }

  // The instruction on all the values against a function of C++: equal bits, any NaN for a NaN.
  template <class D, class Fn, class... S>
  void expectSame(const std::string& body, Fn&& fn, const std::vector<S>&... sources) {
    const auto found = compute<D>(body, sources...);
    for (size_t i = 0; i < found.size(); ++i) {
      const D expected = fn(sources[i]...);
      ASSERT_TRUE(isSame(found[i], expected))
          << body << " of " << (... + (std::to_string(sources[i]) + " ")) << "gives " << std::to_string(found[i])
          << ", expected " << std::to_string(expected);
    }
  }

  template <class T>
  static bool isSame(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    }
    return std::memcmp(&a, &b, sizeof a) == 0;
  }

  static std::string header() { return ".version 8.0\n.target sm_90\n.address_size 64\n"; }

  // Every pair of some values, as two arrays; likewise three.
  template <class T>
  static std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T>& values) {
    std::pair<std::vector<T>, std::vector<T>> result;
    for (const T a : values)
      for (const T b : values) result.first.push_back(a), result.second.push_back(b);
    return result;
  }

 private:
  template <class T>
  static std::string registerType() {
    return sizeof(T) == 1 ? "b16" : "b" + std::to_string(8 * sizeof(T));
  }
  template <class T>
  static std::string address(char name) {
    return std::string("ld.param.u64 %at, [p") + name + "]; mad.wide.u32 %at, %x, " + std::to_string(sizeof(T)) +
           ", %at;\n";
  }
  template <class T>
  static std::string loadOperand(char name) {
    return address<T>(name) + "ld.global." + ptxType<T>() + " %" + name + ", [%at];\n";
  }
};

}  // namespace tessera::cuda
