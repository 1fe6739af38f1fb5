// What importing a model costs and leaves behind.
#include "trainc/Import.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trainc/frontend/Source.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>

using namespace mlir;

namespace {
OwningOpRef<ModuleOp> import(MLIRContext &context, const std::string &path) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  trainc::train::registerTrainDialect(registry);
  context.appendDialectRegistry(registry);
  trainc::ImportOptions options;
  options.modelPath = path;
  return trainc::importModel(context, options);
}

double childSeconds() {
  rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::set<std::string> temporaryFolders() {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    if (entry.path().filename().string().rfind("trainc-model", 0) == 0)
      names.insert(entry.path());
  return names;
}

/// A model file costs its C++ compiler less than 3 seconds of CPU: the DSL's headers stay small. (1.1 s was measured.)
TEST(ImportTest, ModelFilesCompileQuickly) {
  MLIRContext context;
  double before = childSeconds();
  ASSERT_TRUE(import(context, TRAINC_EXAMPLES "/gpt2/gpt2.cpp"));
  double seconds = childSeconds() - before;
  EXPECT_GT(seconds, 0.0);
  EXPECT_LT(seconds, 3.0);
}

TEST(ImportTest, LeavesNoTemporaryFiles) {
  // A folder of this test's own: other imports may run at the same time.
  std::string folder = testing::TempDir() + "import-test";
  std::filesystem::create_directories(folder);
  setenv("TMPDIR", folder.c_str(), 1);
  MLIRContext context;
  EXPECT_TRUE(import(context, TRAINC_TEST_INPUTS "/schedules.cpp"));
  EXPECT_THROW(import(context, TRAINC_TEST_INPUTS "/broken.cpp"), trainc::ModelError);
  EXPECT_TRUE(temporaryFolders().empty());
  unsetenv("TMPDIR");
}

/// Two models in one process share nothing.
TEST(ImportTest, ModelsOfOneProcessAreSeparate) {
  MLIRContext context;
  auto first = import(context, TRAINC_TEST_INPUTS "/schedules.cpp");
  auto second = import(context, TRAINC_EXAMPLES "/gpt2/gpt2.cpp");
  EXPECT_EQ((*first)->getAttrOfType<StringAttr>("train.model"), "schedules");
  EXPECT_EQ((*second)->getAttrOfType<StringAttr>("train.model"), "gpt2");
}
} // namespace
