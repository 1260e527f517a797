#ifndef DTVRKIT_CSPAWN_SHIM_H
#define DTVRKIT_CSPAWN_SHIM_H

// glibc 2.34 and later have the function, but <spawn.h> declares it for GNU sources only, which Swift's Glibc module is
// not. Without that header here, its types stay those of that module. `actions` is a posix_spawn_file_actions_t.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);

#endif
