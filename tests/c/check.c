#include "check.h"

int check_failures = 0;

void check_true(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: expected %s; last error: %s\n", file, line, what, locdyn_last_error());
  ++check_failures;
}

void check_refused(locdyn_status found, locdyn_status expected, const char* words, const char* call, const char* file,
                   int line) {
  const char* error = locdyn_last_error();
  if (found == expected && strstr(error, words) != NULL && strchr(error, '\n') == NULL) return;
  fprintf(stderr, "%s:%d: %s: expected status %d and \"%s\", found %d and \"%s\"\n", file, line, call, (int)expected,
          words, (int)found, error);
  ++check_failures;
}
