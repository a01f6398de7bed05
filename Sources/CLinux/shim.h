// Functions that glibc has and Swift's Glibc module hides, because it is built without _GNU_SOURCE.
// Declared as the manual pages fallocate(2), rename(2) and sync_file_range(2) have them.
#include <sys/prctl.h>
#include <sys/types.h>

int sync_file_range(int fd, off_t offset, off_t nbytes, unsigned int flags);
int fallocate(int fd, int mode, off_t offset, off_t len);
int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath,
              unsigned int flags);

enum { FALLOCATE_KEEP_SIZE = 1 };
enum { SYNC_RANGE_START_WRITING = 2 };
enum { RENAME_WITHOUT_REPLACING = 1 };
// utimensat(2): a time that stays as it is (UTIME_OMIT, whose macro Swift can't import).
enum { TIME_OMITTED = (1 << 30) - 2 };
// fcntl(2): locks that belong to an open file description (F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW).
enum { LOCK_ASKING = 36, LOCK_AT_ONCE = 37, LOCK_WAITING = 38 };

// prctl(2), which takes a variable number of arguments: no core dumps, and no other process of the same user
// looks into this one.
static inline int forbid_inspection(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
