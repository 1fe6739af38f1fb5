//===- SafeTensors.h - Read a safetensors file ----------------------------===//
//
// A reader of the safetensors format for comparing files in tests. It is written from the format's description and
// shares no code with the runtime's state files, so that it also checks that those are what they claim to be.
//
// Format (https://github.com/huggingface/safetensors, "Format"): 8 bytes little-endian header length N, N bytes of JSON
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {...}}, then the data; offsets count from
// the first byte of the data, row-major little-endian, without holes.
//
//===----------------------------------------------------------------------===//

#ifndef TRAINC_TEST_TOOLS_SAFETENSORS_H
#define TRAINC_TEST_TOOLS_SAFETENSORS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainc::test {

/// One tensor of a file: `dtype` as the file spells it (F32, F64, I32, I64, BOOL) and its bytes, row-major.
struct FileTensor {
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  bool isFloat() const { return dtype == "F32" || dtype == "F64"; }
  /// The elements of an F32 or F64 tensor.
  std::vector<double> toDoubles() const;
};

/// All tensors of the file, by name.
/// Errors: std::runtime_error naming the file (and tensor) if it cannot be read, is truncated, has holes or bytes that
/// belong to no tensor, or a dtype not listed above.
std::map<std::string, FileTensor> readSafeTensors(const std::string &path);

/// The whole content of a file. Errors: std::runtime_error naming the file.
std::string readFile(const std::string &path);

} // namespace trainc::test

#endif // TRAINC_TEST_TOOLS_SAFETENSORS_H
