/* Lets system calls fail as they do on a file system that lacks what PIF_LACK names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int lacks(const char *what) {
    const char *lack = getenv("PIF_LACK");
    return lack && !strcmp(lack, what);
}

static int fail(int error) {
    errno = error;
    return -1;
}

static int lock(const char *name, int fd, int command, void *argument) {
    if (command == F_SETLK || command == F_SETLKW) {
        if (((struct flock *)argument)->l_type != F_UNLCK) {
            if (lacks("locks")) return fail(ENOLCK);
            if (lacks("lock-support")) return fail(ENOTSUP);
        }
    }
    int (*next)(int, int, ...) = dlsym(RTLD_NEXT, name);
    return next(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return lock("fcntl", fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return lock("fcntl64", fd, command, argument);
}

static void *map(const char *name, void *at, size_t size, int access, int flags, int fd, off_t from) {
    if (fd >= 0 && (flags & MAP_SHARED) && lacks("sharing")) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    void *(*next)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, name);
    return next(at, size, access, flags, fd, from);
}

void *mmap(void *at, size_t size, int access, int flags, int fd, off_t from) {
    return map("mmap", at, size, access, flags, fd, from);
}

void *mmap64(void *at, size_t size, int access, int flags, int fd, off_t from) {
    return map("mmap64", at, size, access, flags, fd, from);
}

static int synchronize(const char *name, int fd) {
    if (lacks("synchronizing")) return fail(EINVAL);
    int (*next)(int) = dlsym(RTLD_NEXT, name);
    return next(fd);
}

int fsync(int fd) { return synchronize("fsync", fd); }
int fdatasync(int fd) { return synchronize("fdatasync", fd); }
