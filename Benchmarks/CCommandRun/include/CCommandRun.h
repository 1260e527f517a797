#ifndef DTVR_COMMAND_RUN_H
#define DTVR_COMMAND_RUN_H

#include <stddef.h>

// What running a command came to.
struct dtvr_command_result {
    double seconds;
    // The most memory that it had resident, in kilobytes, as the kernel counts it; never less than `floor`.
    long peak;
    // The most that this process had before: the kernel charges it to a new process until that replaces it.
    long floor;
    // The exit status; -1 where a signal ended it.
    int status;
};

// Runs a command to its end, its output going to a descriptor, nowhere below 0, and its errors nowhere.
// `arguments` holds `count` strings, each with its NUL; the first is looked for in PATH. Gives 0, or the error number.
int dtvr_command_run(
    const char *arguments, size_t count, int output, struct dtvr_command_result *result);

#endif
