/*
 * libdtvr: what a player calls, in C.
 *
 * The calls are those of the measurement session (docs/players.md): a player says what it plays and hands over the ID3
 * tags of the stream; the session keeps each tag on the disk and brings it to the collector that the configuration names.
 * Nothing is sent to anybody else.
 *
 * Text       UTF-8 and its length in bytes; DTVR_TO_NUL as a length means "up to the NUL". A null pointer means that there
 *            is none. The library copies what it is handed before a function returns, and keeps no pointer to it.
 * Objects    JSON (RFC 8259) as text, with the keys of the guides, without regard to case.
 * Answers    Text that is asked for is copied into memory of the caller: `capacity` bytes at `buffer`, ended by a NUL.
 *            `*length` becomes its whole length without the NUL, also where it did not fit (DTVR_TOO_SMALL): call with a
 *            capacity of 0 to ask for it. `buffer` may be null then. Nothing that the library answers has to be freed, but
 *            a session (dtvr_destroy).
 * Threads    Every function may be called from any thread, at any time, by several at once. None waits for the disk or the
 *            network, but dtvr_settle and dtvr_destroy, which say so. None may be called from a signal handler.
 * fork       The library's threads do not come along: in a child of a process that has made a session, every function that
 *            takes or makes one returns DTVR_FORKED and does nothing. The parent goes on. exec, and children that were
 *            made before the first session, are as usual.
 */
#ifndef DTVR_H
#define DTVR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The length of a text that ends with a NUL. */
#define DTVR_TO_NUL SIZE_MAX

/* No playhead, or no media time: any value that is not a number. */
#define DTVR_NO_TIME (0.0 / 0.0)

/* A session. Its memory is the library's; dtvr_create makes it, dtvr_destroy ends it. */
typedef struct dtvr_session dtvr_session;

/* What became of a call (0 and up), or why it was not made (below 0). New values may be added. */
typedef enum dtvr_status {
    /* It did what it is for. */
    DTVR_DONE = 0,
    /* The tag was kept. */
    DTVR_STORED = 1,
    /* The tag was kept, and waits for the playhead to reach its media time. */
    DTVR_HELD = 2,
    /* The tag was the last one once more, and was counted. */
    DTVR_REPEAT = 3,
    /* The call waits, in order, for the user's choice or the configuration to be read. */
    DTVR_QUEUED = 4,
    /* The tag is of another owner, or the call is none of a session. */
    DTVR_IGNORED = 5,
    /* The user has opted out, or the session is disabled; tags are counted. */
    DTVR_DISCARDED = 6,
    /* The tag was no tag. */
    DTVR_INVALID = 7,
    /* The call could not be understood; dtvr_last_error has the reason. */
    DTVR_REFUSED = 8,
    /* There is no such value now. */
    DTVR_NOTHING = 9,

    /* The process is the child of a fork. */
    DTVR_FORKED = -1,
    /* A pointer that has to be there is null. */
    DTVR_NULL_POINTER = -2,
    /* A text is not UTF-8. */
    DTVR_NOT_UTF8 = -3,
    /* An option is missing, or outside its range. */
    DTVR_INVALID_OPTION = -4,
    /* The answer is longer than the buffer; its length was told. */
    DTVR_TOO_SMALL = -5,
    /* It took longer than was allowed, and goes on. */
    DTVR_TIMED_OUT = -6,
    /* The disk takes nothing now. */
    DTVR_NOT_ON_DISK = -7,
    /* The system has no thread to spare. */
    DTVR_NO_THREAD = -8
} dtvr_status;

/* Where a session is. */
typedef enum dtvr_state {
    /* Not initialized, or freed. */
    DTVR_STATE_INITIAL = 0,
    /* Initialized, and nothing is played. */
    DTVR_STATE_IDLE = 1,
    /* Something is played, or interrupted. */
    DTVR_STATE_PROCESSING = 2,
    /* Switched off, or its initialization failed. */
    DTVR_STATE_DISABLED = 3
} dtvr_state;

