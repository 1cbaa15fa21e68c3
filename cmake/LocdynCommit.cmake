# Writes OUTPUT, a source that says which commit SOURCE is at; leaves it alone where it says so already. A source archive
# has its commit written into commit.txt; a checkout has the place for it alone, and git says.
#
#   cmake -D SOURCE=… -D OUTPUT=… -P LocdynCommit.cmake
file(STRINGS ${SOURCE}/cmake/commit.txt commit LIMIT_COUNT 1)
if(commit MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${commit} 0 12 commit)
else()
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  RESULT_VARIABLE status OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT status EQUAL 0 OR commit STREQUAL "")
    set(commit unknown)
  endif()
endif()
set(text "#include \"machine_facts.hpp\"\n\nconst char* locdyn::app::built_commit() noexcept {\n  return \"${commit}\";\n}\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
