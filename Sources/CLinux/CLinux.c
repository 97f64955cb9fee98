#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <sched.h>
#include <spawn.h>

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
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
