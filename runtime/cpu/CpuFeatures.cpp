//===- CpuFeatures.cpp - what this processor can execute --------------------------===//
//
// CPUID bits by LLVM's feature names; AVX also needs an operating system that saves the wide registers (XGETBV).
// Source: AMD64 Architecture Programmer's Manual, volume 3, appendix E.
//
//===-----------------------------------------------------------------------===//
#include "runtime/cpu/CpuFeatures.h"

#include <cpuid.h>

using namespace trainc;

namespace {

enum class Register { eax, ebx, ecx, edx };
enum class Saved { always, avx, avx512 };

struct Feature {
  std::string_view name;
  unsigned leaf;
  Register reg;
  unsigned bit;
  Saved saved = Saved::always;
};

constexpr Feature kFeatures[] = {
    {"cx8", 1, Register::edx, 8},
    {"cmov", 1, Register::edx, 15},
    {"mmx", 1, Register::edx, 23},
    {"fxsr", 1, Register::edx, 24},
    {"sse", 1, Register::edx, 25},
    {"sse2", 1, Register::edx, 26},
    {"sse3", 1, Register::ecx, 0},
    {"ssse3", 1, Register::ecx, 9},
    {"fma", 1, Register::ecx, 12, Saved::avx},
    {"cx16", 1, Register::ecx, 13},
    {"sse4.1", 1, Register::ecx, 19},
    {"sse4.2", 1, Register::ecx, 20},
    {"crc32", 1, Register::ecx, 20},
    {"movbe", 1, Register::ecx, 22},
    {"popcnt", 1, Register::ecx, 23},
    {"xsave", 1, Register::ecx, 26},
    {"avx", 1, Register::ecx, 28, Saved::avx},
    {"f16c", 1, Register::ecx, 29, Saved::avx},
    {"bmi", 7, Register::ebx, 3},
    {"avx2", 7, Register::ebx, 5, Saved::avx},
    {"bmi2", 7, Register::ebx, 8},
    {"avx512f", 7, Register::ebx, 16, Saved::avx512},
    {"avx512dq", 7, Register::ebx, 17, Saved::avx512},
    {"avx512cd", 7, Register::ebx, 28, Saved::avx512},
    {"avx512bw", 7, Register::ebx, 30, Saved::avx512},
    {"avx512vl", 7, Register::ebx, 31, Saved::avx512},
    {"sahf", 0x80000001, Register::ecx, 0},
    {"lzcnt", 0x80000001, Register::ecx, 5},
};

/// Whether the operating system saves the registers that `saved` needs.
bool isSaved(Saved saved) {
  if (saved == Saved::always)
    return true;
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> 27 & 1))
    return false;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  unsigned needed = saved == Saved::avx ? 0x6 : 0xe6;
  return (low & needed) == needed;
}

bool isPresent(const Feature &feature) {
  unsigned values[4];
  if (!__get_cpuid_count(feature.leaf, 0, &values[0], &values[1], &values[2], &values[3]))
    return false;
  return (values[static_cast<int>(feature.reg)] >> feature.bit & 1) && isSaved(feature.saved);
}

} // namespace

Status trainc::checkCpuFeatures(const std::vector<std::string> &features, std::string_view what) {
  for (const std::string &name : features) {
    const Feature *known = nullptr;
    for (const Feature &feature : kFeatures)
      if (feature.name == name)
        known = &feature;
    if (!known)
      return makeError("{} needs the cpu feature '{}', which this runtime does not know; compile with another "
                       "--target-cpu",
                       what, name);
    if (!isPresent(*known))
      return makeError("{} needs the cpu feature '{}', which this processor lacks; compile with another --target-cpu",
                       what, name);
  }
  return {};
}
