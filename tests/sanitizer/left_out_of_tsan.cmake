# Beside left_out.cmake, read in the same way. LLVM's OpenMP and the thread sanitizer's run time keep files of their own
# in memory, and end by SIGBUS before main where none may have more than a few kB.
set_tests_properties("app:a disk that fills up: no part of the output stays, the old file is whole" PROPERTIES DISABLED TRUE)

# Minutes of one thread alone, where others go through the same code: 163 and 89 s of a machine of two cores.
foreach(name IN ITEMS
    "saddle_eigen:a chain of 1000 links: all forms agree"
    "solver:bilateral rows that contradict each other let R run away: its rounding floor is no convergence")
  set_tests_properties(${name} PROPERTIES DISABLED TRUE)
endforeach()
