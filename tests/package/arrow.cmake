# The arrows of data: with the include directories of one target alone, one header must be found and others must not.
#
#   cmake -D COMPILER=… -D "INCLUDES=…" -D SOURCE=… -D WORK=… -D SEES=header -D "FORBIDDEN=header;…" -P arrow.cmake
function(found header result) # by the preprocessor: whether headers compile is asked by public_headers_alone
  file(WRITE ${WORK}/probe.cpp "#include <locdyn/${header}>\n")
  list(TRANSFORM INCLUDES PREPEND -I OUTPUT_VARIABLE flags)
  execute_process(COMMAND ${COMPILER} -std=c++20 -E ${flags} ${WORK}/probe.cpp
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
  set(messages "${messages}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${WORK})
found(${SEES} seen)
if(NOT seen)
  message(FATAL_ERROR "expected ${SEES} to be found with all that it includes, found:\n${messages}")
endif()
foreach(header IN LISTS FORBIDDEN)
  if(NOT EXISTS ${SOURCE}/${header})
    message(FATAL_ERROR "expected the header ${header} in the source tree, found none: this test tests nothing")
  endif()
  found(${header} seen)
  if(seen)
    message(FATAL_ERROR "expected that <locdyn/${header}> cannot be included, found that it can")
  elseif(NOT messages MATCHES "${header}[^\n]*(No such file|file not found)|'locdyn/${header}' file not found")
    message(FATAL_ERROR "expected <locdyn/${header}> not to be found, found another fault:\n${messages}")
  endif()
endforeach()
