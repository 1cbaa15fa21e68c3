# find_package(locdyn) from the build tree and from an installed one.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/locdyn)
if(BUILD_SHARED_LIBS) # they bring what they need with them; static ones hand it on to the program
  set(LOCDYN_HANDS_ON FALSE)
else()
  set(LOCDYN_HANDS_ON TRUE)
endif()

configure_package_config_file(cmake/locdynConfig.cmake.in ${PROJECT_BINARY_DIR}/locdynConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/locdynConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(module IN ITEMS FindSuiteSparse.cmake FindBulletCollision.cmake FindUrdfdom.cmake)
  file(COPY_FILE ${PROJECT_SOURCE_DIR}/cmake/${module} ${PROJECT_BINARY_DIR}/${module} ONLY_IF_DIFFERENT)
endforeach()

export(EXPORT locdynTargets NAMESPACE locdyn:: FILE ${PROJECT_BINARY_DIR}/locdynTargets.cmake)
install(EXPORT locdynTargets NAMESPACE locdyn:: DESTINATION ${package_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/locdynConfig.cmake ${PROJECT_BINARY_DIR}/locdynConfigVersion.cmake
        cmake/FindSuiteSparse.cmake cmake/FindBulletCollision.cmake cmake/FindUrdfdom.cmake DESTINATION ${package_dir} COMPONENT dev)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
# The manual, where somebody has built it there (`./dev package` does).
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc OPTIONAL)
install(FILES ${PROJECT_BINARY_DIR}/docs/man/locdyn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools OPTIONAL)
