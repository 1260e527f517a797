#define _GNU_SOURCE
#include "CCommandRun.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int dtvr_command_run(
    const char *arguments, size_t count, int output, struct dtvr_command_result *result) {
    char **list = calloc(count + 1, sizeof *list);
    if (list == NULL) return ENOMEM;
    for (size_t index = 0; index < count; index++) {
        // posix_spawnp does not modify the strings, despite its signature.
        list[index] = (char *)arguments;
        arguments += strlen(arguments) + 1;
    }

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result->floor = usage.ru_maxrss;

    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        free(list);
        return error;
    }
    error = output < 0
        ? posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    pid_t child = -1;
    double start = seconds_now();
    if (error == 0) error = posix_spawnp(&child, list[0], &actions, NULL, list, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(list);
    if (error != 0) return error;

    int status = 0;
    pid_t ended;
    do {
        ended = wait4(child, &status, 0, &usage);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0) return errno;
    result->seconds = seconds_now() - start;
    result->peak = usage.ru_maxrss;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return 0;
}
