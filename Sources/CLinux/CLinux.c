#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

int clinux_memory_file(void) { return memfd_create("kurir", MFD_CLOEXEC); }

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

int clinux_become(uint32_t user, uint32_t group) {
    if (prctl(PR_SET_KEEPCAPS, 1) != 0 || setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 ||
        setresuid(user, user, user) != 0 || prctl(PR_SET_KEEPCAPS, 0) != 0)
        return -1;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct left[2] = {{0}};
    left[0].effective = left[0].permitted = 1 << CAP_NET_BIND_SERVICE;
    if (syscall(SYS_capset, &header, left) != 0) return -1;
    // A process that was root may not look at its own descriptors in /proc, which paths of sockets lead through.
    return prctl(PR_SET_DUMPABLE, 1);
}

int clinux_act_as(uint32_t user, uint32_t group) {
    if (setgroups(0, NULL) != 0 || setegid(group) != 0 || seteuid(user) != 0) return -1;
    // What root may stays within reach, but works for nothing else meanwhile.
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct caps[2] = {{0}};
    if (syscall(SYS_capget, &header, caps) != 0) return -1;
    caps[0].effective = caps[0].permitted & 1 << CAP_NET_BIND_SERVICE;
    caps[1].effective = 0;
    return (int)syscall(SYS_capset, &header, caps);
}

int clinux_act_as_root(void) { return seteuid(0) == 0 && setegid(0) == 0 ? 0 : -1; }
