//===- LibraryTest.cpp - the shared library as a file ---------------------===//
//
// What the bundle relies on: no dependency, the same bytes anywhere, nothing half-written, errors that name their
// cause.
//
//===----------------------------------------------------------------------===//
#include "KernelRunner.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace trainc;
using namespace trainc::test;

namespace {

const char *kKernels = R"(
#p = affine_map<(d0, d1) -> (d0, d1)>
kernel.func @copy(%x: memref<64x4096xf32>, %y: memref<64x4096xf32>, %z: memref<64x4096xi1>) outer [64] inner 4096 {
  %zero = arith.constant 0.0 : f32
  %off = arith.constant false
  %e = kernel.load %x [#p] : memref<64x4096xf32>
  kernel.store %e, %y [#p] : memref<64x4096xf32>
  kernel.store %off, %z [#p] : memref<64x4096xi1>
}
kernel.func @functions(%x: memref<8x4096xf64>, %y: memref<8x4096xf64>) outer [8] inner 4096 {
  %e = kernel.load %x [#p] : memref<8x4096xf64>
  %a = math.exp %e : f64
  %b = math.log %a : f64
  %c = math.tanh %b : f64
  %d = math.sin %c : f64
  %f = math.cos %d : f64
  %g = math.rsqrt %f : f64
  %h = math.floor %g : f64
  %i = math.roundeven %h : f64
  %s = kernel.reduce add %i : f64
  %t = arith.divf %i, %s : f64
  kernel.store %t, %y [#p] : memref<8x4096xf64>
})";

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The diagnostics of compiling `text` for `target` to `path`; empty where it succeeds.
std::string compile(const std::string &text, const CpuTarget &target, const std::string &path) {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  context.disableMultithreading();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (module && mlir::succeeded(emitKernelLibrary(*module, target, path)))
    return "";
  return messages;
}

} // namespace

/// What `nm -D --undefined-only` would print is empty, and so is the list of needed libraries.
TEST(Library, DependsOnNothing) {
  KernelRunner runner(kKernels);
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(runner.getPath()));
  auto *elf = llvm::cast<llvm::object::ELF64LEObjectFile>(file.getBinary());
  unsigned defined = 0;
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
        << llvm::cantFail(symbol.getName()).str();
    ++defined;
  }
  EXPECT_EQ(defined, 2u) << "one entry symbol each and nothing else";
  for (const auto &entry : llvm::cantFail(elf->getELFFile().dynamicEntries()))
    EXPECT_NE(entry.getTag(), llvm::ELF::DT_NEEDED);
}

TEST(Library, SameBytesAnywhere) {
  KernelRunner first(kKernels), second(kKernels);
  EXPECT_NE(first.getPath(), second.getPath());
  std::string bytes = readFile(first.getPath());
  EXPECT_EQ(bytes, readFile(second.getPath()));
  EXPECT_EQ(bytes.find("/tmp"), std::string::npos);
}

/// A plan may have no kernel at all.
TEST(Library, NoKernels) {
  KernelRunner runner("module {}");
  EXPECT_FALSE(readFile(runner.getPath()).empty());
}

TEST(Library, KernelsStayAsTheyAre) {
  KernelRunner runner(kKernels);
  EXPECT_EQ(std::distance(runner.getModule().getOps<kernel::FuncOp>().begin(),
                          runner.getModule().getOps<kernel::FuncOp>().end()),
            2);
}

TEST(Library, FeaturesOfTargets) {
  EXPECT_EQ(CpuTarget().features(), (std::vector<std::string>{"avx2", "bmi2", "f16c", "fma"}));
  EXPECT_TRUE(llvm::is_contained(CpuTarget{"x86-64-v4"}.features(), "avx512f"));
}

TEST(Library, UnknownCpu) {
  std::string path = testing::TempDir() + "trainc-unknown-cpu.so";
  std::string message = compile(kKernels, CpuTarget{"pentium-of-the-future"}, path);
  EXPECT_NE(message.find("'pentium-of-the-future'"), std::string::npos) << message;
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

TEST(Library, CpuWithoutFma) {
  std::string message = compile(kKernels, CpuTarget{"x86-64-v2"}, testing::TempDir() + "trainc-v2.so");
  EXPECT_NE(message.find("without fma"), std::string::npos) << message;
}

TEST(Library, FunctionWithoutCode) {
  std::string message = compile(R"(
kernel.func @k(%x: memref<8xf32>) outer [] inner 8 {
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<8xf32>
  %a = math.atan %e : f32
  kernel.store %a, %x [affine_map<(d0) -> (d0)>] : memref<8xf32>
})",
                                CpuTarget(), testing::TempDir() + "trainc-atan.so");
  EXPECT_NE(message.find("no CPU code for 'math.atan' on 'f32'"), std::string::npos) << message;
}

TEST(Library, FolderDoesNotExist) {
  std::string message = compile(kKernels, CpuTarget(), "/nowhere/kernels.so");
  EXPECT_NE(message.find("cannot write '/nowhere/kernels.so'"), std::string::npos) << message;
}

/// An error leaves the file that was there.
TEST(Library, ReplacesOnlyOnSuccess) {
  std::string path = testing::TempDir() + "trainc-replace.so";
  std::ofstream(path) << "old";
  EXPECT_NE(compile(kKernels, CpuTarget{"none"}, path), "");
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(compile(kKernels, CpuTarget(), path), "");
  EXPECT_NE(readFile(path), "old");
  llvm::sys::fs::remove(path);
}