/* What a notification is. */
typedef enum dtvr_notice {
    /* 2001, the session works; 2002, it was shut down. */
    DTVR_NOTICE_EVENT = 0,
    /* An error of the guides, by its number. */
    DTVR_NOTICE_ERROR = 1
} dtvr_notice;

/*
 * Is told of events and errors, one at a time, in order, on a thread of the library that is this session's alone: it may
 * take its time, and may call every function but dtvr_settle and dtvr_destroy for this session. `text` ends with a NUL and
 * is the library's: it is valid until the function returns. `unix_ms` is milliseconds since 1970.
 */
typedef void (*dtvr_notify)(
    void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms);

/* Text with its length; {0} is none. */
typedef struct dtvr_text {
    const char *bytes;
    size_t length;
} dtvr_text;

/* How a session works. Set everything to 0, then `size`, then what is wanted: 0 stands for what is usual. */
typedef struct dtvr_options {
    /* sizeof(dtvr_options): says which fields the caller knows. */
    size_t size;
    /* The folder of the buffer, made where it is missing. Required; sessions of a process may share it, processes not. */
    dtvr_text directory;
    /* The file that the configuration is read from; without it and the next, nothing leaves the device. */
    dtvr_text configuration_file;
    /* The http or https address that the configuration is read from, where no file is named. */
    dtvr_text configuration_url;
    /* A PEM file of the authorities that are trusted instead of the system's. */
    dtvr_text authorities_file;
    /* How large the buffer may grow, in bytes: 2,000,000 or more; 30,000,000 is usual. */
    uint64_t maximum_bytes;
    /* How long a tag may stay in it, in seconds: 1 or more; 864,000, ten days, is usual. */
    uint64_t maximum_age_seconds;
    /* Who is told of events and errors, and what it is told with; null for nobody. */
    dtvr_notify notify;
    void *context;
    /* Whether a tag that is the last one once more is kept too. */
    bool keeps_repeats;
} dtvr_options;

/*
 * What became of the tags that were handed over:
 * handed = stored + repeats + ignored + invalid + discarded, at every moment.
 */
typedef struct dtvr_counts {
    /* sizeof(dtvr_counts): no more than that is written. */
    size_t size;
    uint64_t handed;
    /* Kept, those that are held among them; stored = queued + accepted + lost. */
    uint64_t stored;
    uint64_t repeats;
    uint64_t ignored;
    uint64_t invalid;
    uint64_t discarded;
    /* Kept, and waiting for the playhead. */
    uint64_t held;
    /* Kept, and never presented. */
    uint64_t flushed;
    /* Viewing sessions that were opened. */
    uint64_t sessions;
    /* Kept, and waiting for the disk in memory. */
    uint64_t queued;
    /* Kept, and taken over by the buffer. */
    uint64_t accepted;
    /* Lost, because the disk took nothing for longer than there was memory. */
    uint64_t lost;
    /* Records of assets of sessions without tags that were kept, and that were lost; they are no tags. */
    uint64_t summaries;
    uint64_t lost_summaries;
} dtvr_counts;

/*
 * Where the tags of the folder's buffer are, of all sessions and launches; records of assets count as tags here:
 * accepted = delivered + waiting + evicted + expired + dead + pruned + damaged, at every moment.
 */
typedef struct dtvr_buffer_counts {
    /* sizeof(dtvr_buffer_counts): no more than that is written. */
    size_t size;
    /* Put on the disk. */
    uint64_t accepted;
    /* Taken by the collector. */
    uint64_t delivered;
    /* On the disk, those that are held among them. */
    uint64_t waiting;
    /* Lost: made room for newer ones; too old; refused by the collector; removed by hand; could not be read back. */
    uint64_t evicted;
    uint64_t expired;
    uint64_t dead;
    uint64_t pruned;
    uint64_t damaged;
    /* Never accepted: in memory, because the disk takes nothing; lost from there; refused by the buffer. */
    uint64_t in_memory;
    uint64_t memory_lost;
    uint64_t refused;
} dtvr_buffer_counts;

