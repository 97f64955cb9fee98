#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_accept(int listener, void *address, unsigned *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_allowed_cores(void) {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

void clinux_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

static _Thread_local void *thread_value;

void *clinux_thread_value(void) { return thread_value; }
void clinux_set_thread_value(void *value) { thread_value = value; }

int clinux_spawn_chdir(void *file_actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np((posix_spawn_file_actions_t *)file_actions, path);
}

void clinux_be_prompt(void) {
    // The C library of Debian 12 has no name for these two calls.
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } wish;
    if (syscall(SYS_sched_getattr, 0, &wish, sizeof wish, 0) != 0) return;
    wish.runtime = 200000;
    syscall(SYS_sched_setattr, 0, &wish, 0);
}
