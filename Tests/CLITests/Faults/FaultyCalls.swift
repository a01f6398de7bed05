// Makes the system calls of the built program fail, fall short, kill it, or be remembered: a small library in C
// that is loaded in front of the C library (ld.so(8), LD_PRELOAD) and told by the environment what to do.

import Glibc
import TestSupport

/// What the calls on the files of one folder are to do.
struct CallPlan {
  /// A kind of call, by its letter in the library.
  enum Kind: String, CaseIterable {
    case open = "o"
    case read = "r"
    case write = "w"
    case sync = "s"
    case truncate = "t"
    case allocate = "a"
    case rename = "n"
  }

  /// What happens from the first of the calls that are counted to the last.
  enum Fault {
    /// They fail with this error number.
    case error(Int32)
    /// The program is killed: in the middle of a write, before any other call.
    case kill
  }

  /// Which calls are counted.
  var kinds = Kind.allCases
  var fault: Fault?
  /// The calls that fail, from 1.
  var numbers = 1...Int.max
  /// The most that one read or write moves.
  var mostBytes: Int?

  func environment(root: String, log: String) -> [String] {
    var variables = ["LD_PRELOAD=\(FaultyCalls.library)", "FAULTY_ROOT=\(root)/"]
    variables.append("FAULTY_LOG=\(log)")
    variables.append("FAULTY_KINDS=\(kinds.map(\.rawValue).joined())")
    switch fault {
    case .error(let number): variables.append("FAULTY_ERROR=\(number)")
    case .kill: variables.append("FAULTY_KILL=1")
    case nil: break
    }
    if fault != nil {
      variables.append("FAULTY_FIRST=\(numbers.lowerBound)")
      variables.append("FAULTY_LAST=\(numbers.upperBound)")
    }
    if let mostBytes { variables.append("FAULTY_MOST=\(mostBytes)") }
    return variables
  }
}

enum FaultyCalls {
  /// The built library; made once a run of the tests, and gone when they end.
  static let library: String = {
    let folder = TemporaryDirectory()
    folder.write(Array(source.utf8), to: "calls.c")
    let library = "/tmp/kcarchive-faulty-calls-\(getpid()).so"
    let compiling =
      "$(command -v cc || command -v clang) -O1 -shared -fPIC -Wall -o $0 $1 -ldl"
    let program = Program(
      words: ["/bin/sh", "-c", compiling, library, folder.file("calls.c")],
      variables: ["PATH=\(unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin")"])
    guard program.run() == 0 else { fatalError("no C compiler") }
    withExtendedLifetime(folder) {}
    atexit { unsafe unlink(FaultyCalls.library) }
    return library
  }()

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdarg.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static const char *root, *kinds = "";
    static long first, last, counted, most;
    static int error_number, log_descriptor = -1;
    static char is_known[1024];
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    static long number(const char *name) {
      const char *text = getenv(name);
      return text ? atol(text) : 0;
    }

    __attribute__((constructor)) static void begin(void) {
      root = getenv("FAULTY_ROOT");
      if (getenv("FAULTY_KINDS")) kinds = getenv("FAULTY_KINDS");
      error_number = number("FAULTY_ERROR");
      if (getenv("FAULTY_KILL")) error_number = -1;
      first = number("FAULTY_FIRST");
      last = number("FAULTY_LAST");
      most = number("FAULTY_MOST");
      const char *log = getenv("FAULTY_LOG");
      if (log) log_descriptor = syscall(SYS_openat, AT_FDCWD, log,
        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
      // Programs that this one starts do as they like.
      unsetenv("LD_PRELOAD");
    }

    // kind, inode, offset, length, and so many bytes; numbers as the machine has them.
    static void record(char kind, uint64_t inode, uint64_t offset, const void *bytes, uint32_t count) {
      char head[21];
      head[0] = kind;
      memcpy(head + 1, &inode, 8);
      memcpy(head + 9, &offset, 8);
      memcpy(head + 17, &count, 4);
      if (log_descriptor < 0) return;
      syscall(SYS_write, log_descriptor, head, sizeof head);
      while (count > 0) {
        long part = syscall(SYS_write, log_descriptor, bytes, count);
        if (part <= 0) abort();
        bytes = (const char *)bytes + part;
        count -= part;
      }
    }

    static uint64_t inode(int descriptor) {
      struct stat status;
      if (fstat(descriptor, &status) != 0) abort();
      return status.st_ino;
    }

    // Whether the call that comes is one of those that fail.
    static int is_due(char kind) {
      if (!error_number || !strchr(kinds, kind)) return 0;
      counted += 1;
      if (counted < first || counted > last) return 0;
      record('!', 0, 0, &kind, 1);
      return 1;
    }

    static int fail(void) {
      if (error_number < 0) kill(getpid(), SIGKILL);
      errno = error_number;
      return -1;
    }

    static int is_tracked(int descriptor) {
      return descriptor >= 0 && descriptor < (int)sizeof is_known && is_known[descriptor];
    }

    #define NEXT(result, name, ...) static result (*next)(__VA_ARGS__); \
      if (!next) *(void **)&next = dlsym(RTLD_NEXT, name)
    #define LOCKED(result_type, expression) \
      pthread_mutex_lock(&mutex); result_type result = expression; int saved = errno; \
      pthread_mutex_unlock(&mutex); errno = saved; return result

    static int do_open(const char *path, int flags, mode_t mode, int (*next)(const char *, int, ...)) {
      if (!root || strncmp(path, root, strlen(root)) != 0) return next(path, flags, mode);
      if (is_due('o')) return fail();
      int descriptor = next(path, flags, mode);
      if (descriptor < 0 || descriptor >= (int)sizeof is_known) return descriptor;
      is_known[descriptor] = 1;
      char kind = flags & O_CREAT ? 'c' : flags & O_DIRECTORY ? 'd' : 'o';
      record(kind, inode(descriptor), 0, path, strlen(path));
      return descriptor;
    }

    int open(const char *path, int flags, ...) {
      NEXT(int, "open", const char *, int, ...);
      va_list list;
      va_start(list, flags);
      mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
      va_end(list);
      LOCKED(int, do_open(path, flags, mode, next));
    }

    int close(int descriptor) {
      NEXT(int, "close", int);
      if (is_tracked(descriptor)) is_known[descriptor] = 0;
      return next(descriptor);
    }

    ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
      NEXT(ssize_t, "pread", int, void *, size_t, off_t);
      if (!is_tracked(descriptor)) return next(descriptor, bytes, count, offset);
      if (most && count > (size_t)most) count = most;
      LOCKED(ssize_t, is_due('r') ? fail() : next(descriptor, bytes, count, offset));
    }

    static ssize_t do_write(int descriptor, const void *bytes, size_t count, off_t offset,
                            ssize_t (*next)(int, const void *, size_t, off_t)) {
      if (is_due('w')) {
        if (error_number < 0) next(descriptor, bytes, count / 2, offset);
        return fail();
      }
      ssize_t done = next(descriptor, bytes, count, offset);
      if (done > 0) record('w', inode(descriptor), offset, bytes, done);
      return done;
    }

    ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
      NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
      if (!is_tracked(descriptor)) return next(descriptor, bytes, count, offset);
      if (most && count > (size_t)most) count = most;
      LOCKED(ssize_t, do_write(descriptor, bytes, count, offset, next));
    }

