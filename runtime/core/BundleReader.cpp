//===- BundleReader.cpp - the files of a bundle -------------------------------------===//
//
// Seals first (hashes, format, version), then the schema, field by field, into Plan. Any JSON value of the wrong kind,
// any index out of range ends reading with a message that has the field's path.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Bundle.h"
#include "runtime/core/File.h"
#include "runtime/core/JsonReader.h"
#include "runtime/core/Sha256.h"
#include "runtime/cpu/CpuFeatures.h"

#include <sys/stat.h>

using namespace trainc;
using nlohmann::json;

namespace {

/// No bundle needs more; keeps products of sizes far from overflow.
constexpr int64_t kMaxBytes = int64_t(1) << 46;

/// Index of the entry called `name`; fails with what exists.
template <typename Entry>
int findNamed(const std::vector<Entry> &entries, const JsonReader &reader, std::string_view kind) {
  std::string name = reader.string(), known;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name)
      return static_cast<int>(i);
    known += (i ? ", " : "") + entries[i].name;
  }
  reader.fail(fmt::format("no {} '{}' (known: {})", kind, name, known));
}

/// Reads stage-0.json. Parts are read in the order in which they refer to each other.
class StageReader {
public:
  explicit StageReader(Plan &plan) : plan(plan) {}

  void read(const JsonReader &stage) {
    plan.slots = stage.field("slots").array(
        [](const JsonReader &r) { return Slot{r.field("name").string(), r.field("bytes").integer(0, kMaxBytes)}; });
    plan.inputs = stage.field("inputs").array([&](const JsonReader &r) { return input(r); });
    plan.state = stage.field("state").array([&](const JsonReader &r) {
      return StateEntry{r.field("scope").string(), r.field("role").string(), type(r),
                        r.field("offset").integer(0, kMaxBytes)};
    });
    plan.constants = stage.field("constants").array([&](const JsonReader &r) { return constant(r); });
    plan.kernels = stage.field("kernels").array([&](const JsonReader &r) {
      return Kernel{r.field("name").string(), r.field("work_items").integer(1, kMaxBytes),
                    r.field("grain").integer(1, kMaxBytes),
                    r.field("args").array([&](const JsonReader &argument) { return kernelArgument(argument); })};
    });
    plan.bodies = stage.field("bodies").array([&](const JsonReader &r) { return body(r); });
    plan.programs = stage.field("programs").array([&](const JsonReader &r) {
      return Program{r.field("name").string(),
                     r.field("rows").array([&](const JsonReader &row) { return this->row(row); })};
    });
    plan.metrics = stage.field("metrics").array([&](const JsonReader &r) { return metric(r); });
  }

private:
  Dtype dtype(const JsonReader &reader) {
    JsonReader field = reader.field("dtype");
    std::optional<Dtype> dtype = parseDtype(field.string());
    if (!dtype)
      field.failExpecting("one of f32, f64, i32, i64, i1");
    return *dtype;
  }

  TensorType type(const JsonReader &reader) {
    Dtype dtype = this->dtype(reader);
    int64_t bytes = sizeOf(dtype);
    auto shape = reader.field("shape").array([&](const JsonReader &r) {
      int64_t size = r.integer(1, kMaxBytes);
      if (size > kMaxBytes / bytes)
        r.fail("the tensor is too large");
      bytes *= size;
      return size;
    });
    return {dtype, std::move(shape)};
  }

  Place place(const JsonReader &reader) {
    Place place;
    if (reader.has("slot"))
      place.slot = findNamed(plan.slots, reader.field("slot"), "slot");
    place.offset = reader.field("offset").integer(0, kMaxBytes);
    return place;
  }

  Input input(const JsonReader &reader) {
    JsonReader source = reader.field("source");
    if (source.string() != "tokens")
      source.failExpecting("\"tokens\"");
    Input input{reader.field("name").string(), type(reader), place(reader), reader.field("shift").integer(0, 1),
                reader.field("bound").integer(1, INT32_MAX)};
    if (input.type.dtype != Dtype::i32 || input.type.shape.size() != 2)
      reader.fail(fmt::format("input '{}' expects i32 [samples, tokens], got {}", input.name, input.type.str()));
    return input;
  }

  Constant constant(const JsonReader &reader) {
    Constant constant{type(reader), reader.field("offset").integer(0, kMaxBytes), {}};
    JsonReader data = reader.field("data");
    auto elements = data.array([&](const JsonReader &r) { return r; });
    if (static_cast<int64_t>(elements.size()) != constant.type.elements())
      data.fail(fmt::format("expects {} elements for {}, got {}", constant.type.elements(), constant.type.str(),
                            elements.size()));
    for (const JsonReader &element : elements)
      append(constant, element);
    return constant;
  }

