# What keeps a full build cheap: others' headers (Eigen, the standard library) are parsed once for each set of flags,
# into a precompiled header, for tests and examples with the project's own that most of them read; what is no part of
# the library is compiled at -O1, its own speed matters less than the time to compile it, and linked by gold where there
# is one; GCC collects its garbage from 512 MiB on instead of every few MiB; sources of a library do not wait for the
# libraries that it names; and targets that ask for it are compiled two dozen sources together, so that what they
# instantiate of templates is instantiated once. Clang takes 0.67 of GCC's time for it all (preset `landing`, -O1).
#
# locdyn_compile_cost(TARGET LIBRARY|BENCHMARK|PROGRAM|TRIAL|CHECK)
#   LIBRARY    the library: the build type's own optimisation, position-independent
#   BENCHMARK  the build type's own optimisation, nothing precompiled
#   PROGRAM    the command line: -O1 except in a debug build, where the build type's stands
#   TRIAL      tests and examples: as PROGRAM; an assertion of doctest is one call, cheap to compile: an exception in it
#              ends the case, failed, instead of the assertion alone
#   CHECK      a test that has little arithmetic of its own: as TRIAL, or without optimisation where LOCDYN_PLAIN_TESTS
# locdyn_compile_together(TARGET)
#   the target's sources in batches; a source that others replace stays alone by SKIP_UNITY_BUILD_INCLUSION
# Bits do not depend on either: contraction is off and nothing reassociates.
option(LOCDYN_PRECOMPILE "Parse Eigen and the standard library once (off: a missing #include shows)"
       ${PROJECT_IS_TOP_LEVEL})
# Measured on four batches of tests, Clang 14: 49 s of a processor in place of 77.
option(LOCDYN_PLAIN_TESTS "Compile tests without optimisation, but for those that compute much themselves" OFF)
option(LOCDYN_UNITY "Compile sources of a target together (off: one change compiles one file)" ${PROJECT_IS_TOP_LEVEL})

# A hundred programs of tests and examples are linked in a third of the time that binutils' other linker takes.
find_program(LOCDYN_GOLD NAMES ld.gold)
mark_as_advanced(LOCDYN_GOLD)

set(CMAKE_OPTIMIZE_DEPENDENCIES ON)

# A dozen in place of two dozen: a landing is built in 532 s of a processor in place of 470.
function(locdyn_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LOCDYN_UNITY} UNITY_BUILD_BATCH_SIZE 24)
endfunction()

function(locdyn_compile_cost target kind)
  if(kind STREQUAL CHECK AND NOT LOCDYN_PLAIN_TESTS)
    set(kind TRIAL)
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>) # [KiB]
  locdyn_options_of_kind(${target} ${kind})
  if(kind STREQUAL BENCHMARK)
    return()
  endif()
  if(LOCDYN_PRECOMPILE AND NOT CMAKE_POSITION_INDEPENDENT_CODE) # that gives programs flags of their own
    string(TOLOWER locdyn_precompiled_${kind} carrier)
    if(NOT TARGET ${carrier})
      locdyn_precompiled_header(${carrier} ${kind})
    endif()
    target_precompile_headers(${target} REUSE_FROM ${carrier})
  endif()
endfunction()

function(locdyn_options_of_kind target kind)
  locdyn_harden(${target} ${kind})
  if(kind MATCHES "PROGRAM|TRIAL")
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  elseif(kind STREQUAL CHECK)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(kind MATCHES "PROGRAM|TRIAL|CHECK")
    if(LOCDYN_GOLD AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT CMAKE_CXX_FLAGS MATCHES "-flto|-fsanitize")
      target_link_options(${target} PRIVATE -fuse-ld=gold)
    endif()
  endif()
  if(kind MATCHES "TRIAL|CHECK")
    target_compile_definitions(${target} PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  endif()
  if(kind STREQUAL LIBRARY) # its threads are its own: a product of Eigen's rounds the same on any number of them
    target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)
  endif()
endfunction()

# Each comparison is told to the fuzzer, which then finds what a reader compares its input with. Numbers teach it nothing
# so, and telling took 54 % of the time of random problems under the sanitizers: not in the rooms of numbers.
function(locdyn_compares_numbers target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[^ ]*fuzzer")
    target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
  endif()
endfunction()

# The target that owns the header of one kind; its only source is empty.
function(locdyn_precompiled_header carrier kind)
  file(WRITE ${PROJECT_BINARY_DIR}/${carrier}.cpp "")
  add_library(${carrier} OBJECT ${PROJECT_BINARY_DIR}/${carrier}.cpp)
  if(kind STREQUAL LIBRARY)
    set_target_properties(${carrier} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_features(${carrier} PRIVATE cxx_std_20)
  target_link_libraries(${carrier} PRIVATE Eigen3::Eigen)
  locdyn_warnings_and_rounding(${carrier})
  locdyn_options_of_kind(${carrier} ${kind})
  set(header precompiled)
  if(kind MATCHES "TRIAL|CHECK")
    set(header precompiled_trial)
    target_include_directories(${carrier} PRIVATE $<TARGET_PROPERTY:locdyn_simulation,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  target_precompile_headers(${carrier} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header}.hpp)
endfunction()
