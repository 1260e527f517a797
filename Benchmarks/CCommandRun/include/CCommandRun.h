#ifndef DTVR_COMMAND_RUN_H
#define DTVR_COMMAND_RUN_H

#include <stddef.h>

// The result of running a command.
struct dtvr_command_result {
    double seconds;
    // The peak resident memory in kilobytes, as the kernel counts it; never less than `floor`.
    long peak;
    // The peak of this process before: the kernel counts it for a new process until the new process calls exec.
    long floor;
    // The exit status; -1 if a signal ended the command.
    int status;
};

// Runs a command to its end. Standard output goes to the descriptor `output`, or is discarded if that is negative;
// standard error is discarded. `arguments` holds `count` strings, each with its NUL; the first is looked up in PATH.
// Returns 0, or the error number.
int dtvr_command_run(
    const char *arguments, size_t count, int output, struct dtvr_command_result *result);

#endif
