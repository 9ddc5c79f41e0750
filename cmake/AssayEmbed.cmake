# assay_embed(TARGET NAMESPACE FILE...): compiles files into TARGET as std::string_view constants.
#
# `kernels/saxpy.metal` embedded under `kernels` becomes `assay::embedded::kernels::saxpy_metal`,
# declared in "embedded/<NAMESPACE>.h". Files are re-read when they change.
function(assay_embed target namespace)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(header ${out}/embedded/${namespace}.h)
  set(source ${out}/${namespace}.cpp)
  set(files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(
    OUTPUT ${header} ${source}
    COMMAND ${CMAKE_COMMAND} -DNAMESPACE=${namespace} -DHEADER=${header} -DSOURCE=${source}
            "-DFILES=${joined}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${source} ${header})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${out}>)
endfunction()
