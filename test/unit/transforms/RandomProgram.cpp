//===- RandomProgram.cpp - random straight lines of train ops -------------===//
#include "RandomProgram.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <random>

using namespace mlir;
using namespace trainc;
using test::RandomProgramOptions;

namespace {
using Shape = SmallVector<int64_t>;

/// A value of the program.
struct Known {
  Value value;
  double bound; ///< of the absolute values of its elements
  bool isExact; ///< free of rounding: fit for comparisons
  RankedTensorType type() const { return cast<RankedTensorType>(value.getType()); }
  Shape shape() const { return Shape(type().getShape()); }
  bool isFloat() const { return isa<FloatType>(type().getElementType()); }
};

class Generator {
public:
  Generator(ModuleOp module, StringRef name, uint64_t seed, const RandomProgramOptions &options)
      : engine(seed), options(options), builder(module.getContext()), loc(module.getLoc()) {
    builder.setInsertionPointToEnd(module.getBody());
    function = func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  func::FuncOp run() {
    addArguments();
    for (int64_t i = 0; i < options.ops; ++i)
      addOp();
    SmallVector<Value> results;
    for (int64_t i = 0, count = below(6) + 1; i < count; ++i)
      results.push_back((chance(0.1) ? known.front() : pick()).value);
    func::ReturnOp::create(builder, loc, results);
    function.setFunctionType(
        builder.getFunctionType(function.front().getArgumentTypes(), ValueRange(results).getTypes()));
    return function;
  }

private:
  int64_t below(int64_t end) { return int64_t(engine() % uint64_t(end)); }
  bool chance(double share) { return double(engine() >> 11) * 0x1p-53 < share; }

  /// A value, recent ones more often.
  Known pick() { return known[std::max(below(known.size()), below(known.size()))]; }

  /// A value for which `fits`; nothing after some tries.
  std::optional<Known> pickWhere(llvm::function_ref<bool(const Known &)> fits) {
    for (int i = 0; i < 24; ++i)
      if (Known choice = pick(); fits(choice))
        return choice;
    return std::nullopt;
  }

  std::optional<Known> pickFloat() {
    return pickWhere([](const Known &k) { return k.isFloat(); });
  }
  std::optional<Known> pickLike(const Known &x) {
    return pickWhere([&](const Known &k) { return k.type() == x.type(); });
  }

  void add(Value value, double bound, bool isExact = false) { known.push_back({value, bound, isExact}); }

  Value constant(RankedTensorType type, double value) { return train::splat(builder, loc, type, value); }

  Type elementType(int64_t kind) {
    return kind == 0 ? Type(builder.getF64Type()) : Type(builder.getIntegerType(kind == 1 ? 32 : 1));
  }

  void addArguments() {
    static constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 8, 17};
    Shape base;
    for (int64_t i = 0, tensorRank = below(5); i < tensorRank; ++i) {
      int64_t size = kSizes[below(std::size(kSizes))];
      if (ShapedType::getNumElements(base) * size <= options.maxElements)
        base.push_back(size);
    }
    for (int64_t i = 0, count = below(5) + 1; i < count; ++i) {
      Shape shape;
      for (int64_t size : base)
        if (i == 0 || chance(0.7))
          shape.push_back(chance(0.1) ? 1 : size);
      int64_t kind = i == 0 || options.isDifferentiable || chance(0.7) ? 0 : below(2) + 1;
      auto type = RankedTensorType::get(shape, elementType(kind));
      add(function.front().addArgument(type, loc), kind == 1 ? 4 : 1, true);
    }
  }

  void addOp() {
    switch (below(12)) {
    case 0:
    case 1:
      return addUnary();
    case 2:
    case 3:
    case 4:
      return addBinary();
    case 5:
      return options.isDifferentiable ? addBinary() : addComparison();
    case 6:
      return options.isDifferentiable ? addUnary() : addIntegerOp();
    case 7:
    case 8:
      return addBroadcast();
    case 9:
      return addReduction();
    case 10:
      return chance(0.7) ? addReshape() : addConstant();
    default:
      return addContraction();
    }
  }

