// Defines the functions of functions.h, in a file that defines `library`. Each one looks up the address of its function
// in the first call, and the compiler compares its parameters with the header of the library.

#undef DTVR_VARIANT
#undef DTVR_FUNCTION
#undef DTVR_PROCEDURE

#ifdef DTVR_LINK_LIBRARIES
// Links the functions, so that dpkg-shlibdeps finds the packages of the libraries.
#define DTVR_ADDRESS(name, address, opens) (*(address) = (void *)name)
#else
#define DTVR_ADDRESS(name, address, opens) dtvr_library_function(&library, #name, address, opens)
#endif

#define DTVR_VARIANT(absent, result, variant, name, parameters, arguments)                       \
    result variant parameters {                                                                  \
        static void *address;                                                                    \
        __typeof__(name) *function = (__typeof__(name) *)DTVR_ADDRESS(name, &address, 1);        \
        return function ? function arguments : absent;                                           \
    }
#define DTVR_FUNCTION(absent, result, name, parameters, arguments) \
    DTVR_VARIANT(absent, result, dtvr_##name, name, parameters, arguments)
#define DTVR_PROCEDURE(name, parameters, arguments)                                              \
    void dtvr_##name parameters {                                                                \
        static void *address;                                                                    \
        __typeof__(name) *function = (__typeof__(name) *)DTVR_ADDRESS(name, &address, 0);        \
        if (function) function arguments;                                                        \
    }
