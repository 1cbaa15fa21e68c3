# The core without GPL parts, files and command line: configures and builds, and its package asks for none of them.
#
#   cmake -D SOURCE=… -D WORK=… -D "CONFIGURE=…" -P core_only.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(JOIN " " line ${ARGV})
    message(FATAL_ERROR "exit status ${status} from: ${line}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} ${CONFIGURE} -D CMAKE_BUILD_TYPE=None -D LOCDYN_WITH_GPL=OFF
    -D LOCDYN_WITH_HDF5=OFF -D LOCDYN_BUILD_APP=OFF -D LOCDYN_BUILD_TESTS=OFF -D LOCDYN_BUILD_BENCHMARKS=OFF
    -D LOCDYN_BUILD_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --build ${WORK} --target locdyn_ldy_graph locdyn_solver --parallel 2)
file(READ ${WORK}/locdynTargets.cmake targets)
string(REGEX REPLACE "<BOOL:OFF>:[^>]*>" "" targets "${targets}") # what a switch leaves out is still written down
foreach(unwanted UMFPACK CHOLMOD SPQR hdf5)
  if(targets MATCHES ${unwanted})
    message(FATAL_ERROR "expected a package without ${unwanted}, found it in locdynTargets.cmake")
  endif()
endforeach()
