#ifndef DTVRKIT_CSPAWN_SHIM_H
#define DTVRKIT_CSPAWN_SHIM_H

// glibc 2.34 and later have this function, but <spawn.h> declares it only with _GNU_SOURCE, which Swift's Glibc module
// does not define. Including <spawn.h> here would redeclare that module's types, so `actions`, a
// posix_spawn_file_actions_t, is an untyped pointer.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);

#endif
