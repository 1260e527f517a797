#pragma once
#include <stddef.h>
#include <stdint.h>

// Part of libFuzzer, which each fuzz target is linked with. Changes the bytes in place and returns their new number.
size_t LLVMFuzzerMutate(uint8_t *data, size_t count, size_t maximum_count);
