# locdyn_library(NAME FOLDER folder HEADERS … SOURCES … [PUBLIC …] [PRIVATE …])
#
# Adds the library target locdyn_NAME, alias locdyn::NAME, from the sources of the calling folder.
# Its headers are seen as <locdyn/FOLDER/….hpp>, through a link that shows this folder and no other: a folder
# sees another one's headers only by linking its target, so that the arrows of data are held by the compiler.
# HEADERS are the public ones: they alone are installed, and <locdyn/NAME.hpp> includes them all. Every other header
# is private to this tree, its names in locdyn::detail or a namespace of its folder.
function(locdyn_library name)
  cmake_parse_arguments(arg "" "FOLDER" "HEADERS;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  locdyn_include_root(${arg_FOLDER} include_root)

  add_library(locdyn_${name} ${arg_SOURCES})
  add_library(locdyn::${name} ALIAS locdyn_${name})
  set_target_properties(locdyn_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME locdyn_${name}
                        POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(locdyn_${name} PUBLIC cxx_std_20)
  target_include_directories(locdyn_${name} PUBLIC $<BUILD_INTERFACE:${include_root}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(locdyn_${name} PUBLIC Eigen3::Eigen ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  locdyn_compile_options(locdyn_${name} LIBRARY)
  if("locdyn_threads" IN_LIST arg_PRIVATE)
    locdyn_compares_numbers(locdyn_${name})
  endif()
  locdyn_install_library(locdyn_${name})
  locdyn_install_headers(${name} ${arg_FOLDER} ${include_root} "${arg_HEADERS}")
endfunction()

# locdyn_install_library(TARGET): into the package's targets; what runs in component `library`, what builds in `dev`.
function(locdyn_install_library target)
  install(TARGETS ${target} EXPORT locdynTargets LIBRARY COMPONENT library NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)
  set_property(GLOBAL APPEND PROPERTY LOCDYN_LIBRARIES ${target})
endfunction()

# locdyn_install_headers(NAME FOLDER ROOT HEADERS): the public headers, and <locdyn/NAME.hpp> where there are any.
function(locdyn_install_headers name folder root headers)
  if(NOT headers)
    return()
  endif()
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH below)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/locdyn/${folder}/${below} COMPONENT dev)
  endforeach()
  list(TRANSFORM headers PREPEND ${folder}/)
  set_property(GLOBAL APPEND PROPERTY LOCDYN_PUBLIC_HEADERS ${headers})
  locdyn_umbrella(${name} ${root} "${headers}")
endfunction()

# locdyn_umbrella(NAME ROOT HEADERS): <locdyn/NAME.hpp>, which includes HEADERS, below ROOT and installed.
function(locdyn_umbrella name root headers)
  set(text "#pragma once\n")
  foreach(header IN LISTS headers)
    string(APPEND text "#include <locdyn/${header}>\n")
  endforeach()
  file(CONFIGURE OUTPUT ${root}/locdyn/${name}.hpp CONTENT "${text}" @ONLY)
  install(FILES ${root}/locdyn/${name}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/locdyn COMPONENT dev)
  set_property(GLOBAL APPEND PROPERTY LOCDYN_UMBRELLAS ${name}.hpp)
endfunction()

# locdyn_headers(NAME FOLDER folder [HEADERS …]): the same for a folder of headers alone.
function(locdyn_headers name)
  cmake_parse_arguments(arg "" "FOLDER" "HEADERS" ${ARGN})
  locdyn_include_root(${arg_FOLDER} include_root)
  add_library(locdyn_${name} INTERFACE)
  add_library(locdyn::${name} ALIAS locdyn_${name})
  set_target_properties(locdyn_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(locdyn_${name} INTERFACE cxx_std_20)
  target_include_directories(locdyn_${name} INTERFACE $<BUILD_INTERFACE:${include_root}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  locdyn_install_library(locdyn_${name})
  locdyn_install_headers(${name} ${arg_FOLDER} ${include_root} "${arg_HEADERS}")
endfunction()

# The folder that shows the headers of this one, as <locdyn/…>.
function(locdyn_include_root folder root)
  string(REGEX REPLACE "/.*" "" top ${folder})
  set(shown ${PROJECT_BINARY_DIR}/include/${top})
  file(MAKE_DIRECTORY ${shown}/locdyn)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${top} ${shown}/locdyn/${top} SYMBOLIC)
  set(${root} ${shown} PARENT_SCOPE)
endfunction()

# locdyn_compile_options(TARGET LIBRARY|BENCHMARK|PROGRAM|TRIAL|CHECK): warnings, rounding, what keeps the build cheap
function(locdyn_compile_options target kind)
  locdyn_warnings_and_rounding(${target})
  locdyn_compile_cost(${target} ${kind})
endfunction()

# Warnings, contraction off (a product and a sum round the same wherever the compiler puts them, hot kernels name
# their fused operations), no errno of a root, which nobody reads and which keeps it out of vectors, and the native
# option: there GCC 12 warns of loads of four numbers where Eigen has three, which it does not make.
function(locdyn_warnings_and_rounding target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                         -ffp-contract=off -fno-math-errno $<$<BOOL:${LOCDYN_WERROR}>:-Werror>
                         $<$<BOOL:${LOCDYN_NATIVE}>:-march=native>
                         $<$<AND:$<BOOL:${LOCDYN_NATIVE}>,$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds>)
endfunction()
