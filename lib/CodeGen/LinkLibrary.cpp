//===- LinkLibrary.cpp - object code to a shared library ------------------===//
//
// Runs LLVM's linker. The library depends on nothing, not even libc, and an undefined symbol is an error: a kernel that
// needs a call has escaped the lowering. No path, build id or time gets into the result.
//
//===----------------------------------------------------------------------===//
#include "CodegenStages.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace trainc;

static LogicalResult writeFile(Location loc, StringRef path, int descriptor, ArrayRef<char> bytes) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!stream.has_error())
    return success();
  std::string message = stream.error().message();
  stream.clear_error();
  return emitError(loc) << "cannot write '" << path << "': " << message;
}

/// What the linker said, or why it did not run.
static std::string readMessages(StringRef path, StringRef fallback) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  StringRef text = buffer ? (*buffer)->getBuffer().trim() : StringRef();
  return text.empty() ? fallback.str() : text.str();
}

LogicalResult trainc::linkLibrary(Location loc, ArrayRef<char> object, StringRef path) {
  int descriptor = -1;
  SmallString<128> objectPath, messagesPath, linkedPath;
  std::error_code error = llvm::sys::fs::createTemporaryFile("trainc-kernels", "o", descriptor, objectPath);
  if (error)
    return emitError(loc) << "cannot create a temporary file: " << error.message();
  llvm::FileRemover removeObject(objectPath);
  if (failed(writeFile(loc, objectPath, descriptor, object)))
    return failure();
  if ((error = llvm::sys::fs::createTemporaryFile("trainc-linker", "txt", messagesPath)))
    return emitError(loc) << "cannot create a temporary file: " << error.message();
  llvm::FileRemover removeMessages(messagesPath);
  if ((error = llvm::sys::fs::createUniqueFile(path + ".%%%%%%", linkedPath)))
    return emitError(loc) << "cannot write '" << path << "': " << error.message();
  llvm::FileRemover removeLinked(linkedPath);

  StringRef arguments[] = {TRAINC_LLD,
                           "-shared",
                           "--no-undefined",
                           "--build-id=none",
                           "--hash-style=gnu",
                           "--strip-all",
                           "-z",
                           "noexecstack",
                           "-z",
                           "relro",
                           "-o",
                           linkedPath,
                           objectPath};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(messagesPath), StringRef(messagesPath)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(TRAINC_LLD, arguments, std::nullopt, redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status != 0)
    return emitError(loc) << "linking the kernels with '" << TRAINC_LLD
                          << "' failed: " << readMessages(messagesPath, message);
  if ((error = llvm::sys::fs::rename(linkedPath, path)))
    return emitError(loc) << "cannot write '" << path << "': " << error.message();
  removeLinked.releaseFile();
  return success();
}
