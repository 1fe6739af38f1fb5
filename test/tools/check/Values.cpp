// Runs a function on reproducible arguments and describes its results.
#include "Runner.h"
#include "mlir/IR/IRMapping.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace trainc;
using namespace trainc::check;

int check::printValues(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  SmallVector<std::pair<std::string, Type>> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back({("a" + Twine(i)).str(), type});
  addFunction(*module, "eval", arguments, "r", [&](OpBuilder &builder, ValueRange values) {
    IRMapping mapping;
    mapping.map(function.getArguments(), values);
    for (Operation &op : function.front().without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(function.front().getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookup(value); });
  });
  Runner runner(*module);
  if (!runner.isValid())
    return 1;
  for (unsigned i = 0; i < arguments.size(); ++i)
    runner.write(arguments[i].first, argumentData(function, i));
  if (!runner.run("eval"))
    return 1;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Data data = runner.read("r" + std::to_string(i));
    auto [least, largest] = std::minmax_element(data.begin(), data.end());
    llvm::outs() << "@" << function.getName() << " result " << i << ": min " << *least << ", max " << *largest
                 << ", mean " << std::accumulate(data.begin(), data.end(), 0.0) / double(data.size()) << "\n";
  }
  return 0;
}
