//===- StateFile.cpp - a model's state on disk ----------------------------------------===//
//
// Reading checks every tensor before it copies the first, so a failed load leaves the arena as it was.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/StateFile.h"

#include "runtime/core/JsonReader.h"

#include <fmt/ranges.h>

#include <cstring>
#include <map>

using namespace trainc;
using nlohmann::json;

static constexpr std::string_view kMetadataKey = "__metadata__";
static constexpr std::string_view kFormat = "trainc-state", kVersion = "1";
static constexpr size_t kHeaderAlignment = 8;

static constexpr std::string_view fileNameOf(Dtype dtype) {
  constexpr std::string_view kNames[] = {"F32", "F64", "I32", "I64", "BOOL"};
  return kNames[static_cast<int>(dtype)];
}

bool trainc::isSelected(const StateEntry &entry, StateSelection selection) {
  if (selection == StateSelection::gradients)
    return entry.role == kGradientRole;
  return entry.role != kGradientRole && entry.role != kCountRole && entry.role != kLossRole;
}

Status trainc::writeStateFile(AtomicFile &file, const Plan &plan, const Arena &arena, StateSelection selection) {
  std::map<std::string, const StateEntry *> entries;
  for (const StateEntry &entry : plan.state)
    if (isSelected(entry, selection))
      entries[entry.key()] = &entry;
  json header = {{kMetadataKey, {{"format", kFormat}, {"version", kVersion}}}};
  int64_t offset = 0;
  for (auto &[key, entry] : entries) {
    int64_t end = offset + entry->type.bytes();
    header[key] = {
        {"dtype", fileNameOf(entry->type.dtype)}, {"shape", entry->type.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  uint64_t length = text.size();

  TRAINC_RETURN_IF_ERROR(file.write(&length, sizeof(length)));
  TRAINC_RETURN_IF_ERROR(file.write(text.data(), text.size()));
  for (auto &[key, entry] : entries)
    TRAINC_RETURN_IF_ERROR(file.write(arena.at(entry->offset), static_cast<size_t>(entry->type.bytes())));
  return file.commit();
}

namespace {

/// One tensor of a file.
struct Stored {
  std::string dtype;
  std::vector<int64_t> shape;
  std::string_view data;
  std::string str() const { return fmt::format("{} [{}]", dtype, fmt::join(shape, ", ")); }
};

using StoredTensors = std::map<std::string, Stored>;

/// All tensors of the file's `bytes`; throws SchemaError.
StoredTensors readTensors(const std::string &path, std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() >= sizeof(length))
    std::memcpy(&length, bytes.data(), sizeof(length));
  if (bytes.size() < sizeof(length) || length > bytes.size() - sizeof(length))
    throw SchemaError{fmt::format("{} is not a state file, or truncated", path)};
  std::string_view text = bytes.substr(sizeof(length), length), data = bytes.substr(sizeof(length) + length);
  json header = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (header.is_discarded())
    throw SchemaError{fmt::format("{} is not a state file: its header is not JSON", path)};
  StoredTensors tensors;
  JsonReader(header, path + ": ").object([&](const std::string &key, const JsonReader &tensor) {
    if (key == kMetadataKey)
      return;
    auto size = [](const JsonReader &r) { return r.integer(0, INT64_MAX); };
    Stored stored{tensor.field("dtype").string(), tensor.field("shape").array(size), {}};
    auto range = tensor.field("data_offsets").array(size);
    if (range.size() != 2 || range[0] > range[1] || range[1] > static_cast<int64_t>(data.size()))
      tensor.fail("the data lies beyond the end of the file, which is truncated or damaged");
    stored.data = data.substr(static_cast<size_t>(range[0]), static_cast<size_t>(range[1] - range[0]));
    tensors[key] = std::move(stored);
  });
  return tensors;
}

Status checkTensor(const std::string &path, const StateEntry &entry, const Stored &stored) {
  Stored expected{std::string(fileNameOf(entry.type.dtype)), entry.type.shape, {}};
  if (stored.dtype != expected.dtype || stored.shape != expected.shape)
    return makeError("{}: tensor '{}' is {}, the bundle expects {}", path, entry.key(), stored.str(), expected.str());
  if (static_cast<int64_t>(stored.data.size()) != entry.type.bytes())
    return makeError("{}: tensor '{}' is {} but has {} bytes", path, entry.key(), stored.str(), stored.data.size());
  return {};
}

/// Whether all tensors have role `compute`.
bool isComputeOnly(const StoredTensors &tensors) {
  for (auto &[key, stored] : tensors)
    if (key.substr(key.rfind('/') + 1) != kComputeRole)
      return false;
  return true;
}

Status load(const std::string &path, const Plan &plan, const Arena &arena, StoredTensors tensors, bool computeOnly) {
  std::vector<std::pair<const StateEntry *, std::string_view>> copies;
  for (const StateEntry &entry : plan.state) {
    if (!isSelected(entry, StateSelection::persistent))
      continue;
    if (computeOnly && entry.role != kComputeRole) {
      if (entry.role == kMasterRole)
        return makeError("{} has only '{}' tensors, the bundle also expects '{}'", path, kComputeRole, entry.key());
      continue;
    }
    auto found = tensors.find(entry.key());
    if (found == tensors.end())
      return makeError("{} has no tensor '{}', which the bundle expects as {}", path, entry.key(), entry.type.str());
    TRAINC_RETURN_IF_ERROR(checkTensor(path, entry, found->second));
    copies.emplace_back(&entry, found->second.data);
    tensors.erase(found);
  }
  if (!tensors.empty())
    return makeError("{}: the bundle has no state entry for tensor '{}' ({})", path, tensors.begin()->first,
                     tensors.begin()->second.str());
  for (auto &[entry, data] : copies)
    std::memcpy(arena.at(entry->offset), data.data(), data.size());
  return {};
}

} // namespace

Result<LoadedState> trainc::loadStateFile(const std::string &path, const Plan &plan, const Arena &arena) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  try {
    StoredTensors tensors = readTensors(path, file->bytes());
    bool computeOnly = isComputeOnly(tensors);
    if (Status status = load(path, plan, arena, std::move(tensors), computeOnly); !status.ok())
      return status;
    return computeOnly ? LoadedState::computeOnly : LoadedState::everything;
  } catch (const SchemaError &error) {
    return Status::error(error.message);
  }
}
