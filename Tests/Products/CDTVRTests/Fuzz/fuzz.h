/* What the parts of the fuzzer of calls share. */
#pragma once

#include <stdint.h>

enum { folder_count = 3 };

extern char folders[folder_count][4096];
extern uint64_t seed;

/* Returns the next random number. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t value = *state += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

/* Ends the process, which fails the round. */
_Noreturn void die(const char *reason);

/* Bothers the players of all folders until the process is killed. */
_Noreturn void neighbor(void);
