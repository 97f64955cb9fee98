#pragma once
// What Linux offers and Swift's Glibc module does not show.
#include <malloc.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/pidfd.h>

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. The types of sockets stay Glibc's alone: a header that two modules have
/// belongs to the one that is read first.
int clinux_accept(int listener, void *address, unsigned *length);

/// How many cores this process may run on; 0 when that cannot be told.
int clinux_allowed_cores(void);

/// Names a thread for top, gdb and perf; 15 characters at the most.
void clinux_name_this_thread(const char *name);

/// Asks for turns of a fifth of a millisecond, so that this thread and what it starts wait less for those that compute
/// for long. Linux heeds it from 6.12 on; before, it does nothing.
void clinux_be_prompt(void);

/// A file in memory that has no name, and closes with exec; -1 and errno if there is none.
int clinux_memory_file(void);

/// One pointer per thread.
void *clinux_thread_value(void);
void clinux_set_thread_value(void *value);

/// posix_spawn's "start in that directory", which Swift cannot see behind its version guard.
int clinux_spawn_chdir(void *file_actions, const char *path);

/// Becomes a user who is not root, with all threads to come, and keeps but the right to listen on low ports. Call it while
/// there is one thread. -1 and errno if that fails.
int clinux_become(uint32_t user, uint32_t group);

/// Acts for a while as the user that it is to become, with the same right. It stays root's process, and is again what it was
/// by clinux_act_as_root. Call it while there is one thread. -1 and errno if that fails.
int clinux_act_as(uint32_t user, uint32_t group);
int clinux_act_as_root(void);
