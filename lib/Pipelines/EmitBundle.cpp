//===- EmitBundle.cpp - a placed module as a bundle -----------------------===//
//
// Writes docs/Bundle.md's files. Everything here restates the IR: no decision is
// taken, so what the runtime reads is what the passes left.
//
//===----------------------------------------------------------------------===//
#include "BundleJson.h"
#include "dialects/Kernel/Kernel.h"
#include "trainc/CodeGen/CpuCodegen.h"
#include "trainc/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace trainc;
using nlohmann::json;

namespace {
std::string pathIn(StringRef directory, StringRef name) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

std::string sha256(StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

LogicalResult writeFile(ModuleOp module, StringRef path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? module.emitError() << "cannot write " << path << ": " << error.message() : success();
}

/// The kernels in a module of their own.
LogicalResult emitKernels(ModuleOp module, const CompileOptions &options, StringRef path) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  OpBuilder builder(kernels->getBodyRegion());
  for (kernel::FuncOp kernel : module.getOps<kernel::FuncOp>())
    builder.clone(*kernel);
  CpuTarget target;
  target.cpu = options.targetCpu;
  return emitKernelLibrary(*kernels, target, path);
}

/// SHA-256 of every file of the bundle so far.
FailureOr<json> hashFiles(ModuleOp module, StringRef directory) {
  json hashes = json::object();
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(directory, error), end; it != end && !error;
       it.increment(error)) {
    if (it->type() == llvm::sys::fs::file_type::directory_file)
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    if (!buffer)
      return module.emitError() << "cannot read " << it->path() << ": " << buffer.getError().message();
    StringRef name = StringRef(it->path()).drop_front(directory.size()).ltrim('/');
    hashes[name.str()] = sha256((*buffer)->getBuffer());
  }
  if (error)
    return module.emitError() << "cannot read " << directory << ": " << error.message();
  return hashes;
}
} // namespace

LogicalResult trainc::emitBundle(ModuleOp module, const CompileOptions &options, StringRef directory) {
  if (failed(emitKernels(module, options, pathIn(directory, "kernels.cpu.so"))))
    return failure();
  if (failed(writeFile(module, pathIn(directory, "stage-0.json"), stageJson(module).dump(1) + "\n")))
    return failure();
  FailureOr<json> files = hashFiles(module, directory);
  if (failed(files))
    return failure();
  json plan = planJson(module, options);
  plan["files"] = *files;
  plan["content_hash"] = sha256(plan.dump());
  return writeFile(module, pathIn(directory, "plan.json"), plan.dump(1) + "\n");
}