  /// x scaled to be at most 1, where it may be large.
  Value tamed(const Known &x) {
    return x.bound <= 16 ? x.value
                         : arith::MulFOp::create(builder, loc, x.value, constant(x.type(), 1 / x.bound)).getResult();
  }

  template <typename Op> Value op(Value a) { return Op::create(builder, loc, a); }
  template <typename Op> Value op(Value a, Value b) { return Op::create(builder, loc, a, b); }
  Value plus(Value a, double number) {
    return op<arith::AddFOp>(a, constant(cast<RankedTensorType>(a.getType()), number));
  }
  /// x^2 + number: a smooth positive argument.
  Value positive(Value x, double number) { return plus(op<arith::MulFOp>(x, x), number); }

  void addUnary() {
    std::optional<Known> x = pickFloat();
    if (!x)
      return;
    Value value = tamed(*x);
    switch (below(10)) {
    case 0:
      return add(op<math::ExpOp>(op<math::SinOp>(value)), 3);
    case 1:
      return add(op<math::LogOp>(positive(value, 0.5)), 6);
    case 2:
      return add(op<math::SqrtOp>(positive(value, 0.5)), 17);
    case 3:
      return add(op<math::RsqrtOp>(positive(value, 0.5)), 1.5);
    case 4:
      return add(op<math::TanhOp>(value), 1);
    case 5:
      return add(op<math::CosOp>(value), 1);
    case 6:
      return add(op<math::AbsFOp>(x->value), x->bound, x->isExact);
    case 7:
      return add(train::IdentityOp::create(builder, loc, x->value), x->bound, x->isExact);
    case 8:
      if (!options.isDifferentiable)
        return add(train::ZerosLikeOp::create(builder, loc, x->value), 0, true);
      [[fallthrough]];
    default:
      return add(op<arith::NegFOp>(x->value), x->bound, x->isExact);
    }
  }

  void addBinary() {
    std::optional<Known> x = pickFloat();
    if (!x)
      return;
    std::optional<Known> y = pickLike(*x);
    if (!y || chance(0.1))
      y = Known{constant(x->type(), 0.25 * double(below(9) - 4)), 1, true};
    if (chance(0.3))
      std::swap(x, y);
    switch (below(6)) {
    case 0:
      return add(op<arith::SubFOp>(x->value, y->value), x->bound + y->bound);
    case 1:
      return add(op<arith::MulFOp>(tamed(*x), tamed(*y)), std::min(x->bound, 16.0) * std::min(y->bound, 16.0));
    case 2:
      return add(op<arith::DivFOp>(tamed(*x), positive(tamed(*y), 0.5)), 2 * std::min(x->bound, 16.0));
    case 3:
      return add(op<arith::MaximumFOp>(x->value, y->value), std::max(x->bound, y->bound), x->isExact && y->isExact);
    case 4:
      return addSelect(*x, *y);
    default:
      return add(op<arith::AddFOp>(x->value, y->value), x->bound + y->bound);
    }
  }

  void addSelect(const Known &x, const Known &y) {
    auto condition =
        pickWhere([&](const Known &k) { return k.type().getElementType().isInteger(1) && k.shape() == x.shape(); });
    if (!condition)
      return add(op<arith::MinimumFOp>(x.value, y.value), std::max(x.bound, y.bound), x.isExact && y.isExact);
    add(arith::SelectOp::create(builder, loc, condition->value, x.value, y.value), std::max(x.bound, y.bound),
        x.isExact && y.isExact);
  }

