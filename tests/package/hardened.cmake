# Is a program hard to turn against its user (cmake/LocdynHarden.cmake)? Its own headers and symbols tell.
#
#   cmake -D READELF=… -D PROGRAM=… -P hardened.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${READELF} -W --file-header --segments --dynamic --dyn-syms ${PROGRAM} OUTPUT_VARIABLE told
                COMMAND_ERROR_IS_FATAL ANY)
foreach(sign IN ITEMS "FLAGS_1[^\n]* PIE" "GNU_RELRO" "BIND_NOW" "__stack_chk_fail" "__[a-z]+_chk@")
  if(NOT told MATCHES "${sign}")
    list(APPEND missing "${sign}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "${PROGRAM}: expected a hardened program, found no ${missing}")
endif()
