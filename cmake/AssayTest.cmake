# assay_test(NAME SOURCES... ): a doctest program, each of its test cases a CTest test.
#
# Everything after LIBRARIES is linked; everything after LABELS becomes CTest labels. A test case that prints
# "skipped: " and a reason counts as skipped.
# The label "pure" is for tests that touch no Metal: they also run with sanitizers, built by `pure_tests`.
add_custom_target(pure_tests)

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
  if("pure" IN_LIST arg_LABELS)
    add_dependencies(pure_tests ${name})
  elseif(TARGET assay)
    add_dependencies(${name} assay)
  endif()
  include(doctest)
  set(properties TIMEOUT 300 SKIP_REGULAR_EXPRESSION "skipped: ")
  if(arg_LABELS) # an empty value would vanish and shift the names that follow
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  doctest_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES ${properties})
endfunction()
