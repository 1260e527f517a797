/*
 * libdtvr: the C interface for players.
 *
 * The functions are the calls of a measurement session (docs/players.md). A player reports what it plays, and hands
 * over the ID3 tags of the stream. The session stores each tag on the disk, and delivers it to the collector that the
 * configuration names. Nothing is sent to any other party.
 *
 * Text       UTF-8 with its length in bytes. The length DTVR_TO_NUL means "up to the NUL"; a null pointer means that
 *            there is no text. The library copies its arguments before a function returns, and keeps no pointer to
 *            them.
 * Objects    JSON (RFC 8259) as text, with the keys of the App SDK's public guides. Keys are not case-sensitive.
 * Answers    Text results are copied to the caller's memory: `capacity` bytes at `buffer`, terminated by a NUL.
 *            `*length` is set to the full length without the NUL, even if the text does not fit (DTVR_TOO_SMALL). To
 *            get only the length, pass a capacity of 0; `buffer` may then be null. The caller frees nothing that the
 *            library returns, except sessions (dtvr_destroy).
 * Threads    Every function may be called from any thread, at any time, and concurrently. No function waits for the
 *            disk or the network, except dtvr_settle, dtvr_deliver_within, dtvr_finish and dtvr_destroy, which say
 *            so. No function may be called from a signal handler.
 * dlclose    The library stays loaded until the process ends (-z nodelete), because its threads outlive the sessions.
 * fork       A forked child does not inherit the library's threads. In a child of a process that has created a session,
 *            every function that takes or creates a session returns DTVR_FORKED and does nothing. The parent is not
 *            affected. exec, and children forked before the first session, work as usual.
 */
#ifndef DTVR_H
#define DTVR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The length of a NUL-terminated text. */
#define DTVR_TO_NUL SIZE_MAX

/* No playhead, or no media time; any NaN has the same meaning. */
#define DTVR_NO_TIME (0.0 / 0.0)

/*
 * A session. dtvr_create creates it, dtvr_destroy ends it. The pointer is a number and not an address; the library
 * never uses it twice in a process. So every call with the pointer of a destroyed session returns DTVR_NO_SESSION and
 * does nothing, and so does a second dtvr_destroy, from any thread. An invented pointer that equals one of a living
 * session is not detected.
 */
typedef struct dtvr_session dtvr_session;

/* The outcome of a call (0 and above), or the reason why it was not made (below 0). New values may be added. */
typedef enum dtvr_status {
    /* Success. */
    DTVR_DONE = 0,
    /* The tag was stored. */
    DTVR_STORED = 1,
    /* The tag was stored, and is held until the playhead reaches its media time. */
    DTVR_HELD = 2,
    /* Duplicate of the previous tag: counted, not stored. */
    DTVR_REPEAT = 3,
    /* The call is queued, in order, until the user's choice or the configuration has been read. */
    DTVR_QUEUED = 4,
    /* The tag has another owner, the address is not a choice of the user, or the content is not kept. */
    DTVR_IGNORED = 5,
    /* The user has opted out, or the session is disabled. Tags are counted, not stored. */
    DTVR_DISCARDED = 6,
    /* The tag is invalid: empty, too long, not text, or undecodable base64. */
    DTVR_INVALID = 7,
    /* The arguments of the call are missing or invalid; dtvr_last_error has the reason. */
    DTVR_REFUSED = 8,
    /* The requested value does not exist at present. */
    DTVR_NOTHING = 9,
    /* The call or event is unknown (dtvr_call, dtvr_ggpm, dtvr_process_event). */
    DTVR_UNKNOWN_CALL = 10,
    /* The tag was lost, because the queue in memory (4 MiB) is full: the disk is slower than the calls, or failing. */
    DTVR_LOST = 11,

    /* The process is a forked child. */
    DTVR_FORKED = -1,
    /* A required pointer is null. */
    DTVR_NULL_POINTER = -2,
    /* A text is not UTF-8. */
    DTVR_NOT_UTF8 = -3,
    /* An option is missing or out of range. */
    DTVR_INVALID_OPTION = -4,
    /* The answer does not fit in the buffer; `*length` is its length. */
    DTVR_TOO_SMALL = -5,
    /* The timeout expired; the operation continues. */
    DTVR_TIMED_OUT = -6,
    /* The disk is full or read-only, or the folder belongs to another user or is writable for every user. */
    DTVR_NOT_ON_DISK = -7,
    /* The system cannot provide another thread. */
    DTVR_NO_THREAD = -8,
    /* The session does not exist: it was destroyed, or the pointer is not one of dtvr_create. */
    DTVR_NO_SESSION = -9,
    /*
     * Another process, such as an earlier one of the same app that is about to end, still owns the folder's buffer when
     * the timeout expires. The tags wait in memory, and are written once the buffer is free: also after dtvr_destroy,
     * unless this process ends first, which loses them.
     */
    DTVR_IN_USE = -10,
    /*
     * Tags wait, and cannot be delivered in time: there is no collector, the collector or the network fails, or an
     * operator must fix the cause. dtvr_delivery_reason says why.
     */
    DTVR_NOT_DELIVERED = -11
} dtvr_status;

