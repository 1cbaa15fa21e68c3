# A source archive, unpacked where git knows nothing of it, says which commit it is.
#
#   cmake -D SOURCE=… -D WORK=… -P archive.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(SUBSTRING ${head} 0 12 head)
execute_process(COMMAND git -C ${SOURCE} archive --format=tar --output=${WORK}/source.tar HEAD cmake
                COMMAND_ERROR_IS_FATAL ANY)
file(ARCHIVE_EXTRACT INPUT ${WORK}/source.tar DESTINATION ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_DIR=/nonexistent ${CMAKE_COMMAND} -D SOURCE=${WORK}
                        -D OUTPUT=${WORK}/commit.cpp -P ${WORK}/cmake/LocdynCommit.cmake COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK}/commit.cpp text)
if(NOT text MATCHES "\"${head}\"")
  message(FATAL_ERROR "expected an archive that tells its commit ${head}, found:\n${text}")
endif()
