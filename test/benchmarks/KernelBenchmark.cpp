//===- KernelBenchmark.cpp - speed of generated kernels on one core -------===//
//
// Prints GB/s (bytes of all arguments, each once) and ns an element for the kernels that a transformer's step is made
// of, and what compiling a plan's worth of kernels costs. docs/dialects/Kernel.md quotes it.
//
//   kernel-benchmark [NAME]
//
//===----------------------------------------------------------------------===//
#include "../unit/codegen/KernelRunner.h"
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace trainc::test;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

const char *kText = R"(
#row = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
#in = affine_map<(d0, d1) -> (d1)>
#i = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>
kernel.func @copy(%x: memref<2048x512xf32>, %y: memref<2048x512xf32>) outer [2048] inner 512 {
  %e = kernel.load %x [#row] : memref<2048x512xf32>
  kernel.store %e, %y [#row] : memref<2048x512xf32>
}
kernel.func @gelu(%x: memref<2048x512xf32>, %b: memref<512xf32>, %y: memref<2048x512xf32>) outer [2048] inner 512 {
  %a = kernel.load %x [#row] : memref<2048x512xf32>
  %bias = kernel.load %b [#in] : memref<512xf32>
  %e = arith.addf %a, %bias : f32
  %c0 = arith.constant 0.044715 : f32
  %c1 = arith.constant 0.7978845608 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %e2 = arith.mulf %e, %e : f32
  %e3 = arith.mulf %e2, %e : f32
  %t0 = arith.mulf %e3, %c0 : f32
  %t1 = arith.addf %e, %t0 : f32
  %t2 = arith.mulf %t1, %c1 : f32
  %t3 = math.tanh %t2 : f32
  %t4 = arith.addf %t3, %one : f32
  %t5 = arith.mulf %e, %t4 : f32
  %t6 = arith.mulf %t5, %half : f32
  kernel.store %t6, %y [#row] : memref<2048x512xf32>
}
kernel.func @layer_norm(%x: memref<2048x512xf32>, %g: memref<512xf32>, %b: memref<512xf32>, %y: memref<2048x512xf32>,
                        %mu: memref<2048xf32>, %rs: memref<2048xf32>) outer [2048] inner 512 {
  %e = kernel.load %x [#row] : memref<2048x512xf32>
  %n = arith.constant 0.001953125 : f32
  %eps = arith.constant 1.0e-05 : f32
  %s = kernel.reduce add %e : f32
  %mean = arith.mulf %s, %n : f32
  %c = arith.subf %e, %mean : f32
  %cc = arith.mulf %c, %c : f32
  %v = kernel.reduce add %cc : f32
  %var = arith.mulf %v, %n : f32
  %ve = arith.addf %var, %eps : f32
  %r = math.rsqrt %ve : f32
  %h = arith.mulf %c, %r : f32
  %gain = kernel.load %g [#in] : memref<512xf32>
  %bias = kernel.load %b [#in] : memref<512xf32>
  %o = arith.mulf %h, %gain : f32
  %p = arith.addf %o, %bias : f32
  kernel.store %p, %y [#row] : memref<2048x512xf32>
  kernel.store %mean, %mu [#out] : memref<2048xf32>
  kernel.store %r, %rs [#out] : memref<2048xf32>
}
kernel.func @softmax(%x: memref<2048x512xf32>, %y: memref<2048x512xf32>) outer [2048] inner 512 {
  %e = kernel.load %x [#row] : memref<2048x512xf32>
  %max = kernel.reduce max %e : f32
  %d = arith.subf %e, %max : f32
  %p = math.exp %d : f32
  %s = kernel.reduce add %p : f32
  %q = arith.divf %p, %s : f32
  kernel.store %q, %y [#row] : memref<2048x512xf32>
}
kernel.func @column_sum(%x: memref<2048x512xf32>, %y: memref<512xf32>) outer [512] inner 2048 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d1, d0)>] : memref<2048x512xf32>
  %s = kernel.reduce add %e : f32
  kernel.store %s, %y [#out] : memref<512xf32>
}
kernel.func @layer_norm_gradients(%x: memref<2048x512xf32>, %dy: memref<2048x512xf32>, %mu: memref<2048xf32>, %rs: memref<2048xf32>,
                                  %dg: memref<512xf32>, %db: memref<512xf32>) outer [512] inner 2048 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d1, d0)>] : memref<2048x512xf32>
  %d = kernel.load %dy [affine_map<(d0, d1) -> (d1, d0)>] : memref<2048x512xf32>
  %m = kernel.load %mu [#in] : memref<2048xf32>
  %r = kernel.load %rs [#in] : memref<2048xf32>
  %c = arith.subf %e, %m : f32
  %h = arith.mulf %c, %r : f32
  %p = arith.mulf %h, %d : f32
  %g = kernel.reduce add %p : f32
  %b = kernel.reduce add %d : f32
  kernel.store %g, %dg [#out] : memref<512xf32>
  kernel.store %b, %db [#out] : memref<512xf32>
}
kernel.func @dropout(%x: memref<2048x512xf32>, %seed: memref<i64>, %y: memref<2048x512xf32>) outer [2048] inner 512 {
  %e = kernel.load %x [#row] : memref<2048x512xf32>
  %k = kernel.load %seed [affine_map<(d0, d1) -> ()>] : memref<i64>
  %c32 = arith.constant 32 : i64
  %k0 = arith.trunci %k : i64 to i32
  %ks = arith.shrui %k, %c32 : i64
  %k1 = arith.trunci %ks : i64 to i32
  %i = kernel.index 0
  %j = kernel.index 1
  %ii = arith.index_cast %i : index to i32
  %jj = arith.index_cast %j : index to i32
  %z = arith.constant 7 : i32
  %a, %b, %c, %d = kernel.philox counter(%jj, %ii, %z, %z) key(%k0, %k1)
  %limit = arith.constant 429496729 : i32
  %keep = arith.cmpi uge, %a, %limit : i32
  %scale = arith.constant 1.11111116 : f32
  %zero = arith.constant 0.0 : f32
  %f = arith.select %keep, %scale, %zero : f32
  %o = arith.mulf %e, %f : f32
  kernel.store %o, %y [#row] : memref<2048x512xf32>
}
kernel.func @adamw(%w: memref<1048576xf32>, %m: memref<1048576xf32>, %v: memref<1048576xf32>, %g: memref<1048576xf32>, %rate: memref<f32>)
    outer [] inner 1048576 {
  %p = kernel.load %w [#i] : memref<1048576xf32>
  %m0 = kernel.load %m [#i] : memref<1048576xf32>
  %v0 = kernel.load %v [#i] : memref<1048576xf32>
  %d = kernel.load %g [#i] : memref<1048576xf32>
  %lr = kernel.load %rate [#s] : memref<f32>
  %b1 = arith.constant 0.9 : f32
  %c1 = arith.constant 0.1 : f32
  %b2 = arith.constant 0.99 : f32
  %c2 = arith.constant 0.01 : f32
  %eps = arith.constant 1.0e-8 : f32
  %decay = arith.constant 0.999 : f32
  %ma = arith.mulf %m0, %b1 : f32
  %mb = arith.mulf %d, %c1 : f32
  %m1 = arith.addf %ma, %mb : f32
  %dd = arith.mulf %d, %d : f32
  %va = arith.mulf %v0, %b2 : f32
  %vb = arith.mulf %dd, %c2 : f32
  %v1 = arith.addf %va, %vb : f32
  %sq = math.sqrt %v1 : f32
  %den = arith.addf %sq, %eps : f32
  %upd = arith.divf %m1, %den : f32
  %step = arith.mulf %upd, %lr : f32
  %pd = arith.mulf %p, %decay : f32
  %p1 = arith.subf %pd, %step : f32
  kernel.store %p1, %w [#i] : memref<1048576xf32>
  kernel.store %m1, %m [#i] : memref<1048576xf32>
  kernel.store %v1, %v [#i] : memref<1048576xf32>
}
)";

void measure(KernelRunner &runner, trainc::kernel::FuncOp kernel) {
  std::string name = kernel.getSymName().str();
  std::vector<std::vector<char>> buffers;
  std::vector<void *> arguments;
  int64_t bytes = 0, elements = 0;
  for (auto argument : kernel.getArguments()) {
    auto type = llvm::cast<mlir::MemRefType>(argument.getType());
    int64_t size = type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
    buffers.emplace_back(size + 64);
    std::memset(buffers.back().data(), 0x3e, size); // 0.186
    arguments.push_back(
        reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(buffers.back().data()) + 63) & ~uintptr_t(63)));
    bytes += size;
    elements = std::max(elements, type.getNumElements());
  }
  auto entry = runner.getEntry(name);
  int64_t items = runner.getShape(name).workItems;
  // The whole, from memory; and an eighth over and over, from cache.
  auto time = [&](int64_t end) {
    double best = 1e9;
    for (int i = 0; i < 30; ++i) {
      double start = now();
      entry(arguments.data(), 0, end);
      best = std::min(best, now() - start);
    }
    return best;
  };
  double all = time(items), part = time(std::max<int64_t>(1, items / 32)) * items / std::max<int64_t>(1, items / 32);
  std::printf("%-22s %7.2f GB/s  %6.3f ns/element  in cache %7.2f GB/s  %6.3f ns/element  (%lld items, grain %lld)\n",
              name.c_str(), bytes / all * 1e-9, all / elements * 1e9, bytes / part * 1e-9, part / elements * 1e9,
              (long long)items, (long long)runner.getShape(name).grain);
}

/// Compile time of `copies` of each kernel in one library.
void measureCompilation(int copies) {
  std::string text;
  std::string all = kText;
  size_t first = all.find("kernel.func");
  text = all.substr(0, first);
  for (int copy = 0; copy < copies; ++copy)
    for (size_t at = first; at < all.size();) {
      size_t name = all.find('@', at), open = all.find('(', name), next = all.find("kernel.func", open);
      next = next == std::string::npos ? all.size() : next;
      text += all.substr(at, open - at) + "_" + std::to_string(copy) + all.substr(open, next - open);
      at = next;
    }
  double start = now();
  KernelRunner runner(text);
  double seconds = now() - start;
  std::printf("compiled %d kernels in %.2f s, %.1f ms each\n", 8 * copies, seconds, seconds * 1e3 / (8 * copies));
}

} // namespace

int main(int argc, char **argv) {
  KernelRunner runner(kText);
  for (auto kernel : runner.getModule().getOps<trainc::kernel::FuncOp>())
    if (argc < 2 || kernel.getSymName() == argv[1])
      measure(runner, kernel);
  if (argc < 2)
    measureCompilation(10);
}
