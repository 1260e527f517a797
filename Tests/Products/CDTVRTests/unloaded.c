/*
 * A plug-in host unloads the library after a session, loads it again, and ends: the library stays in memory, because
 * its threads and those of the Swift runtime outlive a session.
 *
 *     unloaded LIBRARY FOLDER
 */
#include <dlfcn.h>
#include <dtvr.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int stores_a_tag(const char *path, const char *folder)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    dtvr_status (*create)(const dtvr_options *, const char *, size_t, dtvr_session **);
    dtvr_status (*send)(dtvr_session *, const void *, size_t, double);
    dtvr_status (*destroy)(dtvr_session *, uint64_t);
    /* ISO C has no conversion from an object pointer to a function pointer. */
    *(void **)&create = dlsym(library, "dtvr_create");
    *(void **)&send = dlsym(library, "dtvr_send_id3");
    *(void **)&destroy = dlsym(library, "dtvr_destroy");
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory.bytes = folder;
    options.directory.length = DTVR_TO_NUL;
    dtvr_session *session = NULL;
    int is_stored = create(&options, "{\"appid\":\"T1\"}", DTVR_TO_NUL, &session) == DTVR_DONE
        && send(session, "www.nielsen.com/a", 17, DTVR_NO_TIME) >= 0 && destroy(session, 60000) == DTVR_DONE;
    return dlclose(library) == 0 && is_stored;
}

int main(int count, char **arguments)
{
    if (count != 3) return 2;
    for (int round = 0; round < 3; round++) {
        if (!stores_a_tag(arguments[1], arguments[2])) return 1;
        /* Threads that are about to end still run the code of the library. */
        usleep(50000);
    }
    puts("unloaded: passes");
    return 0;
}
