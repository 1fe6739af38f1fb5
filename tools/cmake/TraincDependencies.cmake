# Finds what trainc is built from. Debian's packages: tools/dev/packages.txt.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Debian installs LLVM under /usr/lib/llvm-22, which is not a default prefix. MLIR's version file compares
# major.minor, so plain "22" is rejected.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)

# OpenBLAS built for OpenMP and held to one thread a call (docs/decisions/blas.md), named by its own folder: libblas.so.3 and
# libopenblas.so.0 are alternatives that may resolve to another build.
set(TRAINC_BLAS_DIR /usr/lib/x86_64-linux-gnu/openblas-openmp CACHE PATH "Folder of the OpenMP build of OpenBLAS")
find_library(TRAINC_BLAS_LIBRARY NAMES openblas PATHS ${TRAINC_BLAS_DIR} NO_DEFAULT_PATH REQUIRED)
find_path(TRAINC_BLAS_INCLUDE cblas.h PATHS /usr/include/x86_64-linux-gnu/openblas-openmp NO_DEFAULT_PATH REQUIRED)