/* The state of a session. */
typedef enum dtvr_state {
    /* Not initialized, or not with an `appid` that can be read, or shut down. */
    DTVR_STATE_INITIAL = 0,
    /* Initialized; nothing is playing. */
    DTVR_STATE_IDLE = 1,
    /* Something is playing, or is interrupted. */
    DTVR_STATE_PROCESSING = 2,
    /* Disabled by the app. */
    DTVR_STATE_DISABLED = 3
} dtvr_state;

/* The kind of a notification. New values may be added. */
typedef enum dtvr_notice {
    /*
     * 2001: the session has started. 2002: it was shut down. Not of the guides: 2101, the delivery works again; 2102,
     * nothing is recorded, because the guide of Ireland opts every user out and the configuration does not say "send".
     */
    DTVR_NOTICE_EVENT = 0,
    /*
     * An error of the guides; `code` is its number. A problem of the delivery is reported once, when it begins: 1001,
     * the collector cannot be reached; 8, the request failed otherwise; 9, the collector refuses tags or the request;
     * 13, the buffer cannot be used. docs/players.md lists all numbers.
     */
    DTVR_NOTICE_ERROR = 1,
    /*
     * A deviation of a call from the guides; `code` is 2201. The text has the finding, the key, the expected value and
     * the guide: "key.missing assetid, expected letters and digits (guide 003, Content metadata)". Findings of calls
     * that are queued (DTVR_QUEUED) are reported when the calls are made.
     */
    DTVR_NOTICE_FINDING = 2
} dtvr_notice;

/*
 * Receives events, errors and findings, one at a time and in order, on a library thread that serves only this session.
 * The callback may block. It may call every function except dtvr_settle, dtvr_deliver_within, dtvr_finish and
 * dtvr_destroy for this session. `text` ends with a NUL, belongs to the library, and is valid until the callback
 * returns. `length` does not include the NUL. `unix_ms` is in milliseconds since 1970.
 */
typedef void (*dtvr_notify)(
    void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms);

/* Text with its length; {0} means no text. */
typedef struct dtvr_text {
    const char *bytes;
    size_t length;
} dtvr_text;

