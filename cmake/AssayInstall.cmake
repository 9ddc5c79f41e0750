# `cmake --install` and an archive per platform (`cpack`): the program, its libraries beside it, and what a shell needs.
include(GNUInstallDirs)
set(CMAKE_INSTALL_LIBDIR lib) # assay looks for its libraries in ../lib

install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(library assay_shim Metal)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(FILES docs/assay.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME assay)
install(FILES completions/_assay DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/metal-assay)
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/schema)
  install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/metal-assay)
endif()

string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
if(APPLE)
  set(system macos)
endif()
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME metal-assay)
set(CPACK_PACKAGE_FILE_NAME metal-assay-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES OFF) # llvm-strip would leave the code signature wrong
include(CPack)
