//===- FusionGroups.h - which ops share a kernel ----------------*- C++ -*-===//
//
// An analysis of a straight line of ops: it assigns each generated op to a group
// (one kernel) and decides which values are stored and which are computed again.
// FuseKernels.cpp turns the groups into kernels.
//
// A group has an iteration space: the shape S of its full values and, once it
// holds a reduction, the set R of reduced dimensions. Each value in it has shape S
// ("full") or S without R ("outer").
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_LIB_TRANSFORMS_FUSIONGROUPS_H
#define TRAINC_LIB_TRANSFORMS_FUSIONGROUPS_H

#include "dialects/Train/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace trainc {

using Dims = llvm::SmallVector<int64_t, 4>;

struct FusionSpace {
  Dims shape;
  /// Reduced dimensions, increasing; empty while the group holds no reduction.
  Dims reduced;

  /// Dimensions that are not reduced.
  Dims outerDims() const;
  Dims outerShape() const;
  /// Reduces leading or middle dimensions, so that neighbours in memory belong to different results.
  bool reducesByColumns() const;
};

struct FusionGroup {
  FusionSpace space;
  /// In block order.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Whether `op` becomes part of a generated kernel. Constants do not: they are built into their users.
bool isGenerated(mlir::Operation *op);
/// Whether `op` is a splat constant.
bool isSplatConstant(mlir::Operation *op);

class FusionGroups {
public:
  explicit FusionGroups(mlir::Block &block);

  llvm::ArrayRef<FusionGroup> groups() const { return result; }
  /// The number of the group that computes `value`, or -1.
  int groupOf(mlir::Value value) const;
  /// Whether `value`, computed in a group, gets bytes of its own.
  bool isStored(mlir::Value value) const { return stored.contains(value); }
  int64_t numRecomputed() const { return recomputed; }

private:
  struct Cone;

  unsigned find(unsigned op) const;
  bool tryMerge(unsigned producer, unsigned consumer);
  std::optional<FusionSpace> mergedSpace(unsigned a, unsigned b) const;
  bool edgesFit(const FusionSpace &space, llvm::ArrayRef<unsigned> members) const;
  bool staysInside(llvm::ArrayRef<unsigned> members, const FusionSpace &space) const;
  bool reaches(unsigned from, unsigned to) const;
  void formGroups();
  void decideStored();
  bool canRecompute(mlir::Value value);
  bool growCone(mlir::Value value, int64_t fullElements, Cone &cone) const;

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> index;
  /// Union-find over `ops`; members and space are valid at the root.
  mutable llvm::SmallVector<unsigned> parent;
  llvm::SmallVector<llvm::SmallVector<unsigned>> members;
  llvm::SmallVector<FusionSpace> spaces;

  llvm::SmallVector<FusionGroup> result;
  llvm::DenseMap<mlir::Operation *, int> groupNumber;
  llvm::DenseSet<mlir::Value> stored;
  int64_t recomputed = 0;
};

} // namespace trainc

#endif
