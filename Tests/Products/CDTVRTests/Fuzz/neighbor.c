/*
 * A hostile neighbor of players: connects to the sockets of their folders and sends anything, holds connections open,
 * takes the lock for moments, and tries all that as another user, which must not reach anything.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Connects to the socket of a folder, and sends random bytes; their start may look like a request. */
static int bother(const char *folder, uint64_t *random)
{
    static const char starts[][8] = {"", "{", "\0\0\0\x10", "\x7F\xFF\xFF\xFF", "DTVR", "\1\0\0\0"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/buffer.sock", folder);
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0) {
        if (file >= 0)
            close(file);
        return -1;
    }
    char bytes[256];
    size_t length = draw(random) % sizeof bytes;
    for (size_t index = 0; index < sizeof bytes; index++)
        bytes[index] = (char)draw(random);
    memcpy(bytes, starts[draw(random) % (sizeof starts / sizeof *starts)], 4);
    if (send(file, bytes, length, MSG_NOSIGNAL) < 0) { /* The connection may be closed already. */ }
    return file;
}

/* Another user must neither connect, nor read, nor write in the folder of a player. */
static void trespass(const char *folder, uint64_t *random)
{
    struct stat facts;
    if (stat(folder, &facts) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(0);
        char name[4200];
        snprintf(name, sizeof name, "%s/of-another-user", folder);
        int file = bother(folder, random);
        char answer;
        bool is_heard = file >= 0 && (usleep(100000), recv(file, &answer, 1, 0) > 0);
        _exit(is_heard || open(name, O_CREAT | O_WRONLY, 0600) >= 0 || opendir(folder) ? 1 : 0);
    }
    int result = 0;
    if (child > 0 && waitpid(child, &result, 0) == child && result != 0)
        die("another user reached the folder of a player");
}

void neighbor(void)
{
    uint64_t random = seed * 37;
    int held[300], held_count = 0;
    /* It ends with the round. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        const char *folder = folders[draw(&random) % folder_count];
        switch (draw(&random) % 8) {
        case 0: case 1: case 2: {
            int file = bother(folder, &random);
            if (file >= 0 && held_count < 300)
                held[held_count++] = file;
            else if (file >= 0)
                close(file);
            break;
        }
        case 3:
            while (held_count > 0 && draw(&random) % 8)
                close(held[--held_count]);
            break;
        case 4: trespass(folder, &random); break;
        case 5: {
            /* Holds the lock for a moment, as a tool that looks at the buffer. */
            char name[4200];
            snprintf(name, sizeof name, "%s/lock", folder);
            int file = open(name, O_RDONLY | O_CLOEXEC);
            if (file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0)
                usleep(draw(&random) % 5000);
            if (file >= 0)
                close(file);
            break;
        }
        default: usleep(draw(&random) % 3000);
        }
    }
}