/* The options of a session. Zero-initialize, set `size`, then the fields you need. 0 selects the default. */
typedef struct dtvr_options {
    /* sizeof(dtvr_options): tells the library which fields the caller knows. */
    size_t size;
    /*
     * The folder of the buffer, created if missing. Required. Sessions of a process may share it. A second process
     * waits for the first to end, and keeps its tags in memory until then (DTVR_IN_USE).
     */
    dtvr_text directory;
    /* The configuration file. If neither this nor configuration_url is set, nothing leaves the device. */
    dtvr_text configuration_file;
    /*
     * The http or https address of the configuration; used only if configuration_file is not set. `{appid}` in it is
     * replaced by the id of the app.
     */
    dtvr_text configuration_url;
    /* A PEM file of certificate authorities to trust instead of the system's. */
    dtvr_text authorities_file;
    /* The maximum size of the buffer, in bytes: 2,000,000 or more. The default is 30,000,000. */
    uint64_t maximum_bytes;
    /* The maximum age of a tag in the buffer, in seconds: 1 or more. The default is 864,000, ten days. */
    uint64_t maximum_age_seconds;
    /* The callback for events, errors and findings, and its context argument; null for no callback. */
    dtvr_notify notify;
    void *context;
    /* Whether a duplicate of the previous tag is stored too. */
    bool keeps_repeats;
    /*
     * The file of the log: all calls with their results, as JSON lines that `dtvr replay` reads. Created with the
     * permissions 0600; at 10 MB, and by the next process, renamed to FILE.1. Without a file there is no log, except on
     * standard error if the app's information has nol_devDebug ("DEBUG", "INFO", "WARN" or "ERROR") or nol_sdkDebug.
     */
    dtvr_text log;
} dtvr_options;

/*
 * The number of tags handed over, by outcome. At every moment:
 * handed = stored + repeats + ignored + invalid + discarded.
 */
typedef struct dtvr_counts {
    /* sizeof(dtvr_counts): the library writes no more bytes than this. */
    size_t size;
    uint64_t handed;
    /* Stored, including held tags; stored = queued + accepted + lost. */
    uint64_t stored;
    uint64_t repeats;
    uint64_t ignored;
    uint64_t invalid;
    uint64_t discarded;
    /* Stored, and waiting for the playhead. */
    uint64_t held;
    /* Stored, but never presented. */
    uint64_t flushed;
    /* Viewing sessions opened. */
    uint64_t sessions;
    /* Stored in memory, and waiting for the disk. */
    uint64_t queued;
    /* Stored, and accepted by the buffer. */
    uint64_t accepted;
    /* Lost, because the memory queue or the buffer had no room. The answer of the call was DTVR_LOST or DTVR_QUEUED. */
    uint64_t lost;
    /* Records of the app, of assets and of their playback: stored, and lost. They do not count as tags. */
    uint64_t summaries;
    uint64_t lost_summaries;
} dtvr_counts;

/*
 * The state of all tags of the folder's buffer, over all sessions and launches. Other records count as tags here.
 * At every moment: accepted = delivered + waiting + evicted + expired + dead + pruned + damaged.
 */
typedef struct dtvr_buffer_counts {
    /* sizeof(dtvr_buffer_counts): the library writes no more bytes than this. */
    size_t size;
    /* Written to the disk. */
    uint64_t accepted;
    /* Acknowledged by the collector. */
    uint64_t delivered;
    /* On the disk, including held tags. */
    uint64_t waiting;
    /* Lost: evicted for newer tags; too old; refused by the collector; removed by hand; unreadable on the disk. */
    uint64_t evicted;
    uint64_t expired;
    uint64_t dead;
    uint64_t pruned;
    uint64_t damaged;
    /* Never accepted: in memory while the disk is full or read-only; lost from memory; refused by the buffer. */
    uint64_t in_memory;
    uint64_t memory_lost;
    uint64_t refused;
} dtvr_buffer_counts;

/* The state of the delivery to the collector. New values may be added. */
typedef enum dtvr_delivery_state {
    /* Nothing is delivered, because there is no collector; dtvr_delivery_reason says why. */
    DTVR_DELIVERY_OFF = 0,
    /* No tag waits for the disk or the collector, except held tags. */
    DTVR_DELIVERY_IDLE = 1,
    /* Tags are on their way. */
    DTVR_DELIVERY_SENDING = 2,
    /* The collector, the network or the disk fails at present; the session tries again by itself. */
    DTVR_DELIVERY_RETRYING = 3,
    /* An operator must fix the cause, such as a token or an address; the session tries every 15 minutes. */
    DTVR_DELIVERY_HELD = 4,
    /* Another process owns the buffer, and delivers its tags. */
    DTVR_DELIVERY_ELSEWHERE = 5
} dtvr_delivery_state;