/* ---- The library ---- */

/* The version of the library, such as "0.1.0"; valid for ever. */
const char *dtvr_version(void);

/* A status in a few words of English; valid for ever, and never null. */
const char *dtvr_status_text(dtvr_status status);

/* An error of the guides, by its number, in a few words of English; valid for ever, and never null. */
const char *dtvr_error_text(int32_t code);

/* ---- A session's life ---- */

/*
 * Makes a session, and initializes it with what the app says of itself: an object with `appid` (docs/players.md), or null to
 * do that later with dtvr_init. `*session` becomes the session, or null where the answer is below 0. What is wrong with the
 * app's information, the folder or the configuration is a notification: tags are kept all the same.
 */
dtvr_status dtvr_create(
    const dtvr_options *options, const char *app_info, size_t length, dtvr_session **session);

/*
 * Ends a session: what is held will not be presented, what waits for the disk is written, for `timeout_ms` milliseconds at
 * most. When it returns, the session is gone and no callback of it runs; no other call on it may be in progress. It waits
 * for a callback that is running, however long that takes, beyond `timeout_ms` too. DTVR_TIMED_OUT: the disk did not take
 * everything in time, and writing goes on without the session. Null does nothing.
 */
dtvr_status dtvr_destroy(dtvr_session *session, uint64_t timeout_ms);

/*
 * Waits until what was handed over is on the disk, for `timeout_ms` milliseconds at most. DTVR_NOT_ON_DISK: the disk takes
 * nothing now, or tags of the folder that were in memory only were lost during the session.
 */
dtvr_status dtvr_settle(dtvr_session *session, uint64_t timeout_ms);

/* `init`: begins with what the app says of itself, an object. */
dtvr_status dtvr_init(dtvr_session *session, const char *app_info, size_t length);

/* `free`: what is held will not be presented, what waits is sent; the session can be initialized again. */
dtvr_status dtvr_shut_down(dtvr_session *session);

/* ---- Calls of a player. `playhead` and `media_time` are seconds, or DTVR_NO_TIME ---- */

/* `play`: begins a viewing session of a channel, an object; for the one that is on, it says that it goes on. */
dtvr_status dtvr_play(dtvr_session *session, const char *channel_info, size_t length, double playhead);

/* `loadMetadata`: what is played from now on, an object. */
dtvr_status dtvr_load_metadata(dtvr_session *session, const char *metadata, size_t length);

/* `updateMetadata`: corrects what is played without ending it. */
dtvr_status dtvr_update_metadata(dtvr_session *session, const char *metadata, size_t length);

/* `staticStart`: a page is shown, an object. */
dtvr_status dtvr_static_start(dtvr_session *session, const char *metadata, size_t length);

/* `staticEnd`: the page is left. */
dtvr_status dtvr_static_end(dtvr_session *session);

/*
 * `sendID3`: hands over a tag in any form: a whole ID3 tag, a private frame, what is in one, an emsg payload, or text, for which
 * the length may be DTVR_TO_NUL. With a media time it is held until the playhead gets there.
 */
dtvr_status dtvr_send_id3(dtvr_session *session, const void *tag, size_t length, double media_time);

/* `playheadPosition`: where playback is, every second or two; Unix time for live. */
dtvr_status dtvr_playhead_position(dtvr_session *session, double seconds);

/* `pause`: playback is interrupted; what is held waits. */
dtvr_status dtvr_pause(dtvr_session *session, double playhead);

/* `stop`: playback is interrupted, or an advertisement over; what is held will not be presented. */
dtvr_status dtvr_stop(dtvr_session *session, double playhead);

/* `end`: the content is over. */
dtvr_status dtvr_end(dtvr_session *session, double playhead);

