// Configuration of the glibc allocator; Swift's Glibc module does not include this header.
#include <malloc.h>
