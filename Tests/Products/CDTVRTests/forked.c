/*
 * A process forks while it has a session: every function of the child returns DTVR_FORKED and does nothing, and the
 * parent continues. A child that was forked before the first session has its own sessions.
 *
 *     forked FOLDER OTHER-FOLDER
 */
#include <dtvr.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static dtvr_session *made(const char *folder)
{
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory.bytes = folder;
    options.directory.length = DTVR_TO_NUL;
    dtvr_session *session = NULL;
    return dtvr_create(&options, "{\"appid\":\"T1\"}", DTVR_TO_NUL, &session) == DTVR_DONE ? session : NULL;
}

static bool keeps_a_tag(dtvr_session *session, const char *tag)
{
    return session && dtvr_send_id3(session, tag, strlen(tag), DTVR_NO_TIME) >= 0
        && dtvr_settle(session, 60000) == DTVR_DONE;
}

static int ended(pid_t child)
{
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int child_of(dtvr_session *session)
{
    char text[64];
    size_t length = 0;
    bool flag = false;
    dtvr_state state;
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_buffer_counts buffer = {0};
    buffer.size = sizeof buffer;
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory.bytes = "/tmp/never";
    options.directory.length = DTVR_TO_NUL;
    dtvr_session *other = session;
    const dtvr_status answers[] = {
        dtvr_create(&options, NULL, 0, &other), dtvr_init(session, "{}", 2), dtvr_shut_down(session),
        dtvr_settle(session, 1000), dtvr_destroy(session, 1000), dtvr_play(session, "{}", 2, 0),
        dtvr_load_metadata(session, "{}", 2), dtvr_update_metadata(session, "{}", 2),
        dtvr_static_start(session, "{}", 2),
        dtvr_static_end(session), dtvr_send_id3(session, "x", 1, 0), dtvr_playhead_position(session, 1),
        dtvr_pause(session, 1), dtvr_stop(session, 1), dtvr_end(session, 1), dtvr_set_volume(session, 1),
        dtvr_set_mute(session, true), dtvr_update_ott(session, "{}", 2), dtvr_track_viewability(session, "{}", 2),
        dtvr_app_in_background(session), dtvr_app_in_foreground(session), dtvr_process_event(session, "x", 1),
        dtvr_track_event(session, "{}", 2), dtvr_ggpm(session, "x", 1, "x", 1, 0),
        dtvr_call(session, "end", 3, "[]", 2, text, sizeof text, &length), dtvr_disable(session, true),
        dtvr_user_opt_out(session, "nielsenappsdk://1", DTVR_TO_NUL), dtvr_opt_out_status(session, &flag),
        dtvr_opt_out_url(session, text, sizeof text, &length), dtvr_get_state(session, &state),
        dtvr_get_counts(session, &counts), dtvr_get_buffer_counts(session, &buffer),
        dtvr_findings(session, text, sizeof text, &length),
        dtvr_last_event(session, text, sizeof text, &length), dtvr_last_error(session, text, sizeof text, &length),
        dtvr_last_occurred(session, text, sizeof text, &length), dtvr_device_id(session, text, sizeof text, &length),
        dtvr_first_party_id(session, text, sizeof text, &length),
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != DTVR_FORKED) {
            fprintf(stderr, "function %zu of the child answers %d\n", i, (int)answers[i]);
            return 1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    pid_t early = fork();
    if (early == 0) {
        dtvr_session *own = made(argv[2]);
        return keeps_a_tag(own, "www.nielsen.com/child") && dtvr_destroy(own, 60000) == DTVR_DONE ? 0 : 1;
    }
    dtvr_session *session = made(argv[1]);
    if (!keeps_a_tag(session, "www.nielsen.com/before"))
        return 3;
    fflush(stderr);
    pid_t late = fork();
    if (late == 0)
        _exit(child_of(session));
    int statuses[] = {ended(late), ended(early)};
    if (statuses[0] || statuses[1]) {
        fprintf(stderr, "the children ended with %d and %d\n", statuses[0], statuses[1]);
        return 4;
    }
    if (!keeps_a_tag(session, "www.nielsen.com/after"))
        return 5;
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_get_counts(session, &counts);
    bool is_out = true;
    dtvr_opt_out_status(session, &is_out);
    return counts.stored == 2 && counts.accepted == 2 && !is_out && dtvr_destroy(session, 60000) == DTVR_DONE ? 0 : 6;
}
