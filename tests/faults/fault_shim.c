/* Put before libc by LD_PRELOAD, it makes one system call of a program go wrong, the same one every time.
 *
 *   LOCDYN_FAULT=CALL:N:WHAT   CALL: write (write, pwrite, writev, posix_fallocate, fsync, rename of regular files),
 *                              read (read, pread of the file below), clock (clock_gettime) or handler (sigaction of
 *                              SIGINT); N: which, from 0
 *                              WHAT: full (no room from then on), INT, TERM (that signal), vanish, shrink (of the file)
 *   LOCDYN_FAULT_FILE=PATH     the file that vanishes or shrinks
 *   LOCDYN_FAULT_LOG=PATH      is made once the call has come
 *
 * Programs that this one starts are left in peace. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum Call { CALL_NONE, CALL_WRITE, CALL_READ, CALL_CLOCK, CALL_HANDLER };
enum What { WHAT_FULL, WHAT_INT, WHAT_TERM, WHAT_VANISH, WHAT_SHRINK };

static enum Call fault_call;
static enum What fault_what;
static long fault_at;
static atomic_long count;
static char fault_file[4096], fault_log[4096];

static void copy(char* to, const char* name) {
  const char* value = getenv(name);
  snprintf(to, 4096, "%s", value != NULL ? value : "");
}

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("LOCDYN_FAULT");
  char call[16] = "", what[16] = "";
  copy(fault_file, "LOCDYN_FAULT_FILE");
  copy(fault_log, "LOCDYN_FAULT_LOG");
  if (text != NULL && sscanf(text, "%15[^:]:%ld:%15s", call, &fault_at, what) == 3) {
    const char* const names[] = {"full", "INT", "TERM", "vanish", "shrink"};
    for (int k = 0; k < 5; ++k) {
      if (strcmp(what, names[k]) == 0) fault_what = (enum What)k;
    }
    const char* const calls[] = {"none", "write", "read", "clock", "handler"};
    for (int k = 0; k < 5; ++k) {
      if (strcmp(call, calls[k]) == 0) fault_call = (enum Call)k;
    }
  }
  unsetenv("LOCDYN_FAULT");
  unsetenv("LD_PRELOAD");
}

/* Is it this call's turn? Then what is not an error of the call itself is done here. */
static int due(enum Call call) {
  if (call != fault_call) return 0;
  const long now = atomic_fetch_add(&count, 1);
  if (now != fault_at) return fault_what == WHAT_FULL && now > fault_at;
  const int log = (int)syscall(SYS_openat, AT_FDCWD, fault_log, O_WRONLY | O_CREAT, 0600);
  if (log >= 0) syscall(SYS_close, log);
  struct stat before;
  if (fault_what == WHAT_INT || fault_what == WHAT_TERM) kill(getpid(), fault_what == WHAT_INT ? SIGINT : SIGTERM);
  if (fault_what == WHAT_VANISH && unlink(fault_file) != 0) _exit(99);
  if (fault_what == WHAT_SHRINK && (stat(fault_file, &before) != 0 || truncate(fault_file, before.st_size / 2) != 0)) {
    _exit(99);
  }
  return fault_what == WHAT_FULL;
}

static int regular(int file) {
  struct stat now;
  return file > 2 && fstat(file, &now) == 0 && S_ISREG(now.st_mode) && now.st_nlink > 0; /* no memory file */
}

static int full(int file) {
  if (fault_call != CALL_WRITE || !regular(file) || !due(CALL_WRITE)) return 0;
  errno = ENOSPC;
  return 1;
}

static void reading(int file) {
  if (fault_call != CALL_READ) return;
  char name[64], path[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(name, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  if (strcmp(path, fault_file) == 0) due(CALL_READ);
}

ssize_t write(int file, const void* bytes, size_t size) {
  return full(file) ? -1 : (ssize_t)syscall(SYS_write, file, bytes, size);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return full(file) ? -1 : (ssize_t)syscall(SYS_pwrite64, file, bytes, size, at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}
ssize_t writev(int file, const struct iovec* parts, int parts_count) {
  return full(file) ? -1 : (ssize_t)syscall(SYS_writev, file, parts, parts_count);
}
int fsync(int file) {
  return full(file) ? -1 : (int)syscall(SYS_fsync, file);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
  if (full(file)) return ENOSPC;
  return syscall(SYS_fallocate, file, 0, at, size) == 0 ? 0 : errno;
}
int posix_fallocate(int file, off_t at, off_t size) {
  return posix_fallocate64(file, at, size);
}
int rename(const char* from, const char* to) {
  if (fault_call == CALL_WRITE && due(CALL_WRITE)) {
    errno = ENOSPC;
    return -1;
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
ssize_t read(int file, void* bytes, size_t size) {
  reading(file);
  return (ssize_t)syscall(SYS_read, file, bytes, size);
}
ssize_t pread64(int file, void* bytes, size_t size, off64_t at) {
  reading(file);
  return (ssize_t)syscall(SYS_pread64, file, bytes, size, at);
}
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  return pread64(file, bytes, size, at);
}

/* The C library's own function of that name into `to`, a pointer to a function. */
static void libc(const char* name, void* to, _Atomic(void*)* known) {
  if (*known == NULL) *known = dlsym(RTLD_NEXT, name);
  void* const function = *known;
  memcpy(to, &function, sizeof function);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static _Atomic(void*) known;
  int (*call)(clockid_t, struct timespec*);
  libc("clock_gettime", &call, &known);
  due(CALL_CLOCK);
  return call(clock, now);
}
int sigaction(int number, const struct sigaction* next, struct sigaction* before) {
  static _Atomic(void*) known;
  int (*call)(int, const struct sigaction*, struct sigaction*);
  libc("sigaction", &call, &known);
  if (number == SIGINT && next != NULL) due(CALL_HANDLER);
  return call(number, next, before);
}