    static int do_sync(int descriptor, int (*next)(int)) {
      if (is_due('s')) return fail();
      int status = next(descriptor);
      if (status == 0) record('s', inode(descriptor), 0, "", 0);
      return status;
    }

    int fdatasync(int descriptor) {
      NEXT(int, "fdatasync", int);
      if (!is_tracked(descriptor)) return next(descriptor);
      LOCKED(int, do_sync(descriptor, next));
    }

    int fsync(int descriptor) {
      NEXT(int, "fsync", int);
      if (!is_tracked(descriptor)) return next(descriptor);
      LOCKED(int, do_sync(descriptor, next));
    }

    static int do_truncate(int descriptor, off_t count, int (*next)(int, off_t)) {
      if (is_due('t')) return fail();
      int status = next(descriptor, count);
      if (status == 0) record('t', inode(descriptor), count, "", 0);
      return status;
    }

    int ftruncate(int descriptor, off_t count) {
      NEXT(int, "ftruncate", int, off_t);
      if (!is_tracked(descriptor)) return next(descriptor, count);
      LOCKED(int, do_truncate(descriptor, count, next));
    }

    int fallocate(int descriptor, int mode, off_t offset, off_t count) {
      NEXT(int, "fallocate", int, int, off_t, off_t);
      if (!is_tracked(descriptor)) return next(descriptor, mode, offset, count);
      LOCKED(int, is_due('a') ? fail() : next(descriptor, mode, offset, count));
    }

    static void record_rename(const char *from, const char *to) {
      char names[8192];
      size_t count = strlen(from) + 1 + strlen(to);
      if (count >= sizeof names) abort();
      strcpy(names, from);
      strcpy(names + strlen(from) + 1, to);
      record('n', 0, 0, names, count);
    }

    static int do_rename(const char *from, const char *to, int (*next)(const char *, const char *)) {
      if (is_due('n')) return fail();
      int status = next(from, to);
      if (status == 0) record_rename(from, to);
      return status;
    }

    int rename(const char *from, const char *to) {
      NEXT(int, "rename", const char *, const char *);
      LOCKED(int, do_rename(from, to, next));
    }

    static int do_renameat2(int a, const char *from, int b, const char *to, unsigned flags,
                            int (*next)(int, const char *, int, const char *, unsigned)) {
      if (is_due('n')) return fail();
      int status = next(a, from, b, to, flags);
      if (status == 0) record_rename(from, to);
      return status;
    }

    int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
      NEXT(int, "renameat2", int, const char *, int, const char *, unsigned);
      LOCKED(int, do_renameat2(a, from, b, to, flags, next));
    }

    static int do_unlink(const char *path, int (*next)(const char *)) {
      int status = next(path);
      if (status == 0) record('u', 0, 0, path, strlen(path));
      return status;
    }

    int unlink(const char *path) {
      NEXT(int, "unlink", const char *);
      LOCKED(int, do_unlink(path, next));
    }
    """#
}
