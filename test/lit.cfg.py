# lit's configuration: how a test file in test/ is run. lit.site.cfg.py (in the build folder) sets the paths.
import os

import lit.formats

config.name = "trainc"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "golden"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.trainc_binary_dir, "test", "lit")

config.environment["PATH"] = os.pathsep.join([config.trainc_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
# The compiler for model files, and sanitizer options, are the caller's.
for name in ("CXX", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%examples", os.path.join(config.trainc_source_dir, "examples")))
config.substitutions.append(("%golden", os.path.join(config.trainc_source_dir, "test", "golden")))
config.substitutions.append(("%tools", os.path.join(config.trainc_source_dir, "tools")))
config.substitutions.append(("%allocation_counter", os.path.join(config.trainc_binary_dir, "lib", "trainc_allocation_counter.so")))
