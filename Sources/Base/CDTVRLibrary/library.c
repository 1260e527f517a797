#include "CDTVRLibrary.h"

#include <dlfcn.h>
#include <stddef.h>

// The loader opens a library once, and returns the same handle to each caller, so no lock is needed.
static void *handle_of(struct dtvr_library *library, int opens) {
    void *handle = __atomic_load_n(&library->handle, __ATOMIC_ACQUIRE);
    if (handle == NULL && opens) {
        handle = dlopen(library->name, RTLD_LAZY | RTLD_LOCAL);
        if (handle != NULL) __atomic_store_n(&library->handle, handle, __ATOMIC_RELEASE);
    }
    return handle;
}

const char *dtvr_library_missing(struct dtvr_library *library) {
    return handle_of(library, 1) == NULL ? library->name : NULL;
}

void *dtvr_library_function(struct dtvr_library *library, const char *name, void **address, int opens) {
    void *function = __atomic_load_n(address, __ATOMIC_ACQUIRE);
    if (function != NULL) return function;
    void *handle = handle_of(library, opens);
    if (handle == NULL) return NULL;
    function = dlsym(handle, name);
    __atomic_store_n(address, function, __ATOMIC_RELEASE);
    return function;
}
