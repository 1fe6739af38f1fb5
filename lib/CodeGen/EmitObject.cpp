//===- EmitObject.cpp - LLVM dialect to object code -----------------------===//
//
// One LLVM module for all kernels of a plan, optimized at O3 for the plan's target and never for the machine at hand.
// LLVM is told that no library function exists, so that it makes no call to memset or memcpy of a loop.
//
//===----------------------------------------------------------------------===//
#include "CodegenStages.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "trainc/CodeGen/CpuCodegen.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace trainc;

static constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

/// What compiled code may use beyond x86-64's base and the runtime can ask the processor for.
static constexpr llvm::StringLiteral kCheckedFeatures[] = {"avx2",     "avx512bw", "avx512cd", "avx512dq", "avx512f",
                                                           "avx512vl", "bmi2",     "f16c",     "fma"};

std::vector<std::string> CpuTarget::features() const {
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return {};
  llvm::SmallVector<llvm::StringRef> listed;
  llvm::X86::getFeaturesForCPU(cpu, listed);
  llvm::StringMap<bool> all; // with the features that a listed one implies
  for (llvm::StringRef feature : listed) {
    all[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, all);
  }
  std::vector<std::string> checked;
  for (llvm::StringRef feature : kCheckedFeatures)
    if (all.lookup(feature))
      checked.push_back(feature.str());
  return checked;
}

static std::unique_ptr<llvm::TargetMachine> createMachine(mlir::Location loc, const CpuTarget &target) {
  std::vector<std::string> features = target.features();
  if (!llvm::is_contained(features, "fma")) {
    mlir::emitError(loc) << "unknown CPU '" << target.cpu
                         << "', or one without fma; give a name such as x86-64-v3 or znver3";
    return nullptr;
  }
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  std::string message;
  llvm::Triple triple(kTriple);
  const llvm::Target *x86 = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!x86) {
    mlir::emitError(loc) << message;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // every op rounds
  return std::unique_ptr<llvm::TargetMachine>(x86->createTargetMachine(
      triple, target.cpu, "", options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// `void k(void *const *arguments, int64_t begin, int64_t end)` around the function `k(pointers..., begin, end)`, which
/// becomes internal. It is not inlined: `noalias` is worth more on a function's arguments than as metadata.
static void addEntry(llvm::Function &body) {
  std::string name = body.getName().str();
  body.setName(name + ".body");
  body.setLinkage(llvm::GlobalValue::InternalLinkage);
  body.addFnAttr(llvm::Attribute::NoInline);
  llvm::LLVMContext &context = body.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, body.getParent());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  llvm::SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i + 2 < body.arg_size(); ++i)
    arguments.push_back(builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i)));
  arguments.append({entry->getArg(1), entry->getArg(2)});
  builder.CreateCall(&body, arguments);
  builder.CreateRetVoid();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, const llvm::TargetLibraryInfoImpl &library) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = true;
  tuning.LoopUnrolling = false; // the vectorizer interleaves; unrolling rows of known length only makes the code long
  tuning.SLPVectorization = false; // kernels are loops; it costs time and finds nothing
  llvm::PassBuilder passes(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

mlir::LogicalResult trainc::emitObject(mlir::ModuleOp source, const CpuTarget &target,
                                       llvm::SmallVectorImpl<char> &object) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(source.getLoc(), target);
  if (!machine)
    return mlir::failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(source, context, "kernels");
  if (!module)
    return source.emitError("the kernels have no translation to LLVM IR");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<llvm::Function *> bodies;
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      bodies.push_back(&function);
  for (llvm::Function *body : bodies)
    addEntry(*body);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", target.cpu);
      function.addFnAttr(llvm::Attribute::NoUnwind);
    }
  llvm::TargetLibraryInfoImpl library(machine->getTargetTriple());
  library.disableAllFunctions();
  optimize(*module, *machine, library);

  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emission;
  emission.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine->addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return source.emitError("this LLVM cannot emit object code for x86-64");
  emission.run(*module);
  return mlir::success();
}
