# Compile flags, the precompiled header and the functions that subfolders add themselves with.

add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Keeps ccache hits with a precompiled header.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
if(TRAINC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# mlir_tablegen reads the directory's include path, not a target's.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/include)

# libtrainc: the whole compiler in one shared library, so that a plugin shares its interface identities.
add_library(trainc SHARED)
target_link_libraries(trainc PUBLIC MLIR LLVM fmt::fmt PRIVATE nlohmann_json::nlohmann_json)
target_precompile_headers(trainc PRIVATE ${PROJECT_SOURCE_DIR}/lib/Pch.h)
set_target_properties(trainc PROPERTIES OUTPUT_NAME trainc)

# trainc_sources(a.cpp ...): adds the files of this folder to libtrainc.
function(trainc_sources)
  target_sources(trainc PRIVATE ${ARGN})
endfunction()

# trainc_tool(name SOURCES... [LINK ...]): a binary in bin/.
function(trainc_tool name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LINK})
endfunction()
