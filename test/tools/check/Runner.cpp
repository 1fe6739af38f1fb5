#include "Runner.h"
#include "runtime/core/Bundle.h"
#include "runtime/core/Executor.h"
#include "trainc/Pipelines/Pipelines.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>

using namespace trainc;

check::Runner::Runner(mlir::ModuleOp module) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createUniqueDirectory("trainc-check", path))
    return;
  folder = std::string(path);
  addCounters(module);
  if (mlir::failed(compile(module, CompileOptions(), folder)))
    return;
  Result<Plan> plan = loadBundle(folder);
  if (!plan.ok()) {
    llvm::errs() << plan.status().message() << "\n";
    return;
  }
  Result<std::unique_ptr<Executor>> created = Executor::create(std::move(*plan), {});
  if (created.ok())
    executor = std::move(*created);
  else
    llvm::errs() << created.status().message() << "\n";
}

check::Runner::~Runner() {
  if (!folder.empty())
    llvm::sys::fs::remove_directories(folder);
}

namespace {
template <typename Element> void copyIn(std::byte *bytes, const check::Data &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    Element element = static_cast<Element>(data[i]);
    std::memcpy(bytes + i * sizeof(Element), &element, sizeof(Element));
  }
}
template <typename Element> void copyOut(const std::byte *bytes, check::Data &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes + i * sizeof(Element), sizeof(Element));
    data[i] = static_cast<double>(element);
  }
}
/// Calls `visit` with a value of the C++ type of `dtype`.
template <typename Visit> void withType(Dtype dtype, Visit visit) {
  switch (dtype) {
  case Dtype::f32:
    return visit(float());
  case Dtype::f64:
    return visit(double());
  case Dtype::i32:
    return visit(int32_t());
  case Dtype::i64:
    return visit(int64_t());
  case Dtype::i1:
    return visit(uint8_t());
  }
}
} // namespace

void check::Runner::write(const std::string &scope, const Data &data) {
  const StateEntry *entry = executor->plan().findState(scope, "compute");
  if (!entry)
    return; // an argument that the function does not use
  withType(entry->type.dtype,
           [&](auto element) { copyIn<decltype(element)>(executor->arena().at(entry->offset), data); });
}

check::Data check::Runner::read(const std::string &scope) const {
  const StateEntry *entry = executor->plan().findState(scope, "compute");
  Data data(entry->type.elements());
  withType(entry->type.dtype,
           [&](auto element) { copyOut<decltype(element)>(executor->arena().at(entry->offset), data); });
  return data;
}

bool check::Runner::run(const std::string &program) {
  Status status = executor->run(*executor->plan().findProgram(program));
  if (!status.ok())
    llvm::errs() << status.message() << "\n";
  return status.ok();
}
