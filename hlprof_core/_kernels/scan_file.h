/* A scanner over a file that it reads itself, so that no thread of Python waits for another between two blocks. */
#ifndef HLPROF_SCAN_FILE_H
#define HLPROF_SCAN_FILE_H

#include <errno.h>
#include <unistd.h>

/* Fill room at a file offset, less only at the end of the file; -1 with errno. */
static int64_t read_fully(int fd, uint8_t *room, int64_t size, int64_t offset) {
    int64_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, room + done, (size_t)(size - done), (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += got;
    }
    return done;
}

#define READ_FAILED (-1)

/* Block by block from `*at` on: whole events are used up, the rest moves to the front of the buffer. An event that leaves less than half
 * of the buffer free needs a larger one: SCAN_MORE. Other threads may look at `*reached`. */
static int scan_file(Scanner *s, int fd, uint8_t *buffer, int64_t room, int64_t *kept, int64_t *at, int64_t stop, const int64_t *watch,
                     int64_t *reached) {
    while (*kept <= room / 2 && !watch_stopped(watch)) {
        int64_t got = read_fully(fd, buffer + *kept, room - *kept, *at + *kept), size = *kept + got, used = *at;
        if (got < 0) return READ_FAILED;
        int status = run_scan(s, buffer, size, *at, stop, size < room, &used);
        *kept = size - (used - *at);
        *at = used;
        __atomic_store_n(reached, used, __ATOMIC_RELAXED);
        if (status != SCAN_MORE) return status;
        memmove(buffer, buffer + size - *kept, (size_t)*kept);
    }
    return SCAN_MORE;
}

#endif
