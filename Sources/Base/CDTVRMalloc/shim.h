// How glibc allocates memory: Glibc for Swift leaves this header out.
#include <malloc.h>