/* The delivery of the folder's tags; all sessions of the folder share it. */
typedef struct dtvr_delivery {
    /* sizeof(dtvr_delivery): the library writes no more bytes than this. */
    size_t size;
    dtvr_delivery_state state;
    /* The number of the problem in the guides; 0 without a problem. */
    int32_t code;
    /* The start of the problem, in milliseconds since 1970; 0 without a problem. */
    int64_t since_unix_ms;
    /* Tags that the collector has refused permanently, over all launches. */
    uint64_t dead_letters;
} dtvr_delivery;

/* The tags of a folder at the end of a session. */
typedef struct dtvr_ending {
    /* sizeof(dtvr_ending): the library writes no more bytes than this. */
    size_t size;
    /* Delivered since the session was created, or since the buffer was opened if that was later. */
    uint64_t delivered;
    /*
     * Not delivered yet, and on the disk: another session of the folder, or the next launch, sends them. Tags that are
     * only in memory do not count: they are lost if the process ends before they reach the disk.
     */
    uint64_t waiting;
    /* The state of the delivery when the session ended, and the number of its problem; 0 without one. */
    dtvr_delivery_state state;
    int32_t code;
} dtvr_ending;

/* The tags of a folder after dtvr_deliver_within. */
typedef struct dtvr_delivered {
    /* sizeof(dtvr_delivered): the library writes no more bytes than this. */
    size_t size;
    /* Tags and other records that the collector has received during the call. */
    uint64_t delivered;
    /* Not delivered yet, on the disk or in memory, including held tags. */
    uint64_t waiting;
    /* Of those, held until the playhead reaches them. */
    uint64_t held;
    /* The state of the delivery at the end of the call, and the number of its problem; 0 without one. */
    dtvr_delivery_state state;
    int32_t code;
} dtvr_delivered;

/* ---- The library ---- */

/* Returns the version of the library, such as "0.2.0". The pointer stays valid until the process ends. */
const char *dtvr_version(void);

/* Returns a short English description of a status; never null. The pointer stays valid until the process ends. */
const char *dtvr_status_text(dtvr_status status);

/*
 * Returns a short English description of an error of the guides, by its number; never null. The pointer stays valid
 * until the process ends.
 */
const char *dtvr_error_text(int32_t code);

/* ---- Session lifetime ---- */

/*
 * Creates a session, and initializes it with the app's information: an object with `appid` (docs/players.md), or null
 * to initialize it later with dtvr_init. Sets `*session` to the session, or to null if the result is below 0. Problems
 * with the app's information, the folder or the configuration are reported as notifications; tags are stored anyway.
 * While the information has no `appid` that can be read, they are not delivered, also not after the next launch: it
 * may have held an opt-out. The next dtvr_init with an `appid` admits them to delivery, or deletes them if the user has
 * opted out by then.
 */
dtvr_status dtvr_create(
    const dtvr_options *options, const char *app_info, size_t length, dtvr_session **session);

/*
 * Ends a session: held tags will not be presented, and pending tags are written to the disk, for at most `timeout_ms`
 * milliseconds. After this returns, the session no longer exists and none of its callbacks runs. A call that is in
 * progress on another thread completes; one that begins later returns DTVR_NO_SESSION. Waits for a running callback to
 * return, however long that takes, even beyond `timeout_ms`. DTVR_TIMED_OUT or DTVR_IN_USE: not everything reached the
 * disk in time; writing continues without the session. Does nothing if `session` is null.
 */
dtvr_status dtvr_destroy(dtvr_session *session, uint64_t timeout_ms);

/*
 * Ends a session like dtvr_destroy, and gets what was delivered and what waits. `ending` may be null; otherwise
 * `ending->size` must be set. It is written only if the result is DTVR_DONE or DTVR_NOT_ON_DISK.
 */
dtvr_status dtvr_finish(dtvr_session *session, uint64_t timeout_ms, dtvr_ending *ending);

