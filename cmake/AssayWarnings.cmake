# assay_warnings: what every target of the project is compiled with.
add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic $<$<COMPILE_LANGUAGE:CXX>:-Wconversion> $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  # GCC 12 sees overlaps in "literal" + string that are not there (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
if(ASSAY_SANITIZE)
  target_compile_options(assay_warnings INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(assay_warnings INTERFACE -fsanitize=address,undefined)
endif()
