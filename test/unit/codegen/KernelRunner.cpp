//===- KernelRunner.cpp - compile kernels from text and run them ----------===//
#include "KernelRunner.h"
#include "mlir/Parser/Parser.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace trainc;
using namespace trainc::test;

static void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "kernel runner: %s\n", what);
  std::abort();
}

static mlir::DialectRegistry createRegistry() {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  return registry;
}

KernelRunner::KernelRunner(llvm::StringRef text) : context(createRegistry()) {
  context.disableMultithreading();
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  require(bool(module), "the text does not parse");
  for (auto kernel : module->getOps<kernel::FuncOp>())
    shapes[kernel.getSymName().str()] = getWorkShape(kernel);
  char name[] = "/tmp/trainc-codegen-XXXXXX";
  require(mkdtemp(name), "no temporary folder");
  folder = name;
  path = folder + "/kernels.so";
  require(mlir::succeeded(emitKernelLibrary(*module, CpuTarget(), path)), "the kernels do not compile");
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(handle, "the library does not load");
}

KernelRunner::~KernelRunner() {
  dlclose(handle);
  unlink(path.c_str());
  rmdir(folder.c_str());
}

KernelRunner::Entry KernelRunner::getEntry(const std::string &name) const {
  auto entry = reinterpret_cast<Entry>(dlsym(handle, name.c_str()));
  require(entry, "no such kernel");
  return entry;
}

KernelSchedule KernelRunner::getSchedule(const std::string &name) const {
  return getKernelSchedule(mlir::ModuleOp(*module).lookupSymbol<kernel::FuncOp>(name));
}

void KernelRunner::run(const std::string &name, std::vector<void *> arguments) const {
  Entry entry = getEntry(name);
  int64_t items = shapes.at(name).workItems, first = items / 3, second = items / 3 + items / 5;
  entry(arguments.data(), second, items);
  entry(arguments.data(), 0, first);
  entry(arguments.data(), first, second);
}