/*
 * Waits until everything handed over so far is on the disk, for at most `timeout_ms` milliseconds. DTVR_NOT_ON_DISK:
 * the disk is full or read-only, or tags of the session, or tags of the folder that were only in memory, were lost.
 * DTVR_IN_USE: another process owns the buffer; the tags wait in memory. While 64 calls for the session have not been
 * completed, although their time is over, a further one returns at once, as if its time were over.
 */
dtvr_status dtvr_settle(dtvr_session *session, uint64_t timeout_ms);

/*
 * Delivers what the sessions of the folder have stored so far, now and for at most `timeout_ms` milliseconds, such as
 * before the app ends. The first attempt starts at once, whatever wait is planned, and one in progress continues.
 * Returns DTVR_DONE once nothing of it is left, except held tags: the collector has received it, or has refused it
 * permanently. DTVR_TIMED_OUT: the time is over; 0 starts an attempt and does not wait for it. DTVR_NOT_DELIVERED: it
 * cannot succeed in time, and the function does not wait: there is no collector, an operator must fix the cause, or the
 * next attempt is due later. DTVR_IN_USE: another process owns the buffer. In all these cases the rest stays in the
 * buffer, and the delivery continues until the session or the process ends.
 * `result` may be null; otherwise `result->size` must be set, and it is written in all these cases. While 64 calls of
 * this function and of dtvr_settle for the session are in progress, further ones return DTVR_TIMED_OUT.
 */
dtvr_status dtvr_deliver_within(dtvr_session *session, uint64_t timeout_ms, dtvr_delivered *result);

/*
 * `init`: initializes the session with the app's information, an object.
 * Keys: appid (required), appname, appversion, sfcode (the market), nol_devDebug (the level of the log), optout,
 * enableFpid, uoo, dma, ccode, latitude, longitude, clientid, subbrand, containerId.
 */
dtvr_status dtvr_init(dtvr_session *session, const char *app_info, size_t length);

/* `free`: held tags will not be presented, and pending tags are sent. The session can be initialized again. */
dtvr_status dtvr_shut_down(dtvr_session *session);

/* ---- Player calls; `playhead` and `media_time` are in seconds, or DTVR_NO_TIME ---- */

/*
 * `play`: starts a viewing session of a channel, an object; for the current channel, reports that it continues.
 * Keys: channelName (at most 32 characters), mediaURL, dataSrc ("id3" or "cms"), adModel ("0", "1" or "2").
 */
dtvr_status dtvr_play(dtvr_session *session, const char *channel_info, size_t length, double playhead);

/*
 * `loadMetadata`: describes the asset that plays from now on, an object. The market decides which keys are required.
 * Content: type ("content"), assetid, program, title, length (seconds), airdate, isfullepisode ("y" or "n"), adloadtype
 * ("1" linear, "2" dynamic), channelName, dataSrc, adModel, stationType, segA, segB, segC, crossId1, crossId2, isAudio,
 * progen, tv, prod.
 * Advertisements: type ("preroll", "midroll", "postroll" or "ad"), assetid, adIdx, ocrtag, title, length.
 */
dtvr_status dtvr_load_metadata(dtvr_session *session, const char *metadata, size_t length);

/* `updateMetadata`: corrects the metadata of the current asset without ending it, an object with those keys. */
dtvr_status dtvr_update_metadata(dtvr_session *session, const char *metadata, size_t length);

/* `staticStart`: describes a page that is shown, an object. Keys: type ("static"), section, assetid, segA to segC. */
dtvr_status dtvr_static_start(dtvr_session *session, const char *metadata, size_t length);

/* `staticEnd`: reports that the user has left the page. */
dtvr_status dtvr_static_end(dtvr_session *session);

/*
 * `sendID3`: hands over a tag in any form: a whole ID3 tag, a private frame, the content of one, an emsg payload, or
 * text. For text, the length may be DTVR_TO_NUL. A tag with a media time is held until the playhead reaches it.
 */
