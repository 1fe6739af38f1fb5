//===- trainc-opt.cpp - run passes one by one -----------------------------===//
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "trainc/Pipelines/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  trainc::registerAllDialects(registry);
  trainc::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "trainc's passes, one by one\n", registry));
}