  void addComparison() {
    auto x = pickWhere([](const Known &k) { return k.isExact && !k.type().getElementType().isInteger(1); });
    if (!x)
      return;
    auto y = pickWhere([&](const Known &k) { return k.isExact && k.type() == x->type(); });
    if (!y || chance(0.2))
      y = Known{constant(x->type(), double(below(3))), 3, true};
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    static constexpr F kFloat[] = {F::OEQ, F::OLT, F::OLE, F::OGT, F::OGE};
    static constexpr I kInteger[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
    if (x->isFloat())
      return add(arith::CmpFOp::create(builder, loc, kFloat[below(5)], x->value, y->value), 1, true);
    add(arith::CmpIOp::create(builder, loc, kInteger[below(6)], x->value, y->value), 1, true);
  }

  void addIntegerOp() {
    auto x = pickWhere([](const Known &k) { return !k.isFloat(); });
    if (!x)
      return;
    bool isTruth = x->type().getElementType().isInteger(1);
    if (chance(0.35)) {
      auto type = RankedTensorType::get(x->shape(), builder.getF64Type());
      return isTruth ? add(arith::UIToFPOp::create(builder, loc, type, x->value), x->bound, true)
                     : add(arith::SIToFPOp::create(builder, loc, type, x->value), x->bound, true);
    }
    if (isTruth && chance(0.2))
      return add(arith::ExtUIOp::create(builder, loc, RankedTensorType::get(x->shape(), elementType(1)), x->value), 1,
                 true);
    auto y = pickLike(*x);
    if (!y)
      y = Known{constant(x->type(), 1), 1, true};
    isTruth ? combineTruths(*x, *y) : combineIntegers(*x, *y);
  }

  void combineTruths(const Known &x, const Known &y) {
    switch (below(3)) {
    case 0:
      return add(op<arith::AndIOp>(x.value, y.value), 1, true);
    case 1:
      return add(op<arith::OrIOp>(x.value, y.value), 1, true);
    default:
      return add(op<arith::XOrIOp>(x.value, y.value), 1, true);
    }
  }

  void combineIntegers(const Known &x, const Known &y) {
    bool isSmall = x.bound * y.bound < 1e6;
    switch (below(4)) {
    case 0:
      return add(op<arith::MinSIOp>(x.value, y.value), std::max(x.bound, y.bound), true);
    case 1:
      if (isSmall)
        return add(op<arith::MulIOp>(x.value, y.value), x.bound * y.bound, true);
      [[fallthrough]];
    case 2:
      return add(op<arith::MaxSIOp>(x.value, y.value), std::max(x.bound, y.bound), true);
    default:
      return isSmall ? add(op<arith::SubIOp>(x.value, y.value), x.bound + y.bound, true) : void();
    }
  }

  /// The dimensions of `to` that those of `from` go to; nothing if it does not fit in order.
  std::optional<Shape> dimsInto(const Shape &from, const Shape &to) {
    Shape dims;
    for (size_t dim = 0; dim < to.size() && dims.size() < from.size(); ++dim) {
      size_t left = from.size() - dims.size(), room = to.size() - dim;
      int64_t size = from[dims.size()];
      if ((size == 1 || size == to[dim]) && (left == room || chance(0.7)))
        dims.push_back(dim);
    }
    return dims.size() == from.size() ? std::optional(dims) : std::nullopt;
  }

  void addBroadcast() {
    Known x = pick();
    Shape target = pick().shape();
    std::optional<Shape> dims = dimsInto(x.shape(), target);
    if (!dims) {
      target = x.shape();
      target.insert(target.begin() + below(target.size() + 1), below(4) + 1);
      dims = dimsInto(x.shape(), target);
    }
    if (!dims || target.size() > 4 || ShapedType::getNumElements(target) > options.maxElements)
      return;
    add(train::broadcast(builder, loc, x.value, target, *dims), x.bound, x.isExact);
  }

  void addReduction() {
    auto x = pickWhere([](const Known &k) { return k.isFloat() && k.type().getRank() > 0; });
    if (!x)
      return;
    SmallVector<int64_t> dims;
    int64_t elements = 1;
    for (auto [dim, size] : llvm::enumerate(x->shape()))
      if (chance(0.5)) {
        dims.push_back(dim);
        elements *= size;
      }
    if (dims.empty())
      return;
    bool isMax = chance(0.3);
    Value value = train::ReduceOp::create(builder, loc, x->value,
                                          isMax ? train::ReductionKind::Max : train::ReductionKind::Add, dims);
    add(value, isMax ? x->bound : x->bound * double(elements), isMax && x->isExact);
  }

  void addReshape() {
    Known x = pick();
    int64_t elements = x.type().getNumElements();
    Shape shape = pick().shape();
    if (ShapedType::getNumElements(shape) != elements || shape == x.shape()) {
      shape = {elements};
      for (int64_t divisor : {2, 3, 5, 17, 1})
        if (shape.size() < 4 && elements % divisor == 0 && chance(0.5)) {
          elements /= divisor;
          shape.back() = elements;
          shape.insert(shape.begin() + below(shape.size()), divisor);
        }
    }
    add(train::ReshapeOp::create(builder, loc, x.value, shape), x.bound, x.isExact);
  }

  void addConstant() {
    auto type = pick().type();
    if (options.isDifferentiable && !isa<FloatType>(type.getElementType()))
      return;
    int64_t number = below(2);
    add(constant(type, double(number)), double(number), true);
  }

  /// Two tensors whose leading or trailing dimensions agree, as one matrix product; sometimes added to a third.
  void addContraction() {
    std::optional<Known> x = pickFloat(), y = pickFloat();
    if (!x || !y || x->type().getRank() == 0 || y->type().getRank() == 0)
      return;
    Shape a = x->shape(), b = y->shape();
    size_t shared = below(std::min(a.size(), b.size())) + 1;
    bool aLeads = chance(0.5), bLeads = chance(0.5);
    auto part = [&](const Shape &shape, bool leads, bool isShared) {
      bool front = leads == isShared;
      size_t count = isShared ? shared : shape.size() - shared;
      return front ? ArrayRef(shape).take_front(count) : ArrayRef(shape).take_back(count);
    };
    ArrayRef<int64_t> k = part(a, aLeads, true), m = part(a, aLeads, false), n = part(b, bLeads, false);
    if (k != part(b, bLeads, true) || m.size() + n.size() > 4 ||
        ShapedType::getNumElements(m) * ShapedType::getNumElements(n) > options.maxElements)
      return;
    std::string letters = "abcdefghijkl", mText = letters.substr(0, m.size()), nText = letters.substr(4, n.size()),
                kText = letters.substr(8, k.size());
    bool swaps = chance(0.3);
    std::string spec = (aLeads ? kText + mText : mText + kText) + "," + (bLeads ? kText + nText : nText + kText) +
                       "->" + (swaps ? nText + mText : mText + nText);
    Value lhs = tamed(*x), rhs = tamed(*y);
    double bound = double(ShapedType::getNumElements(k)) * std::min(x->bound, 16.0) * std::min(y->bound, 16.0);
    Known product{train::ContractOp::create(builder, loc, lhs, rhs, Value(), spec), bound, false};
    known.push_back(product);
    std::optional<Known> other = chance(0.6) ? pickLike(product) : std::nullopt;
    if (!other)
      return;
    if (chance(0.4))
      add(train::ContractOp::create(builder, loc, lhs, rhs, other->value, spec), other->bound + bound);
    else
      add(op<arith::AddFOp>(other->value, product.value), other->bound + bound);
  }

  std::mt19937_64 engine;
  RandomProgramOptions options;
  OpBuilder builder;
  Location loc;
  func::FuncOp function;
  SmallVector<Known> known;
};
} // namespace

func::FuncOp test::addRandomProgram(ModuleOp module, StringRef name, uint64_t seed,
                                    const RandomProgramOptions &options) {
  return Generator(module, name, seed, options).run();
}
