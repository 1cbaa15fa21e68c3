# The core without GPL parts, files and command line: configures, and its package asks for none of them. The sources
# that the switch changes are compiled and run without them by klu_test and saddle_eigen_test.
#
#   cmake -D SOURCE=… -D WORK=… -D "CONFIGURE=…" -P core_only.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} ${CONFIGURE} -D LOCDYN_WITH_GPL=OFF
                        -D LOCDYN_WITH_HDF5=OFF -D LOCDYN_WITH_BULLET=OFF -D LOCDYN_WITH_ASSIMP=OFF
                        -D LOCDYN_WITH_SCENES=OFF -D LOCDYN_WITH_SUNDIALS=OFF -D LOCDYN_BUILD_APP=OFF
                        -D LOCDYN_BUILD_TESTS=OFF -D LOCDYN_BUILD_BENCHMARKS=OFF -D LOCDYN_BUILD_EXAMPLES=OFF
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "expected the core to configure, found:\n${output}")
endif()
if(NOT output MATCHES "sparse factorisations by KLU \\(LGPL\\) and Eigen")
  message(FATAL_ERROR "expected the configure step to say which factorisations are in use, found:\n${output}")
endif()
file(READ ${WORK}/locdynTargets.cmake targets)
string(REGEX REPLACE "<BOOL:OFF>:[^>]*>" "" targets "${targets}") # what a switch leaves out is still written down
foreach(unwanted UMFPACK CHOLMOD SPQR hdf5 Bullet assimp SUNDIALS)
  if(targets MATCHES ${unwanted})
    message(FATAL_ERROR "expected a package without ${unwanted}, found it in locdynTargets.cmake")
  endif()
endforeach()
