// Paths, locations, types and error reports of a model being recorded.
#include "ModelState.h"
#include "mlir/IR/Builders.h"
#include <fmt/format.h>

using namespace trainc;
namespace fs = std::filesystem;

SourcePaths::SourcePaths(const std::string &modelPath, std::vector<std::string> includeFolders)
    : typedFolder(fs::path(modelPath).parent_path()), folder(fs::absolute(modelPath).parent_path()),
      includeFolders(std::move(includeFolders)) {}

std::string SourcePaths::relative(const char *file) const {
  fs::path path = fs::path(file).lexically_normal();
  for (const std::string &include : includeFolders) {
    fs::path inside = path.lexically_relative(include);
    // The project's own examples lie under an include folder too; only the DSL's headers are named by it.
    if (!inside.empty() && (*inside.begin() == "trainc" || *inside.begin() == "dialects"))
      return inside.string();
  }
  return path.lexically_relative(folder.lexically_normal()).string();
}

std::string SourcePaths::display(Source at) const {
  return fmt::format("{}:{}", (typedFolder / relative(at.file)).lexically_normal().string(), at.line);
}

void ModelState::fail(const std::string &message, Source at,
                      const std::vector<std::pair<Source, std::string>> &notes) const {
  std::string report = fmt::format("{}: error: {}", paths.display(at), message);
  for (const auto &[where, note] : notes)
    report += fmt::format("\n{}: note: {}", paths.display(where), note);
  throw ModelError(report);
}

mlir::Location ModelState::location(const std::string &scope, Source at) const {
  mlir::Location line = mlir::FileLineColLoc::get(&context, paths.relative(at.file), at.line, 0);
  return scope.empty() ? line : mlir::NameLoc::get(mlir::StringAttr::get(&context, scope), line);
}

mlir::Type ModelState::elementType(Dtype dtype) const {
  mlir::Builder builder(&context);
  switch (dtype) {
  case F32:
    return builder.getF32Type();
  case F64:
    return builder.getF64Type();
  case I32:
    return builder.getI32Type();
  case I64:
    return builder.getI64Type();
  case I1:
    return builder.getI1Type();
  }
  llvm_unreachable("every element type is listed");
}

mlir::RankedTensorType ModelState::tensorType(TypeView type) const {
  return mlir::RankedTensorType::get({type.shape.data, type.shape.count}, elementType(type.dtype));
}
