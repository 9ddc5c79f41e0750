# Packages on macOS, native and cross: nothing that is shipped may link a library that a guest lacks, and the
# injected library has more architectures than a packaged library offers. So fmt is used header-only, Boost.JSON is
# compiled here, and Boost.Program_options is linked statically.
find_path(ASSAY_BOOST_INCLUDE boost/json/src.hpp REQUIRED)
find_path(ASSAY_FMT_INCLUDE fmt/format.h REQUIRED)

add_library(assay_boost_headers INTERFACE)
target_include_directories(assay_boost_headers SYSTEM INTERFACE ${ASSAY_BOOST_INCLUDE})
target_compile_definitions(assay_boost_headers INTERFACE BOOST_ALL_NO_LIB BOOST_JSON_STATIC_LINK)

add_library(fmt::fmt INTERFACE IMPORTED)
target_include_directories(fmt::fmt INTERFACE ${ASSAY_FMT_INCLUDE})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/boost_json.cpp CONTENT "#include <boost/json/src.hpp>\n")
add_library(assay_boost_json STATIC ${PROJECT_BINARY_DIR}/boost_json.cpp)
target_link_libraries(assay_boost_json PUBLIC assay_boost_headers)
add_library(Boost::json ALIAS assay_boost_json)

if(CMAKE_CROSSCOMPILING)
  file(GLOB sources ${ASSAY_MACOS_FILES}/program_options/*.cpp)
  list(FILTER sources EXCLUDE REGEX winmain)
  add_library(assay_boost_program_options STATIC ${sources})
  target_link_libraries(assay_boost_program_options PUBLIC assay_boost_headers)
  target_compile_options(assay_boost_program_options PRIVATE -w)
  add_library(Boost::program_options ALIAS assay_boost_program_options)
else()
  set(Boost_USE_STATIC_LIBS ON)
  find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
endif()

if(ASSAY_TESTS)
  if(CMAKE_CROSSCOMPILING)
    # The tests are run by CMAKE_CROSSCOMPILING_EMULATOR, which must be macho-run.
    list(APPEND CMAKE_MODULE_PATH /usr/lib/cmake/doctest)
    find_path(ASSAY_DOCTEST_INCLUDE doctest/doctest.h REQUIRED)
    add_library(doctest::doctest INTERFACE IMPORTED)
    target_include_directories(doctest::doctest INTERFACE ${ASSAY_DOCTEST_INCLUDE})
  else()
    find_package(doctest REQUIRED)
  endif()
endif()

# The injected library runs inside programs of any architecture; what it is made of must have the same slices.
# Natively built, it is universal; a cross-build has one architecture, and llvm-lipo joins two of them.
set(ASSAY_SHIM_ARCHITECTURES "arm64;arm64e;x86_64" CACHE STRING "Architectures of the injected library (native builds)")
function(assay_make_shim_universal)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  foreach(target assay_boost_json_inside assay_shim_objects assay_shim)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES OSX_ARCHITECTURES "${ASSAY_SHIM_ARCHITECTURES}")
    endif()
  endforeach()
endfunction()
