//===- KernelRunner.h - compile kernels from text and run them --*- C++ -*-===//
//
// What the tests and the benchmark of code generation share: text -> shared library in a temporary folder -> dlopen.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_TEST_UNIT_CODEGEN_KERNELRUNNER_H
#define TRAINC_TEST_UNIT_CODEGEN_KERNELRUNNER_H

#include "mlir/IR/MLIRContext.h"
#include "trainc/CodeGen/CpuCodegen.h"
#include <map>

namespace trainc::test {

/// A compiled and loaded library of kernels. The text must verify and compile: anything else ends the process with a
/// message.
class KernelRunner {
public:
  explicit KernelRunner(llvm::StringRef text);
  ~KernelRunner();
  KernelRunner(const KernelRunner &) = delete;

  using Entry = void (*)(void *const *arguments, int64_t begin, int64_t end);
  Entry getEntry(const std::string &name) const;
  WorkShape getShape(const std::string &name) const { return shapes.at(name); }
  KernelSchedule getSchedule(const std::string &name) const;

  /// Runs all items, in the uneven pieces that threads might take, the last piece first.
  void run(const std::string &name, std::vector<void *> arguments) const;

  /// Of the shared library.
  const std::string &getPath() const { return path; }
  mlir::ModuleOp getModule() const { return *module; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, WorkShape> shapes;
  std::string folder, path;
  void *handle = nullptr;
};

} // namespace trainc::test

#endif