dtvr_status dtvr_send_id3(dtvr_session *session, const void *tag, size_t length, double media_time);

/* Flags of dtvr_feed_segment. */
/* The timestamps do not continue those of the last segment of the track (EXT-X-DISCONTINUITY). */
#define DTVR_FEED_DISCONTINUITY 1u
/* The first segment after a jump: from it on, tags that were handed over before are handed over again. */
#define DTVR_FEED_JUMP 2u

/* The tags of a segment. */
typedef struct dtvr_fed {
    /* sizeof(dtvr_fed): the library writes no more bytes than this. */
    size_t size;
    /* Handed over; dtvr_get_counts has their outcomes. */
    uint64_t tags;
    /* Not handed over, because an earlier segment had them at the same position. */
    uint64_t repeats;
} dtvr_fed;

/*
 * Reads the tags of a media segment and hands them over as dtvr_send_id3 does, for a player whose demuxer does not. The
 * segment is a transport stream, fragmented MP4 or packed audio, whole and decrypted, of `length` bytes; DTVR_TO_NUL is
 * invalid. Feed the segments of a playlist in order, and an initialization segment before those that it applies to.
 *
 * `start` is the playhead at which the segment begins to be presented. Each tag is held until the playhead reaches its
 * place in the segment, so segments can be fed when they are loaded. With DTVR_NO_TIME, the tags are handed over at
 * once. `track` is the number of the playlist among those that play at the same time, such as video and audio, from 0
 * to 15. `flags` is 0, or the sum of flags. A tag that another track, the next segment or another quality repeats at
 * the same position is handed over once.
 *
 * The bytes are read on the calling thread, several megabytes in less than a millisecond, and not kept. libav is not
 * used. Damaged bytes cost only the tags in them. `result` may be null; otherwise `result->size` must be set.
 * DTVR_INVALID: the bytes are not a segment, such as an encrypted or an empty one.
 * DTVR_INVALID_OPTION: the track, a flag or the length is out of range.
 */
dtvr_status dtvr_feed_segment(
    dtvr_session *session, const void *segment, size_t length, double start, uint32_t track, uint32_t flags,
    dtvr_fed *result);

/* `playheadPosition`: reports the playback position, every second or two; Unix time for live streams. */
dtvr_status dtvr_playhead_position(dtvr_session *session, double seconds);

/* `pause`: reports that playback is interrupted; held tags stay held. */
dtvr_status dtvr_pause(dtvr_session *session, double playhead);

/* `stop`: reports that playback is interrupted or an advertisement is over; held tags will not be presented. */
dtvr_status dtvr_stop(dtvr_session *session, double playhead);

/* `end`: reports that the content is over. */
dtvr_status dtvr_end(dtvr_session *session, double playhead);

/* `setVolume`: reports the volume, from 0 to 100. */
dtvr_status dtvr_set_volume(dtvr_session *session, double percent);

/* `setMute`: reports whether the sound is muted. */
dtvr_status dtvr_set_mute(dtvr_session *session, bool is_muted);

/*
 * `updateOTT`: describes the device that shows the picture, an object.
 * Keys: ottStatus ("0" or "1"), ottType, ottDevice, ottDeviceModel, ottDeviceID.
 */
dtvr_status dtvr_update_ott(dtvr_session *session, const char *information, size_t length);

/* `trackViewability`: reports how much of the picture is visible, an object of series. */
dtvr_status dtvr_track_viewability(dtvr_session *session, const char *series, size_t length);

/* `appInBackground`: sends the waiting tags and ends the viewing session. */
dtvr_status dtvr_app_in_background(dtvr_session *session);

/* `appInForeground`: reports that the app is in the foreground again. */
dtvr_status dtvr_app_in_foreground(dtvr_session *session);

/* `processEvent`: reports an event of the page or the app, such as `blur`, as text or as an object with `type`. */
dtvr_status dtvr_process_event(dtvr_session *session, const char *event, size_t length);

