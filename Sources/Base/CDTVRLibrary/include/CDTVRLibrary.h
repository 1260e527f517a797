#ifndef DTVRKIT_CLIBRARY_H
#define DTVRKIT_CLIBRARY_H

// Shared libraries that a program opens when it calls their first function, because linking them would let it start
// several times as slowly.
//
// The target of a library lists the functions in functions.h, once for their declarations and once, after
// CDTVRLibraryCalls.h, for their definitions. Swift calls them with the prefix dtvr_.

// libdtvr.so does not export these functions.
#define DTVR_HIDDEN __attribute__((visibility("hidden")))

// A shared library, and its handle if it is open. It is never closed.
struct dtvr_library {
    const char *name;
    void *handle;
};

// Opens the library unless it is open, and returns NULL, or its name if it cannot be opened. Any thread may call it.
DTVR_HIDDEN const char *dtvr_library_missing(struct dtvr_library *library);

// Returns the address of a function, which is stored at `address` for the next call; NULL if there is none. `opens`:
// whether to open the library.
DTVR_HIDDEN void *dtvr_library_function(struct dtvr_library *library, const char *name, void **address, int opens);

// Declares the functions of functions.h:
// - DTVR_FUNCTION(absent, result, name, parameters, arguments): a function with its result if the library is missing.
// - DTVR_VARIANT(absent, result, variant, name, parameters, arguments): one combination of the arguments of a variadic
//   function, which Swift does not import.
// - DTVR_PROCEDURE(name, parameters, arguments): a function without a result. It does nothing unless the library is
//   open, because there is nothing to change or free before.
#define DTVR_VARIANT(absent, result, variant, name, parameters, arguments) DTVR_HIDDEN result variant parameters;
#define DTVR_FUNCTION(absent, result, name, parameters, arguments) DTVR_HIDDEN result dtvr_##name parameters;
#define DTVR_PROCEDURE(name, parameters, arguments) DTVR_HIDDEN void dtvr_##name parameters;

#endif
