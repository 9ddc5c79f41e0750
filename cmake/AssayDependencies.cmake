# Third-party packages, and how a target takes them: Boost::json, Boost::program_options, fmt::fmt,
# doctest::doctest, assay_objc, assay_sha256.
find_package(Threads REQUIRED)
if(APPLE)
  include(AssayDependenciesMacos)
else()
  find_package(Boost 1.74 REQUIRED COMPONENTS json program_options)
  find_package(fmt REQUIRED)
  if(ASSAY_TESTS)
    find_package(doctest REQUIRED)
  endif()
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ASSAY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()

# assay_objc: headers and the runtime library of Objective-C.
add_library(assay_objc INTERFACE)
if(APPLE)
  target_link_libraries(assay_objc INTERFACE objc)
else()
  # GCC keeps its runtime's headers and library in its own folder; clang must be told where.
  execute_process(COMMAND gcc-12 -print-file-name=include OUTPUT_VARIABLE gcc_include
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND gcc-12 -print-file-name=libobjc.so OUTPUT_VARIABLE gcc_objc
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS ${gcc_include}/objc/runtime.h OR NOT EXISTS ${gcc_objc})
    message(FATAL_ERROR "GCC's Objective-C runtime is missing: apt-get install gobjc-12")
  endif()
  target_compile_options(assay_objc INTERFACE "SHELL:-idirafter ${gcc_include}")
  target_link_libraries(assay_objc INTERFACE ${gcc_objc} ${CMAKE_DL_LIBS})
endif()

# assay_sha256: SHA-256 from the system.
add_library(assay_sha256 INTERFACE)
if(NOT APPLE)
  find_library(ASSAY_LIBMD md REQUIRED)
  target_link_libraries(assay_sha256 INTERFACE ${ASSAY_LIBMD})
endif()
