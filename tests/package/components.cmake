# A rule without a component would be in no Debian package: each names one of those that there are.
#
#   cmake -D BUILD=… -P components.cmake
cmake_minimum_required(VERSION 3.25)

# Scripts are those that the root's includes: a build tree may hold others of folders that are gone.
set(seen)
set(scripts ${BUILD}/cmake_install.cmake)
while(scripts)
  list(POP_FRONT scripts script)
  file(STRINGS ${script} lines REGEX "CMAKE_INSTALL_COMPONENT STREQUAL|include\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" text "${line}")
    if(line MATCHES "include")
      list(APPEND scripts ${text})
    elseif(line MATCHES "STREQUAL \"(library|dev|tools|python|doc)\"")
      list(APPEND seen ${CMAKE_MATCH_1})
    else()
      message(FATAL_ERROR "${script}: expected component library, dev, tools, python or doc, found ${text}")
    endif()
  endforeach()
endwhile()
list(REMOVE_DUPLICATES seen)
foreach(component IN ITEMS dev tools)
  if(NOT component IN_LIST seen)
    message(FATAL_ERROR "expected install rules of component ${component}, found none: this test tests nothing")
  endif()
endforeach()
