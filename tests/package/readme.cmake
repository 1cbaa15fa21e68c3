# The C++ that the README shows is part of an example, word for word, so that it compiles and runs.
#
#   cmake -D README=… -D EXAMPLE=… -P readme.cmake
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(REGEX MATCH "```cpp\n([^`]*)```" block "${readme}")
if(block STREQUAL "")
  message(FATAL_ERROR "expected a ```cpp block in ${README}, found none")
endif()
set(code "${CMAKE_MATCH_1}")
foreach(text code example) # the example's lines are indented, the README's are not
  string(REGEX REPLACE "\n +" "\n" ${text} "${${text}}")
endforeach()
string(FIND "${example}" "${code}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "expected the README's C++ in ${EXAMPLE}, found other words in:\n${code}")
endif()
