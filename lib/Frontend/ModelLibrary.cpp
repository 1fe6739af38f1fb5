// Compiles a model file with the user's C++ compiler and loads the result.
//
// Without optimization: the model function runs three times and does nothing but call the recorder. Symbols are hidden,
// so that a model shares nothing with the compiler but the Builder it is given.
#include "ModelLibrary.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

using namespace trainc;

std::vector<std::string> trainc::modelIncludeFolders() {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(TRAINC_MODEL_INCLUDES).split(parts, ':');
  return {parts.begin(), parts.end()};
}

namespace {
/// The compiler's command, split at spaces ($CXX may be `ccache g++`), its program as a full path.
std::vector<std::string> compilerCommand() {
  const char *variable = std::getenv("CXX");
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(variable ? variable : "", words);
  if (!words.empty()) {
    auto program = llvm::sys::findProgramByName(words[0]);
    if (!program)
      throw ModelError(fmt::format("error: cannot find the C++ compiler '{}' that CXX names", words[0].str()));
    std::vector<std::string> command(words.begin(), words.end());
    command[0] = *program;
    return command;
  }
  for (const char *name : {"c++", "clang++-22", "g++"})
    if (auto program = llvm::sys::findProgramByName(name))
      return {*program};
  throw ModelError("error: found no C++ compiler (c++, clang++-22, g++) for the model file; install one or set CXX");
}
} // namespace

ModelLibrary::ModelLibrary(const std::string &modelPath) {
  if (!std::filesystem::is_regular_file(modelPath) || access(modelPath.c_str(), R_OK) != 0)
    throw ModelError(fmt::format("error: cannot read the model file {}", modelPath));
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("trainc-model", path))
    throw ModelError(fmt::format("error: cannot make a temporary folder: {}", error.message()));
  folder = path.str().str();
  try {
    compile(modelPath);
    load(modelPath);
  } catch (...) {
    remove();
    throw;
  }
}

ModelLibrary::~ModelLibrary() { remove(); }

void ModelLibrary::remove() {
  if (handle)
    dlclose(handle);
  handle = nullptr;
  llvm::sys::fs::remove_directories(folder);
}

void ModelLibrary::compile(const std::string &modelPath) {
  std::vector<std::string> command = compilerCommand();
  for (const char *flag : {"-std=c++17", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,--no-undefined"})
    command.push_back(flag);
  for (const std::string &include : modelIncludeFolders())
    command.push_back("-I" + include);
  // The absolute path makes every recorded line relative to the model's folder, wherever this runs.
  command.insert(command.end(), {std::filesystem::absolute(modelPath).string(), "-o", folder + "/model.so"});
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, {}, 0, 0, &problem);
  if (status != 0)
    throw ModelError(fmt::format("error: {} does not compile ({} {})", modelPath, command[0],
                                 problem.empty() ? fmt::format("exited with {}", status) : problem));
}

void ModelLibrary::load(const std::string &modelPath) {
  handle = dlopen((folder + "/model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw ModelError(fmt::format("error: cannot load the compiled model {}: {}", modelPath, dlerror()));
  auto models = reinterpret_cast<const ModelDefinition *(*)()>(dlsym(handle, kModelsSymbol));
  model = models ? models() : nullptr;
  if (!model)
    throw ModelError(
        fmt::format("{}: error: the file defines no model; write TRAINC_MODEL(name) {{ ... }}", modelPath));
  if (const ModelDefinition *first = model->next)
    throw ModelError(
        fmt::format("{}:{}: error: the file defines a second model '{}' after '{}' at line {}; one file is one model",
                    modelPath, model->at.line, model->name, first->name, first->at.line));
}
