# Installs the library with its headers and a CMake package `speech`.
include(GNUInstallDirs)
install(TARGETS speech EXPORT speechTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT speechTargets NAMESPACE speech:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/speech)
if(SPEECH_THREADS)
  set(dependencies "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n")
endif()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/speechConfig.cmake
  "${dependencies}include(\"\${CMAKE_CURRENT_LIST_DIR}/speechTargets.cmake\")\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/speechConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/speech)
