# Tests that a program cannot pass while it counts its own coverage, each by name with its reason; read as left_out.cmake.

# The limit on the size of its files ends the program when it writes its counts, which are larger, at its end.
set_tests_properties("app:a disk that fills up: no part of the output stays, the old file is whole" PROPERTIES DISABLED TRUE)
