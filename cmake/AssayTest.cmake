# assay_test(NAME SOURCES... ): a doctest program, each of its test cases a CTest test.
#
# Everything after LIBRARIES is linked; everything after LABELS becomes CTest labels.
function(assay_test name)
  if(NOT ASSAY_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
  target_link_libraries(${name} PRIVATE assay_warnings doctest::doctest ${arg_LIBRARIES})
  target_compile_definitions(${name} PRIVATE
    ASSAY_BINARY="${PROJECT_BINARY_DIR}/bin/assay"
    ASSAY_BUILD_DIR="${PROJECT_BINARY_DIR}"
    ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TARGET assay)
    add_dependencies(${name} assay)
  endif()
  include(doctest)
  doctest_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