  void append(Constant &constant, const JsonReader &element) {
    auto put = [&](auto value) {
      auto *bytes = reinterpret_cast<const std::byte *>(&value);
      constant.data.insert(constant.data.end(), bytes, bytes + sizeof(value));
    };
    switch (constant.type.dtype) {
    case Dtype::i1:
      return put(static_cast<int8_t>(element.integer(0, 1)));
    case Dtype::i32:
      return put(static_cast<int32_t>(element.integer(INT32_MIN, INT32_MAX)));
    case Dtype::i64:
      return put(element.integer(INT64_MIN, INT64_MAX));
    case Dtype::f32:
    case Dtype::f64:
      if (!element.raw().is_number())
        element.failExpecting("a number");
      if (constant.type.dtype == Dtype::f32)
        return put(element.raw().get<float>());
      return put(element.raw().get<double>());
    }
  }

  KernelArgument kernelArgument(const JsonReader &reader) {
    KernelArgument argument{dtype(reader), reader.field("elements").integer(1, kMaxBytes), {}};
    JsonReader access = reader.field("access");
    using Access = KernelArgument::Access;
    for (Access known : {Access::read, Access::write, Access::readWrite})
      if (access.string() == nameOf(known)) {
        argument.access = known;
        return argument;
      }
    access.failExpecting("one of read, write, read_write");
  }

  Body body(const JsonReader &reader) {
    Body body{reader.field("name").string(), {}, {}, {}};
    body.values =
        reader.field("values").array([&](const JsonReader &r) { return Value{type(r), place(r.field("at"))}; });
    body.instructions =
        reader.field("instructions").array([&](const JsonReader &r) { return instruction(r, body.values.size()); });
    if (reader.has("results"))
      body.results =
          reader.field("results").array([&](const JsonReader &r) { return newState(r, body.values.size()); });
    return body;
  }

  NewState newState(const JsonReader &reader, size_t valueCount) {
    std::string scope = reader.field("scope").string(), role = reader.field("role").string();
    const StateEntry *entry = plan.findState(scope, role);
    if (!entry)
      reader.fail(fmt::format("no state entry '{}/{}'", scope, role));
    return {static_cast<int>(entry - plan.state.data()),
            static_cast<int>(reader.field("value").integer(0, static_cast<int64_t>(valueCount) - 1))};
  }

  Instruction instruction(const JsonReader &reader, size_t valueCount) {
    Instruction result;
    int64_t lastValue = static_cast<int64_t>(valueCount) - 1;
    auto number = [&](const JsonReader &r) { return static_cast<int>(r.integer(0, lastValue)); };
    result.in = reader.field("in").array(number);
    result.out = reader.field("out").array(number);
    if (reader.has("loc"))
      result.loc = reader.field("loc").string();
    if (reader.has("inplace"))
      result.inPlace = reader.field("inplace").array([&](const JsonReader &r) { return inPlacePair(r, result); });
    if (reader.has("kernel")) {
      result.kind = Instruction::Kind::kernel;
      result.kernel = findNamed(plan.kernels, reader.field("kernel"), "kernel");
    } else if (reader.has("call")) {
      result.kind = Instruction::Kind::call;
      readCall(reader, result);
    } else if (reader.has("view")) {
      result.kind = Instruction::Kind::view;
    } else {
      reader.fail("expects one of the fields 'kernel', 'call', 'view'");
    }
    return result;
  }

  InPlacePair inPlacePair(const JsonReader &reader, const Instruction &instruction) {
    auto pair = reader.array([&](const JsonReader &r) { return r; });
    if (pair.size() != 2)
      reader.failExpecting("[result position, operand position]");
    auto position = [](const JsonReader &r, const std::vector<int> &values) {
      return static_cast<int>(r.integer(0, static_cast<int64_t>(values.size()) - 1));
    };
    return {position(pair[0], instruction.out), position(pair[1], instruction.in)};
  }

  void readCall(const JsonReader &reader, Instruction &result) {
    result.routine = reader.field("call").string();
    reader.field("attrs").object([&](const std::string &name, const JsonReader &value) {
      if (value.raw().is_boolean())
        result.attributes[name] = value.raw().get<bool>();
      else if (value.raw().is_number_integer())
        result.attributes[name] = value.integer(INT64_MIN, INT64_MAX);
      else if (value.raw().is_number_float())
        result.attributes[name] = value.raw().get<double>();
      else
        value.failExpecting("a number or a boolean");
    });
    if (!reader.has("workspace"))
      return;
    result.workspaceOffset = reader.field("workspace").field("offset").integer(0, kMaxBytes);
    result.workspaceBytes = reader.field("workspace").field("bytes").integer(1, kMaxBytes);
  }

  Row row(const JsonReader &reader) {
    Row row{findNamed(plan.bodies, reader.field("body"), "body"), reader.field("micro_batch").integer(0, kMaxBytes),
            std::vector<int64_t>(plan.slots.size(), -1)};
    reader.field("bind").object([&](const std::string &name, const JsonReader &offset) {
      int slot = plan.findSlot(name);
      if (slot < 0)
        offset.fail("no slot has this name");
      row.bind[slot] = offset.integer(0, kMaxBytes);
    });
    return row;
  }

