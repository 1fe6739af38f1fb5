//===- SafeTensors.cpp - Read a safetensors file --------------------------===//
//
// Every claim of the header is checked against the file's size before it is used: a test must not pass because a
// damaged file was read as zeros.
//
//===----------------------------------------------------------------------===//

#include "test/tools/compare/SafeTensors.h"

#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

using namespace trainc::test;
using nlohmann::json;

static size_t dtypeBytes(const std::string &dtype) {
  static const std::map<std::string, size_t> kBytes = {{"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}, {"BOOL", 1}};
  auto it = kBytes.find(dtype);
  if (it == kBytes.end())
    throw std::runtime_error(fmt::format("unknown dtype '{}'", dtype));
  return it->second;
}

std::vector<double> FileTensor::toDoubles() const {
  std::vector<double> values(bytes.size() / dtypeBytes(dtype));
  if (dtype == "F64") {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> singles(values.size());
  std::memcpy(singles.data(), bytes.data(), bytes.size());
  values.assign(singles.begin(), singles.end());
  return values;
}

std::string trainc::test::readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  if (!stream)
    throw std::runtime_error(fmt::format("{}: cannot be read", path));
  return content.str();
}

/// The tensor that `entry` describes; `data` is the part of the file behind the header. Adds its size to `usedBytes`.
static FileTensor readTensor(const json &entry, const std::string &data, size_t &usedBytes) {
  FileTensor tensor;
  tensor.dtype = entry.at("dtype").get<std::string>();
  tensor.shape = entry.at("shape").get<std::vector<int64_t>>();
  auto offsets = entry.at("data_offsets").get<std::vector<size_t>>();
  size_t expectedBytes = dtypeBytes(tensor.dtype);
  for (int64_t size : tensor.shape)
    expectedBytes *= static_cast<size_t>(size);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
    throw std::runtime_error(fmt::format("data_offsets leave the {} bytes of data", data.size()));
  if (offsets[1] - offsets[0] != expectedBytes)
    throw std::runtime_error(fmt::format("has {} bytes, its shape needs {}", offsets[1] - offsets[0], expectedBytes));
  tensor.bytes.assign(data.begin() + offsets[0], data.begin() + offsets[1]);
  usedBytes += expectedBytes;
  return tensor;
}

std::map<std::string, FileTensor> trainc::test::readSafeTensors(const std::string &path) {
  std::string content = readFile(path);
  uint64_t headerBytes = 0;
  if (content.size() < sizeof(headerBytes))
    throw std::runtime_error(fmt::format("{}: truncated: {} bytes", path, content.size()));
  std::memcpy(&headerBytes, content.data(), sizeof(headerBytes));
  if (headerBytes > content.size() - sizeof(headerBytes))
    throw std::runtime_error(fmt::format("{}: truncated: header of {} bytes", path, headerBytes));
  json header = json::parse(content.substr(sizeof(headerBytes), headerBytes), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object())
    throw std::runtime_error(fmt::format("{}: the header is not a JSON object", path));
  std::string data = content.substr(sizeof(headerBytes) + headerBytes);

  std::map<std::string, FileTensor> tensors;
  size_t usedBytes = 0;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    try {
      tensors[name] = readTensor(entry, data, usedBytes);
    } catch (const std::exception &error) {
      throw std::runtime_error(fmt::format("{}: tensor '{}': {}", path, name, error.what()));
    }
  }
  if (usedBytes != data.size())
    throw std::runtime_error(fmt::format("{}: {} bytes of data, the tensors use {}", path, data.size(), usedBytes));
  return tensors;
}
