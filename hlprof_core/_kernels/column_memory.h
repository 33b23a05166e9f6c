/* What budget.c offers to the other kernels for their large columns. No Python in here. */
#ifndef HLPROF_COLUMN_MEMORY_H
#define HLPROF_COLUMN_MEMORY_H

#include <stddef.h>

#define COLUMN_MEMORY "hlprof_core._kernels.budget.column_memory"

typedef struct {
    /* Zeroed memory in a file when a block of this size would be beyond the budget, else (or when no file is to be had) NULL. */
    void *(*map)(size_t size);
    /* False when the block is not in a file. Else it is made larger or smaller, `*at` says where it is then (NULL: not possible, it is as
     * before); size 0 gives it back. */
    int (*resize)(void **at, size_t size);
    /* Tell of blocks that are not in files: bytes given back and taken. */
    void (*count)(size_t less, size_t more);
} ColumnMemory;
#endif
