# Debian packages by CPack, one for each component of the install rules:
#
#   cmake --preset package && cmake --build --preset package && cpack --config build/package/CPackConfig.cmake
#
# `./dev package` does that. A package that depends on no part under the GPL needs LOCDYN_WITH_GPL=OFF, as the preset has.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME locdyn)
set(CPACK_PACKAGE_CONTACT "the locdyn maintainers <maintainers@users.noreply.locdyn.example>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/../packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS)
set(CPACK_COMPONENTS_ALL)

# What every package has in its own folder of documents.
string(TIMESTAMP changelog_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/copyright.in debian/copyright @ONLY)
configure_file(cmake/debian/changelog.in debian/changelog @ONLY)
find_program(LOCDYN_GZIP gzip REQUIRED)
execute_process(COMMAND ${LOCDYN_GZIP} -9nkf ${PROJECT_BINARY_DIR}/debian/changelog COMMAND_ERROR_IS_FATAL ANY)

set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}")
set(about "locdyn solves frictional contact between many rigid bodies exactly, to the\naccuracy asked for, and says how accurate each answer is.")

# locdyn_debian_package(COMPONENT NAME SECTION DEPENDS WORDS): one of them; WORDS end its description.
function(locdyn_debian_package component name section depends words)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${about}\n${words}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()

set(version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(library liblocdyn${version})
set(same "${library} (= ${PROJECT_VERSION})")
locdyn_debian_package(library ${library} libs "" "This package has the shared libraries for C++ and C.")
locdyn_debian_package(dev liblocdyn-dev libdevel "${same}, libeigen3-dev (>= 3.4)"
  "This package has what programs in C++ and C are built with: headers, the\nCMake package locdyn and locdyn.pc for pkg-config.")
locdyn_debian_package(doc locdyn-doc doc "" "This package has the documentation.")
if(TARGET locdyn_app)
  locdyn_debian_package(tools locdyn-tools science "${same}"
    "This package has the command line, which solves problem files, compares\nsolvers and simulates scenes.")
endif()
if(TARGET locdyn_python)
  find_package(Python REQUIRED COMPONENTS Interpreter) # the one that python/ was built for
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  locdyn_debian_package(python python3-locdyn python
    "${same}, python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next}~), python3-numpy, python3-scipy"
    "This package has the Python package locdyn.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-h5py) # trajectories read back
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)

# Each shared library: where the packages' own programs find it while they are made, and what whoever links it depends on.
get_property(libraries GLOBAL PROPERTY LOCDYN_LIBRARIES)
foreach(target IN LISTS libraries)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    get_target_property(folder ${target} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
    get_target_property(name ${target} OUTPUT_NAME)
    string(APPEND shlibs "lib${name} ${version} ${same}\n")
  endif()
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "${shlibs}")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)

include(CPack)
