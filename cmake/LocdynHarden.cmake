# What makes a program hard to turn against its user, where input of strangers finds a fault in it after all
# (SECURITY.md, with what it costs).
#
# locdyn_harden(TARGET LIBRARY|BENCHMARK|PROGRAM|TRIAL|CHECK)
#   copies and prints of libc stop at the end of what they write to, where the compiler knows it (_FORTIFY_SOURCE); a
#   function with an array that was written past its end stops before it returns; programs lie at another address each
#   time; tables of addresses cannot be written once the program runs
# A build under a sanitizer, which finds more, does with the last alone; one without optimisation cannot fortify; a level
# of fortification that the flags name already stays.
option(LOCDYN_HARDEN "Compile against faults that are made use of: fortified libc, stack protector, PIE, RELRO" ON)

function(locdyn_harden target kind)
  if(NOT LOCDYN_HARDEN OR APPLE OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  if(kind MATCHES "BENCHMARK|PROGRAM|TRIAL|CHECK")
    target_compile_options(${target} PRIVATE -fPIE)
    target_link_options(${target} PRIVATE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong)
  if(NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE" AND NOT kind STREQUAL CHECK)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  endif()
endfunction()