/*
 * `trackEvent`: the Simplified API, one object for everything.
 * Keys: event ("playhead", "pause", "complete" or "adStop"), type, metadata (an object with `content`, `ad`
 * and `static`, each with the keys of loadMetadata), playheadPosition, id3Data, ottData, optout.
 */
dtvr_status dtvr_track_event(dtvr_session *session, const char *data, size_t length);

/* `ggPM`: the browser's form, the name or the number of a call and its argument, as text or an object. */
dtvr_status dtvr_ggpm(
    dtvr_session *session, const char *event, size_t event_length, const char *data, size_t data_length,
    double playhead);

/*
 * Makes any call by its name, with a JSON list of arguments. The answer has the form that `dtvr replay` prints:
 * {"outcome":"stored","findings":["play.missing"],"details":[{"id":"play.missing","source":"guide 002, 5.2"}],
 * "state":"processing"}; `details` is absent without findings. A call that asks for something, such as optOutStatus,
 * also has its answer as `value`. The call is made even if the answer does not fit.
 */
dtvr_status dtvr_call(
    dtvr_session *session, const char *name, size_t name_length, const char *arguments, size_t arguments_length,
    char *buffer, size_t capacity, size_t *length);

/* ---- The user's choice ---- */

/* `appDisableApi`: disables measurement, or enables it again. */
dtvr_status dtvr_disable(dtvr_session *session, bool is_disabled);

/*
 * `userOptOut`: applies the address that the opt-out page opened; DTVR_IGNORED for any other address. The choice is
 * kept across launches.
 */
dtvr_status dtvr_user_opt_out(dtvr_session *session, const char *address, size_t length);

/* `optOutStatus`: gets whether the user has opted out. */
dtvr_status dtvr_opt_out_status(dtvr_session *session, bool *is_opted_out);

/* `optOutURL`: gets the address of the opt-out page; DTVR_NOTHING if the configuration names none. */
dtvr_status dtvr_opt_out_url(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* ---- Answers ---- */

/* Gets the state of the session. */
dtvr_status dtvr_get_state(dtvr_session *session, dtvr_state *state);

/* Gets the number of tags handed over, by outcome, at this moment. `counts->size` must be set. */
dtvr_status dtvr_get_counts(dtvr_session *session, dtvr_counts *counts);

/* Gets the counts of the folder's buffer. `counts->size` must be set. DTVR_NOTHING while the buffer is not open. */
dtvr_status dtvr_get_buffer_counts(dtvr_session *session, dtvr_buffer_counts *counts);

/* Gets the state of the delivery to the collector. `delivery->size` must be set. */
dtvr_status dtvr_get_delivery(dtvr_session *session, dtvr_delivery *delivery);

/*
 * Gets the reason for the state of the delivery, a sentence without secrets: "status 401: unauthorized: ...".
 * DTVR_NOTHING if tags are delivered or none waits.
 */
dtvr_status dtvr_delivery_reason(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/*
 * Gets the number of times each finding occurred (docs/players.md), and the last one of each kind and key in `details`,
 * which is absent without findings: {"play.missing":1,"details":[{"id":"play.missing",
 * "expected":"`play` before the first tag","source":"guide 002, 5.2","count":1}]}.
 */
dtvr_status dtvr_findings(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/*
 * Get the last event, the last error, and the later of the two: {"code":2001,"description":"started",
 * "timestamp":1790000000000}. The timestamp is in milliseconds since 1970. DTVR_NOTHING before the first.
 */
dtvr_status dtvr_last_event(dtvr_session *session, char *buffer, size_t capacity, size_t *length);
dtvr_status dtvr_last_error(dtvr_session *session, char *buffer, size_t capacity, size_t *length);
dtvr_status dtvr_last_occurred(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* `deviceId`: gets the random id of this device's buffer; DTVR_NOTHING until it is read, and after an opt-out. */
dtvr_status dtvr_device_id(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

/* `firstPartyId`: gets the first-party id; DTVR_NOTHING if the app disables it, and after an opt-out. */
dtvr_status dtvr_first_party_id(dtvr_session *session, char *buffer, size_t capacity, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