  Metric metric(const JsonReader &reader) {
    Metric metric{reader.field("name").string(), findNamed(plan.bodies, reader.field("body"), "body"), 0};
    int64_t values = static_cast<int64_t>(plan.bodies[metric.body].values.size());
    metric.value = static_cast<int>(reader.field("value").integer(0, values - 1));
    return metric;
  }

  Plan &plan;
};

/// The document in `file`; not JSON is an error.
json parseFile(const std::string &folder, std::string_view file) {
  std::string path = folder + "/" + std::string(file);
  Result<MappedFile> mapped = MappedFile::open(path);
  if (!mapped.ok())
    throw SchemaError{mapped.status().message()};
  std::string_view bytes = mapped->bytes();
  json document = json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    throw SchemaError{
        fmt::format("{}: expects JSON; the file is truncated or damaged: compile the bundle again", path)};
  return document;
}

/// Format and version come before the seals: another version may seal otherwise.
void checkVersion(const JsonReader &plan) {
  if (plan.field("format").string() != kBundleFormat)
    plan.field("format").failExpecting(fmt::format("\"{}\"", kBundleFormat));
  int64_t version = plan.field("version").integer(1, INT32_MAX);
  if (version > kBundleVersion)
    plan.fail(
        fmt::format("the bundle has version {}, this runtime reads version {}: use a newer trainc-run, or compile "
                    "the model again with the trainc of this version",
                    version, kBundleVersion));
}

void checkSeals(const std::string &folder, const JsonReader &plan) {
  std::string declared = plan.field("content_hash").string();
  json content = plan.raw();
  content.erase("content_hash");
  if (sha256Hex(content.dump()) != declared)
    plan.fail("content_hash does not match the content; the file was altered: compile the bundle again");
  for (std::string_view needed : {kStageFile, kKernelFile})
    plan.field("files").field(std::string(needed));
  plan.field("files").object([&](const std::string &name, const JsonReader &hash) {
    if (name.empty() || name[0] == '/' || ("/" + name + "/").find("/../") != std::string::npos)
      hash.fail(fmt::format("expects a file inside the bundle, got '{}'", name));
    std::string path = folder + "/" + name;
    Result<MappedFile> mapped = MappedFile::open(path);
    if (!mapped.ok())
      throw SchemaError{mapped.status().message()};
    if (sha256Hex(mapped->bytes()) != hash.string())
      throw SchemaError{fmt::format("{}: the SHA-256 is not the one in {}; the file was truncated or altered: compile "
                                    "the bundle again",
                                    path, kPlanFile)};
  });
}

void readHeader(const JsonReader &reader, Plan &plan) {
  plan.model = reader.field("model").field("name").string();
  plan.source = reader.field("model").field("source").string();
  JsonReader target = reader.field("target");
  plan.device = target.field("device").string();
  if (plan.device != "cpu")
    target.field("device").failExpecting("\"cpu\"");
  plan.cpu = target.field("cpu").string();
  plan.features = target.field("features").array([](const JsonReader &r) { return r.string(); });
  plan.threads = reader.field("threads").integer(1, 1024);
  plan.globalBatch = reader.field("global_batch").integer(1, kMaxBytes);
  plan.microBatch = reader.field("micro_batch").integer(1, kMaxBytes);
  plan.microBatches = reader.field("micro_batches").integer(1, kMaxBytes);
  if (plan.globalBatch / plan.microBatch != plan.microBatches || plan.globalBatch % plan.microBatch)
    reader.fail(fmt::format("expects global_batch = micro_batch * micro_batches, got {}, {} and {}", plan.globalBatch,
                            plan.microBatch, plan.microBatches));
  plan.arenaBytes = reader.field("arena_bytes").integer(1, kMaxBytes);
  plan.contentHash = reader.field("content_hash").string();
}

} // namespace

Result<Plan> trainc::readBundle(const std::string &folder) {
  struct stat info{};
  if (stat(folder.c_str(), &info) != 0)
    return systemError("open bundle", folder);
  if (!S_ISDIR(info.st_mode))
    return makeError("{} is not a bundle: expects a folder with {}", folder, kPlanFile);
  try {
    Plan plan{};
    plan.folder = folder;
    json document = parseFile(folder, kPlanFile);
    JsonReader reader(document, fmt::format("{}/{}: ", folder, kPlanFile));
    checkVersion(reader);
    checkSeals(folder, reader);
    readHeader(reader, plan);
    if (Status status = checkCpuFeatures(plan.features, folder); !status.ok())
      return status;
    json stage = parseFile(folder, kStageFile);
    StageReader(plan).read(JsonReader(stage, fmt::format("{}/{}: ", folder, kStageFile)));
    return plan;
  } catch (const SchemaError &error) {
    return Status::error(error.message);
  }
}

Result<Plan> trainc::loadBundle(const std::string &folder) {
  Result<Plan> plan = readBundle(folder);
  if (!plan.ok())
    return plan;
  if (Status status = verifyPlan(*plan); !status.ok())
    return makeError("{}/{}: {}", folder, kStageFile, status.message());
  return plan;
}
