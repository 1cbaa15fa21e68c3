/* Checks for tests in C: each tells where it fails; check_failures is the exit status of the program. */
#ifndef LOCDYN_TESTS_C_CHECK_H
#define LOCDYN_TESTS_C_CHECK_H

#include <stdio.h>
#include <string.h>

#include "locdyn.h"

extern int check_failures;

void check_true(int holds, const char* what, const char* file, int line);
#define CHECK(condition) check_true((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK((call) == LOCDYN_OK)

/* The call is refused with that status, in one line that has `words` in it. */
void check_refused(locdyn_status found, locdyn_status expected, const char* words, const char* call, const char* file,
                   int line);
#define CHECK_REFUSED(status, words, call) check_refused((call), (status), (words), #call, __FILE__, __LINE__)

#endif
