//===- Executor.cpp - run the programs of a plan ----------------------------------------===//
//
// The upper half builds code from a verified plan, the lower half runs it.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Executor.h"

#include "runtime/cpu/Blas.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>

using namespace trainc;

double MetricView::at(int64_t index) const {
  auto read = [&](auto element) {
    std::memcpy(&element, data + index * static_cast<int64_t>(sizeof(element)), sizeof(element));
    return static_cast<double>(element);
  };
  switch (type.dtype) {
  case Dtype::f32:
    return read(float());
  case Dtype::f64:
    return read(double());
  case Dtype::i32:
    return read(int32_t());
  case Dtype::i64:
    return read(int64_t());
  case Dtype::i1:
    return read(int8_t());
  }
  __builtin_unreachable();
}

Executor::Executor(Plan plan, Options options, Arena arena)
    : bundle(std::move(plan)), options(options), memory(std::move(arena)), pool(static_cast<int>(bundle.threads)) {}

Executor::~Executor() {
  if (library)
    dlclose(library);
}

Result<std::unique_ptr<Executor>> Executor::create(Plan plan, Options options) {
  if (Status status = checkBlas(); !status.ok())
    return status;
  reserveBlasBuffers(plan.threads);
  Result<Arena> arena = Arena::create(plan.arenaBytes);
  if (!arena.ok())
    return arena.status();
  std::unique_ptr<Executor> executor(new Executor(std::move(plan), options, std::move(*arena)));
  if (Status status = executor->openKernels(); !status.ok())
    return status;
  for (const Constant &constant : executor->bundle.constants)
    std::memcpy(executor->memory.at(constant.offset), constant.data.data(), constant.data.size());
  executor->code.resize(executor->bundle.bodies.size());
  for (size_t i = 0; i < executor->code.size(); ++i)
    if (Status status = executor->buildBody(executor->bundle.bodies[i], executor->code[i]); !status.ok())
      return status;
  return executor;
}

Status Executor::openKernels() {
  std::string path = bundle.folder + "/" + std::string(kKernelFile);
  // dlopen searches the library path for a name without a slash.
  if (path[0] != '/')
    path = "./" + path;
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("cannot load the bundle's kernels: {}", dlerror());
  for (const Kernel &kernel : bundle.kernels) {
    kernels.push_back(reinterpret_cast<KernelEntry>(dlsym(library, kernel.name.c_str())));
    if (!kernels.back())
      return makeError("{} has no kernel '{}', which {} lists: compile the bundle again", path, kernel.name,
                       kStageFile);
  }
  return {};
}

size_t Executor::profileEntryFor(const std::string &name, bool isKernel) {
  for (size_t i = 0; i < profileEntries.size(); ++i)
    if (profileEntries[i].name == name && profileEntries[i].isKernel == isKernel)
      return i;
  profileEntries.push_back({name, isKernel});
  return profileEntries.size() - 1;
}

void Executor::addPointer(const Value &value, BodyCode &code) {
  if (value.at.slot < 0)
    return code.pointers.push_back(memory.at(value.at.offset));
  code.fixups.push_back({code.pointers.size(), value.at});
  code.pointers.push_back(nullptr);
}

Status Executor::buildCall(const Body &body, const Instruction &instruction, Step &step) {
  CallSite site{instruction.attributes, {}, {}, instruction.inPlace};
  for (int v : instruction.in)
    site.in.push_back(body.values[v].type);
  for (int v : instruction.out)
    site.out.push_back(body.values[v].type);
  step.routine = findRoutine(instruction.routine);
  Result<PreparedCall> call = step.routine->prepare(site, static_cast<int>(bundle.threads));
  if (!call.ok())
    return call.status();
  step.call = *call;
  step.workspace = memory.at(instruction.workspaceOffset);
  return {};
}

Status Executor::buildBody(const Body &body, BodyCode &code) {
  for (size_t i = 0; i < body.instructions.size(); ++i) {
    const Instruction &instruction = body.instructions[i];
    if (instruction.kind == Instruction::Kind::view)
      continue;
    bool isKernel = instruction.kind == Instruction::Kind::kernel;
    Step step;
    step.instruction = i;
    step.firstPointer = code.pointers.size();
    step.inputCount = instruction.in.size();
    for (int v : instruction.in)
      addPointer(body.values[v], code);
    // A kernel has one argument for an operand and the result in its place; a routine has both.
    for (size_t r = 0; r < instruction.out.size(); ++r)
      if (!isKernel || instruction.inPlaceOperand(static_cast<int>(r)) < 0)
        addPointer(body.values[instruction.out[r]], code);
    if (isKernel) {
      const Kernel &kernel = bundle.kernels[instruction.kernel];
      step.kernel = kernels[instruction.kernel];
      step.workItems = kernel.workItems;
      step.grain = kernel.grain;
      step.profileEntry = profileEntryFor(kernel.name, true);
    } else {
      TRAINC_RETURN_IF_ERROR(buildCall(body, instruction, step));
      step.profileEntry = profileEntryFor(instruction.routine, false);
    }
    code.steps.push_back(step);
  }
  return {};
}

int64_t &Executor::stateScalar(std::string_view role) {
  return *reinterpret_cast<int64_t *>(memory.at(bundle.findState("", role)->offset));
}

int32_t *Executor::inputData(const Program &program, int64_t microBatch, const Input &input) {
  for (const Row &row : program.rows)
    if (row.microBatch == microBatch && row.bind[input.at.slot] >= 0)
      return reinterpret_cast<int32_t *>(memory.at(row.bind[input.at.slot] + input.at.offset));
  return nullptr;
}

MetricView Executor::metric(const Program &program, std::string_view name) const {
  for (const Metric &metric : bundle.metrics)
    for (const Row &row : program.rows)
      if (metric.name == name && row.body == metric.body) {
        const Value &value = bundle.bodies[metric.body].values[metric.value];
        return {memory.at(value.at.offset), value.type};
      }
  return {};
}

RoutineFault Executor::runStep(const Step &step, const BodyCode &code) {
  void *const *pointers = code.pointers.data() + step.firstPointer;
  if (!step.kernel)
    return step.routine->run(step.call, {pointers, pointers + step.inputCount, step.workspace}, pool);
  pool.parallelFor(step.workItems, step.grain,
                   [&](int, int64_t begin, int64_t end) { step.kernel(pointers, begin, end); });
  return {};
}

Status Executor::faultError(const Body &body, const Step &step, const RoutineFault &fault) const {
  return makeError("{}: {}: {} {} is {}, expects 0 <= {} < {}", bundle.describe(body, step.instruction),
                   step.routine->name, fault.what, fault.position, fault.value, fault.what, fault.limit);
}

Status Executor::runRows(const Program &program, size_t begin, size_t end) {
  using Clock = std::chrono::steady_clock;
  for (size_t index = begin; index < end; ++index) {
    const Row &row = program.rows[index];
    BodyCode &body = code[row.body];
    for (const Fixup &fixup : body.fixups)
      body.pointers[fixup.pointer] = memory.at(row.bind[fixup.place.slot] + fixup.place.offset);
    for (const Step &step : body.steps) {
      Clock::time_point start = options.profile ? Clock::now() : Clock::time_point();
      if (RoutineFault fault = runStep(step, body); fault.what)
        return faultError(bundle.bodies[row.body], step, fault);
      if (!options.profile)
        continue;
      ProfileEntry &entry = profileEntries[step.profileEntry];
      ++entry.calls;
      entry.nanoseconds += std::chrono::nanoseconds(Clock::now() - start).count();
    }
  }
  return {};
}