/* `setVolume`: from 0 to 100. */
dtvr_status dtvr_set_volume(dtvr_session *session, double percent);

/* `setMute`. */
dtvr_status dtvr_set_mute(dtvr_session *session, bool is_muted);

/* `updateOTT`: what the picture is shown on, an object. */
dtvr_status dtvr_update_ott(dtvr_session *session, const char *information, size_t length);

/* `trackViewability`: how much of the picture is seen, an object or a list. */
dtvr_status dtvr_track_viewability(dtvr_session *session, const char *series, size_t length);

/* `appInBackground`: what waits is sent, and the viewing session ends. */
dtvr_status dtvr_app_in_background(dtvr_session *session);

/* `appInForeground`. */
dtvr_status dtvr_app_in_foreground(dtvr_session *session);

/* `processEvent`: an event of the page or the app such as `blur`, as text or as an object with `type`. */
dtvr_status dtvr_process_event(dtvr_session *session, const char *event, size_t length);

/* `trackEvent`: the Simplified API's one object for everything. */
dtvr_status dtvr_track_event(dtvr_session *session, const char *data, size_t length);

/* `ggPM`: the browser's form: the name or the number of a call, and what it takes, as text or an object. */
dtvr_status dtvr_ggpm(
    dtvr_session *session, const char *event, size_t event_length, const char *data, size_t data_length,
    double playhead);

/*
 * Any call by its name, with a list of arguments as JSON; answers as `dtvr replay` does:
 * {"outcome":"stored","findings":["play.missing"],"state":"processing"}. The call is made also where the answer does not fit.
 */
dtvr_status dtvr_call(
    dtvr_session *session, const char *name, size_t name_length, const char *arguments, size_t arguments_length,
    char *buffer, size_t capacity, size_t *length);

/* ---- The user's choice ---- */

/* `appDisableApi`: switches measurement off, or on again. */
dtvr_status dtvr_disable(dtvr_session *session, bool is_disabled);

/* `userOptOut`: what the opt-out page called; DTVR_IGNORED where that was something else. Kept over launches. */
dtvr_status dtvr_user_opt_out(dtvr_session *session, const char *address, size_t length);

/* `optOutStatus`: whether the user has opted out. */
dtvr_status dtvr_opt_out_status(dtvr_session *session, bool *is_opted_out);

/* `optOutURL`: the page where the user chooses; DTVR_NOTHING where the configuration names none. */
dtvr_status dtvr_opt_out_url(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* ---- Answers ---- */

/* Where the session is. */
dtvr_status dtvr_get_state(dtvr_session *session, dtvr_state *state);

/* What became of the tags that were handed over, at this moment. `counts->size` has to be set. */
dtvr_status dtvr_get_counts(dtvr_session *session, dtvr_counts *counts);

/* Where the tags of the folder's buffer are. `counts->size` has to be set. DTVR_NOTHING while the buffer is not open. */
dtvr_status dtvr_get_buffer_counts(dtvr_session *session, dtvr_buffer_counts *counts);

/* How often each finding was made (docs/players.md): {"play.missing":1}. */
dtvr_status dtvr_findings(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/*
 * The last event, the last error, and whichever of them came last: {"code":2001,"description":"started",
 * "timestamp":1790000000000}, in milliseconds since 1970; DTVR_NOTHING before the first.
 */
dtvr_status dtvr_last_event(dtvr_session *session, char *buffer, size_t capacity, size_t *length);
dtvr_status dtvr_last_error(dtvr_session *session, char *buffer, size_t capacity, size_t *length);
dtvr_status dtvr_last_occurred(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* `deviceId`: the random id of this device's buffer; DTVR_NOTHING before it was read, and after an opt-out. */
dtvr_status dtvr_device_id(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* `firstPartyId`; DTVR_NOTHING where the app wants none, and after an opt-out. */
dtvr_status dtvr_first_party_id(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
